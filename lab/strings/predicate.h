// SPDX-License-Identifier: MIT
// What may be asked of a string: LIKE, equality, substrings, regular expressions, and their Boolean
// combinations, compiled into one minimal automaton. Sources: S6.4, L6, L9.
//
// Leaves are what queries ask, too (query/strings/string_automaton.h). An automaton reads a string
// once whatever was combined; the price is its size, at worst the product of the parts' sizes.
// Tested by lab/tests/string_dfa_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "presso/error.h"
#include "query/strings/string_automaton.h"
#include "scan/automaton/dfa.h"

namespace presso::strings {

using scan_detail::Dfa;

struct RegexOptions {
  bool ignore_case = false;
  bool unicode = true;  ///< classes, `.` and case are Unicode's over UTF-8; else of bytes
  bool dot_matches_line_feed = true;
};

/// A tree of conditions on one string. Plain data; compile() finds what is wrong with it.
struct Predicate {
  enum class Kind : Byte {
    kLike,
    kEquals,
    kContains,
    kInOrder,  ///< `parts` are kContains
    kRegexMatch,
    kRegexSearch,
    kAnd,
    kOr,
    kNot,
  };
  Kind kind = Kind::kContains;
  std::string pattern;
  char escape = '\\';  ///< of kLike; 0: none
  RegexOptions options;
  std::vector<Predicate> parts;
};

/// SQL's LIKE over the whole string: `%` any bytes, `_` one character (a byte without unicode).
Predicate like(std::string pattern, char escape = '\\', const RegexOptions& options = {});
Predicate equals(std::string bytes);
Predicate contains(std::string bytes);
/// The expression matches the whole string.
Predicate regex_match(std::string pattern, const RegexOptions& options = {});
/// The expression matches somewhere in it.
Predicate regex_search(std::string pattern, const RegexOptions& options = {});
Predicate all_of(std::vector<Predicate> parts);  ///< no parts: every string
Predicate any_of(std::vector<Predicate> parts);  ///< no parts: none
Predicate negation_of(Predicate part);

/// Of each automaton and product.
using DfaLimits = query::AutomatonLimits;

/// Errors: kInvalidArgument for a pattern that does not parse (byte_offset: into that pattern) or
/// an automaton above the limits; kUnsupported for Unicode's \b.
Result<Dfa> compile(const Predicate& predicate, const DfaLimits& limits = {});

/// S1, S2, ... in this order, none overlapping another: `%S1%S2%`.
Predicate contains_in_order(const std::vector<std::string>& substrings);

}  // namespace presso::strings
