// SPDX-License-Identifier: MIT
// Conditions on strings that are values of a column (not lines): comparison with a string, LIKE,
// regular expressions. A string may hold any byte; '\n' is a byte like any other. A condition is
// compiled once and is then asked in the form in which the column is stored:
//
//   - Strings one after another in one text: the rarest literal that every match has is swept for
//     over all rows at once, by the vector kernels of scan/bytes, and only rows with a hit are
//     tested. Without such a literal an automaton reads each row.
//   - Tokens (FORMAT.md 17): an automaton over token codes, made from the automaton over bytes and
//     the token dictionary, without decoding the text.
//   - A dictionary of strings: its entries are tested one by one.
//
// Rates are in NOTES.md: 1 to 30 GB/s of text for one thread. GPUs have kernels of their own
// (query/gpu/strings) and use only the automata. Sources: L2, L9, L14, L20, S6.2-S6.4 of
// docs/sources.md. Tested by tests/unit/query/strings/string_test_test.cpp and
// tests/differential/string_regex_oracle_test.cpp.
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

/// Which strings are looked for. `text` is what is compared with, or the pattern; `set` is for kIn
/// only.
struct StringCondition {
  enum class Kind : Byte {
    kEqual,
    kLess,  ///< comparisons are by bytes, which for UTF-8 is the order of code points
    kLessEqual,
    kGreater,
    kGreaterEqual,
    kIn,  ///< one of `set`
    /// The whole string matches; `%` is any bytes, `_` one character (see string_automaton.h).
    kLike,
    kIlike,    ///< LIKE without regard to case (Unicode's simple folding)
    kMatches,  ///< a regular expression matches somewhere (query_syntax())
  };
  Kind kind = Kind::kEqual;
  std::string text;
  std::vector<std::string> set;
  bool has_escape = false;
  char escape = 0;
};

/// A compiled condition. Immutable, cheap to copy, and safe to use from any number of threads.
class StringTest {
 public:
  /// Compiles a condition, choosing the fastest way (compiled_condition.h); `level` decides about
  /// vector code only, never about answers. Errors: kInvalidArgument, with the offset in the
  /// pattern, for a pattern that cannot be parsed or whose automaton would be too large;
  /// kUnsupported for Unicode's \b.
  static Result<StringTest> compile(const StringCondition& condition, CpuLevel level = cpu_level());

  const StringCondition& condition() const;
  /// Whether a single string fulfils the condition.
  bool matches(Bytes string) const;
  /// Sets bit i of `bits` if row i matches and clears it if not; (rows + 63) / 64 words. If `alive`
  /// is not nullptr, rows whose bit there is 0 need not be looked at and come out as 0; `alive` and
  /// `bits` may be the same memory. Row i is the bytes [offsets[i], offsets[i + 1]) of `text`, as
  /// in SliceText (column_slice.h).
  void find(Bytes text, const std::int64_t* offsets, std::uint32_t rows, const std::uint64_t* alive,
            std::uint64_t* bits) const;
  /// Returns about how many nanoseconds a byte of text takes; the planner orders conditions by
  /// this.
  double byte_cost_ns() const;
  /// Returns a few words for --explain: "a sweep for 'special', then literal 'special'".
  std::string describe() const;
  /// Returns the strings of kEqual and kIn, none for other kinds. Blocks are skipped by them.
  const std::vector<std::string>& exact_strings() const;

  /// The condition over token codes, which is always faster than decoding them first. It is made
  /// for one token dictionary (that of a row group), which it keeps by reference; it may outlive
  /// the StringTest. Thread-safe.
  class TokenAutomaton {
   public:
    virtual ~TokenAutomaton() = default;
    /// Row i has the codes [begins[i], begins[i + 1]); otherwise as StringTest::find().
    virtual void find(const std::uint16_t* codes, const std::uint32_t* begins, std::uint32_t rows,
                      const std::uint64_t* alive, std::uint64_t* bits) const = 0;
  };
  /// Returns nullptr if the automaton has too many states and no literal helps; then codes must be
  /// decoded and find() be asked.
  std::unique_ptr<const TokenAutomaton> over_tokens(const TokenDictionary& tokens) const;

 private:
  struct Body;
  explicit StringTest(std::shared_ptr<const Body> body) : body_(std::move(body)) {}
  std::shared_ptr<const Body> body_;
};

}  // namespace presso::query
