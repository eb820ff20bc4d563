// SPDX-License-Identifier: MIT
// Converts between UTF-8 and the encodings that tables know. The standard library has no such
// conversion, and iconv() depends on modules that are not installed everywhere, while a table must
// be readable on any machine. Both directions go character by character; runs of ASCII are the
// common case and are short loops.
#include "format/columns/text_encoding.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

#include "format/ascii.h"
#include "format/columns/string_text.h"
#include "format/columns/utf8_check.h"

namespace presso {
namespace {

/// The characters of the bytes 0x80 to 0x9F of Windows-1252; 0: there is none.
constexpr std::array<std::uint16_t, 32> kWindowsCharacters = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

/// Usual names, in small letters.
constexpr std::pair<std::string_view, TextEncoding> kEncodingNames[] = {
    {"utf-8", TextEncoding::kUtf8},         {"utf8", TextEncoding::kUtf8},
    {"ascii", TextEncoding::kUtf8},         {"latin-1", TextEncoding::kLatin1},
    {"latin1", TextEncoding::kLatin1},      {"iso-8859-1", TextEncoding::kLatin1},
    {"iso8859-1", TextEncoding::kLatin1},   {"windows-1252", TextEncoding::kWindows1252},
    {"cp1252", TextEncoding::kWindows1252}, {"utf-16le", TextEncoding::kUtf16Le},
    {"utf-16-le", TextEncoding::kUtf16Le},  {"utf-16be", TextEncoding::kUtf16Be},
    {"utf-16-be", TextEncoding::kUtf16Be},  {"utf-16", TextEncoding::kUtf16},
    {"utf16", TextEncoding::kUtf16},
};

/// The character of a byte in an encoding of single bytes; 0x110000: there is none.
std::uint32_t single_character(TextEncoding encoding, Byte byte) {
  if (encoding == TextEncoding::kLatin1 || byte < 0x80 || byte >= 0xA0) return byte;
  const std::uint32_t character = kWindowsCharacters[byte - 0x80];
  return character == 0 ? 0x110000 : character;
}

void append_utf8(std::uint32_t character, Buffer& to) {
  Byte bytes[4];
  const Byte* const end = string_text::put_utf8(character, bytes);
  to.append({bytes, static_cast<std::size_t>(end - bytes)});
}

std::uint32_t unit_at(TextEncoding encoding, Bytes text, std::size_t at) {
  const bool low_first = encoding == TextEncoding::kUtf16Le;
  return static_cast<std::uint32_t>(text[at + (low_first ? 0 : 1)] | text[at + (low_first ? 1 : 0)]
                                                                         << 8);
}

std::size_t append_decoded_bytes(TextEncoding encoding, Bytes text, Buffer& to) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (at < text.size() && text[at] < 0x80) ++at;
    to.append(text.subspan(begin, at - begin));
    if (at == text.size()) break;
    const std::uint32_t character = single_character(encoding, text[at]);
    if (character > 0x10FFFF) return at;
    append_utf8(character, to);
    ++at;
  }
  return text.size();
}

/// Appends characters of ASCII from the front of UTF-16, four at a time, up to a piece. Returns how
/// many bytes of the text that were. Most texts consist of such runs.
std::size_t append_ascii_units(TextEncoding encoding, Bytes text, Buffer& to) {
  Byte piece[1024];
  std::size_t done = 0;
  for (; text.size() - 2 * done >= 8 && done < sizeof piece; done += 4) {
    auto units = load<std::uint64_t>(text.data() + 2 * done);
    if (encoding == TextEncoding::kUtf16Be) {
      constexpr std::uint64_t kLow = 0x00FF00FF00FF00FF;
      units = (units >> 8 & kLow) | (units & kLow) << 8;
    }
    if ((units & 0xFF80FF80FF80FF80) != 0) break;
    units = (units | units >> 8) & 0x0000FFFF0000FFFF;
    store(piece + done, static_cast<std::uint32_t>(units | units >> 16));
  }
  to.append({piece, done});
  return 2 * done;
}

std::size_t append_decoded_units(TextEncoding encoding, Bytes text, Buffer& to) {
  std::size_t at = 0;
  while (at + 2 <= text.size()) {
    std::uint32_t character = unit_at(encoding, text, at);
    if (character < 0x80) {
      const std::size_t ascii = append_ascii_units(encoding, text.subspan(at), to);
      at += ascii;
      if (ascii > 0) continue;
    }
    std::size_t size = 2;
    if (character >= 0xD800 && character < 0xE000) {
      if (character >= 0xDC00 || at + 4 > text.size()) return at;
      const std::uint32_t low = unit_at(encoding, text, at + 2);
      if (low < 0xDC00 || low >= 0xE000) return at;
      character = 0x10000 + ((character - 0xD800) << 10) + (low - 0xDC00);
      size = 4;
    }
    append_utf8(character, to);
    at += size;
  }
  return at;
}

