// SPDX-License-Identifier: MIT
// What is known of a row group without reading its blocks, what is decoded once for all, and that
// only blocks that are needed are read and counted.
#include <thread>

#include "presso/checksum.h"
#include "tests/unit/decompress/table/slices.h"

namespace presso::slices::group_reader_test {
namespace {

using row_groups::make_column;
using row_groups::Nulls;
using row_groups::strings_column;
using row_groups::Values;

/// Strings of a dictionary; those of a block are not those of another.
ColumnData few_strings(std::uint32_t rows) {
  std::vector<std::string> strings;
  for (std::uint32_t row = 0; row < rows; ++row) {
    strings.push_back("state " + std::to_string(row / 65536) + " " + std::to_string(row % 5));
  }
  return strings_column(strings);
}

TEST(GroupReader, KnowsItsPlaceInTheTable) {
  const ColumnData column = make_column(ColumnType::kInt32, 5000, Nulls::kNone, Values::kSorted);
  const std::vector<Byte> file = table_of({&column, 1}, 2000);
  const Opened opened(file);
  const auto group = opened.group(2);
  EXPECT_EQ(group->group(), 2u);
  EXPECT_EQ(group->first_row(), 4000u);
  EXPECT_EQ(group->rows(), 1000u);
  EXPECT_EQ(group->schema().columns.size(), 1u);
  EXPECT_EQ(GroupReader::open(*opened.table, 3).error().code, ErrorCode::kInvalidArgument);
}

/// Counts how often a file is read.
class CountedAccess final : public RandomAccess {
 public:
  explicit CountedAccess(Bytes file) : access_(file) {}
  std::uint64_t size() const override { return access_.size(); }
  Status read_at(std::uint64_t offset, MutableBytes into) const override {
    ++reads_;
    return access_.read_at(offset, into);
  }
  unsigned reads() const { return reads_; }

