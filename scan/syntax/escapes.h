// SPDX-License-Identifier: MIT
// What a backslash begins, within and outside of classes.
#pragma once

#include <map>
#include <string>

#include "scan/syntax/cursor.h"

namespace presso::scan_detail {

/// A character of the pattern. With `is_byte` it is that byte and not the UTF-8 of a code point,
/// which makes a difference from 0x80 on.
struct Character {
  CodePoint code = 0;
  bool is_byte = false;
};

struct Escape {
  enum class Kind { kCharacter, kSet, kAnyByte, kLook };
  Kind kind = Kind::kCharacter;
  Character character;
  CodeSet set;
  /// One place, or two that must hold together.
  std::vector<Look> looks;
};

class EscapeParser {
 public:
  /// `cursor` is at a backslash; it is moved past the escape. \Q...\E is not one of them.
  Result<Escape> parse(Cursor& cursor, const SyntaxOptions& flags);

 private:
  Result<Escape> parse_property(Cursor& cursor, const SyntaxOptions& flags);
  Result<Escape> property_set(std::string_view name, bool negate, std::size_t at,
                              const SyntaxOptions& flags);

  /// The sets of names that were met before, since patterns repeat themselves. By flags and name.
  std::map<std::string, CodeSet, std::less<>> known_;
};

}  // namespace presso::scan_detail
