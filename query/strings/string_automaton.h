// SPDX-License-Identifier: MIT
// Automata that read whole strings, in which '\n' is a byte as any other: `^` and `$` are the
// string's begin and end, or with (?m) those of its lines. LIKE and regular expressions become
// trees, trees minimal automata by the compiler, subset construction and Hopcroft's algorithm of
// scan/automaton. Sources: S6.4, L6, L9.
// Tested by tests/unit/query/strings/string_automaton_test.cpp.
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

/// SQL's LIKE as literals with gaps between them: gaps[0], literals[0], gaps[1], ... and a last
/// gap. `%_` and `_%` mean the same, so a gap is a number of characters and whether more may
/// follow.
struct LikeShape {
  struct Gap {
    std::uint32_t characters = 0;  ///< at least
    bool open = false;             ///< a `%`: or more
    friend bool operator==(const Gap&, const Gap&) = default;
  };
  std::vector<Gap> gaps;              ///< one more than literals
  std::vector<std::string> literals;  ///< none empty

  bool has_characters() const;  ///< a gap counts characters
  bool is_open(std::size_t gap) const { return gaps[gap] == Gap{0, true}; }
  bool is_empty(std::size_t gap) const { return gaps[gap] == Gap{}; }
};

/// Errors: kInvalidArgument with the offset in `pattern`. `escape` 0: none.
Result<LikeShape> like_shape(std::string_view pattern, char escape);

/// A tree of all strings of that shape. A character is a byte and all bytes 0x80 to 0xBF behind it,
/// so what is not UTF-8 has characters, too (without `unicode`: a byte). `letters` not kExact: in
/// any case.
scan_detail::Node like_tree(const LikeShape& shape, scan_detail::Letters letters,
                            bool unicode = true);

/// `root` from a string's begin to its end.
scan_detail::Node whole_string(scan_detail::Node root);
/// Any number of bytes.
scan_detail::Node any_bytes();

/// How regular expressions of queries are read: RE2's syntax and meaning as DuckDB uses it. `.`
/// does not match '\n'; \d, \s, \w and \b are ASCII's; other classes and case are Unicode's.
scan_detail::SyntaxOptions query_syntax();

struct AutomatonLimits {
  std::size_t constructed_states = 50'000;  ///< before minimising
};

/// What queries make at once: programs up to RE2's limit, and automata that take at most some 50 ms
/// to make, at about a microsecond a state and class of bytes. Larger ones are made as they read.
constexpr scan_detail::ProgramOptions kQueryProgram{.max_bytes = std::size_t{8} << 20};
AutomatonLimits query_limits(const scan_detail::Program& program);

/// The strings in which `program` finds a match. Errors: kInvalidArgument: more states than that;
/// kUnsupported: Unicode's \b, which needs characters.
Result<scan_detail::Dfa> string_automaton(const scan_detail::Program& program,
                                          const AutomatonLimits& limits = {});
/// The same of a tree. Errors: also those of compile_program().
Result<scan_detail::Dfa> string_automaton(const scan_detail::Node& root,
                                          const AutomatonLimits& limits = {});
/// The strings that stand so to `text`: `kind` is kEqual to kGreaterEqual.
scan_detail::Dfa comparison_automaton(StringCondition::Kind kind, std::string_view text);
/// The error of an automaton above the limits.
Error too_many_states(const AutomatonLimits& limits);

}  // namespace presso::query
