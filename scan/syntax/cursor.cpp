// SPDX-License-Identifier: MIT
// Cursor, and the errors and checks that the parsers share.
#include "scan/syntax/cursor.h"

#include <algorithm>

#include "presso/pattern.h"
#include "scan/syntax/named_classes.h"

namespace presso::scan_detail {

/// Reads one character. A byte that is not UTF-8 does not occur: the pattern was checked.
CodePoint Cursor::next() {
  const auto* begin = reinterpret_cast<const Byte*>(text_.data());
  const Decoded decoded = decode(begin + at_, begin + text_.size());
  at_ += decoded.bytes;
  return decoded.code;
}

/// With (?x): passes over white space and over comments, which go from '#' to the line's end.
void Cursor::skip_space() {
  const CodeSet& space = perl_class('s', true);
  while (!done()) {
    const std::size_t before = at_;
    const CodePoint code = next();
    if (code == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (!space.contains(code)) {
      at_ = before;
      return;
    }
  }
}

Error line_feed_error(std::size_t at) {
  return pattern_error(at, "a line feed cannot be matched within a line; multi-line mode (-U) can");
}

Status check_utf8(std::string_view pattern) {
  const std::size_t valid = valid_utf8_prefix(pattern);
  if (valid == pattern.size()) return {};
  return pattern_error(valid, "the pattern is not UTF-8; for single bytes write (?-u:\\xFF)");
}

/// The name between quotes for a message, with control characters as '?', cut after 40 characters.
std::string quoted(std::string_view name) {
  constexpr int kLongest = 40;
  std::string text = "'";
  Cursor cursor(name);
  for (int i = 0; i < kLongest && !cursor.done(); ++i) {
    const CodePoint code = cursor.next();
    text += code < ' ' || code == 0x7F ? "?" : encoded(code);
  }
  return text + (cursor.done() ? "'" : "...'");
}

}  // namespace presso::scan_detail
