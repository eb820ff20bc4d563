// SPDX-License-Identifier: MIT
// Automata that read whole strings, in which '\n' is a byte like any other: `^` and `$` are the
// beginning and end of the string or, with (?m), of its lines. LIKE and regular expressions become
// trees; trees become minimal automata by the compiler, the subset construction and Hopcroft's
// algorithm (1971) of scan/automaton. Sources: S6.4, L6, L9 of docs/sources.md. Tested by
// tests/unit/query/strings/string_automaton_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "presso/error.h"
#include "query/strings/string_test.h"
#include "scan/automaton/dfa.h"
#include "scan/automaton/program.h"
#include "scan/syntax/parser.h"

namespace presso::query {

/// A pattern of SQL's LIKE as literals with gaps between them: gaps[0], literals[0], gaps[1], ...
/// and a last gap. `%_` and `_%` mean the same, so a gap is a number of characters and whether more
/// may follow.
/// Example: `a%_b_` has the literals "a" and "b" and the gaps {0, closed}, {1, open} and {1,
/// closed}. The first gap says that a match begins with "a", as it is empty and closed.
struct LikeShape {
  struct Gap {
    std::uint32_t characters = 0;  ///< the number of `_`, the least length of the gap
    bool open = false;             ///< whether it had a `%`, so that more may follow
    friend bool operator==(const Gap&, const Gap&) = default;
  };
  std::vector<Gap> gaps;              ///< one more than literals
  std::vector<std::string> literals;  ///< none empty

  bool has_characters() const;  ///< whether some gap has a `_`
  bool is_open(std::size_t gap) const { return gaps[gap] == Gap{0, true}; }
  bool is_empty(std::size_t gap) const { return gaps[gap] == Gap{}; }
};

/// Parses a pattern; `escape` 0: there is no escape character. Errors: kInvalidArgument with the
/// offset in `pattern`.
Result<LikeShape> like_shape(std::string_view pattern, char escape);

/// Returns a tree of all strings of that shape. A character is a byte and all bytes 0x80 to 0xBF
/// after it, so that text which is not UTF-8 has characters, too (without `unicode`: a byte).
/// `letters` other than kExact ignore case.
scan_detail::Node like_tree(const LikeShape& shape, scan_detail::Letters letters,
                            bool unicode = true);

/// Returns a tree that requires `root` to match from the beginning of a string to its end.
scan_detail::Node whole_string(scan_detail::Node root);
/// Returns a tree that matches any number of bytes.
scan_detail::Node any_bytes();

/// How regular expressions of queries are read: RE2's syntax and meaning as DuckDB uses them. `.`
/// does not match '\n'; \d, \s, \w and \b are those of ASCII; other classes and case are Unicode's.
scan_detail::SyntaxOptions query_syntax();

/// Bounds of the work that an automaton may take.
struct AutomatonLimits {
  std::size_t constructed_states = 50'000;  ///< before minimising
};

/// What queries make in advance: programs up to RE2's limit of memory, and automata that take at
/// most some 50 ms, at about a microsecond for each pair of state and class of bytes. Larger
/// automata are made lazily as they read.
constexpr scan_detail::ProgramOptions kQueryProgram{.max_bytes = std::size_t{8} << 20};
AutomatonLimits query_limits(const scan_detail::Program& program);

/// Returns the automaton of the strings in which `program` finds a match. Errors: kInvalidArgument
/// for more states than the limits allow; kUnsupported for Unicode's \b, which needs characters.
Result<scan_detail::Dfa> string_automaton(const scan_detail::Program& program,
                                          const AutomatonLimits& limits = {});
/// As above, for a tree. Errors: also those of compile_program().
Result<scan_detail::Dfa> string_automaton(const scan_detail::Node& root,
                                          const AutomatonLimits& limits = {});
/// Returns the automaton of the strings that compare with `text` as `kind` says, one of kEqual to
/// kGreaterEqual.
scan_detail::Dfa comparison_automaton(StringCondition::Kind kind, std::string_view text);
/// Returns the error for an automaton beyond the limits.
Error too_many_states(const AutomatonLimits& limits);

}  // namespace presso::query
