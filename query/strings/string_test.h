// SPDX-License-Identifier: MIT
// Conditions on strings that are values of a column, not lines: comparison with a string, LIKE,
// regular expressions. Any byte may stand in a string, '\n' is one as any other. Each condition is
// compiled once and asked in the form in which the column is stored:
//   - strings one after another in one text: the rarest literal is swept for over all rows at once
//     by the kernels of scan/bytes, and only rows with a hit are looked at; else an automaton reads
//     each row,
//   - tokens: an automaton over codes, made from the one over bytes and the token dictionary,
//   - the entries of a dictionary, one by one.
// Sources: L2, L9, L14, L20, S6.2-S6.4. Thread-safe. Tested by
// tests/unit/query/strings/string_test_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "format/columns/token_dictionary.h"
#include "presso/bytes.h"
#include "presso/cpu.h"
#include "presso/error.h"

namespace presso::query {

/// Which strings are looked for.
struct StringCondition {
  enum class Kind : Byte {
    kEqual,
    kLess,  ///< bytewise, as all comparisons
    kLessEqual,
    kGreater,
    kGreaterEqual,
    kIn,       ///< one of `set`
    kLike,     ///< the whole string; `%` any bytes, `_` one character (string_automaton.h)
    kIlike,    ///< without regard to case (simple folding)
    kMatches,  ///< a regular expression matches somewhere (query_syntax())
  };
  Kind kind = Kind::kEqual;
  std::string text;
  std::vector<std::string> set;
  bool has_escape = false;
  char escape = 0;
};

class StringTest {
 public:
  /// Errors: kInvalidArgument with the offset in the pattern for one that does not parse or that
  /// becomes too large an automaton; kUnsupported for Unicode's \b. Answers do not depend on
  /// `level`.
  static Result<StringTest> compile(const StringCondition& condition, CpuLevel level = cpu_level());

  const StringCondition& condition() const;
  bool matches(Bytes string) const;
  /// Sets bit i of `bits` where row i matches, clears it where not; (rows + 63) / 64 words. Where
  /// `alive` is not nullptr, rows whose bit there is 0 need not be looked at and come out as 0.
  /// `text` as of SliceText (column_slice.h): row i is [offsets[i], offsets[i + 1]).
  void find(Bytes text, const std::int64_t* offsets, std::uint32_t rows, const std::uint64_t* alive,
            std::uint64_t* bits) const;
  /// How many nanoseconds a byte of text takes, about: for the planner.
  double byte_cost_ns() const;
  /// In a few words, for --explain: "literal 'special', then LIKE".
  std::string describe() const;
  /// Whether every match has these bytes somewhere; empty: nothing is known.
  std::string required_literal() const;
  /// For kEqual and kIn: the strings; empty for others. By them blocks are skipped.
  const std::vector<std::string>& exact_strings() const;

  /// The same over token codes, which is faster than decoding them, whatever the condition. Made
  /// for one token dictionary (of a row group), kept by reference; may outlive the StringTest.
  class TokenAutomaton {
   public:
    virtual ~TokenAutomaton() = default;
    /// Row i has the codes [begins[i], begins[i + 1]). Otherwise as find().
    virtual void find(const std::uint16_t* codes, const std::uint32_t* begins, std::uint32_t rows,
                      const std::uint64_t* alive, std::uint64_t* bits) const = 0;
  };
  /// nullptr where the automaton has too many states and no literal helps: find() has to be asked.
  std::unique_ptr<const TokenAutomaton> over_tokens(const TokenDictionary& tokens) const;

 private:
  struct Body;
  explicit StringTest(std::shared_ptr<const Body> body) : body_(std::move(body)) {}
  std::shared_ptr<const Body> body_;
};

}  // namespace presso::query