 private:
  MemoryRandomAccess access_;
  mutable unsigned reads_ = 0;
};

/// How often the file is read to open `groups` row groups, all of them for the second time.
unsigned reads_to_open_again(std::uint64_t most_bytes, std::uint64_t groups) {
  const ColumnData column = make_column(ColumnType::kInt32, 8000, Nulls::kNone, Values::kSorted);
  const std::vector<Byte> file = table_of({&column, 1}, 2000);
  const CountedAccess access(file);
  std::vector<Table> tables{*Table::open(access)};
  keep_directories(tables, std::make_shared<MemoryBudget>(most_bytes));
  const Table copy = tables[0];
  const auto open_all = [&] {
    const unsigned before = access.reads();
    for (std::uint64_t i = 0; i < groups; ++i) {
      const auto group = GroupReader::open(copy, i);
      EXPECT_TRUE(group.ok());
      if (group.ok()) {
        EXPECT_EQ((*group)->first_row(), 2000 * i);
      }
    }
    return access.reads() - before;
  };
  EXPECT_GE(open_all(), groups);
  return open_all();
}

TEST(GroupReader, ReadsADirectoryOnceWhereItIsKept) {
  EXPECT_EQ(reads_to_open_again(1u << 20, 4), 0u);
}

TEST(GroupReader, ReadsDirectoriesAgainForWhichThereIsNoMemory) {
  EXPECT_GE(reads_to_open_again(0, 4), 4u);
  const unsigned all = reads_to_open_again(0, 4);
  const std::uint64_t one = GroupDirectory(RowGroup()).bytes();
  const unsigned some = reads_to_open_again(3 * one, 4);  // one directory has blocks, too
  EXPECT_GT(some, 0u);
  EXPECT_LT(some, all);
}

TEST(GroupReader, TellsBetweenWhichValuesRowsLie) {
  ColumnData column = make_column(ColumnType::kInt64, 200000, Nulls::kNone, Values::kSorted);
  column.validity.assign(25000, 0xFF);
  column.validity[140000 / 8] = 0;  // in the last but one block
  const std::vector<Byte> file = table_of({&column, 1});
  const Opened opened(file);
  const auto group = opened.group();
  const auto value = [&](std::uint64_t row) { return image_at(column.view(), row); };
  const ColumnZone first = group->zone(0, 1024, 2048);
  EXPECT_EQ(first.flags, kZoneKnown);
  EXPECT_EQ(first.least, value(0));
  EXPECT_EQ(first.most, value(65535));
  EXPECT_EQ(first.nulls, 0u);
  const ColumnZone both = group->zone(0, 65535, 2);
  EXPECT_EQ(both.least, value(0));
  EXPECT_EQ(both.most, value(131071));
  const ColumnZone with_nulls = group->zone(0, 65536 * 2, 65536);
  EXPECT_EQ(with_nulls.flags, kZoneKnown | kZoneHasNull);
  EXPECT_EQ(with_nulls.least, value(65536 * 2));
  EXPECT_EQ(with_nulls.nulls, 8u);
  EXPECT_EQ(group->zone(0, 0, 200000).most, value(199999));
}

TEST(GroupReader, TellsNothingOfStringsAndAllOfNulls) {
  const std::vector<ColumnData> columns = columns_of(
      few_strings(3000), make_column(ColumnType::kInt32, 3000, Nulls::kAll, Values::kSorted));
  const std::vector<Byte> file = table_of(columns);
  const Opened opened(file);
  const auto group = opened.group();
  EXPECT_EQ(group->zone(0, 0, 3000).flags & kZoneKnown, 0);
  const ColumnZone nulls = group->zone(1, 1024, 1000);
  EXPECT_EQ(nulls.flags, kZoneKnown | kZoneNoValue | kZoneHasNull);
  EXPECT_EQ(nulls.nulls, 1000u);
}

TEST(GroupReader, KnowsWhichBlocksMayHoldAString) {
  const ColumnData column = few_strings(140000);
  const std::vector<Byte> file = table_of({&column, 1});
  const Opened opened(file);
  const auto group = opened.group();
  ASSERT_EQ(group->chunk(0).representation, Representation::kDictionary);
  const auto hash = [](const std::string& text) {
    return checksum64({reinterpret_cast<const Byte*>(text.data()), text.size()});
  };
  for (const std::uint32_t block : {0u, 1u, 2u}) {
    const std::string text = "state " + std::to_string(block) + " 3";
    EXPECT_TRUE(group->may_hold(0, 65536 * block, 1000, hash(text)));
    EXPECT_TRUE(group->may_hold(0, 0, 140000, hash(text)));
  }
  int missed = 0;
  for (int i = 0; i < 100; ++i) {
    missed += group->may_hold(0, 0, 65536, hash("other " + std::to_string(i))) ? 0 : 1;
  }
  EXPECT_GT(missed, 70);  // 5 of 64 bits are set
}

TEST(GroupReader, CostsAreThoseOfTheBlocksThatAreRead) {
  const std::vector<ColumnData> columns = columns_of(
      make_column(ColumnType::kInt64, 150000, Nulls::kSome, Values::kRandom), few_strings(150000));
  const std::vector<Byte> file = table_of(columns);
  const Opened opened(file);
  for (std::size_t column = 0; column < columns.size(); ++column) {
    ReadCounters counters;
    const auto group = opened.group(0, &counters);
    EXPECT_EQ(counters.blocks, 0u);
    ColumnSlice slice;
    slice.open(*group, column, 65536, 65536);
    EXPECT_EQ(counters.blocks, 0u);
    std::vector<std::uint64_t> room(2048 + 64);
    for (std::uint32_t vector = 0; vector < slice.vectors(); ++vector) {
      ASSERT_TRUE(slice.validity(vector, room.data()).ok());
      if (column == 0) {
        ASSERT_TRUE(slice.numbers(vector, room.data()).ok());
      } else {
        ASSERT_TRUE(group->dictionary(column).ok());
        ASSERT_TRUE(slice.codes(vector, reinterpret_cast<std::uint32_t*>(room.data())).ok());
      }
    }
    const GroupReader::BlockCost cost = group->cost(column, 65536, 65536);
    EXPECT_EQ(counters.blocks, cost.blocks);
    EXPECT_EQ(counters.bytes, cost.bytes);
    EXPECT_EQ(cost.blocks, column == 0 ? 2u : 3u);
    const GroupReader::BlockCost all = group->cost(column, 0, 150000);
    EXPECT_EQ(all.blocks, group->chunk(column).blocks);
    EXPECT_EQ(group->cost(column, 0, 0).blocks, 0u);
  }
}

TEST(GroupReader, DecodesWhatIsSharedOnceForAllThreads) {
  const std::vector<ColumnData> columns =
      columns_of(few_strings(9000), token_strings(9000),
                 make_column(ColumnType::kUtf8, 9000, Nulls::kNone, Values::kExtreme));
  const std::vector<Byte> file = table_of(columns);
  const Opened opened(file);
  ReadCounters counters;
  const auto group = opened.group(0, &counters);
  ASSERT_EQ(group->chunk(0).representation, Representation::kDictionary);
  ASSERT_EQ(group->chunk(1).representation, Representation::kToken);
  ASSERT_EQ(group->chunk(2).representation, Representation::kBytes);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const auto entries = group->dictionary(0);
      const auto tokens = group->tokens(1);
      const auto offsets = group->string_offsets(2);
      ASSERT_TRUE(entries.ok() && tokens.ok() && offsets.ok());
      EXPECT_EQ((*entries)->size(), 5u);
      EXPECT_GE((*tokens)->size(), 256u);
      EXPECT_EQ((*offsets)->size(), 9001u);
      EXPECT_EQ((*offsets)->back(), columns[2].offsets.back());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counters.blocks, 2u + 1u + 1u);
}

TEST(GroupReader, RefusesOtherRepresentations) {
  const std::vector<ColumnData> columns = columns_of(
      few_strings(3000), make_column(ColumnType::kInt32, 3000, Nulls::kNone, Values::kSorted));
  const std::vector<Byte> file = table_of(columns);
  const Opened opened(file);
  const auto group = opened.group();
  EXPECT_EQ(group->tokens(0).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(group->dictionary(1).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(group->string_offsets(7).error().code, ErrorCode::kInvalidArgument);
  ColumnSlice slice;
  std::vector<std::uint64_t> room(2048 + 64);
  slice.open(*group, 0, 0, 3000);
  EXPECT_EQ(slice.numbers(0, room.data()).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(slice.text().error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(slice.token_codes().error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(slice.token_codes(0).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(slice.validity(3, room.data()).error().code, ErrorCode::kInvalidArgument);
  slice.open(*group, 1, 0, 3000);
  EXPECT_EQ(slice.text(0).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(slice.codes(0, reinterpret_cast<std::uint32_t*>(room.data())).error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(slice.numbers(3, room.data()).error().code, ErrorCode::kInvalidArgument);
}

TEST(ColumnSlice, Decimal128IsNotCompared) {
  const ColumnData column =
      make_column(ColumnType::kDecimal128, 100, Nulls::kNone, Values::kSorted);
  const std::vector<Byte> file = table_of({&column, 1});
  const Opened opened(file);
  const auto group = opened.group();
  ColumnSlice slice;
  slice.open(*group, 0, 0, 100);
  Bits bits;
  EXPECT_EQ(slice.numbers_between(0, 0, 1, bits.data()).error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace presso::slices::group_reader_test
