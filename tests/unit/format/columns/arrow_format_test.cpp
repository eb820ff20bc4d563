// SPDX-License-Identifier: MIT
// Names of types in Arrow's C data interface, and what batches are made with: bitmaps and UTF-8.
#include "format/columns/arrow_format.h"

#include <gtest/gtest.h>

#include <random>

#include "format/columns/bit_copy.h"
#include "format/columns/utf8_check.h"

namespace presso::arrow_format_test {
namespace {

TEST(ArrowFormat, NamesEveryTypeAndIsReadAsTheSameType) {
  for (const char* name :
       {"bool",          "int8",          "int16",          "int32",         "int64",
        "uint8",         "uint16",        "uint32",         "uint64",        "float",
        "double",        "date",          "timestamp(s)",   "timestamp(ms)", "timestamp(us)",
        "timestamp(ns)", "decimal(18,2)", "decimal(38,38)", "utf8",          "binary"}) {
    auto column = parse_type(name);
    ASSERT_TRUE(column.ok()) << name;
    column->text = ValueText::kPlain;
    column->valid_utf8 = column->type == ColumnType::kUtf8;
    const auto again = column_of_arrow_format(arrow_format(*column));
    ASSERT_TRUE(again) << name << " as " << arrow_format(*column);
    EXPECT_EQ(*again, *column) << name;
  }
}

TEST(ArrowFormat, StringsHave64BitOffsetsAndAreBinaryWhereNobodySawThatTheyAreUtf8) {
  ColumnSchema column;
  EXPECT_EQ(arrow_format(column), "Z");
  column.valid_utf8 = true;
  EXPECT_EQ(arrow_format(column), "U");
  column.type = ColumnType::kBinary;
  EXPECT_EQ(arrow_format(column), "Z");
  for (const char* format : {"u", "U", "vu"}) {
    EXPECT_EQ(column_of_arrow_format(format)->type, ColumnType::kUtf8);
  }
}

TEST(ArrowFormat, TimestampsHaveTheirZoneAndThoseWrittenWithAZAreUtc) {
  const auto column = column_of_arrow_format("tsu:Europe/Zurich");
  ASSERT_TRUE(column);
  EXPECT_EQ(column->zone, "Europe/Zurich");
  EXPECT_EQ(column->unit, TimeUnit::kMicro);
  EXPECT_EQ(arrow_format(*column), "tsu:Europe/Zurich");
  ColumnSchema written;
  written.type = ColumnType::kTimestamp;
  written.text = ValueText::kLetterTimeZ;
  EXPECT_EQ(arrow_format(written), "tss:UTC");
}

TEST(ArrowFormat, DecimalsOfUpTo18DigitsAreNarrow) {
  EXPECT_EQ(column_of_arrow_format("d:18,0")->type, ColumnType::kDecimal64);
  EXPECT_EQ(column_of_arrow_format("d:19,2,128")->type, ColumnType::kDecimal128);
  EXPECT_EQ(arrow_format(*column_of_arrow_format("d:7,3")), "d:7,3");
  EXPECT_EQ(arrow_format(*column_of_arrow_format("d:7,3,32")), "d:7,3");
  EXPECT_EQ(arrow_format(*column_of_arrow_format("d:70,3,256")), "d:38,3");
}

TEST(ArrowFormat, NamesThatAreNotUtf8AreTakenAsLatin1) {
  ColumnSchema column;
  column.name = "na\xC3\xAFve";
  EXPECT_EQ(arrow_name(column), column.name);
  column.name = "na\xEFve";
  EXPECT_EQ(arrow_name(column), "na\xC3\xAFve");
}

TEST(ArrowFormat, OtherTypesAreNone) {
  for (const char* format :
       {"",        "n",       "e",     "+l",         "+s",        "tdm",    "ttm",
        "tDs",     "w:4",     "tsx:",  "tss",        "d:",        "d:39,2", "d:10",
        "d:10,-2", "d:10,11", "d:0,0", "d:77,2,256", "d:10,2,16", "ll"}) {
    EXPECT_FALSE(column_of_arrow_format(format)) << format;
  }
}

TEST(BitCopy, CopiesAnyBitsToAnyPlaceAndReadsNoOtherByte) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t from = random() % 20;
    const std::size_t to = random() % 20;
    const std::size_t count = random() % 90;
    std::vector<Byte> source((from + count + 7) / 8);  // a sanitizer sees what lies behind it
    for (Byte& byte : source) byte = static_cast<Byte>(random());
    std::vector<Byte> target((to + count + 7) / 8 + 1);
    copy_bits(source.data(), from, count, target.data(), to);
    std::uint64_t ones = 0;
    for (std::size_t i = 0; i < 8 * target.size(); ++i) {
      const bool inside = i >= to && i < to + count;
      ASSERT_EQ(bit_at(target.data(), i), inside && bit_at(source.data(), from + i - to));
      ones += bit_at(target.data(), i) ? 1 : 0;
    }
    ASSERT_EQ(count_bits(target.data(), 8 * target.size()), ones);
  }
}

bool are_valid(const std::vector<std::string>& strings) {
  std::string all = "xx";
  std::vector<std::int64_t> offsets = {2};
  for (const std::string& text : strings) {
    all += text;
    offsets.push_back(static_cast<std::int64_t>(all.size()));
  }
  return are_valid_utf8(reinterpret_cast<const Byte*>(all.data()), offsets);
}

TEST(Utf8, EachStringIsLookedAtOfItsOwn) {
  EXPECT_TRUE(are_valid({}));
  EXPECT_TRUE(are_valid({"", "na\xC3\xAFve", "", "\xE2\x82\xAC", ""}));
  EXPECT_FALSE(are_valid({"\xC3", "\xA9"})) << "valid only as one text";
  EXPECT_FALSE(are_valid({"a", "\xE9t\xE9"}));
  EXPECT_FALSE(are_valid({"\xC0\x80"}));
}

}  // namespace
}  // namespace presso::arrow_format_test
