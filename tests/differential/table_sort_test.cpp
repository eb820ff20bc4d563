// SPDX-License-Identifier: MIT
// Texts that are stored sorted come back as std::stable_sort would have put their rows, whatever
// the memory, the number of threads and the size of row groups, and the file is the same with any
// of the first two.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "presso/compress_table.h"
#include "presso/table.h"

namespace presso::table_sort_test {
namespace {

constexpr std::size_t kColumns = 4;
using Row = std::array<std::string, kColumns>;  ///< an empty field is null

Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}

/// A number, a word, a date, and the row's number, which tells rows with equal keys apart.
std::vector<Row> random_rows(std::mt19937& random, std::size_t rows) {
  std::vector<Row> made;
  for (std::size_t i = 0; i < rows; ++i) {
    Row row;
    if (random() % 8 != 0) row[0] = std::to_string(static_cast<int>(random() % 41) - 20);
    for (auto size = random() % 4; size > 0; --size) row[1] += "abz"[random() % 3];
    if (random() % 8 != 0) row[2] = "2024-01-" + std::to_string(10 + random() % 20);
    row[3] = std::to_string(i);
    made.push_back(row);
  }
  return made;
}

std::string as_text(const std::vector<Row>& rows) {
  std::string text = "number,word,day,place\n";
  for (const Row& row : rows) {
    text += row[0] + "," + row[1] + "," + row[2] + "," + row[3] + "\n";
  }
  return text;
}

std::string as_json(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) {
    const auto string = [](const std::string& value) {
      return value.empty() ? "null" : "\"" + value + "\"";
    };
    text += "{\"number\":" + (row[0].empty() ? "null" : row[0]) + ",\"word\":" + string(row[1]) +
            ",\"day\":" + string(row[2]) + ",\"place\":" + row[3] + "}\n";
  }
  return text;
}

const std::vector<std::string> kNames = {"number", "word", "day", "place"};

/// Below 0 where `a` comes first; nulls are last.
int order_of(const Row& a, const Row& b, std::size_t column) {
  if (a[column].empty() || b[column].empty()) return a[column].empty() - b[column].empty();
  if (column == 0 || column == 3) return std::stoi(a[column]) - std::stoi(b[column]);
  return a[column].compare(b[column]);
}

std::vector<SortBy> random_order(std::mt19937& random) {
  std::vector<std::string> names = {kNames[0], kNames[1], kNames[2]};
  std::shuffle(names.begin(), names.end(), random);
  std::vector<SortBy> by;
  for (std::size_t i = 0; i <= random() % 3; ++i) by.push_back({names[i], random() % 2 == 0});
  return by;
}

void sort_rows(std::vector<Row>& rows, const std::vector<SortBy>& by) {
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    for (const SortBy& column : by) {
      const auto found = std::find(kNames.begin(), kNames.end(), column.column);
      const int order = order_of(a, b, static_cast<std::size_t>(found - kNames.begin()));
      if (order != 0) return column.descending ? order > 0 : order < 0;
    }
    return false;
  });
}

struct Made {
  std::vector<Byte> file;
  TableSummary summary;
};

Made compress(const std::string& text, const TableOptions& options, bool pipe) {
  MemorySource source(bytes_of(text));
  MemorySource types_from(bytes_of(text));
  Made made;
  VectorSink sink(made.file);
  auto summary = compress_table(source, pipe ? nullptr : &types_from, sink, options);
  EXPECT_TRUE(summary.ok()) << summary.error().message();
  if (summary.ok()) made.summary = std::move(*summary);
  return made;
}

std::string text_of(const std::vector<Byte>& file) {
  MemorySource source(file);
  std::vector<Byte> text;
  VectorSink sink(text);
  const auto read = decompress_table(source, sink);
  EXPECT_TRUE(read.ok()) << read.error().message();
  return {text.begin(), text.end()};
}

