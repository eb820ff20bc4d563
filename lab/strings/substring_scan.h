// SPDX-License-Identifier: MIT
// Which rows of a column hold substrings in order (`%S1%S2%`), by any of the CPU's engines.
// Sources: S6.2, S5.1, S5.17. All select the same rows. Tested by
// lab/tests/substring_scan_test.cpp.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lab/strings/string_column.h"
#include "presso/cpu.h"
#include "presso/error.h"

namespace presso::strings {

enum class SubstringEngine {
  kLibrary,  ///< std::string_view::find
  kKmpStep,
  kKmpBasic,
  kKmpHybrid,
  kBoyerMoore,
  kAhoCorasick,
  kDfa,                ///< one automaton for the sequence, a row at a time
  kVectorDfa,          ///< the same, a row per vector lane
  kStringInstruction,  ///< SSE4.2's PCMPESTRI; substrings of up to 16 bytes
  kVector,             ///< AVX2: first and last byte of a substring, 32 places at a time
  kSweep,              ///< as kVector, over all rows' bytes at once for the first substring
};

/// In the order of the enumeration.
std::span<const SubstringEngine> all_substring_engines();
const char* name(SubstringEngine engine);

/// Immutable, thread-safe.
class SubstringScan {
 public:
  virtual ~SubstringScan() = default;

  /// Ids of the rows that hold all substrings in order, in no particular order, to `ids`, which
  /// must have room for all rows and kRowIdSlack more; returns how many. Fewer than 2^32 rows.
  virtual std::size_t select(const StringColumnView& column,
                             std::span<std::uint32_t> ids) const = 0;

  /// kUnsupported: this machine lacks the instructions, or a substring is longer than the engine
  /// takes; kInvalidArgument: the automaton is too large.
  static Result<std::unique_ptr<SubstringScan>> make(const std::vector<std::string>& substrings,
                                                     SubstringEngine engine,
                                                     CpuLevel level = cpu_level());
};

}  // namespace presso::strings
