// SPDX-License-Identifier: MIT
// Slices of columns give what Table::read gives, vector by vector, and comparisons without decoding
// give what comparing the values does: for every type, at every level of CPU.
#include <random>

#include "tests/unit/decompress/table/slices.h"

namespace presso::slices {
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

TEST(ColumnSlice, GivesNumbersThatAreStoredAsBytes) {
  const ColumnData column = row_groups::repeating_column(ColumnType::kInt64, 5000, 100);
  const std::vector<Byte> file = table_of({&column, 1});
  const Opened opened(file);
  const auto group = opened.group();
  Buffer stored;
  ASSERT_TRUE(group->blocks().read(group->chunk(0).first_block, stored).ok());
  ASSERT_TRUE(BlockReader::is_bytes(stored));
  check_column(column);
  check_column(column, 1u << 20, 2048);
}

}  // namespace
}  // namespace presso::slices
