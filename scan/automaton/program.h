// SPDX-License-Identifier: MIT
// A pattern as a non-deterministic automaton over bytes (Thompson's construction), a list of
// instructions from which every engine for regular expressions is made. A *look* is a condition on
// a place between two bytes, such as `^` or \b (scan/syntax/tree.h). compile_program() makes it
// from the parser's tree, to be read forwards or backwards. It is immutable afterwards, so any
// number of engines and threads may share it. Size: at most ProgramOptions::max_bytes. Sources: L6,
// L14. Tested by tests/unit/scan/regex/regex_engines_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "presso/error.h"
#include "scan/syntax/parser.h"

namespace presso::scan_detail {

using InstId = std::uint32_t;

/// A byte of [low, high] leads to `next`.
struct Transition {
  Byte low = 0;
  Byte high = 0;
  InstId next = 0;
};

/// One instruction, 16 bytes. `first` and `count` are a range of Program::transitions or
/// Program::targets, or a slot or pattern number, as its Op says.
struct Inst {
  enum class Op : Byte {
    kBytes,  ///< reads a byte: transitions [first, first + count), ascending, disjoint
    kSplit,  ///< goes to targets [first, first + count), an earlier one preferred
    kLook,   ///< goes to `next` where `look` holds
    kSave,   ///< notes the place in slot `first`, goes to `next`
    kMatch,  ///< a match of the pattern with the number `first` ends here
  };
  Op op = Op::kBytes;
  Look look = Look::kLineStart;
  InstId next = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// Which looks occur, as bits 1 << Look.
using LookSet = std::uint32_t;
constexpr LookSet look_bit(Look look) {
  return LookSet{1} << static_cast<unsigned>(look);
}
/// The looks for which a neighbouring character that is not ASCII has to be decoded. Deterministic
/// automata decline them at such places.
constexpr LookSet kUnicodeLooks = look_bit(Look::kWordBoundary) | look_bit(Look::kNotWordBoundary) |
                                  look_bit(Look::kWordStartHalf) | look_bit(Look::kWordEndHalf);
constexpr LookSet kWordLooks =
    kUnicodeLooks | look_bit(Look::kAsciiBoundary) | look_bit(Look::kNotAsciiBoundary);

/// Owns all instructions; ids are indexes into `insts`. Only loops, and `$` with crlf in a reversed
/// program, lead to an instruction with a higher number.
struct Program {
  std::vector<Inst> insts;
  std::vector<Transition> transitions;
  std::vector<InstId> targets;
  InstId start = 0;       ///< a match begins here
  InstId unanchored = 0;  ///< a match begins here or further on
  std::uint32_t slots = 0;
  LookSet looks = 0;
  bool reversed = false;
  /// The class of each byte. Bytes that no transition and no look tells apart share one.
  std::array<Byte, 256> class_of{};
  std::uint32_t classes = 0;

  std::span<const Transition> transitions_of(const Inst& inst) const {
    return {transitions.data() + inst.first, inst.count};
  }
  std::span<const InstId> targets_of(const Inst& inst) const {
    return {targets.data() + inst.first, inst.count};
  }
  /// The transition that reads `byte`, or nullptr if the instruction does not read it.
  const Transition* transition_on(const Inst& inst, Byte byte) const;
};

/// How a program is to be made. `crlf` lets `$` stand before "\r\n" too.
struct ProgramOptions {
  bool reverse = false;
  bool captures = false;  ///< slots 2n and 2n + 1 for group n; group 0 is the match
  bool crlf = false;
  std::size_t max_bytes = std::size_t{128} << 20;
};

/// Compiles one pattern. Error kInvalidArgument: the program would take more than
/// options.max_bytes.
Result<Program> compile_program(const Node& root, const ProgramOptions& options);
/// Compiles several patterns into one program, an earlier one preferred; each has a kMatch of its
/// own.
Result<Program> compile_program(std::span<const Node> roots, const ProgramOptions& options);

/// Whether all of `root` can match the empty string.
bool is_nullable(const Node& root);

}  // namespace presso::scan_detail
