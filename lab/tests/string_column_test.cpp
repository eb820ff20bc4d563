// SPDX-License-Identifier: MIT
#include "lab/strings/string_column.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/scan/text/scan_reference.h"

namespace presso::strings::string_column_test {
namespace {

using scan_test::as_bytes;

std::string text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(StringColumn, KeepsEmptyStringsAndAnyByte) {
  const std::string rows[] = {"", std::string("a\0b", 3), "\xFF\n", "", "x"};
  StringColumn column;
  for (const std::string& row : rows) column.append(row);
  ASSERT_EQ(column.view().rows, 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(text_of(column.view().row(i)), rows[i]);
  EXPECT_EQ(column.view().size_bytes(), 6u);
  EXPECT_EQ(StringColumn().view().rows, 0u);
}

TEST(StringColumn, IsMadeOfLines) {
  EXPECT_EQ(column_of_lines(as_bytes("")).view().rows, 0u);
  const StringColumn column = column_of_lines(as_bytes("a\n\nbc"));
  ASSERT_EQ(column.view().rows, 3u);
  EXPECT_EQ(text_of(column.view().row(1)), "");
  EXPECT_EQ(text_of(column.view().row(2)), "bc");
  EXPECT_EQ(column_of_lines(as_bytes("a\n")).view().rows, 1u);
}

TEST(PaddedColumn, PadsToOneLength) {
  StringColumn column;
  for (const char* row : {"", "abcde", "ab"}) column.append(row);
  const auto padded = PaddedColumn::make(column.view(), {.pad = 'z'});
  ASSERT_TRUE(padded.ok());
  EXPECT_EQ(padded->view().width, 8u);
  EXPECT_EQ(text_of(padded->view().padded_row(2)), "abzzzzzz");
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(text_of(padded->view().row(i)), text_of(column.view().row(i)));
  }
  const auto exact = PaddedColumn::make(column.view(), {.multiple_of_4 = false});
  ASSERT_TRUE(exact.ok());
  EXPECT_EQ(exact->view().width, 5u);
  EXPECT_EQ(text_of(exact->view().row(1)), "abcde");
}

TEST(PaddedColumn, RefusesPadBytesInStringsAndLongStrings) {
  StringColumn column;
  column.append("abc");
  const auto with_pad = PaddedColumn::make(column.view(), {.pad = 'c'});
  ASSERT_FALSE(with_pad.ok());
  EXPECT_EQ(with_pad.error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(PaddedColumn::make(column.view(), {.width = 2}).ok());
}

TEST(PaddedColumn, FindsAByteThatNoStringHolds) {
  StringColumn column;
  std::string all;
  for (unsigned byte = 0; byte < 256; ++byte) {
    if (byte != 200) all += static_cast<char>(byte);
  }
  column.append(all);
  EXPECT_EQ(unused_byte(column.view()), Byte{200});
  column.append("\xC8");
  EXPECT_EQ(unused_byte(column.view()), std::nullopt);
}

}  // namespace
}  // namespace presso::strings::string_column_test
