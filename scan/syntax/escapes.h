// SPDX-License-Identifier: MIT
// Parses what begins with a backslash, within and outside of classes: characters by number or
// letter, sets such as \w and \p{Greek}, and looks such as \b. Follows Rust's regex, and RE2 where
// that has more. Backreferences are declined with an error. Tested by
// tests/unit/scan/syntax/regex_parser_test.cpp.
#pragma once

#include <map>
#include <string>

#include "scan/syntax/cursor.h"

namespace presso::scan_detail {

/// A character of the pattern. With `is_byte` it is that single byte and not the UTF-8 of a code
/// point, which makes a difference from 0x80 on.
struct Character {
  CodePoint code = 0;
  bool is_byte = false;
};

/// What an escape stands for; `kind` says which of the members counts.
struct Escape {
  enum class Kind { kCharacter, kSet, kAnyByte, kLook };
  Kind kind = Kind::kCharacter;
  Character character;
  CodeSet set;
  /// One place, or two that must hold together.
  std::vector<Look> looks;
};

/// Parses the escapes of one pattern.
class EscapeParser {
 public:
  /// Parses one escape. `cursor` is at its backslash and is moved past it. \Q...\E is not handled
  /// here. Errors: kInvalidArgument.
  Result<Escape> parse(Cursor& cursor, const SyntaxOptions& flags);

 private:
  /// \pL, \p{name} and \P{name}.
  Result<Escape> parse_property(Cursor& cursor, const SyntaxOptions& flags);
  /// The set of a property by its name, folded if case is ignored; looked up once for each name.
  /// Error: at `at`, if no property has the name.
  Result<Escape> property_set(std::string_view name, bool negate, std::size_t at,
                              const SyntaxOptions& flags);

  /// The sets of property names that were met before, since patterns repeat themselves; by flags
  /// and name.
  std::map<std::string, CodeSet, std::less<>> known_;
};

}  // namespace presso::scan_detail
