// SPDX-License-Identifier: MIT
// Made rows of every physical form, ways to put them into an Ordering, and the same rows sorted by
// std::stable_sort with a plain comparison of values.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <thread>
#include <variant>

#include "corpora/random.h"
#include "query/order/ordering.h"

namespace presso::query::order_data {

/// Null, or a value of one of the five forms.
using Value = std::variant<std::monostate, bool, std::int64_t, Int128, double, std::string>;

struct Column {
  Physical physical = Physical::kInt64;
  std::vector<Value> values;
};

inline bool is_null(const Value& value) {
  return std::holds_alternative<std::monostate>(value);
}

/// Below 0, 0, above 0. Nulls are not among them.
inline int order_of_values(const Value& a, const Value& b) {
  if (const double* left = std::get_if<double>(&a)) {
    const double right = std::get<double>(b);
    if (std::isnan(*left) || std::isnan(right)) return std::isnan(*left) - std::isnan(right);
    return *left < right ? -1 : right < *left ? 1 : 0;
  }
  if (const std::string* left = std::get_if<std::string>(&a)) {
    return left->compare(std::get<std::string>(b));
  }
  return a < b ? -1 : b < a ? 1 : 0;
}

inline bool comes_first(const std::vector<Column>& columns, const std::vector<OrderKey>& keys,
                        std::size_t a, std::size_t b) {
  for (const OrderKey& key : keys) {
    const Value& left = columns[key.column].values[a];
    const Value& right = columns[key.column].values[b];
    if (is_null(left) || is_null(right)) {
      if (is_null(left) == is_null(right)) continue;
      return is_null(left) == key.nulls_first;
    }
    const int order = order_of_values(left, right);
    if (order != 0) return key.descending ? order > 0 : order < 0;
  }
  return false;
}

/// Numbers of rows in their order.
inline std::vector<std::int64_t> expected_order(const std::vector<Column>& columns,
                                                const std::vector<OrderKey>& keys,
                                                std::uint64_t limit) {
  std::vector<std::int64_t> rows(columns.front().values.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::stable_sort(rows.begin(), rows.end(), [&](std::int64_t a, std::int64_t b) {
    return comes_first(columns, keys, static_cast<std::size_t>(a), static_cast<std::size_t>(b));
  });
  rows.resize(static_cast<std::size_t>(std::min<std::uint64_t>(limit, rows.size())));
  return rows;
}

/// How many different values a column has.
enum class Spread { kFew, kMany };

inline std::string random_string(corpora::Random& random, Spread spread) {
  static const std::string kBegins[] = {"", "https://www.example.org/a/long/common/begin/",
                                        std::string("\0\0\0", 3), std::string(200, 'x')};
  std::string text = kBegins[random.below(4)];
  const std::uint32_t more = spread == Spread::kFew ? random.below(2) : random.below(100);
  for (std::uint32_t i = 0; i < more; ++i) {
    text += std::string(
        "\0\xFF"
        "a",
        3)[random.below(3)];
  }
  return text;
}

inline double random_double(corpora::Random& random, Spread spread) {
  static const double kSpecial[] = {0.0,
                                    -0.0,
                                    std::nan(""),
                                    -std::nan("1"),
                                    std::numeric_limits<double>::infinity(),
                                    -std::numeric_limits<double>::infinity(),
                                    std::numeric_limits<double>::denorm_min(),
                                    -1.5};
  if (spread == Spread::kFew || random.one_in(4)) return kSpecial[random.below(8)];
  return std::ldexp(static_cast<double>(static_cast<std::int64_t>(random.next())),
                    static_cast<int>(random.below(200)) - 100);
}

inline Value random_value(Physical physical, Spread spread, corpora::Random& random) {
  const bool few = spread == Spread::kFew;
  switch (physical) {
    case Physical::kBool:
      return random.one_in(2);
    case Physical::kInt64: {
      if (few) return static_cast<std::int64_t>(random.below(5)) - 2;
      if (random.one_in(20)) return std::numeric_limits<std::int64_t>::min();
      if (random.one_in(20)) return std::numeric_limits<std::int64_t>::max();
      return static_cast<std::int64_t>(random.next());
    }
    case Physical::kInt128: {
      if (few) return Int128{random.below(5)} - 2;
      return static_cast<Int128>((Uint128{random.next()} << 64) | random.next());
    }
    case Physical::kDouble:
      return random_double(random, spread);
    case Physical::kString:
      return random_string(random, spread);
  }
  return {};
}

/// `nulls`: one row in so many is null; 0: none.
inline Column make_column(Physical physical, std::size_t rows, Spread spread, std::uint32_t nulls,
                          std::uint64_t seed) {
  corpora::Random random(seed);
  Column column{physical, {}};
  for (std::size_t i = 0; i < rows; ++i) {
    const bool null = nulls != 0 && random.one_in(nulls);
    column.values.push_back(null ? Value{} : random_value(physical, spread, random));
  }
  return column;
}

/// The rows' own numbers: what tells equal ones apart.
inline Column number_column(std::size_t rows) {
  Column column{Physical::kInt64, {}};
  for (std::size_t i = 0; i < rows; ++i) column.values.push_back(static_cast<std::int64_t>(i));
  return column;
}

/// Some rows of a column as a vector.
class Vector {
 public:
  Vector(const Column& column, std::span<const std::uint64_t> rows)
      : physical_(column.physical), values_(rows.size()), validity_((rows.size() + 63) / 64, 0) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Value& value = column.values[static_cast<std::size_t>(rows[i])];
      any_null_ |= is_null(value);
      if (!is_null(value)) validity_[i / 64] |= std::uint64_t{1} << (i % 64);
      put(value, i);
    }
  }
  VectorView view() const {
    return {physical_, values_.data(), any_null_ ? validity_.data() : nullptr};
  }

