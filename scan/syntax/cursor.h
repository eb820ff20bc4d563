// SPDX-License-Identifier: MIT
// Where a parser stands in its pattern, which is UTF-8.
#pragma once

#include <string>
#include <string_view>

#include "scan/syntax/code_set.h"

namespace presso::scan_detail {

class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool done() const { return at_ == text_.size(); }
  std::size_t at() const { return at_; }
  void move_to(std::size_t at) { at_ = at; }
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
  /// Steps over one character. Not at the end.
  CodePoint next();
  /// Steps over white space and comments of (?x).
  void skip_space();

  /// Notes a character that stands for itself or is escaped.
  void name(CodePoint code) { named_.add(code); }
  const NamedCharacters& named() const { return named_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  NamedCharacters named_;
};

/// An error of a pattern.
inline Error pattern_error(std::size_t at, std::string what) {
  Error error = make_error(ErrorCode::kInvalidArgument, std::move(what));
  error.byte_offset = at;
  return error;
}
/// The one for a line feed in a pattern for lines.
Error line_feed_error(std::size_t at);
/// kInvalidArgument where `pattern` is not UTF-8.
Status check_utf8(std::string_view pattern);

/// 'name' for an error's text: one line, not too long.
std::string quoted(std::string_view name);

}  // namespace presso::scan_detail
