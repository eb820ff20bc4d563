// SPDX-License-Identifier: MIT
// Sort keys against comparisons of the values themselves, for every type and both directions.
#include "format/columns/sort_key.h"

#include <cmath>
#include <numeric>

#include "tests/unit/decompress/table/row_groups.h"

namespace presso::sort_key_test {
namespace {

using row_groups::all_types;
using row_groups::make_column;
using row_groups::Nulls;
using row_groups::strings_column;
using row_groups::Values;

int sign(int order) {
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

template <class T>
int order_of(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

template <class T>
int order_of_numbers(const ColumnView& column, std::uint64_t a, std::uint64_t b) {
  const T left = load<T>(column.values + a * sizeof(T));
  const T right = load<T>(column.values + b * sizeof(T));
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(left) || std::isnan(right)) return std::isnan(left) - std::isnan(right);
  }
  return order_of(left, right);
}

int order_of_values(const ColumnView& column, std::uint64_t a, std::uint64_t b) {
  switch (column.type) {
    case ColumnType::kInt8:
      return order_of_numbers<std::int8_t>(column, a, b);
    case ColumnType::kInt16:
      return order_of_numbers<std::int16_t>(column, a, b);
    case ColumnType::kInt32:
    case ColumnType::kDate32:
      return order_of_numbers<std::int32_t>(column, a, b);
    case ColumnType::kInt64:
    case ColumnType::kTimestamp:
    case ColumnType::kDecimal64:
      return order_of_numbers<std::int64_t>(column, a, b);
    case ColumnType::kUint8:
      return order_of_numbers<std::uint8_t>(column, a, b);
    case ColumnType::kUint16:
      return order_of_numbers<std::uint16_t>(column, a, b);
    case ColumnType::kUint32:
      return order_of_numbers<std::uint32_t>(column, a, b);
    case ColumnType::kUint64:
      return order_of_numbers<std::uint64_t>(column, a, b);
    case ColumnType::kFloat:
      return order_of_numbers<float>(column, a, b);
    case ColumnType::kDouble:
      return order_of_numbers<double>(column, a, b);
    case ColumnType::kDecimal128:
      return order_of_numbers<__int128>(column, a, b);
    default: {  // bools and strings
      const Bytes left = row_groups::bytes_at(column, a);
      const Bytes right = row_groups::bytes_at(column, b);
      return order_of(std::string(left.begin(), left.end()),
                      std::string(right.begin(), right.end()));
    }
  }
}

/// Values, then nulls.
int order_of_rows(const ColumnView& column, std::uint64_t a, std::uint64_t b) {
  if (column.is_null(a) || column.is_null(b)) return column.is_null(a) - column.is_null(b);
  return order_of_values(column, a, b);
}

int key_order(const SortKeys& keys, std::uint64_t a, std::uint64_t b) {
  return sign(compare(SortHead(keys.key(a)), SortHead(keys.key(b))));
}

TEST(SortKey, IsInTheOrderOfTheValuesForEveryType) {
  constexpr std::uint64_t kRows = 150;
  for (const ColumnType type : all_types()) {
    for (const Values values : {Values::kSorted, Values::kRandom, Values::kExtreme}) {
      const ColumnData data = make_column(type, kRows, Nulls::kSome, values, 7);
      const ColumnView column = data.view();
      SortKeys rising({{0, false}});
      SortKeys falling({{0, true}});
      rising.make({&column, 1});
      falling.make({&column, 1});
      for (std::uint64_t a = 0; a < kRows; ++a) {
        for (std::uint64_t b = 0; b < kRows; ++b) {
          const int order = order_of_rows(column, a, b);
          ASSERT_EQ(key_order(rising, a, b), order)
              << static_cast<int>(type) << " " << a << " " << b;
          ASSERT_EQ(key_order(falling, a, b), -order) << static_cast<int>(type);
        }
      }
    }
  }
}

TEST(SortKey, OfStringsWithZerosAndCommonBeginsIsInTheOrderOfTheirBytes) {
  std::mt19937_64 random(3);
  std::vector<std::string> texts;
  for (int i = 0; i < 200; ++i) {
    std::string text(random() % 5, '\0');
    for (char& byte : text)
      byte = std::string(
          "\0\0\xff\x01"
          "a",
          5)[random() % 5];
    texts.push_back(text);
  }
  const ColumnData data = strings_column(texts);
  const ColumnView column = data.view();
  for (const bool descending : {false, true}) {
    SortKeys keys({{0, descending}});
    keys.make({&column, 1});
    for (std::size_t a = 0; a < texts.size(); ++a) {
      for (std::size_t b = 0; b < texts.size(); ++b) {
        const int order = sign(texts[a].compare(texts[b]));
        ASSERT_EQ(key_order(keys, a, b), descending ? -order : order);
      }
    }
  }
}

TEST(SortKey, OfSeveralColumnsCountsTheFirstOneMost) {
  constexpr std::uint64_t kRows = 200;
  std::mt19937_64 random(5);
  std::vector<std::string> texts;
  for (std::uint64_t row = 0; row < kRows; ++row) {
    texts.push_back(std::string("\0\xff"
                                "ab",
                                4)
                        .substr(random() % 4, random() % 3));
  }
  const ColumnData strings = strings_column(texts);
  ColumnData bools = make_column(ColumnType::kBool, kRows, Nulls::kSome, Values::kRandom);
  ColumnData reals = make_column(ColumnType::kDouble, kRows, Nulls::kSome, Values::kExtreme);
  const ColumnView columns[] = {bools.view(), strings.view(), reals.view()};
  for (int directions = 0; directions < 8; ++directions) {
    const std::vector<SortColumn> by = {
        {1, (directions & 1) != 0}, {2, (directions & 2) != 0}, {0, (directions & 4) != 0}};
    SortKeys keys(by);
    keys.make(columns);
    const auto less = [&](std::uint32_t a, std::uint32_t b) {
      for (const SortColumn& column : by) {
        const int order = order_of_rows(columns[column.column], a, b);
        if (order != 0) return column.descending ? order > 0 : order < 0;
      }
      return false;
    };
    std::vector<std::uint32_t> expected(kRows);
    std::iota(expected.begin(), expected.end(), 0u);
    std::stable_sort(expected.begin(), expected.end(), less);
    EXPECT_EQ(sorted_rows(keys), expected) << directions;
  }
}

TEST(SortKey, OfRowsThatAreEqualLeavesThemInTheirOrder) {
  const ColumnData data = make_column(ColumnType::kInt32, 1000, Nulls::kAll, Values::kRandom);
  const ColumnView column = data.view();
  SortKeys keys({{0, true}});
  keys.make({&column, 1});
  std::vector<std::uint32_t> expected(1000);
  std::iota(expected.begin(), expected.end(), 0u);
  EXPECT_EQ(sorted_rows(keys), expected);
}

}  // namespace
}  // namespace presso::sort_key_test
