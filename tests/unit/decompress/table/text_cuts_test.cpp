// SPDX-License-Identifier: MIT
// Row groups that are stored as their text give the values of those that are not, however the text
// is written; damaged plans are refused.
#include "format/columns/text_cuts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compress/table/write/text_plans.h"
#include "format/columns/table_file.h"
#include "format/columns/wire_reader.h"
#include "presso/compress_table.h"
#include "presso/decompress.h"
#include "presso/table.h"
#include "tests/unit/decompress/table/row_groups.h"

namespace presso {
namespace {

Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}

std::vector<Byte> table_of(const std::string& text, bool packs) {
  MemorySource source(bytes_of(text));
  MemorySource again(bytes_of(text));
  TableOptions options;
  options.packs = packs;
  options.text.name = text[0] == '{' ? "a.json" : "a.csv";
  std::vector<Byte> file;
  VectorSink sink(file);
  const auto made = compress_table(source, &again, sink, options);
  EXPECT_TRUE(made.ok()) << made.error().what;
  return file;
}

/// Compares a table that is stored as text with one that is not.
void expect_same(const std::string& text) {
  const std::vector<Byte> with = table_of(text, true);
  const std::vector<Byte> without = table_of(text, false);
  EXPECT_LT(with.size(), without.size());
  const MemoryRandomAccess file{Bytes(with)};
  const MemoryRandomAccess other_file{Bytes(without)};
  const auto index = TableIndex::open(file);
  ASSERT_TRUE(index.ok());
  const auto directory = index->read_directory(0);
  ASSERT_TRUE(directory.ok());
  EXPECT_TRUE(directory->is_text());
  const auto table = Table::open(file);
  const auto other = Table::open(other_file);
  ASSERT_TRUE(table.ok() && other.ok());
  ASSERT_EQ(table->schema(), other->schema());
  const auto rows = static_cast<std::uint32_t>(table->rows());
  for (std::size_t column = 0; column < table->schema().columns.size(); ++column) {
    const std::size_t wanted[] = {column};
    const auto values = table->read(0, wanted, 0, rows);
    const auto expected = other->read(0, wanted, 0, rows);
    ASSERT_TRUE(values.ok()) << values.error().what;
    const ColumnData& data = values->front();
    EXPECT_EQ(row_groups::first_difference(data.view(), 0, expected->front().view()), rows)
        << table->schema().columns[column].name;
  }
  MemorySource source{Bytes(with)};
  std::vector<Byte> back;
  VectorSink sink(back);
  ASSERT_TRUE(decompress_table(source, sink, {}).ok());
  EXPECT_EQ(std::string(back.begin(), back.end()), text);
}

/// Values that no column can store in few bytes, so that lines which are kept cost as much again.
std::string odd(std::size_t row) {
  std::string text = std::to_string(row * row * 7919 % 99991);
  return text.append("x").append(std::to_string(row * 31337 % 9973));
}

TEST(TextCuts, BlanksBetweenFields) {
  std::string text = "a b c\n";
  for (std::size_t row = 0; row < 400; ++row) {
    text.append("   ").append(std::to_string(10 + row % 70)).append(".50000e+01   ");
    text.append(odd(row)).append("  7.0\n");
  }
  expect_same(text);
}

TEST(TextCuts, QuotesCommentsAndNulls) {
  std::string text = "n,t,u,b\n";
  for (std::size_t row = 0; row < 400; ++row) {
    if (row % 50 == 3) text += "# 1,2,3,4 is a comment\n";
    const std::string number = std::to_string(row % 13);
    text.append(row % 9 == 2 ? "NA" : "\"").append(row % 9 == 2 ? "" : number);
    text.append(row % 9 == 2 ? ",\"a \"\"" : ".50\",\"a \"\"")
        .append(odd(row))
        .append("\"\", b\",");
    text.append(row % 7 == 0 ? "" : odd(row + 5)).append(row % 3 == 0 ? ",no\r\n" : ",Yes\n");
  }
  expect_same(text);
}

TEST(TextCuts, ObjectsOverSeveralLines) {
  std::string text = "{";
  for (std::size_t row = 0; row < 200; ++row) {
    text.append(row == 0 ? "\n  \"k" : ",\n  \"k").append(std::to_string(row));
    text.append("\": {\n    \"id\": \"").append(odd(row));
    text.append("\",\n    \"part\": [1, 2.50, null]\n  }");
  }
  text += ",\n  \"a\\u0062\": \"x\\ny\",\n  \"n\": null, \"d\": \"2024-01-31\", \"r\": 1.50\n}\n";
  expect_same(text);
}

TEST(LooseValue, NumbersAreReadInManyForms) {
  ColumnSchema decimal;
  decimal.type = ColumnType::kDecimal64;
  decimal.scale = 2;
  const auto number = [&](const char* text) {
    std::int64_t value = -1;
    const LooseValue read(decimal);
    return read.read(bytes_of(text), reinterpret_cast<Byte*>(&value)) ? value : -1;
  };
  for (const char* text : {"1.5", "1.50", "+1.5", "01.500", " 1.5 ", "1.5000"}) {
    EXPECT_EQ(number(text), 150) << text;
  }
  EXPECT_EQ(number(".5"), 50);
  EXPECT_EQ(number("-0.00"), 0);
  EXPECT_EQ(number("3."), 300);
  for (const char* text : {"", "+", ".", "1.505", "1e2", "1,5", "--1", "0x1", "1 5", "-+1"}) {
    EXPECT_EQ(number(text), -1) << text;
  }
}

TEST(LooseValue, FloatingNumbersMayHaveAnyDigits) {
  ColumnSchema real;
  real.type = ColumnType::kDouble;
  const auto number = [&](const char* text) {
    double value = -1;
    const LooseValue read(real);
    return read.read(bytes_of(text), reinterpret_cast<Byte*>(&value)) ? value : -1;
  };
  EXPECT_EQ(number("5.185370000000000257e-02"), 0.0518537);
  EXPECT_EQ(number("+1E3"), 1000.0);
  EXPECT_EQ(number(" -.50"), -0.5);
  EXPECT_EQ(number("1e999"), -1);
  EXPECT_EQ(number("NaN"), -1);
}

TEST(TextCuts, DamagedPlansAreRefusedOrReadAsOthers) {
  TableSchema schema;
  schema.text.kind = TextKind::kDelimited;
  schema.text.delimiter = ',';
  schema.columns.resize(2);
  schema.columns[0].name = "a";
  schema.columns[1].name = "b";
  const std::string text = "one,\"t\"\"wo\"\nthree,\nfour,five\n";
  // The example of FORMAT.md 20.
  const std::vector<Byte> cuts = {18, 1, 1, 0, 1, 1, 0, 1, 1, 1, 3, 1, 0, 1, 1, 1, 1, 1, 0, 1, 'x'};
  const auto rows = PackedRows::cut(schema, bytes_of(text), cuts, 3);
  ASSERT_TRUE(rows.ok());
  const auto second = rows->column(1, schema.columns[1], false);
  ASSERT_TRUE(second.ok());
  const Bytes values = second->values.bytes();
  EXPECT_EQ(std::string(values.begin(), values.end()), "t\"woxfive");
  for (std::size_t at = 0; at < cuts.size(); ++at) {
    for (int change = 1; change < 256; ++change) {
      std::vector<Byte> other = cuts;
      other[at] = static_cast<Byte>(other[at] + change);
      Buffer made;
      const auto places = cut_rows(schema, bytes_of(text), other, 3, made);
      if (!places.ok()) {
        EXPECT_EQ(places.error().code, ErrorCode::kBadRowGroup);
        continue;
      }
      for (const FieldPlace& place : *places) {
        EXPECT_LE(place.end, text.size() + made.size());
      }
    }
  }
}

}  // namespace
}  // namespace presso