TEST(TableSort, GivesRowsAsAStableSortPutsThem) {
  std::mt19937 random(1);
  for (int i = 0; i < 150; ++i) {
    std::vector<Row> rows = random_rows(random, 1 + random() % 500);
    const bool json = i % 3 == 0;
    const std::string text = json ? as_json(rows) : as_text(rows);
    TableOptions options;
    options.sort.by = random_order(random);
    options.sort.run_rows = static_cast<std::uint32_t>(random() % 60);
    options.sort.temporary_directory = testing::TempDir();
    options.group_rows = static_cast<std::uint32_t>(random() % 3 == 0 ? 0 : random() % 99);
    options.compress.threads = 1;
    const bool pipe = random() % 2 == 0;
    const Made made = compress(text, options, pipe);
    EXPECT_FALSE(made.summary.schema.exact);
    EXPECT_EQ(made.summary.rows, rows.size());
    EXPECT_EQ(made.summary.spilled_bytes, 0u);
    sort_rows(rows, options.sort.by);
    ASSERT_EQ(text_of(made.file), json ? as_json(rows) : as_text(rows)) << i;
    for (const std::uint64_t memory : {std::uint64_t{0}, std::uint64_t{4000}}) {
      options.sort.memory_bytes = memory;
      options.compress.threads = 2;
      const Made by_files = compress(text, options, pipe);
      EXPECT_TRUE(memory > 0 || by_files.summary.spilled_bytes > 0);
      ASSERT_TRUE(by_files.file == made.file) << i << " " << memory;
    }
  }
}

TEST(TableSort, HasRowGroupsOfTheSizeThatWasAskedFor) {
  std::mt19937 random(2);
  TableOptions options;
  options.sort.by = {{"number", false}};
  options.group_rows = 300;
  const Made made = compress(as_text(random_rows(random, 1000)), options, false);
  EXPECT_EQ(made.summary.row_groups, 4u);
  const MemoryRandomAccess file(made.file);
  const auto table = Table::open(file);
  ASSERT_TRUE(table.ok());
  std::uint64_t most_before = 0;
  for (std::uint64_t group = 0; group < 4; ++group) {
    EXPECT_EQ(table->row_group(group).rows, group < 3 ? 300u : 100u);
    const ColumnSummary column = table->column(group, 0);
    if (!column.has_zone) continue;
    EXPECT_LE(most_before, column.least);
    most_before = column.most;
  }
}

TEST(TableSort, LeavesBadRowsOutAndPassesThemOn) {
  const std::string text = "a,b\n3,x\n1\n2,y\nz,w\n1,z\n";
  TableOptions options;
  options.text.header = true;
  options.sort.by = {{"a", false}};
  options.types.push_back(*parse_type("int32"));
  options.types.back().name = "a";
  std::string bad;
  options.on_bad_rows = [&](Bytes rows) {
    bad.append(rows.begin(), rows.end());
    return Status{};
  };
  const Made made = compress(text, options, true);
  EXPECT_EQ(text_of(made.file), "a,b\n1,z\n2,y\n3,x\n");
  EXPECT_EQ(bad, "1\nz,w\n");
}

TEST(TableSort, KeepsATextWithoutRowsAsItStands) {
  TableOptions options;
  options.text.header = true;
  options.sort.by = {{"b", true}};
  EXPECT_EQ(text_of(compress("a,b\n", options, false).file), "a,b\n");
}

TEST(TableSort, RefusesColumnsThatThereAreNotOrThatAreNamedTwice) {
  for (const std::vector<SortBy>& by :
       {std::vector<SortBy>{{"c", false}}, std::vector<SortBy>{{"a", false}, {"a", true}}}) {
    const std::string text = "a,b\n1,2\n";
    MemorySource source(bytes_of(text));
    std::vector<Byte> file;
    VectorSink sink(file);
    TableOptions options;
    options.sort.by = by;
    const auto made = compress_table(source, nullptr, sink, options);
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(made.error().what.find("'" + by.back().column + "'"), std::string::npos);
    EXPECT_TRUE(file.empty());
  }
}

}  // namespace
}  // namespace presso::table_sort_test
