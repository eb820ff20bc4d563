// SPDX-License-Identifier: MIT
// Row groups that are packed are read as those that are not, and are chosen where they are smaller.
#include "decompress/table/packed_group.h"

#include <gtest/gtest.h>

#include <string>

#include "decompress/table/group_reader.h"
#include "format/columns/table_file.h"
#include "presso/compress_table.h"
#include "presso/decompress.h"
#include "presso/table.h"
#include "tests/unit/decompress/table/row_groups.h"

namespace presso {
namespace {

/// Whether both have the same values and nulls.
bool same_values(const ColumnData& a, const ColumnData& b) {
  return a.type == b.type && a.rows == b.rows &&
         row_groups::first_difference(a.view(), 0, b.view()) == a.rows;
}

/// A CSV of all kinds of values, with nulls, odd spellings, and lines that are kept as text.
std::string small_text(std::size_t rows) {
  std::string text = "n,x,d,t,b,s,q\n";
  for (std::size_t row = 0; row < rows; ++row) {
    const std::string number = std::to_string(row);
    text += row % 7 == 3 ? "" : number;
    text += "," + number + (row % 2 == 0 ? ".50" : "e1") + ",2024-01-" +
            std::to_string(10 + row % 20) + ",2024-01-01 10:00:" + std::to_string(10 + row % 50) +
            (row % 3 == 0 ? ",true," : ",false,");
    text += row % 5 == 0 ? "\"a, b\"" : row % 5 == 1 ? "\"\"" : row % 5 == 2 ? "" : "word" + number;
    text += row % 4 == 0 ? ",\"quoted\"\n" : ",q" + number + "\n";
    if (row == 5) text += "\n";
  }
  return text + "\n\n";
}

struct Made {
  std::vector<Byte> file;
  TableSummary summary;
};

Made make(const std::string& text, bool packs, std::uint32_t group_rows = 0) {
  const Bytes bytes(reinterpret_cast<const Byte*>(text.data()), text.size());
  MemorySource source(bytes);
  MemorySource again(bytes);
  TableOptions options;
  options.packs = packs;
  options.group_rows = group_rows;
  options.text.name = "a.csv";
  Made made;
  VectorSink sink(made.file);
  auto summary = compress_table(source, &again, sink, options);
  EXPECT_TRUE(summary.ok()) << summary.error().what;
  made.summary = std::move(*summary);
  return made;
}

std::string text_of(const std::vector<Byte>& file) {
  MemorySource source{Bytes(file)};
  std::vector<Byte> text;
  VectorSink sink(text);
  const auto done = decompress_table(source, sink, {});
  EXPECT_TRUE(done.ok()) << done.error().what;
  return {text.begin(), text.end()};
}

std::uint64_t packed_columns(const Table& table) {
  std::uint64_t packed = 0;
  const auto storage = table.storage();
  EXPECT_TRUE(storage.ok());
  for (const ColumnStorage& column : *storage) packed += column.packed_groups;
  return packed;
}

TEST(PackedGroup, AllColumnsAreThoseOfOtherTables) {
  const std::string text = small_text(200);
  for (const std::uint32_t group_rows : {1u, 7u, 64u, 0u}) {
    const Made usual = make(text, false, group_rows);
    const Made packed = make(text, true, group_rows);
    EXPECT_LT(packed.file.size(), usual.file.size());
    EXPECT_EQ(text_of(packed.file), text);
    const MemoryRandomAccess usual_file{Bytes(usual.file)};
    const MemoryRandomAccess packed_file{Bytes(packed.file)};
    const auto a = Table::open(usual_file);
    const auto b = Table::open(packed_file);
    ASSERT_TRUE(a.ok() && b.ok());
    EXPECT_GT(packed_columns(*b), 0u);
    EXPECT_EQ(packed_columns(*a), 0u);
    std::vector<std::size_t> columns(a->schema().columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = i;
    for (std::uint64_t group = 0; group < a->row_groups(); ++group) {
      const std::uint32_t rows = a->row_group(group).rows;
      for (const std::uint32_t first : {0u, rows / 2}) {
        const auto left = a->read(group, columns, first, rows - first);
        const auto right = b->read(group, columns, first, rows - first);
        ASSERT_TRUE(left.ok() && right.ok());
        for (std::size_t i = 0; i < columns.size(); ++i)
          EXPECT_TRUE(same_values((*left)[i], (*right)[i])) << i;
      }
    }
  }
}

TEST(PackedGroup, IndexKnowsNothingOfItsValuesButItsNulls) {
  const Made packed = make(small_text(60), true);
  const MemoryRandomAccess file{Bytes(packed.file)};
  const auto table = Table::open(file);
  ASSERT_TRUE(table.ok());
  EXPECT_FALSE(table->column(0, 0).has_zone);
  EXPECT_EQ(table->column(0, 0).nulls, 9u);
  const auto group = GroupReader::open(*table, 0);
  ASSERT_TRUE(group.ok());
  EXPECT_FALSE((*group)->directory().is_packed());
  EXPECT_NE((*group)->zone(0, 0, 60).flags & kZoneKnown, 0);
}

TEST(PackedGroup, LargeColumnsThatDoNotRepeatEachOtherStayApart) {
  std::string text = "n,m\n";
  for (int row = 0; row < 50000; ++row) {
    text += std::to_string(row * 7) + "," + std::to_string(row % 13) + "\n";
  }
  const Made made = make(text, true);
  const MemoryRandomAccess file{Bytes(made.file)};
  const auto table = Table::open(file);
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(packed_columns(*table), 0u);
}

/// Any byte of a packed row group may be another one.
TEST(PackedGroup, DamageIsTold) {
  const std::string text = small_text(30);
  const Made made = make(text, true);
  for (std::size_t at = 32; at < made.file.size(); at += 3) {
    std::vector<Byte> damaged = made.file;
    damaged[at] ^= 16;
    MemorySource source{Bytes(damaged)};
    std::vector<Byte> read;
    VectorSink sink(read);
    const auto done = decompress_table(source, sink, {});
    const bool is_told = !done.ok();
    EXPECT_TRUE(is_told || std::string(read.begin(), read.end()) == text) << at;
  }
}

}  // namespace
}  // namespace presso
