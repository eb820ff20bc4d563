// SPDX-License-Identifier: MIT
// What --explain predicts of build sides, beside what they then take.
#include "query/run/join_forecast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <regex>

#include "corpora/random.h"
#include "presso/compress_table.h"
#include "presso/query.h"

namespace presso::query::join_forecast_test {
namespace {

constexpr double kMegabyte = 1e6;

BuildSizes sizes_of_rows(double rows, std::uint64_t greatest_key) {
  BuildSizes sizes;
  sizes.rows = rows;
  sizes.row_bytes = 24;
  sizes.keys.rows = sizes.keys.keys = static_cast<std::uint64_t>(rows);
  sizes.keys.greatest = greatest_key;
  return sizes;
}

TEST(JoinForecast, TellsTheBytesOfRowsAndOfTheTableThatWillBeMade) {
  const BuildSizes dense = sizes_of_rows(1e6, 999'999);
  const BuildForecast forecast = forecast_build(dense, 1000 * kMegabyte, false);
  EXPECT_EQ(forecast.strategy, JoinStrategy::kDirect);
  EXPECT_EQ(forecast.rows_bytes, 24e6);
  join::JoinTablePlan plan;
  plan.strategy = JoinStrategy::kDirect;
  EXPECT_EQ(forecast.table_bytes,
            static_cast<double>(join::JoinTable::predict(plan, dense.keys).needed()));
  EXPECT_EQ(forecast.passes, 1u);
  EXPECT_EQ(forecast_build(sizes_of_rows(1e6, 1u << 30), 1000 * kMegabyte, false).strategy,
            JoinStrategy::kUnchained);
}

TEST(JoinForecast, WhatDoesNotFitTakesPassesAndMoreOfThemInLessMemory) {
  BuildSizes sizes = sizes_of_rows(1e6, 999'999);
  sizes.most_passes = kMostPassesByWord;
  sizes.file_bytes = 1e8;
  const double all = forecast_build(sizes, 1000 * kMegabyte, false).memory_bytes();
  const BuildForecast half = forecast_build(sizes, all / 2, false);
  const BuildForecast tenth = forecast_build(sizes, all / 10, false);
  EXPECT_GE(half.passes, 2u);
  EXPECT_GE(tenth.passes, 4 * half.passes);
  EXPECT_EQ(tenth.file_bytes, 0);
  EXPECT_EQ(forecast_build(sizes_of_rows(0, 0), 0, false).passes, 1u);
}

TEST(JoinForecast, WhatWouldTakeTooManyPassesGoesThroughFiles) {
  BuildSizes sizes = sizes_of_rows(1e6, 999'999);
  sizes.file_bytes = 1e8;
  const double all = forecast_build(sizes, 1000 * kMegabyte, false).memory_bytes();
  for (const BuildForecast& forecast :
       {forecast_build(sizes, all / 1e6, false), forecast_build(sizes, all / 10, false),
        forecast_build(sizes, all / 2, true)}) {
    EXPECT_EQ(forecast.passes, 1u);
    EXPECT_EQ(forecast.file_bytes, 1e8);
  }
}

/// A table of 40,000 lines, and two that its keys lead to: 10,000 orders with a text, 100 towns.
class JoinExplainTest : public ::testing::Test {
 protected:
  struct File {
    std::vector<Byte> bytes;
    std::unique_ptr<MemoryRandomAccess> access;
    std::optional<Table> table;
  };

  static void make(const std::string& csv, File& file) {
    VectorSink sink(file.bytes);
    MemorySource source({reinterpret_cast<const Byte*>(csv.data()), csv.size()});
    MemorySource again({reinterpret_cast<const Byte*>(csv.data()), csv.size()});
    TableOptions options;
    options.group_rows = 5000;
    ASSERT_TRUE(compress_table(source, &again, sink, options).ok());
    file.access = std::make_unique<MemoryRandomAccess>(file.bytes);
    file.table.emplace(*Table::open(*file.access));
  }

  void SetUp() override {
    corpora::Random random(5);
    std::string lines = "key,amount\n", orders = "id,town,text\n", towns = "id,name\n";
    for (int i = 0; i < 40'000; ++i) {
      lines += std::to_string(random.below(12'000)) + "," + std::to_string(i % 97) + "\n";
    }
    for (int i = 0; i < 10'000; ++i) {
      orders += std::to_string(i) + "," + std::to_string(random.below(100)) + "," +
                std::to_string(random.below(1'000'000'000)) + "text that is kept\n";
    }
    for (int i = 0; i < 100; ++i) {
      towns += std::to_string(i) + ",town" + std::to_string(i) + "\n";
    }
    make(lines, lines_);
    make(orders, orders_);
    make(towns, towns_);
  }

  Query query() const {
    Query query = Query::from({*lines_.table}, {"lines.csv"});
    query.join({*orders_.table}, {"orders.csv"}, JoinKind::kInner, "key = id")
        .join({*towns_.table}, {"towns.csv"}, JoinKind::kLeft, "town = towns.id, amount > 5");
    query.where("orders.id < 5000").select("amount, text, name");
    return query;
  }

  static std::string explain(const Query& query, std::uint64_t memory_bytes, bool analyze) {
    QueryOptions options;
    options.threads = 2;
    options.memory_bytes = memory_bytes;
    const auto text = query.explain(options, analyze);
    EXPECT_TRUE(text.ok()) << text.error().what;
    return text.ok() ? *text : std::string();
  }

  static bool has(const std::string& text, const std::string& pattern) {
    return std::regex_search(text, std::regex(pattern));
  }

  File lines_, orders_, towns_;
};

TEST_F(JoinExplainTest, StagesStandInOrderWithKeysConditionsAndSizes) {
  const std::string text = explain(query(), std::uint64_t{1} << 30, false);
  EXPECT_TRUE(has(text, "from: 50,100 rows in 3 tables\nroot: lines, 40,000 rows, read in order\n"))
      << text;
  EXPECT_TRUE(has(text,
                  "\njoin 1: lines with orders, 10,000 rows, on key = orders.id; inner\n"
                  "  where: plan 1, .*\n    1  id in 1 interval: .*\n"
                  "  zones: 1 of 2 slices .*\n"
                  "  predicted: 5,000 rows kept in memory, [0-9.]+ kB "
                  "\\([0-9.]+ kB rows with their keys, [0-9.]+ kB direct table\\)\n"))
      << text;
  EXPECT_TRUE(has(text,
                  "\njoin 2: lines with towns, 100 rows, on town = towns.id; outer, also rows for "
                  "which towns has no partner\n  pairs: \\(5 < amount\\)\n"))
      << text;
  EXPECT_EQ(text.find("was:"), text.npos);
  EXPECT_EQ(text.find("passes"), text.npos);
}

TEST_F(JoinExplainTest, WhatHappenedIsCounted) {
  const std::string text = explain(query(), std::uint64_t{1} << 30, true);
  std::smatch found;
  ASSERT_TRUE(std::regex_search(
      text, found,
      std::regex("was: kept 5,000 rows, .* \\(direct, .*\\); asked by 40,000 rows, which found "
                 "([0-9,]+) partners; the scan had dropped [0-9,]+\n")))
      << text;
  // All of them come to the second join, and out of it, with a town or without.
  const std::string pairs = found[1];
  EXPECT_TRUE(has(text, "was: kept 100 rows, .*; asked by " + pairs + " rows, which found "))
      << text;
  EXPECT_TRUE(has(text, "\nmatched: " + pairs + " rows\n")) << text;
}

TEST_F(JoinExplainTest, StagesOfABuildSideStandBeforeItsOwn) {
  Query query = Query::from({*lines_.table}, {"lines.csv"});
  query.join({*orders_.table}, {"orders.csv"}, JoinKind::kInner, "key = id")
      .join({*towns_.table}, {"towns.csv"}, JoinKind::kInner, "town = towns.id")
      .where("towns.id < 50");
  const std::string text = explain(query, std::uint64_t{1} << 30, true);
  std::smatch found;
  ASSERT_TRUE(std::regex_search(
      text, found,
      std::regex("\njoin 1: orders with towns, .*\n  where: .*\n    1  id in 1 interval: .*; asked "
                 "of 100 rows, 50 % passed\n  zones: .*\n  predicted: 50 rows .*\n  was: kept 50 "
                 "rows, .*; asked by 10,000 rows, which found ([0-9,]+) partners; .*\n"
                 "join 2: lines with orders, .*\n  where: .*\n    1  town among the keys of towns "
                 "\\(1 interval\\): .*; asked of 10,000 rows, .*\n  zones: .*\n  predicted: 5,000 "
                 "rows .*\n  was: kept "
                 "([0-9,]+) rows, .*; asked by 40,000 rows")))
      << text;
  EXPECT_EQ(found[1], found[2]) << text;
}

TEST_F(JoinExplainTest, PassesAreAboutAsManyAsPredicted) {
  const std::string text = explain(query(), 400'000, true);
  std::smatch told, was;
  ASSERT_TRUE(std::regex_search(text, told,
                                std::regex("--memory is 400 kB, of which 200 kB are "
                                           "left for it: about ([0-9]+) passes over ")))
      << text;
  ASSERT_TRUE(std::regex_search(text, was, std::regex("the last of ([0-9]+) parts"))) << text;
  EXPECT_NEAR(std::stod(told[1]), std::stod(was[1]), 1 + 0.4 * std::stod(was[1])) << text;
  EXPECT_TRUE(has(text, "was: kept 5,000 rows, .*; asked by 40,000 rows, which found ")) << text;
  std::smatch found;
  ASSERT_TRUE(std::regex_search(text, found, std::regex("\nmatched: ([0-9,]+) rows\n"))) << text;
  EXPECT_TRUE(has(text, "asked by 40,000 rows, which found " + std::string(found[1]))) << text;
  EXPECT_TRUE(has(text, "was: kept 100 rows, .*; asked by " + std::string(found[1]))) << text;
}

TEST_F(JoinExplainTest, TheSideThatIsKeptIsNamedWhereSidesAreExchanged) {
  Query query = Query::from({*towns_.table}, {"towns.csv"});
  query.join({*orders_.table}, {"orders.csv"}, JoinKind::kLeft, "towns.id = town");
  const std::string text = explain(query, std::uint64_t{1} << 30, true);
  EXPECT_TRUE(has(text, "root: orders, 10,000 rows")) << text;
  EXPECT_TRUE(has(text,
                  "join 1: orders with towns, 100 rows, on town = towns.id; outer, also rows of "
                  "towns without a partner, at the end\n"))
      << text;
}

}  // namespace
}  // namespace presso::query::join_forecast_test
