// SPDX-License-Identifier: MIT
// Decodes UTF-8 by hand, because ill-formed bytes have to be shown one by one, each escaped, and
// because the C library's wcwidth() depends on the locale. The work is linear in the text, with a
// binary search in a table for characters beyond Latin letters. Tested by
// tests/unit/tools/terminal_text_test.cpp.
#include "tools/cli/terminal_text.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace presso::cli {
namespace {

// A range of code points, both ends included. The tables are sorted, so that is_in() can search.
struct Range {
  char32_t first;
  char32_t last;
};

/// The combining marks, joiners and variation selectors, which take no column.
constexpr Range kNoWidth[] = {
    {0x0300, 0x036F},   {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A}, {0x064B, 0x065F},
    {0x06D6, 0x06DC},   {0x0900, 0x0902}, {0x093C, 0x093C}, {0x0941, 0x0948}, {0x0E31, 0x0E31},
    {0x0E34, 0x0E3A},   {0x0E47, 0x0E4E}, {0x1160, 0x11FF}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
    {0x200B, 0x200F},   {0x202A, 0x202E}, {0x2060, 0x2064}, {0x20D0, 0x20F0}, {0x302A, 0x302D},
    {0x3099, 0x309A},   {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0x1F3FB, 0x1F3FF},
    {0xE0100, 0xE01EF},
};

/// East Asian letters and punctuation, and pictures, which take two columns.
constexpr Range kTwoWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},   {0x25FD, 0x25FE},
    {0x2614, 0x2615},   {0x2648, 0x2653},   {0x26A1, 0x26A1},   {0x26BD, 0x26BE},
    {0x26C4, 0x26C5},   {0x26D4, 0x26D4},   {0x26EA, 0x26EA},   {0x26F2, 0x26F5},
    {0x2705, 0x2705},   {0x270A, 0x270B},   {0x2728, 0x2728},   {0x274C, 0x274C},
    {0x2753, 0x2757},   {0x2795, 0x2797},   {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},
    {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},
    {0xA000, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
    {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F},
    {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD},
};

template <std::size_t kCount>
bool is_in(const Range (&ranges)[kCount], char32_t character) {
  const Range* range = std::lower_bound(std::begin(ranges), std::end(ranges), character,
                                        [](const Range& one, char32_t c) { return one.last < c; });
  return range != std::end(ranges) && range->first <= character;
}

/// A decoded character at the beginning of a text.
struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;  ///< 0: not UTF-8
};

/// Decodes the first character. Overlong forms, surrogates and code points over 10FFFF are not
/// UTF-8 and give `bytes` 0. `text` must not be empty.
Character next_character(Bytes text) {
  const Byte first = text[0];
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (first < 0xC2 || first > 0xF4 || text.size() < bytes) return {};
  char32_t code = first & (0x7Fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((text[i] & 0xC0u) != 0x80) return {};
    code = code << 6 | (text[i] & 0x3Fu);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kLeast[bytes] || code > 0x10FFFF || surrogate) return {};
  return {code, bytes};
}

/// One byte in the notation of C.
std::string escaped(Byte byte) {
  constexpr char kHexDigits[] = "0123456789abcdef";
  if (byte == '\n') return "\\n";
  if (byte == '\r') return "\\r";
  if (byte == '\t') return "\\t";
  return {'\\', 'x', kHexDigits[byte >> 4], kHexDigits[byte & 15]};
}

/// Whether the character is a control character for the terminal, or one that changes the direction
/// of writing.
bool is_control(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

/// The beginning of a text as it is shown, and how many of the text's bytes that covers.
struct Piece {
  std::string text;
  std::size_t width = 0;
  std::size_t bytes = 0;
};

/// The first character of `text` in a form that is safe to print. A byte that is not UTF-8 is taken
/// alone, so that decoding can go on with the next one.
Piece next_piece(Bytes text) {
  const Character character = next_character(text);
  if (character.bytes == 0) return {escaped(text[0]), 4, 1};
  if (is_control(character.code)) {
    Piece piece{{}, 0, character.bytes};
    for (std::size_t i = 0; i < character.bytes; ++i) piece.text += escaped(text[i]);
    piece.width = piece.text.size();
    return piece;
  }
  return {{reinterpret_cast<const char*>(text.data()), character.bytes},
          character_width(character.code),
          character.bytes};
}

}  // namespace

std::size_t character_width(char32_t character) {
  if (character < 0x300) return 1;
  if (is_in(kNoWidth, character)) return 0;
  return is_in(kTwoWide, character) ? 2 : 1;
}

TerminalText terminal_text(Bytes text, std::size_t most) {
  constexpr std::string_view kEllipsis = "…";
  TerminalText shown;
  std::size_t kept_bytes = 0;  ///< of shown.text, that leave a column for the ellipsis
  std::size_t kept_width = 0;
  while (!text.empty()) {
    Piece piece = next_piece(text);
    if (shown.width + piece.width > most) {
      // The text kept so far is cut back to where it left a column for the ellipsis.
      shown.text.resize(kept_bytes);
      shown.text += most == 0 ? std::string_view() : kEllipsis;
      shown.width = most == 0 ? 0 : kept_width + 1;
      return shown;
    }
    shown.text += piece.text;
    shown.width += piece.width;
    text = text.subspan(piece.bytes);
    if (shown.width >= most) continue;
    kept_bytes = shown.text.size();
    kept_width = shown.width;
  }
  return shown;
}

TerminalText terminal_text(std::string_view text, std::size_t most) {
  return terminal_text(Bytes(reinterpret_cast<const Byte*>(text.data()), text.size()), most);
}

std::string terminal_lines(std::string_view text) {
  std::string lines;
  for (;;) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines += terminal_text(text.substr(0, end)).text;
    if (end == text.size()) return lines;
    lines += '\n';
    text.remove_prefix(end + 1);
  }
}

bool terminal_takes_color() {
  const char* terminal = std::getenv("TERM");
  const char* no_color = std::getenv("NO_COLOR");
  return terminal != nullptr && std::strcmp(terminal, "dumb") != 0 &&
         (no_color == nullptr || *no_color == '\0');
}

}  // namespace presso::cli
