// SPDX-License-Identifier: MIT
// Slices of columns give what Table::read gives, vector by vector, and comparisons without decoding
// give what comparing the values does: for every type, at every level of CPU.
#include <cstring>
#include <random>

#include "tests/unit/decompress/table/slices.h"

namespace presso::slices::column_slice_test {
namespace {

using row_groups::make_column;
using row_groups::Nulls;
using row_groups::Values;

/// All slices of a table of one column, as a query reads them.
void check_column(const ColumnData& column, std::uint32_t group_rows = 1u << 20,
                  std::uint32_t slice_rows = kSliceRows) {
  const std::vector<Byte> file = table_of({&column, 1}, group_rows);
  for (const CpuLevel level : supported_cpu_levels()) {
    std::mt19937_64 random(17);
    DecodeOptions options;
    options.level = level;
    const Opened opened(file, options);
    for (std::uint64_t number = 0; number < opened.table->row_groups(); ++number) {
      const auto group = opened.group(number);
      ASSERT_NE(group, nullptr);
      for (std::uint32_t first = 0; first < group->rows(); first += slice_rows) {
        const std::uint32_t rows = std::min(slice_rows, group->rows() - first);
        SliceCheck(*group, 0, column, group->first_row(), first, rows).all(random);
        ASSERT_FALSE(testing::Test::HasFailure())
            << name(level) << ", type " << int{static_cast<Byte>(column.type)} << ", group "
            << number << ", slice at " << first;
      }
    }
  }
}

TEST(ColumnSlice, GivesEveryTypeWithAndWithoutNulls) {
  for (const ColumnType type : row_groups::all_types()) {
    for (const Nulls nulls : {Nulls::kNone, Nulls::kSome, Nulls::kAll}) {
      for (const Values values :
           {Values::kEqual, Values::kSorted, Values::kRandom, Values::kExtreme}) {
        check_column(make_column(type, 2500, nulls, values));
        ASSERT_FALSE(testing::Test::HasFailure());
      }
    }
  }
}

TEST(ColumnSlice, GivesAnyNumberOfRows) {
  for (const std::uint32_t rows : {1u, 31u, 32u, 33u, 1023u, 1024u, 1025u, 65536u, 70000u}) {
    check_column(make_column(ColumnType::kInt32, rows, Nulls::kSome, Values::kSorted));
    check_column(make_column(ColumnType::kDouble, rows, Nulls::kNone, Values::kSorted));
    check_column(make_column(ColumnType::kUtf8, rows, Nulls::kNone, Values::kRandom));
    check_column(token_strings(rows));
    ASSERT_FALSE(testing::Test::HasFailure()) << rows;
  }
}

TEST(ColumnSlice, GivesPartsOfBlocks) {
  for (const std::uint32_t slice_rows : {1024u, 2048u, 5 * 1024u}) {
    for (const ColumnType type : {ColumnType::kBool, ColumnType::kInt16, ColumnType::kUtf8}) {
      check_column(make_column(type, 12000, Nulls::kSome, Values::kRandom), 7000, slice_rows);
    }
    check_column(make_column(ColumnType::kUtf8, 12000, Nulls::kSome, Values::kSorted), 7000,
                 slice_rows);
    check_column(make_column(ColumnType::kUtf8, 12000, Nulls::kSome, Values::kExtreme), 7000,
                 slice_rows);
  }
}

TEST(ColumnSlice, GivesTokensWhereTheyTakeLeast) {
  for (const std::uint32_t rows : {4000u, 140000u}) {
    const ColumnData column = token_strings(rows);
    const std::vector<Byte> file = table_of({&column, 1});
    const Opened opened(file);
    ASSERT_EQ(opened.group()->chunk(0).representation, Representation::kToken);
    check_column(column);
    check_column(column, 70000, 5 * 1024);
  }
}

/// Values of `lengths.size()` runs as a column of `type`, whole numbers.
ColumnData column_of_runs(ColumnType type, std::span<const std::uint32_t> lengths) {
  std::mt19937_64 random(23);
  const std::uint32_t width = value_bytes(type);
  ColumnData column;
  column.type = type;
  for (const std::uint32_t length : lengths) column.rows += length;
  column.values.resize_discarding(column.rows * width);
  Byte* to = column.values.data();
  for (const std::uint32_t length : lengths) {
    const std::uint64_t value = random() % 1'000'000;
    for (std::uint32_t i = 0; i < length; ++i, to += width) std::memcpy(to, &value, width);
  }
  return column;
}

/// How many vectors have been given as runs, each of which was compared with its rows.
std::uint32_t check_runs(ColumnSlice& slice, const ColumnData& column) {
  const std::uint32_t width = value_bytes(column.type);
  std::mt19937_64 random(29);
  std::uint32_t given = 0;
  for (std::uint32_t vector = 0; vector < slice.vectors(); ++vector) {
    Byte values[1024 * 8 + Buffer::kSlack];
    Bits starts;
    const auto runs = slice.run_numbers(vector, 1024, values, starts.data());
    EXPECT_TRUE(runs.ok());
    if (!runs.ok() || *runs == 0) continue;
    ++given;
    Bits wanted;
    for (std::uint64_t& word : wanted) word = random();
    Bits got;
    slice.spread_run_bits(vector, starts.data(), wanted.data(), got.data());
    std::uint32_t run = ~0u;
    for (std::uint32_t i = 0; i < 1024; ++i) {
      const std::uint32_t row = 1024 * vector + i;
      if (row >= slice.rows()) {
        EXPECT_FALSE(bit(got, i));
        continue;
      }
      run += bit(starts, i) ? 1 : 0;
      EXPECT_LT(run, *runs);
      EXPECT_EQ(std::memcmp(values + run * width, column.values.data() + row * width, width), 0);
      EXPECT_EQ(bit(got, i), bit(wanted, run)) << vector << " " << i;
    }
    const auto fewer = slice.run_numbers(vector, *runs - 1, values, starts.data());
    EXPECT_EQ(fewer.ok() ? *fewer : 1, 0u);
  }
  return given;
}

TEST(ColumnSlice, GivesRunsOfEqualNumbersAsTheyAreStored) {
  std::mt19937_64 random(31);
  for (const std::uint32_t longest : {2u, 9u, 3000u}) {
    std::vector<std::uint32_t> lengths;
    for (std::uint32_t rows = 0; rows < 9500; rows += lengths.back()) {
      lengths.push_back(1 + static_cast<std::uint32_t>(random() % longest));
    }
    for (const ColumnType type : {ColumnType::kInt32, ColumnType::kInt64}) {
      const ColumnData column = column_of_runs(type, lengths);
      check_column(column);
      // At the fastest level numbers stay packed.
      const std::vector<Byte> file = table_of({&column, 1}, 1u << 20, kMinLevel);
      for (const CpuLevel level : supported_cpu_levels()) {
        DecodeOptions options;
        options.level = level;
        const Opened opened(file, options);
        const auto group = opened.group();
        for (const auto rows : {static_cast<std::uint32_t>(column.rows), 4196u}) {
          ColumnSlice slice;
          slice.open(*group, 0, 0, rows);
          const std::uint32_t given = check_runs(slice, column);
          EXPECT_GE(given, longest == 9 ? 4u : 0u) << longest;
          ASSERT_FALSE(testing::Test::HasFailure()) << longest << ", " << rows << " rows";
        }
      }
    }
  }
}

TEST(ColumnSlice, GivesNumbersThatAreStoredAsBytes) {
  const ColumnData column = row_groups::repeating_column(ColumnType::kInt64, 5000, 100);
  const std::vector<Byte> file = table_of({&column, 1});
  const Opened opened(file);
  const auto group = opened.group();
  Buffer stored;
  ASSERT_TRUE(group->blocks().read(group->chunk(0).first_block, stored).ok());
  ASSERT_TRUE(BlockReader::is_whole(stored.bytes()));
  check_column(column);
  check_column(column, 1u << 20, 2048);
}

}  // namespace
}  // namespace presso::slices::column_slice_test
