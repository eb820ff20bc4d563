// SPDX-License-Identifier: MIT
// Shows where a pattern is wrong, as ripgrep does, for messages to people:
//
//     a(b
//      ^
// error: unclosed group
//
// It shows one line of the pattern, or a window of a long one. What is not printable becomes one
// column wide, so that the caret stands right and a pattern cannot send commands to a terminal.
// Tested by tests/unit/scan/syntax/regex_parser_test.cpp.
#include <algorithm>

#include "scan/syntax/cursor.h"

namespace presso::scan_detail {
namespace {

constexpr std::size_t kColumns = 70;
/// Shown before the error in a long line.
constexpr std::size_t kColumnsBefore = 40;
constexpr std::string_view kIndent = "    ";
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kCut = "...";

/// The text as columns, each one character. Stops at the end of the line and after `columns`
/// columns.
std::vector<std::string> columns_of(std::string_view text, std::size_t columns) {
  std::vector<std::string> result;
  const auto* at = reinterpret_cast<const Byte*>(text.data());
  const Byte* const end = at + text.size();
  while (at != end && *at != '\n' && result.size() < columns) {
    const Decoded decoded = decode(at, end);
    const bool control = decoded.code < ' ' || (decoded.code >= 0x7F && decoded.code < 0xA0);
    if (decoded.code == '\t') {
      result.emplace_back(" ");
    } else {
      result.push_back(decoded.bytes == 0 || control ? std::string(kReplacement)
                                                     : encoded(decoded.code));
    }
    at += std::max(decoded.bytes, 1u);
  }
  return result;
}

/// Where the line that holds `offset` begins, or a window of about kColumnsBefore characters before
/// `offset` if the line is long.
std::size_t window_begin(std::string_view pattern, std::size_t line, std::size_t offset) {
  if (columns_of(pattern.substr(line), kColumns + 1).size() <= kColumns) return line;
  std::size_t begin = offset;
  for (std::size_t i = 0; i < kColumnsBefore && begin > line; ++i) {
    --begin;
    while (begin > line && (static_cast<Byte>(pattern[begin]) & 0xC0) == 0x80) --begin;
  }
  return begin;
}

/// The line (or window) with the caret below it, ending with a line feed.
std::string window(std::string_view pattern, std::size_t offset) {
  const std::size_t feed = offset == 0 ? std::string_view::npos : pattern.rfind('\n', offset - 1);
  const std::size_t line = feed == std::string_view::npos ? 0 : feed + 1;
  const std::size_t begin = window_begin(pattern, line, offset);
  const std::size_t before = columns_of(pattern.substr(begin, offset - begin), kColumns).size();
  const std::vector<std::string> shown = columns_of(pattern.substr(begin), kColumns + 1);
  std::string text(kIndent);
  if (begin != line) text += kCut;
  for (std::size_t i = 0; i < std::min(shown.size(), kColumns); ++i) text += shown[i];
  if (shown.size() > kColumns) text += kCut;
  const std::size_t column = before + kIndent.size() + (begin != line ? kCut.size() : 0);
  return text + "\n" + std::string(column, ' ') + "^\n";
}

}  // namespace

/// Returns the pattern with a mark under the place of the error, and the error, for a terminal.
std::string explain_pattern_error(std::string_view pattern, const Error& error) {
  const std::string what = "error: " + (error.what.empty() ? error.message() : error.what);
  if (error.byte_offset == Error::kNone) return what;
  const std::size_t offset = std::min<std::uint64_t>(error.byte_offset, pattern.size());
  return window(pattern, offset) + what;
}

}  // namespace presso::scan_detail
