// SPDX-License-Identifier: MIT
// Rows of every type sorted run by run, in memory and by way of temporary files, with as little
// memory as makes every level of merging happen.
#include "compress/table/rows/row_sorter.h"

#include <sys/resource.h>

#include <csignal>
#include <numeric>

#include "compress/table/rows/row_batch.h"
#include "tests/unit/decompress/table/row_groups.h"

namespace presso::row_sorter_test {
namespace {

using row_groups::all_types;
using row_groups::column_schema;
using row_groups::first_difference;
using row_groups::make_column;
using row_groups::Nulls;
using row_groups::Values;

constexpr std::uint64_t kEnough = std::uint64_t{1} << 30;

/// A column of every type.
struct Data {
  TableSchema schema;
  std::vector<ColumnData> columns;

  std::vector<ColumnView> views() const {
    std::vector<ColumnView> all;
    for (const ColumnData& column : columns) all.push_back(column.view());
    return all;
  }
};

Data make_data(std::uint64_t rows) {
  Data data;
  for (const ColumnType type : all_types()) {
    const auto number = static_cast<std::uint64_t>(type);
    data.schema.columns.push_back(column_schema(type, std::to_string(number)));
    data.columns.push_back(make_column(type, rows, number % 3 == 0 ? Nulls::kNone : Nulls::kSome,
                                       static_cast<Values>(number % 4), number));
  }
  return data;
}

std::vector<ColumnData> rows_of(const Data& data, std::span<const std::uint32_t> rows) {
  std::vector<ColumnData> taken = empty_columns(data.schema);
  std::vector<RowPick> picks;
  for (const std::uint32_t row : rows) picks.push_back({0, row});
  const std::vector<ColumnView> sources[] = {data.views()};
  append_rows(sources, picks, taken);
  return taken;
}

std::vector<ColumnView> views_of(const std::vector<ColumnData>& columns) {
  std::vector<ColumnView> views;
  for (const ColumnData& column : columns) views.push_back(column.view());
  return views;
}

/// Bool falling, then bytes of which many are equal: rows of one key stand in many runs.
const std::vector<SortColumn> kBy = {{0, true}, {7, false}};

Status add_in_runs(RowSorter& sorter, const Data& data, std::uint32_t run_rows) {
  const auto all = static_cast<std::uint32_t>(data.columns.front().rows);
  for (std::uint32_t first = 0; first < all; first += run_rows) {
    std::vector<std::uint32_t> rows(std::min(run_rows, all - first));
    std::iota(rows.begin(), rows.end(), first);
    PRESSO_TRY(sorter.add(sorter.sort(views_of(rows_of(data, rows)))));
  }
  return {};
}

void expect_sorted(RowSorter& sorter, const Data& data) {
  SortKeys keys(kBy);
  keys.make(data.views());
  const std::vector<ColumnData> expected = rows_of(data, sorted_rows(keys));
  auto merger = sorter.merge();
  ASSERT_TRUE(merger.ok()) << merger.error().message();
  std::uint64_t row = 0;
  while (true) {
    const auto rows = merger->next();
    ASSERT_TRUE(rows.ok()) << rows.error().message();
    if (rows->front().rows == 0) break;
    for (std::size_t i = 0; i < rows->size(); ++i) {
      const ColumnView part = (*rows)[i].view();
      ASSERT_EQ(first_difference(expected[i].view(), row, part), part.rows) << i << " " << row;
    }
    row += rows->front().rows;
  }
  EXPECT_EQ(row, data.columns.front().rows);
}

TEST(RowSorter, SortsRunsThatStayInMemory) {
  const Data data = make_data(10000);
  for (const std::uint32_t run_rows : {20000u, 5000u, 333u, 10u}) {
    RowSorter sorter(data.schema, kBy, {kEnough, "/nowhere"});
    ASSERT_TRUE(add_in_runs(sorter, data, run_rows).ok());
    EXPECT_EQ(sorter.spilled_bytes(), 0u);
    expect_sorted(sorter, data);
  }
}

TEST(RowSorter, SortsRunsThatDoNotFitByWayOfFiles) {
  const Data data = make_data(10000);
  for (const std::uint64_t memory : {0u, 100000u, 1000000u}) {
    for (const std::uint32_t run_rows : {20000u, 3000u, 100u}) {
      RowSorter sorter(data.schema, kBy, {memory, testing::TempDir()});
      ASSERT_TRUE(add_in_runs(sorter, data, run_rows).ok());
      EXPECT_GT(sorter.spilled_bytes(), 0u);
      expect_sorted(sorter, data);
    }
  }
}

TEST(RowSorter, MergesRunsOfALevelWhenThereAreTooMany) {
  constexpr std::uint32_t kRunRows = 3 * kBatchRows;
  const auto spilled_by = [](std::size_t runs) {
    Data data;
    data.schema.columns.push_back(column_schema(ColumnType::kInt8));
    data.columns.push_back(
        make_column(ColumnType::kInt8, runs * kRunRows, Nulls::kNone, Values::kRandom));
    // Too little for the runs, enough for a batch of each.
    RowSorter sorter(data.schema, {{0, false}}, {1200000, testing::TempDir()});
    EXPECT_TRUE(add_in_runs(sorter, data, kRunRows).ok());
    auto merger = sorter.merge();
    EXPECT_TRUE(merger.ok());
    if (!merger.ok()) return sorter.spilled_bytes();
    std::uint64_t rows = 0;
    int last = -128;
    while (true) {
      const auto merged = merger->next();
      EXPECT_TRUE(merged.ok());
      if (!merged.ok() || merged->front().rows == 0) break;
      for (const Byte byte : merged->front().values.bytes()) {
        EXPECT_LE(last, static_cast<std::int8_t>(byte));
        last = static_cast<std::int8_t>(byte);
      }
      rows += merged->front().rows;
    }
    EXPECT_EQ(rows, runs * kRunRows);
    return sorter.spilled_bytes();
  };
  const std::uint64_t once = spilled_by(RowSorter::kMostRuns - 1);
  const std::uint64_t twice = spilled_by(RowSorter::kMostRuns);
  EXPECT_GT(once, (RowSorter::kMostRuns - 1) * std::uint64_t{kRunRows});
  EXPECT_GT(twice, once * 19 / 10);
}

TEST(RowSorter, NamesTheFolderInWhichThereCanBeNoFile) {
  const Data data = make_data(10);
  RowSorter sorter(data.schema, kBy, {0, "/no/such/folder"});
  const Status added = add_in_runs(sorter, data, 5);
  ASSERT_FALSE(added.ok());
  EXPECT_EQ(added.error().code, ErrorCode::kIo);
  EXPECT_NE(added.error().what.find("/no/such/folder"), std::string::npos);
}

TEST(RowSorter, NamesTheFolderWhoseDeviceIsFull) {
  // No folder can be filled here; so the file is one that cannot grow.
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{1000, before.rlim_max};
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const Data data = make_data(1000);
  RowSorter sorter(data.schema, kBy, {0, testing::TempDir()});
  const Status added = add_in_runs(sorter, data, 500);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
  ASSERT_FALSE(added.ok());
  EXPECT_EQ(added.error().code, ErrorCode::kNoSpace);
  EXPECT_NE(added.error().what.find(testing::TempDir()), std::string::npos);
}

TEST(RowBatch, IsCutByItsBytesAndHasAtLeastOneRow) {
  Data data;
  data.schema.columns.push_back(column_schema(ColumnType::kUtf8));
  std::vector<std::string> texts(10, "short");
  texts[3] = std::string(3 * kBatchBytes, 'x');
  data.columns.push_back(row_groups::strings_column(texts));
  std::vector<std::uint32_t> order(texts.size());
  std::iota(order.begin(), order.end(), 0u);
  std::vector<std::uint64_t> rows;
  const Status packed = pack_rows(data.schema, data.views(), order, [&](const Buffer& batch) {
    const std::vector<ColumnView> columns = unpack_batch(data.schema, batch);
    for (std::uint64_t row = 0; row < columns[0].rows; ++row) {
      const Bytes text = columns[0].string(row);
      const auto before = std::accumulate(rows.begin(), rows.end(), std::uint64_t{0});
      EXPECT_EQ(std::string(text.begin(), text.end()), texts[before + row]);
    }
    rows.push_back(columns[0].rows);
    return Status{};
  });
  EXPECT_TRUE(packed.ok());
  EXPECT_EQ(rows, (std::vector<std::uint64_t>{4, 6}));
}

}  // namespace
}  // namespace presso::row_sorter_test
