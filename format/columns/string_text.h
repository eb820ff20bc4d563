// SPDX-License-Identifier: MIT
// Writes strings as fields of delimited text and of JSON. Nearly all can be copied unchanged, so
// they are: copy_marked() copies 16 bytes at a time and compares the same registers with the bytes
// that matter (marks). Only where one of them turned up the field is written again, with its quotes
// doubled or its escapes. The vectors are types of gcc and clang, which become SSE2 or NEON, so
// every machine has them. Tested through tests/unit/format/columns/row_text_test.cpp.
#pragma once

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <bit>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "presso/bytes.h"

namespace presso::string_text {

constexpr std::size_t kStep = 16;
using ByteVector = Byte __attribute__((vector_size(kStep)));

inline std::string_view view_of(Bytes text) {
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

/// A vector of equal bytes.
inline ByteVector all(Byte byte) {
  ByteVector vector;
  std::memset(&vector, byte, kStep);
  return vector;
}
inline ByteVector load_vector(const Byte* from) {
  ByteVector vector;
  std::memcpy(&vector, from, kStep);
  return vector;
}

/// Finds bytes because of which a field needs quotes: delimiter, quote and line ends. A call gives
/// FF for each such byte and 0 for the others, as do the classes below.
class FieldMarks {
 public:
  FieldMarks(Byte delimiter, Byte quote) : delimiter_(all(delimiter)), quote_(all(quote)) {}
  ByteVector operator()(ByteVector text) const {
    return (ByteVector)(text == delimiter_) | (ByteVector)(text == quote_) |
           (ByteVector)(text == line_feed_) | (ByteVector)(text == carriage_return_);
  }

 private:
  ByteVector delimiter_;
  ByteVector quote_;
  ByteVector line_feed_ = all('\n');
  ByteVector carriage_return_ = all('\r');
};

/// Finds quotes, which are doubled inside of quotes.
class QuoteMark {
 public:
  explicit QuoteMark(Byte quote) : quote_(all(quote)) {}
  ByteVector operator()(ByteVector text) const { return (ByteVector)(text == quote_); }

 private:
  ByteVector quote_;
};

/// What JSON escapes in addition to what it must.
struct JsonEscapes {
  bool ascii = false;    ///< characters that are not ASCII
  bool slashes = false;  ///< '/'
};

/// Finds bytes that JSON escapes.
class JsonMarks {
 public:
  explicit JsonMarks(JsonEscapes escapes = {})
      : slash_(all(escapes.slashes ? '/' : '"')), last_(all(escapes.ascii ? 0x7F : 0xFF)) {}
  ByteVector operator()(ByteVector text) const {
    return (ByteVector)(text < space_) | (ByteVector)(text == quote_) |
           (ByteVector)(text == backslash_) | (ByteVector)(text == slash_) |
           (ByteVector)(text > last_);
  }

 private:
  ByteVector space_ = all(' ');
  ByteVector quote_ = all('"');
  ByteVector backslash_ = all('\\');
  ByteVector slash_;
  ByteVector last_;
};

/// A bit for each byte, set if the top bit of the byte is.
inline std::uint32_t top_bits(ByteVector bytes) {
#ifdef __SSE2__
  return static_cast<std::uint32_t>(_mm_movemask_epi8(reinterpret_cast<__m128i>(bytes)));
#else
  constexpr std::uint64_t kTops = 0x8080808080808080u;
  constexpr std::uint64_t kGather = 0x0002040810204081u;  // moves the top bits into the top byte
  std::uint64_t halves[2];
  std::memcpy(halves, &bytes, kStep);
  return static_cast<std::uint32_t>(((halves[0] & kTops) * kGather >> 56) |
                                    ((halves[1] & kTops) * kGather >> 56 << 8));
#endif
}

/// The place of the first mark in what such a class gave; kStep where there is none.
inline std::size_t first_mark(ByteVector found) {
  std::uint64_t halves[2];
  std::memcpy(halves, &found, kStep);
  if (halves[0] != 0) return static_cast<std::size_t>(std::countr_zero(halves[0])) / 8;
  return halves[1] == 0 ? kStep : 8 + static_cast<std::size_t>(std::countr_zero(halves[1])) / 8;
}

/// For strings that are copied whatever is in them.
struct NoMarks {
  ByteVector operator()(ByteVector) const { return all(0); }
};

/// Loads a vector whose first `n` bytes (fewer than kStep) are those at `from`; the others are
/// unspecified. Only bytes before `end` are read.
inline ByteVector load_tail(const Byte* from, std::size_t n, const Byte* end) {
  if (static_cast<std::size_t>(end - from) >= kStep) return load_vector(from);
  Byte bytes[kStep] = {};
  std::memcpy(bytes, from, n);
  return load_vector(bytes);
}

/// Copies `n` bytes, and writes up to 15 more; returns whether one of the `n` is marked. Only bytes
/// before `end`, which is not before the text's own end, are read.
template <class Marks>
bool copy_marked(const Byte* from, std::size_t n, const Byte* end, char* to, const Marks& marks) {
  static constexpr Byte kTails[2 * kStep] = {255, 255, 255, 255, 255, 255, 255, 255,
                                             255, 255, 255, 255, 255, 255, 255, 255};
  ByteVector found = all(0);
  for (; n >= kStep; n -= kStep, from += kStep, to += kStep) {
    const ByteVector text = load_vector(from);
    std::memcpy(to, &text, kStep);
    found |= marks(text);
  }
  if (n > 0) {
    const ByteVector text = load_tail(from, n, end);
    std::memcpy(to, &text, kStep);
    found |= marks(text) & load_vector(kTails + kStep - n);
  }
  std::uint64_t halves[2];
  std::memcpy(halves, &found, kStep);
  return (halves[0] | halves[1]) != 0;
}

/// Writes `text` with every `quote` doubled and returns the end.
char* double_quotes(Bytes text, Byte quote, char* to);
/// Writes `text` with JSON's escapes and returns the end: \" \\ \b \f \n \r \t, otherwise
/// \u00XX below a space. With JsonEscapes::ascii, other characters are escaped as UTF-16; bytes
/// that are no UTF-8 stay.
char* escape_json(Bytes text, char* to, JsonEscapes escapes = {});
/// An upper bound of what escape_json() writes, at most kMostJsonEscape times the bytes.
std::size_t escaped_json_bytes(Bytes text, JsonEscapes escapes = {});
constexpr std::size_t kMostJsonEscape = 6;
/// Appends `text` as JSON has strings, in quotes.
void append_json_string(Bytes text, std::string& to);

/// Writes a character as UTF-8, up to 4 bytes, and returns the end.
Byte* put_utf8(std::uint32_t code, Byte* to);

}  // namespace presso::string_text
