// SPDX-License-Identifier: MIT
// Keys of rows, packed and as bytes, against comparisons of the values.
#include "query/order/row_keys.h"

#include "query/order/entry_sort.h"
#include "tests/unit/query/order/order_data.h"

namespace presso::query::row_keys_test {
namespace {

using namespace order_data;

std::vector<std::uint64_t> numbers(std::size_t rows) {
  std::vector<std::uint64_t> all(rows);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Whether the keys were packed. Compares all pairs of rows.
bool expect_in_order(const std::vector<Column>& columns, const std::vector<OrderKey>& keys) {
  const std::size_t rows = columns.front().values.size();
  std::vector<Vector> vectors;
  for (const Column& column : columns) vectors.emplace_back(column, numbers(rows));
  std::vector<VectorView> views;
  for (const Vector& vector : vectors) views.push_back(vector.view());
  std::vector<Physical> physical;
  for (const Column& column : columns) physical.push_back(column.physical);
  KeyRanges ranges(physical, keys);
  ranges.add(views, static_cast<std::uint32_t>(rows));
  const KeyCoding coding(physical, keys, ranges);
  RowKeys made;
  coding.make(views, static_cast<std::uint32_t>(rows), made);
  const RowKeys* const long_keys = coding.one_word() ? nullptr : &made;
  for (std::uint32_t a = 0; a < rows; ++a) {
    for (std::uint32_t b = 0; b < rows; ++b) {
      const SortEntry left{made.word(a), 0, a};
      const SortEntry right{made.word(b), 0, b};
      const bool first = comes_first(columns, keys, a, b);
      EXPECT_EQ(compare(left, right, long_keys) < 0, first) << a << " " << b;
      if ((compare(left, right, long_keys) < 0) != first) return coding.packed();
    }
  }
  return coding.packed();
}

TEST(RowKeys, ArePackedWhereTheirValuesNeedFewBits) {
  constexpr std::size_t kRows = 200;
  const Column few = make_column(Physical::kInt64, kRows, Spread::kFew, 5, 1);
  const Column wide = make_column(Physical::kInt64, kRows, Spread::kMany, 0, 2);
  const Column wide_nulls = make_column(Physical::kInt64, kRows, Spread::kMany, 5, 3);
  const Column flags = make_column(Physical::kBool, kRows, Spread::kMany, 5, 4);
  const Column large = make_column(Physical::kInt128, kRows, Spread::kFew, 5, 5);
  const Column nulls = make_column(Physical::kInt64, kRows, Spread::kFew, 1, 6);
  const Column text = make_column(Physical::kString, kRows, Spread::kFew, 5, 7);
  for (const bool descending : {false, true}) {
    for (const bool nulls_first : {false, true}) {
      const OrderKey first{0, descending, nulls_first};
      const OrderKey second{1, !descending, nulls_first};
      EXPECT_TRUE(expect_in_order({wide}, {first}));
      EXPECT_TRUE(expect_in_order({few, flags}, {first, second}));
      EXPECT_TRUE(expect_in_order({few, large}, {first, second}));
      EXPECT_TRUE(expect_in_order({nulls, wide}, {first, second}));
      EXPECT_TRUE(expect_in_order({nulls}, {first}));
      EXPECT_TRUE(expect_in_order({wide, flags}, {first, second}));
      EXPECT_TRUE(expect_in_order({few, wide, flags, wide}, {first, second, {2}, {3, descending}}));
      EXPECT_FALSE(expect_in_order({wide, wide, flags, wide, wide}, {first, {1}, {2}, {3}, {4}}));
      // With null they have one value more than 64 bits tell apart.
      EXPECT_FALSE(expect_in_order({wide_nulls}, {first}));
      EXPECT_FALSE(expect_in_order({few, text}, {first, second}));
    }
  }
}

TEST(RowKeys, WordsBehindTheFirstAreZeroBehindTheEnd) {
  const Column text{Physical::kString, {std::string("abcdefghijk")}};
  const Vector vector(text, numbers(1));
  const VectorView view = vector.view();
  const Physical physical[] = {Physical::kString};
  RowKeys keys;
  KeyCoding(physical, {{0, false}}).make({&view, 1}, 1, keys);
  ASSERT_EQ(keys.key(0).size(), 14u);
  EXPECT_EQ(keys.word(0, 0), 0x0161626364656667u);
  EXPECT_EQ(keys.word(0, 1), 0x68696A6B00000000u);
  EXPECT_EQ(keys.word(0, 2), 0u);
  EXPECT_EQ(keys.word(0, 9), 0u);
}

}  // namespace
}  // namespace presso::query::row_keys_test