/// The character at the front of valid UTF-8, and its bytes.
std::pair<std::uint32_t, std::size_t> front_character(Bytes utf8) {
  const Byte first = utf8[0];
  const std::size_t size = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  std::uint32_t character = size == 1 ? first : first & (0x7Fu >> size);
  for (std::size_t i = 1; i < size; ++i) character = character << 6 | (utf8[i] & 0x3Fu);
  return {character, size};
}

void append_unit(TextEncoding encoding, std::uint32_t unit, Buffer& to) {
  Byte bytes[2] = {static_cast<Byte>(unit & 0xFF), static_cast<Byte>(unit >> 8)};
  if (encoding == TextEncoding::kUtf16Be) std::swap(bytes[0], bytes[1]);
  to.append(bytes);
}

/// The byte of a character in an encoding of single bytes.
std::optional<Byte> byte_of(TextEncoding encoding, std::uint32_t character) {
  const bool same = encoding == TextEncoding::kLatin1 || character < 0x80 || character >= 0xA0;
  if (character < 0x100 && same) return static_cast<Byte>(character);
  if (encoding == TextEncoding::kLatin1 || character < 0x100) return std::nullopt;
  const auto* const found =
      std::find(kWindowsCharacters.begin(), kWindowsCharacters.end(), character);
  if (found == kWindowsCharacters.end()) return std::nullopt;
  return static_cast<Byte>(0x80 + (found - kWindowsCharacters.begin()));
}

bool append_character(TextEncoding encoding, std::uint32_t character, Buffer& to) {
  if (encoding == TextEncoding::kUtf16Le || encoding == TextEncoding::kUtf16Be) {
    if (character >= 0x10000) {
      append_unit(encoding, 0xD800 + ((character - 0x10000) >> 10), to);
      character = 0xDC00 + (character & 0x3FF);
    }
    append_unit(encoding, character, to);
    return true;
  }
  const std::optional<Byte> byte = byte_of(encoding, character);
  if (byte) to.append({&*byte, 1});
  return byte.has_value();
}

}  // namespace

std::string_view encoding_name(TextEncoding encoding) {
  for (const auto& [name, named] : kEncodingNames) {
    if (named == encoding) return name;
  }
  return {};
}

std::optional<TextEncoding> encoding_of_name(std::string_view name) {
  std::string small(name);
  for (char& letter : small) {
    letter = letter == '_' ? '-' : ascii::lower(letter);
  }
  for (const auto& [known, encoding] : kEncodingNames) {
    if (known == small) return encoding;
  }
  return std::nullopt;
}

bool begins_utf32(Bytes begun) {
  constexpr Byte kLow[] = {0xFF, 0xFE, 0, 0};
  constexpr Byte kHigh[] = {0, 0, 0xFE, 0xFF};
  return begun.size() >= 4 && (std::equal(std::begin(kLow), std::end(kLow), begun.begin()) ||
                               std::equal(std::begin(kHigh), std::end(kHigh), begun.begin()));
}

/// Without a mark, at least four and three of ten characters must have the high byte 0, as letters
/// of English, digits, delimiters and line ends have, and hardly any the low byte. A shorter text
/// with a zero byte is rather damaged than UTF-16.
TextEncoding find_encoding(Bytes begun) {
  if (begun.size() < 2) return TextEncoding::kUtf8;
  if (begun[0] == 0xFF && begun[1] == 0xFE) return TextEncoding::kUtf16Le;
  if (begun[0] == 0xFE && begun[1] == 0xFF) return TextEncoding::kUtf16Be;
  std::size_t zeros[2] = {};
  const std::size_t pairs = begun.size() / 2;
  for (std::size_t i = 0; i < pairs; ++i) {
    const bool first = begun[2 * i] == 0;
    const bool second = begun[2 * i + 1] == 0;
    if (first && second) return TextEncoding::kUtf8;
    zeros[0] += first ? 1 : 0;
    zeros[1] += second ? 1 : 0;
  }
  constexpr std::size_t kLeast = 4;
  const std::size_t high = zeros[0] > zeros[1] ? 0 : 1;
  if (zeros[high] < kLeast || 10 * zeros[high] < 3 * pairs || 10 * zeros[1 - high] > zeros[high]) {
    return TextEncoding::kUtf8;
  }
  return high == 0 ? TextEncoding::kUtf16Be : TextEncoding::kUtf16Le;
}

std::size_t append_decoded(TextEncoding encoding, Bytes text, Buffer& to) {
  const bool units = encoding == TextEncoding::kUtf16Le || encoding == TextEncoding::kUtf16Be;
  return units ? append_decoded_units(encoding, text, to)
               : append_decoded_bytes(encoding, text, to);
}

Status append_encoded(TextEncoding encoding, Bytes utf8, Buffer& to) {
  const auto missing = [encoding] {
    return make_error(ErrorCode::kBadRowGroup, "the text has characters that do not exist in " +
                                                   std::string(encoding_name(encoding)));
  };
  if (!is_valid_utf8(utf8)) return missing();
  while (!utf8.empty()) {
    const auto [character, size] = front_character(utf8);
    if (!append_character(encoding, character, to)) return missing();
    utf8 = utf8.subspan(size);
  }
  return {};
}

}  // namespace presso
