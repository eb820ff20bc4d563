// SPDX-License-Identifier: MIT
// Rows of every form sorted in memory, beside std::stable_sort: directions, nulls, limits, threads.
#include "query/order/ordering.h"

#include "tests/unit/query/order/order_data.h"

namespace presso::query::ordering_test {
namespace {

using namespace order_data;

constexpr Physical kForms[] = {Physical::kBool, Physical::kInt64, Physical::kInt128,
                               Physical::kDouble, Physical::kString};
constexpr std::uint64_t kAll = ~std::uint64_t{0};

/// Column i has the form i, with nulls; the last one the rows' numbers.
std::vector<Column> rows_of_all_forms(std::size_t rows, Spread spread, std::uint32_t nulls) {
  std::vector<Column> columns;
  for (const Physical form : kForms) {
    columns.push_back(make_column(form, rows, spread, nulls, columns.size() + rows));
  }
  columns.push_back(number_column(rows));
  return columns;
}

std::vector<OrderKey> directions_of(std::size_t column) {
  return {
      {column, false, false}, {column, true, false}, {column, false, true}, {column, true, true}};
}

TEST(Ordering, SortsEveryFormInBothDirectionsWithNullsFirstOrLast) {
  for (const Spread spread : {Spread::kFew, Spread::kMany}) {
    for (const std::uint32_t nulls : {0u, 5u, 1u}) {
      const std::vector<Column> columns = rows_of_all_forms(2000, spread, nulls);
      for (std::size_t column = 0; column < std::size(kForms); ++column) {
        for (const OrderKey& key : directions_of(column)) {
          expect_sorted(columns, plan_of(columns, {key}, 2));
        }
      }
    }
  }
}

TEST(Ordering, GivesTheFirstRowsForEveryLimit) {
  const std::vector<Column> columns = rows_of_all_forms(3000, Spread::kMany, 6);
  const std::vector<Column> equal = rows_of_all_forms(3000, Spread::kFew, 3);
  for (std::size_t column = 0; column < std::size(kForms); ++column) {
    for (const OrderKey& key : directions_of(column)) {
      for (const std::uint64_t limit : {0u, 1u, 10u, 700u, 1600u, 2999u, 3000u, 4000u}) {
        OrderingPlan plan = plan_of(columns, {key}, 1);
        plan.limit = limit;
        expect_sorted(columns, plan);
        expect_sorted(equal, plan);
      }
    }
  }
}

TEST(Ordering, SortsBySeveralKeysOfWhichTheFirstCountsMost) {
  const std::vector<Column> columns = rows_of_all_forms(4000, Spread::kFew, 4);
  for (const std::size_t first : {0u, 1u, 2u, 3u, 4u}) {
    for (const std::size_t second : {0u, 1u, 2u, 3u, 4u}) {
      const std::vector<OrderKey> keys = {
          {first, (second & 1) != 0, first > 2}, {second, second > 2, (first & 1) != 0}, {3, true}};
      OrderingPlan plan = plan_of(columns, keys, 3);
      expect_sorted(columns, plan);
      plan.limit = 50;
      expect_sorted(columns, plan);
    }
  }
}

TEST(Ordering, IsTheSameForAnyNumberOfThreads) {
  const std::vector<Column> columns = rows_of_all_forms(40000, Spread::kFew, 10);
  for (const unsigned threads : {1u, 2u, 3u}) {
    for (const std::uint64_t limit : {std::uint64_t{10}, std::uint64_t{9000}, kAll}) {
      OrderingPlan plan = plan_of(columns, {{4, false, true}, {1, true, false}}, threads);
      plan.limit = limit;
      expect_sorted(columns, plan);
    }
  }
}

TEST(Ordering, SortsManyRowsOfOneNumberByItsDigits) {
  for (const Spread spread : {Spread::kFew, Spread::kMany}) {
    std::vector<Column> columns = {make_column(Physical::kInt64, 100000, spread, 0, 3)};
    columns.push_back(number_column(100000));
    expect_sorted(columns, plan_of(columns, {{0, false}}, 2));
    expect_sorted(columns, plan_of(columns, {{0, true}}, 1));
    // In order already, and the other way round.
    expect_sorted(columns, plan_of(columns, {{1, false}}, 2));
    expect_sorted(columns, plan_of(columns, {{1, true}}, 2));
  }
}

TEST(Ordering, GivesNoRowsWhereNoneCame) {
  const std::vector<Column> columns = rows_of_all_forms(0, Spread::kMany, 0);
  for (const std::uint64_t limit : {std::uint64_t{0}, std::uint64_t{3}, kAll}) {
    OrderingPlan plan = plan_of(columns, {{4, false}}, 3);
    plan.limit = limit;
    expect_sorted(columns, plan);
  }
}

TEST(Ordering, KeepsFewRowsWhereFewAreWanted) {
  std::vector<Column> columns = {make_column(Physical::kString, 50000, Spread::kMany, 0, 9)};
  OrderingPlan plan = plan_of(columns, {{0, false}}, 1);
  plan.limit = 10;
  EXPECT_LT(expect_sorted(columns, plan)->peak_bytes(), 2u << 20);
  plan.limit = kAll;
  EXPECT_GT(expect_sorted(columns, plan)->peak_bytes(), 5u << 20);
}

TEST(Ordering, SaysHowTheRowsAreSorted) {
  const std::vector<Column> columns = rows_of_all_forms(2000, Spread::kFew, 0);
  OrderingPlan plan = plan_of(columns, {{1, false}}, 1);
  EXPECT_EQ(expect_sorted(columns, plan)->describe(), "sorted in memory");
  plan.limit = 10;
  EXPECT_EQ(expect_sorted(columns, plan)->describe(), "the first 10 rows");
  plan.limit = 1;
  EXPECT_EQ(expect_sorted(columns, plan)->describe(), "the first 1 row");
}

TEST(Ordering, RefusesAPlanWithoutKeysAndOneWithAKeyThatIsNoColumn) {
  OrderingPlan plan;
  plan.columns = {Physical::kInt64};
  EXPECT_EQ(Ordering::make(plan).error().code, ErrorCode::kInvalidArgument);
  plan.keys = {{1, false}};
  EXPECT_EQ(Ordering::make(plan).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace presso::query::ordering_test
