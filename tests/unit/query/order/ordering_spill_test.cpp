// SPDX-License-Identifier: MIT
// Rows that memory does not hold: sorted by way of files, in one pass and in several, and what is
// said where there can be no file.
#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include "tests/unit/query/order/order_data.h"

namespace presso::query::ordering_spill_test {
namespace {

using namespace order_data;

constexpr std::uint64_t kAll = ~std::uint64_t{0};

std::vector<Column> some_rows(std::size_t rows, Spread spread) {
  return {make_column(Physical::kString, rows, spread, 7, 1),
          make_column(Physical::kInt64, rows, Spread::kFew, 9, 2),
          make_column(Physical::kInt128, rows, spread, 0, 3),
          make_column(Physical::kDouble, rows, spread, 5, 4),
          make_column(Physical::kBool, rows, spread, 3, 5),
          number_column(rows)};
}

TEST(OrderingSpill, GivesTheSameRowsByWayOfFiles) {
  const std::vector<Column> columns = some_rows(30000, Spread::kMany);
  const std::vector<OrderKey> orders[] = {
      {{0, false, false}}, {{1, true, true}, {3, false, true}}, {{4, false}, {2, true}}};
  for (const std::vector<OrderKey>& keys : orders) {
    for (const unsigned threads : {1u, 2u, 3u}) {
      for (const std::uint64_t limit : {kAll, std::uint64_t{29000}, std::uint64_t{12000}}) {
        OrderingPlan plan = plan_of(columns, keys, threads);
        plan.limit = limit;
        plan.memory_bytes = 3u << 20;
        const auto ordering = expect_sorted(columns, plan);
        EXPECT_GT(ordering->spilled_bytes(), 1u << 20);
        EXPECT_LE(ordering->peak_bytes(), plan.memory_bytes);
        EXPECT_NE(ordering->describe().find("runs in temporary files"), std::string::npos);
      }
    }
  }
}

TEST(OrderingSpill, MergesRunsInSeveralPassesWhereTheyAreTooMany) {
  const std::vector<Column> columns = some_rows(20000, Spread::kMany);
  for (const unsigned threads : {1u, 3u}) {
    OrderingPlan plan = plan_of(columns, {{0, false, false}, {5, true}}, threads);
    plan.memory_bytes = 2u << 20;
    const std::uint64_t once = expect_sorted(columns, plan)->spilled_bytes();
    plan.memory_bytes = 100000;
    const auto ordering = expect_sorted(columns, plan);
    EXPECT_GT(ordering->spilled_bytes(), 3 * once);
    plan.memory_bytes = 0;
    expect_sorted(columns, plan);
  }
}

TEST(OrderingSpill, LeavesRowsWithEqualKeysInTheirOrder) {
  const std::vector<Column> columns = some_rows(40000, Spread::kFew);
  OrderingPlan plan = plan_of(columns, {{4, true, true}}, 3);
  plan.memory_bytes = 500000;
  EXPECT_GT(expect_sorted(columns, plan)->spilled_bytes(), 0u);
}

TEST(OrderingSpill, NeedsNoFileForTheFirstRows) {
  const std::vector<Column> columns = some_rows(30000, Spread::kMany);
  OrderingPlan plan = plan_of(columns, {{0, true}}, 2);
  plan.memory_bytes = 5u << 20;
  plan.limit = 100;
  plan.temporary_directory = "/no/such/folder";
  const auto ordering = expect_sorted(columns, plan);
  EXPECT_EQ(ordering->spilled_bytes(), 0u);
  EXPECT_LE(ordering->peak_bytes(), plan.memory_bytes);
}

TEST(OrderingSpill, WritesRowsThatAreLargerThanABatch) {
  std::vector<Column> columns = {{Physical::kString, {}}, number_column(300)};
  corpora::Random random(11);
  for (int i = 0; i < 300; ++i) {
    columns[0].values.push_back(
        std::string(random.below(40000), static_cast<char>(random.below(3))));
  }
  OrderingPlan plan = plan_of(columns, {{0, false}}, 1);
  plan.memory_bytes = 1u << 20;
  EXPECT_GT(expect_sorted(columns, plan)->spilled_bytes(), 0u);
}

TEST(OrderingSpill, NamesTheFolderInWhichThereCanBeNoFile) {
  const std::vector<Column> columns = some_rows(5000, Spread::kMany);
  OrderingPlan plan = plan_of(columns, {{0, false}}, 1);
  plan.memory_bytes = 1000;
  plan.temporary_directory = "/no/such/folder";
  auto ordering = Ordering::make(plan);
  ASSERT_TRUE(ordering.ok());
  const Status added = add_all(**ordering, 1, columns);
  ASSERT_FALSE(added.ok());
  EXPECT_EQ(added.error().code, ErrorCode::kIo);
  EXPECT_NE(added.error().what.find("/no/such/folder"), std::string::npos);
}

TEST(OrderingSpill, NamesTheFolderWhoseDeviceIsFull) {
  // No folder can be filled here; so the file is one that cannot grow.
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{200000, before.rlim_max};
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::vector<Column> columns = some_rows(20000, Spread::kMany);
  OrderingPlan plan = plan_of(columns, {{0, false}}, 2);
  plan.memory_bytes = 100000;
  auto ordering = Ordering::make(plan);
  Status done = add_all(**ordering, 2, columns);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code, ErrorCode::kNoSpace);
  EXPECT_NE(done.error().what.find(testing::TempDir()), std::string::npos);
}

TEST(OrderingSpill, LeavesNothingInTheFolder) {
  std::string folder = testing::TempDir() + "presso-ordering-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::vector<Column> columns = some_rows(20000, Spread::kMany);
  OrderingPlan plan = plan_of(columns, {{0, false}}, 2);
  plan.memory_bytes = 100000;
  plan.temporary_directory = folder;
  auto ordering = Ordering::make(plan);
  ASSERT_TRUE(add_all(**ordering, 2, columns).ok());
  // While the files are there, none has a name: so they go with the process, whatever ends it.
  EXPECT_GT((*ordering)->spilled_bytes(), 0u);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace presso::query::ordering_spill_test
