// SPDX-License-Identifier: MIT
// The flags are i, m, s, U, x, u and R. As in Rust's regex, each may come once, and there may be a
// '-', which letters must follow. All else is an error at its place (kInvalidArgument).
#include "scan/syntax/flags.h"

namespace presso::scan_detail {
namespace {

/// The option of a letter; nullptr if the letter is no flag.
bool* flag_of(SyntaxOptions& flags, char letter) {
  switch (letter) {
    case 'i':
      return &flags.ignore_case;
    case 'm':
      return &flags.multi_line;
    case 's':
      return &flags.dot_matches_line;
    case 'U':
      return &flags.ungreedy;
    case 'x':
      return &flags.verbose;
    case 'u':
      return &flags.unicode;
    case 'R':
      return &flags.crlf;
    default:
      return nullptr;
  }
}

/// Sets one flag. `before` holds the letters read before it, among them a '-' if it is to be
/// switched off.
Status set_flag(SyntaxOptions& flags, char letter, std::string_view before, std::size_t at) {
  bool* const flag = flag_of(flags, letter);
  if (flag == nullptr) return pattern_error(at, "unrecognized flag; there are i m s U x u R");
  if (before.find(letter) != std::string_view::npos) return pattern_error(at, "duplicate flag");
  *flag = before.find('-') == std::string_view::npos;
  return {};
}

}  // namespace

/// Parses the flags of (?flags) or (?flags:...) up to the ':' or ')', which is left to the caller.
/// Returns `flags` with the changes.
Result<SyntaxOptions> parse_flags(Cursor& cursor, SyntaxOptions flags, std::size_t start) {
  const std::size_t begin = cursor.at();
  std::string before;
  while (cursor.peek() != ':' && cursor.peek() != ')') {
    const std::size_t at = cursor.at();
    if (cursor.done()) return pattern_error(start, "unclosed group");
    const CodePoint letter = cursor.next();
    if (letter == '-' && before.find('-') != std::string::npos) {
      return pattern_error(at, "flags are negated twice");
    }
    const char ascii = letter < 0x80 ? static_cast<char>(letter) : '\0';
    if (letter != '-') PRESSO_TRY(set_flag(flags, ascii, before, at));
    before.push_back(ascii);
  }
  if (before.ends_with('-')) return pattern_error(begin, "no flag after the '-'");
  return flags;
}

}  // namespace presso::scan_detail
