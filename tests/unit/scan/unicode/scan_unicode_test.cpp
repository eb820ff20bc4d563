// SPDX-License-Identifier: MIT
#include "scan/unicode/unicode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "scan/unicode/letter_case.h"

namespace presso::scan_detail::scan_unicode_test {
namespace {

Decoded decode_text(const std::string& text) {
  const auto* at = reinterpret_cast<const Byte*>(text.data());
  return decode(at, at + text.size());
}

TEST(ScanUnicode, EveryCodePointSurvivesARoundTrip) {
  for (CodePoint code = 0; code <= 0x10FFFF; ++code) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    Byte bytes[5] = {'x', 0, 0, 0, 0};
    const std::uint32_t count = encode(code, bytes + 1);
    const Decoded forward = decode(bytes + 1, bytes + 1 + count);
    const Decoded backward = decode_last(bytes, bytes + 1 + count);
    ASSERT_EQ(forward.code, code);
    ASSERT_EQ(forward.bytes, count);
    ASSERT_EQ(backward.code, code);
    ASSERT_EQ(backward.bytes, count);
  }
}

TEST(ScanUnicode, MalformedTextIsNoCodePoint) {
  for (const char* text :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xC3", "\xC3x", "\xE0\x80\x80", "\xE2\x82", "\xED\xA0\x80",
        "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF5", "\xFF"}) {
    EXPECT_EQ(decode_text(text).bytes, 0u) << text;
  }
}

TEST(ScanUnicode, DecodeLastRefusesHalfCodePoints) {
  const Byte bytes[] = {'a', 0xE2, 0x82, 0xAC, 0xAC};
  EXPECT_EQ(decode_last(bytes, bytes + 4).bytes, 3u);
  EXPECT_EQ(decode_last(bytes, bytes + 3).bytes, 0u);
  EXPECT_EQ(decode_last(bytes, bytes + 5).bytes, 0u);
}

TEST(ScanUnicode, FoldingIsIdempotentAndVariantsAgree) {
  for (CodePoint code = 0; code <= 0x1FFFF; ++code) {
    ASSERT_EQ(fold(fold(code)), fold(code)) << code;
    if (fold(code) == code) continue;
    const auto variants = case_variants(code);
    ASSERT_TRUE(std::count(variants.begin(), variants.end(), code) == 1) << code;
    ASSERT_TRUE(std::count(variants.begin(), variants.end(), fold(code)) == 1) << code;
  }
}

TEST(ScanUnicode, KnownFoldings) {
  EXPECT_EQ(case_variants('k'), (std::vector<CodePoint>{'K', 'k', 0x212A}));
  EXPECT_EQ(case_variants('s'), (std::vector<CodePoint>{'S', 's', 0x17F}));
  EXPECT_EQ(fold(0x1E9E), 0xDFu);
  EXPECT_EQ(fold(0x3A3), fold(0x3C2));
  EXPECT_EQ(fold(0x130), 0x130u);
}

TEST(ScanUnicode, CasesAreSimpleMappings) {
  EXPECT_EQ(lower_case(0x3A3), 0x3C3u);  // not the final sigma
  EXPECT_EQ(upper_case(0x3C2), 0x3A3u);  // the final sigma
  EXPECT_EQ(upper_case(0x131), 0x49u);   // i without a dot
  EXPECT_EQ(lower_case(0x130), 0x69u);   // I with a dot
  EXPECT_EQ(upper_case(0xDF), 0x1E9Eu);  // sharp s
  EXPECT_EQ(upper_case(0x1C5), 0x1C4u);  // a letter in title case
  EXPECT_EQ(lower_case(0x1C5), 0x1C6u);
  EXPECT_EQ(upper_case(0x149), 0x149u);  // 'n has no simple one
  for (CodePoint code = 0; code <= 0x10FFFF; ++code) {
    ASSERT_EQ(lower_case(lower_case(code)), lower_case(code)) << code;
    ASSERT_EQ(upper_case(upper_case(code)), upper_case(code)) << code;
  }
}

TEST(ScanUnicode, WordsAndUpperCase) {
  for (const CodePoint code : {CodePoint{'_'}, CodePoint{'9'}, 0xE9u, 0x43Bu, 0x65E5u, 0x200Du}) {
    EXPECT_TRUE(is_word(code)) << code;
  }
  for (const CodePoint code : {CodePoint{'-'}, CodePoint{' '}, 0xD7u, 0x20ACu, 0x2028u}) {
    EXPECT_FALSE(is_word(code)) << code;
  }
  EXPECT_TRUE(is_upper(0xC9));
  EXPECT_FALSE(is_upper(0xE9));
}

}  // namespace
}  // namespace presso::scan_detail::scan_unicode_test
