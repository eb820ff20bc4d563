// SPDX-License-Identifier: MIT
// A table seen with other columns: in another order, some left out, and some with one value in all
// rows. All rows are read, in one piece and in parts, and damage is reported at its place.
#include <gtest/gtest.h>

#include "decompress/table/group_reader.h"
#include "presso/column_data.h"
#include "tests/unit/decompress/table/table_parts.h"

namespace presso::table_files::arranged_table_test {
namespace {

ColumnSchema schema_of(const std::string& name, ColumnType type) {
  ColumnSchema schema;
  schema.name = name;
  schema.type = type;
  return schema;
}

/// The rows as CSV.
std::string text_of(const Table& table) {
  File bytes;
  VectorSink sink(bytes);
  RowsOptions options;
  options.form.kind = TextKind::kDelimited;
  EXPECT_TRUE(write_rows(table, options, sink).ok());
  return {bytes.begin(), bytes.end()};
}

/// Row groups of 70,000 rows, so that constants take several blocks.
File long_table() {
  std::string text = "id,kind,note\n";
  for (int i = 0; i < 150'000; ++i) {
    text += std::to_string(i) + ",kind " + std::to_string(i % 3) + (i % 2 == 0 ? ",\n" : ",x\n");
  }
  TableOptions options;
  options.group_rows = 70'000;
  return table_of(text, options);
}

std::vector<ArrangedColumn> columns() {
  return {{schema_of("kind", {}), 1},
          {schema_of("year", ColumnType::kInt64), std::nullopt, "-2024"},
          {schema_of("day", ColumnType::kDate32), std::nullopt, "1969-12-31"},
          {schema_of("time", ColumnType::kTimestamp), std::nullopt, "2024-01-01 10:00:00"},
          {schema_of("file", ColumnType::kUtf8), std::nullopt, "a b"},
          {schema_of("empty", ColumnType::kUtf8), std::nullopt, ""},
          {schema_of("nothing", ColumnType::kDouble), std::nullopt},
          {schema_of("number", {}), 0}};
}

TEST(ArrangedTable, HasConstantsBesideStoredColumns) {
  const File file = long_table();
  const MemoryRandomAccess access(file);
  const auto table = Table::open(access);
  ASSERT_TRUE(table.ok());
  const auto arranged = table->arranged(columns());
  ASSERT_TRUE(arranged.ok()) << arranged.error().message();
  std::string expected = "kind,year,day,time,file,empty,nothing,number\n";
  for (int i = 0; i < 150'000; ++i) {
    expected += "kind " + std::to_string(i % 3) +
                ",-2024,1969-12-31,2024-01-01 10:00:00,a b,\"\",," + std::to_string(i) + "\n";
  }
  EXPECT_EQ(text_of(*arranged), expected);
  const auto part = arranged->part(1, 3);
  ASSERT_TRUE(part.ok());
  EXPECT_EQ(part->rows(), 80'000u);
  const std::size_t wanted[] = {1, 4, 7};
  const auto rows = part->read(1, wanted, 9'999, 1);
  ASSERT_TRUE(rows.ok()) << rows.error().message();
  EXPECT_EQ(load<std::int64_t>((*rows)[0].view().values), -2024);
  EXPECT_EQ((*rows)[1].view().string(0).size(), 3u);
  EXPECT_EQ(load<std::int64_t>((*rows)[2].view().values), 149'999);
}

TEST(ArrangedTable, KnowsTheRangesOfConstants) {
  const File file = long_table();
  const MemoryRandomAccess access(file);
  const auto arranged = Table::open(access)->arranged(columns());
  ASSERT_TRUE(arranged.ok());
  const ColumnSummary year = arranged->column(1, 1);
  EXPECT_TRUE(year.has_zone);
  EXPECT_EQ(year.least, year.most);
  EXPECT_EQ(arranged->column(1, 6).nulls, 70'000u);
  EXPECT_EQ(arranged->column(2, 7).most - arranged->column(2, 7).least, 9'999u);
}

TEST(ArrangedTable, RefusesAValueThatIsNotOfItsType) {
  const File file = mixed_table();
  const MemoryRandomAccess access(file);
  const auto arranged = Table::open(access)->arranged(
      {{schema_of("year", ColumnType::kInt64), std::nullopt, "late"}});
  ASSERT_FALSE(arranged.ok());
  EXPECT_EQ(arranged.error().what, "'late' is no int64");
}

/// The offset of the damaged byte's block is that in the file.
TEST(ArrangedTable, NamesThePlaceOfDamage) {
  File file = long_table();
  const MemoryRandomAccess access(file);
  const auto table = Table::open(access);
  ASSERT_TRUE(table.ok());
  const GroupPlace& place = TableAccess::index(*table).groups()[1];
  file[place.file_offset + place.directory_bytes + kBlockHeaderBytes] ^= 1;
  const std::size_t stored[] = {0};
  const auto plain = table->read(1, stored, 0, 1);
  ASSERT_FALSE(plain.ok());
  const auto arranged = table->arranged(columns());
  ASSERT_TRUE(arranged.ok());
  const std::size_t wanted[] = {7};
  const auto read = arranged->read(1, wanted, 0, 1);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().byte_offset, plain.error().byte_offset);
}

}  // namespace
}  // namespace presso::table_files::arranged_table_test