 private:
  template <class T>
  void put_as(std::size_t i, T value) {
    std::memcpy(reinterpret_cast<Byte*>(values_.data()) + i * sizeof(T), &value, sizeof(T));
  }
  void put(const Value& value, std::size_t i) {
    if (const bool* flag = std::get_if<bool>(&value)) put_as<Byte>(i, *flag ? 1 : 0);
    if (const auto* number = std::get_if<std::int64_t>(&value)) put_as(i, *number);
    if (const auto* number = std::get_if<Int128>(&value)) put_as(i, *number);
    if (const auto* number = std::get_if<double>(&value)) put_as(i, *number);
    if (const auto* text = std::get_if<std::string>(&value)) {
      put_as(i, StringRef{reinterpret_cast<const Byte*>(text->data()), text->size()});
    }
  }

  Physical physical_;
  std::vector<Uint128> values_;  ///< room for every form; zeros under nulls
  std::vector<std::uint64_t> validity_;
  bool any_null_ = false;
};

inline Value value_of(const RowStore& store, std::size_t column, std::uint64_t row) {
  if (store.is_null(column, row)) return {};
  switch (store.columns()[column]) {
    case Physical::kBool:
      return store.at<Byte>(column, row) != 0;
    case Physical::kInt64:
      return store.at<std::int64_t>(column, row);
    case Physical::kInt128:
      return store.at<Int128>(column, row);
    case Physical::kDouble:
      return store.at<double>(column, row);
    case Physical::kString: {
      const Bytes bytes = store.at<StringRef>(column, row).bytes();
      return std::string(bytes.begin(), bytes.end());
    }
  }
  return {};
}

inline bool same_bits(const Value& a, const Value& b) {
  const double* const left = std::get_if<double>(&a);
  const double* const right = std::get_if<double>(&b);
  if (left == nullptr || right == nullptr) return a == b;
  return std::memcmp(left, right, sizeof *left) == 0;
}

