// SPDX-License-Identifier: MIT
// Where a parser stands in its pattern, which is UTF-8, with the helpers for errors that all
// parsers of patterns share. Offsets count bytes from the pattern's beginning; an error carries the
// offset at which it is found, for the caret below the pattern (explain.cpp). Tested by
// tests/unit/scan/syntax/regex_parser_test.cpp.
#pragma once

#include <string>
#include <string_view>

#include "scan/syntax/code_set.h"

namespace presso::scan_detail {

/// A cursor over one pattern, which must outlive it. It also collects which characters the pattern
/// names, for ripgrep's smart case.
class Cursor {
 public:
  /// `text` is kept by reference and has to be UTF-8.
  explicit Cursor(std::string_view text) : text_(text) {}

  bool done() const { return at_ == text_.size(); }
  std::size_t at() const { return at_; }
  void move_to(std::size_t at) { at_ = at; }
  /// The whole pattern, whatever was read of it.
  std::string_view text() const { return text_; }

  /// The byte `ahead` of here; 0 after the end (and where the pattern has a zero byte).
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool looking_at(std::string_view next) const { return text_.substr(at_).starts_with(next); }
  /// Steps over `next` if it is what comes.
  bool take(std::string_view next) {
    if (!looking_at(next)) return false;
    at_ += next.size();
    return true;
  }
  /// Steps over one character and returns it. Must not be at the end.
  CodePoint next();
  /// Steps over the white space and comments that (?x) allows.
  void skip_space();

  /// Notes a character of the pattern that stands for itself or is escaped.
  void name(CodePoint code) { named_.add(code); }
  /// The characters that were named so far; see name().
  const NamedCharacters& named() const { return named_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  NamedCharacters named_;
};

/// An error of a pattern: kInvalidArgument at the offset `at`.
inline Error pattern_error(std::size_t at, std::string what) {
  Error error = make_error(ErrorCode::kInvalidArgument, std::move(what));
  error.byte_offset = at;
  return error;
}
/// The error for a line feed in a pattern that is to match within lines.
Error line_feed_error(std::size_t at);
/// Error kInvalidArgument if `pattern` is not UTF-8, at its first bad byte.
Status check_utf8(std::string_view pattern);

/// The name in quotes for the text of an error: in one line and cut if long, without control
/// characters.
std::string quoted(std::string_view name);

}  // namespace presso::scan_detail
