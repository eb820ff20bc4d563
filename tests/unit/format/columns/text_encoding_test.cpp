// SPDX-License-Identifier: MIT
// Every character of the encodings there and back, texts that are not valid, and how UTF-16 is
// told.
#include "format/columns/text_encoding.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace presso::text_encoding_test {
namespace {

using enum TextEncoding;

Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}
std::string text_of(const Buffer& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The text as UTF-8, as far as it is valid.
std::string decoded(TextEncoding encoding, const std::string& text) {
  Buffer to;
  append_decoded(encoding, bytes_of(text), to);
  return text_of(to);
}
std::string encoded(TextEncoding encoding, const std::string& text) {
  Buffer to;
  EXPECT_TRUE(append_encoded(encoding, bytes_of(text), to).ok());
  return text_of(to);
}

std::string units(TextEncoding encoding, const std::vector<unsigned>& values) {
  std::string text;
  for (const unsigned unit : values) {
    const char low = static_cast<char>(unit & 0xFF);
    const char high = static_cast<char>(unit >> 8);
    text += encoding == kUtf16Le ? std::string{low, high} : std::string{high, low};
  }
  return text;
}

TEST(TextEncoding, SingleBytesComeBack) {
  std::size_t windows = 0;
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text(1, static_cast<char>(byte));
    EXPECT_EQ(encoded(kLatin1, decoded(kLatin1, text)), text) << byte;
    const std::string character = decoded(kWindows1252, text);
    if (character.empty()) continue;
    ++windows;
    EXPECT_EQ(encoded(kWindows1252, character), text) << byte;
  }
  EXPECT_EQ(windows, 251u);
  EXPECT_EQ(decoded(kWindows1252, "caf\xE9 \x80"), "caf\xC3\xA9 \xE2\x82\xAC");
  EXPECT_EQ(decoded(kLatin1, "\xFF"), "\xC3\xBF");
}

TEST(TextEncoding, RunsOfAsciiEndAnywhere) {
  for (const TextEncoding encoding : {kUtf16Le, kUtf16Be}) {
    // Runs are converted in fours, and in pieces of 1,024 characters.
    for (std::size_t length = 0; length < 1100; length += length < 40 ? 1 : 37) {
      for (const unsigned unit : {0x7Fu, 0x80u, 0xFFu, 0x100u, 0x4100u, 0x8041u, 0xE000u}) {
        std::vector<unsigned> values;
        for (unsigned i = 0; i < length; ++i) values.push_back(1 + i % 0x7F);
        values.push_back(unit);
        values.insert(values.end(), 5, 'x');
        std::string expected;
        for (const unsigned value : values) expected += decoded(encoding, units(encoding, {value}));
        ASSERT_EQ(decoded(encoding, units(encoding, values)), expected) << length << " " << unit;
      }
    }
  }
}

TEST(TextEncoding, UnitsComeBack) {
  for (const TextEncoding encoding : {kUtf16Le, kUtf16Be}) {
    for (unsigned unit = 0; unit < 0x10000; ++unit) {
      if (unit == 0xD800) unit = 0xE000;
      const std::string text = units(encoding, {unit});
      ASSERT_EQ(encoded(encoding, decoded(encoding, text)), text) << unit;
    }
    const std::string pair = units(encoding, {'a', 0xD83D, 0xDE00, 0xDBFF, 0xDFFF});
    EXPECT_EQ(decoded(encoding, pair), "a\xF0\x9F\x98\x80\xF4\x8F\xBF\xBF");
    EXPECT_EQ(encoded(encoding, decoded(encoding, pair)), pair);
  }
}

TEST(TextEncoding, WhatIsNotValidStopsIt) {
  Buffer to;
  for (const auto& text : {units(kUtf16Le, {'a', 0xDC00, 'b'}), units(kUtf16Le, {'a', 0xD800, 'b'}),
                           units(kUtf16Le, {'a', 0xD800}), units(kUtf16Le, {'a'}) + "b"}) {
    EXPECT_EQ(append_decoded(kUtf16Le, bytes_of(text), to), 2u);
  }
  EXPECT_EQ(append_decoded(kWindows1252, bytes_of("ab\x81"), to), 2u);
  for (const char* text : {"\xE2\x82\xAC", "\xFF"}) {
    EXPECT_EQ(append_encoded(kLatin1, bytes_of(text), to).error().code, ErrorCode::kBadRowGroup);
  }
  EXPECT_FALSE(append_encoded(kWindows1252, bytes_of("\xC2\x81"), to).ok());
  EXPECT_FALSE(append_encoded(kUtf16Le, bytes_of("\xED\xA0\x80"), to).ok());
}

TEST(TextEncoding, Utf16IsTold) {
  for (const TextEncoding encoding : {kUtf16Le, kUtf16Be}) {
    EXPECT_EQ(find_encoding(bytes_of(units(encoding, {0xFEFF, 0x65E5}))), encoding);
    EXPECT_EQ(find_encoding(bytes_of(units(encoding, {'a', ',', 'b', '\n', 0x65E5, ',', '1'}))),
              encoding);
  }
  for (const std::string& text : {std::string("a,b\n"), std::string("a\0\0\0b\0", 6),
                                  std::string("ab\0cd\0ef", 8), std::string("x"), std::string()}) {
    EXPECT_EQ(find_encoding(bytes_of(text)), kUtf8);
  }
  EXPECT_TRUE(begins_utf32(bytes_of(std::string("\xFF\xFE\0\0", 4))));
  EXPECT_FALSE(begins_utf32(bytes_of(units(kUtf16Le, {0xFEFF, 'a'}))));
}

TEST(TextEncoding, Names) {
  for (const TextEncoding encoding : {kUtf8, kLatin1, kWindows1252, kUtf16Le, kUtf16Be, kUtf16}) {
    EXPECT_EQ(encoding_of_name(encoding_name(encoding)), encoding);
  }
  EXPECT_EQ(encoding_of_name("ISO_8859-1"), kLatin1);
  EXPECT_EQ(encoding_of_name("CP1252"), kWindows1252);
  EXPECT_EQ(encoding_of_name("koi8-r"), std::nullopt);
}

}  // namespace
}  // namespace presso::text_encoding_test