/// Every batch but each seventh row of some: rows[i] of Ordering::add() as well as nullptr.
inline Status add_batch(Ordering& ordering, unsigned worker, const std::vector<Column>& columns,
                        std::uint64_t first, std::uint32_t count) {
  for (const std::uint32_t part : {0u, 1u}) {
    // The odd rows, then the even ones: within a batch of the input, rows come out of order too.
    const bool split = first / kBatchRows % 3 == 0;
    if (!split && part == 1) break;
    std::vector<std::uint16_t> picked;
    std::vector<std::uint64_t> rows;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (split && i % 2 == part) continue;
      picked.push_back(static_cast<std::uint16_t>(i));
      rows.push_back(first + i);
    }
    std::vector<Vector> vectors;
    for (const Column& column : columns) vectors.emplace_back(column, rows);
    std::vector<VectorView> views;
    for (const Vector& vector : vectors) views.push_back(vector.view());
    PRESSO_TRY(ordering.add(worker, first, split ? picked.data() : nullptr, views,
                            static_cast<std::uint32_t>(rows.size())));
  }
  return {};
}

/// Batches by turns to the threads of the plan.
inline Status add_all(Ordering& ordering, unsigned threads, const std::vector<Column>& columns) {
  const std::uint64_t rows = columns.front().values.size();
  std::vector<Status> done(threads);
  std::vector<std::thread> helpers;
  for (unsigned worker = 0; worker < threads; ++worker) {
    helpers.emplace_back([&, worker] {
      for (std::uint64_t first = worker * std::uint64_t{kBatchRows};
           first < rows && done[worker].ok(); first += threads * std::uint64_t{kBatchRows}) {
        const auto count =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(kBatchRows, rows - first));
        done[worker] = add_batch(ordering, worker, columns, first, count);
      }
    });
  }
  for (std::thread& helper : helpers) helper.join();
  for (Status& status : done) {
    if (!status.ok()) return std::move(status.error());
  }
  return {};
}

/// What comes out is compared with `expected`, numbers of rows, value by value.
inline void expect_rows(Ordering& ordering, const std::vector<Column>& columns,
                        const std::vector<std::int64_t>& expected) {
  std::size_t at = 0;
  while (true) {
    const auto batch = ordering.next();
    ASSERT_TRUE(batch.ok()) << batch.error().message();
    if (batch->rows() == 0) break;
    ASSERT_LE(batch->rows(), kBatchRows * 64);
    ASSERT_EQ(batch->columns().size(), columns.size());
    for (std::uint64_t row = 0; row < batch->rows(); ++row, ++at) {
      ASSERT_LT(at, expected.size());
      for (std::size_t i = 0; i < columns.size(); ++i) {
        const Value& value = columns[i].values[static_cast<std::size_t>(expected[at])];
        ASSERT_TRUE(same_bits(value_of(*batch, i, row), value)) << "row " << at << " column " << i;
      }
    }
  }
  ASSERT_EQ(at, expected.size());
  const auto again = ordering.next();
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->rows(), 0u);
}

inline OrderingPlan plan_of(const std::vector<Column>& columns, std::vector<OrderKey> keys,
                            unsigned threads) {
  OrderingPlan plan;
  for (const Column& column : columns) plan.columns.push_back(column.physical);
  plan.keys = std::move(keys);
  plan.threads = threads;
  plan.temporary_directory = testing::TempDir();
  return plan;
}

/// Sorts them and compares. The Ordering is returned for its figures.
inline std::unique_ptr<Ordering> expect_sorted(const std::vector<Column>& columns,
                                               const OrderingPlan& plan) {
  auto ordering = Ordering::make(plan);
  EXPECT_TRUE(ordering.ok());
  const Status added = add_all(**ordering, plan.threads, columns);
  EXPECT_TRUE(added.ok()) << (added.ok() ? "" : added.error().message());
  expect_rows(**ordering, columns, expected_order(columns, plan.keys, plan.limit));
  return std::move(*ordering);
}

}  // namespace presso::query::order_data
