// SPDX-License-Identifier: MIT
// Escapes are replaced in one pass from left to right, so that "\\n" is a backslash and an n.
// Tested by tests/cli/test_scan_output.py.
#include "tools/scan/scan_unescape.h"

#include <cctype>

namespace presso::cli {
namespace {

/// Whether it is a hexadecimal digit, of either case.
bool is_hex(char c) {
  return std::isxdigit(static_cast<unsigned char>(c)) != 0;
}

/// The byte that two hexadecimal digits stand for; they must have been checked.
char hex_value(std::string_view digits) {
  unsigned value = 0;
  for (const char c : digits) {
    const auto lower = static_cast<unsigned>(std::tolower(static_cast<unsigned char>(c)));
    value = value * 16 + (lower <= '9' ? lower - '0' : lower - 'a' + 10);
  }
  return static_cast<char>(value);
}

/// The character that `letter` stands for after a backslash, or 0.
char simple_escape(char letter) {
  return letter == 'n'    ? '\n'
         : letter == 'r'  ? '\r'
         : letter == 't'  ? '\t'
         : letter == '\\' ? '\\'
                          : '\0';
}

}  // namespace

// A backslash at the end, or before another letter, is kept, as in ripgrep.
std::string unescape(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    const char simple = rest[0] == '\\' && rest.size() > 1 ? simple_escape(rest[1]) : '\0';
    if (simple != '\0') {
      result += simple;
      ++at;
    } else if (rest.size() >= 4 && rest.substr(0, 2) == "\\x" && is_hex(rest[2]) &&
               is_hex(rest[3])) {
      result += hex_value(rest.substr(2, 2));
      at += 3;
    } else {
      result += rest[0];
    }
  }
  return result;
}

}  // namespace presso::cli
