// SPDX-License-Identifier: MIT
// Coded payloads come back, are smaller where bytes repeat, and are refused where sizes differ.
#include "format/columns/coded_section.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace presso {
namespace {

std::vector<Byte> bytes_of(const std::string& text) {
  return {text.begin(), text.end()};
}

/// Bytes that repeat themselves as the schema of a table with `count` columns does.
std::string columns(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text.append(1, '\5').append(1, '\1').append("\7column").append(std::to_string(1000 + i));
  }
  return text;
}

std::string again(const std::vector<Byte>& coded, std::uint64_t most = kMostCodedPayload) {
  const auto decoded = decode_payload(coded, most);
  if (!decoded.ok()) return "error";
  return {decoded->bytes().begin(), decoded->bytes().end()};
}

TEST(CodedSection, PayloadsComeBack) {
  std::string all;
  for (int i = 0; i < 3000; ++i) all.push_back(static_cast<char>(i * i / 7 + (i >> 5)));
  for (const std::string& text : {std::string(), std::string("a"), std::string(1, '\0'),
                                  std::string(5000, '\xff'), columns(500), all}) {
    EXPECT_EQ(again(code_payload(bytes_of(text))), text);
  }
}

TEST(CodedSection, ColumnsThatAreAlikeTakeLittle) {
  const std::string text = columns(1000);
  EXPECT_LT(code_payload(bytes_of(text)).size(), text.size() / 6);
}

TEST(CodedSection, OtherSizesAreRefused) {
  const std::string text = columns(20);
  std::vector<Byte> coded = code_payload(bytes_of(text));
  EXPECT_EQ(again(coded, text.size()), text);
  EXPECT_EQ(again(coded, text.size() - 1), "error");
  coded.push_back(0);
  EXPECT_EQ(again(coded), "error");
  EXPECT_EQ(again({}), "error");
  EXPECT_EQ(again({0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0}), "error");
}

}  // namespace
}  // namespace presso
