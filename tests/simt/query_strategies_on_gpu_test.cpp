// SPDX-License-Identifier: MIT
// Strategies of joins that are asked for by name on the emulated GPU: the answers are the CPU's,
// and what the keys do not allow is an error or left to the CPU.
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "tests/simt/emulated_query_device.h"
#include "tests/simt/join_cases.h"
#include "tests/simt/real_cases.h"

namespace presso::query_strategies_on_gpu_test {
namespace {

using namespace test;

/// Of an emulated GPU that is asked for a strategy.
struct Asking {
  JoinStrategy strategy = JoinStrategy::kAuto;
  bool cpu_fallback = false;
  gpu::MemoryLimits limits = {};
  std::uint32_t seed = 1;
  std::shared_ptr<EmulatedFaults> faults = std::make_shared<EmulatedFaults>();

  QueryOptions options(bool on_device = true) const {
    QueryOptions options;
    options.threads = 2;
    options.join_strategy = strategy;
    options.cpu_fallback = cpu_fallback;
    if (on_device) options.device = make_emulated_query_device(faults, seed, limits);
    return options;
  }
};

constexpr const char* kPartsAndFacts =
    "select name, count(*), sum(price) from facts join parts on facts.part = parts.id group by "
    "name";

/// Keys of makers are in a range that no array has.
constexpr const char* kMakersAndFacts =
    "select land, count(*), sum(rating) from facts join makers on facts.maker = makers.id group "
    "by land";

class StrategiesOnGpu : public ::testing::Test {
 protected:
  struct Counts {
    int there = 0;
    int unfit = 0;
  };

  /// Compares each answer with the CPU's; `unfit`: what is said of keys that do not allow it.
  Counts compare(std::span<const char* const> statements, JoinStrategy strategy,
                 const char* unfit) const {
    Counts counts;
    Asking asking;
    asking.strategy = strategy;
    for (const char* const statement : statements) {
      SCOPED_TRACE(statement);
      const Query query = tables.query_of(statement);
      ++asking.seed;
      const Answer found = answer_with(query, asking.options());
      EXPECT_EQ(asking.faults->live_bytes, 0u);
      EXPECT_EQ(asking.faults->live_handles, 0u);
      if (says(found.text, unfit)) {
        ++counts.unfit;
        continue;
      }
      const Answer expected = answer_of(query, nullptr);
      EXPECT_EQ(found.text, expected.text);
      EXPECT_EQ(found.summary.why_cpu, "");
      EXPECT_EQ(found.summary.rows_matched, expected.summary.rows_matched);
      ++counts.there;
    }
    return counts;
  }

  const JoinedTables tables{3000, 1024};
};

constexpr const char* kNoArray = "invalid argument: a direct join on a GPU needs keys";

TEST_F(StrategiesOnGpu, TablesOfKeysAnswerAsTheCpu) {
  for (const auto statements :
       {std::span<const char* const>(kJoinStatements), std::span<const char* const>(kJoinedRows),
        std::span<const char* const>(kLoneRowStatements)}) {
    const Counts counts = compare(statements, JoinStrategy::kUnchained, kNoArray);
    EXPECT_EQ(counts.unfit, 0);
  }
}

TEST_F(StrategiesOnGpu, ArraysAnswerAsTheCpuOrAreRefused) {
  for (const auto statements :
       {std::span<const char* const>(kJoinStatements), std::span<const char* const>(kJoinedRows),
        std::span<const char* const>(kLoneRowStatements)}) {
    const Counts counts = compare(statements, JoinStrategy::kDirect, kNoArray);
    EXPECT_GT(counts.unfit, 1);
    EXPECT_GT(counts.there, 3);
  }
}

constexpr const char* kDescends = "a merge join needs keys of the build side that ascend";

TEST_F(StrategiesOnGpu, AscendingKeysAnswerAsTheCpuOrAreRefused) {
  for (const auto statements :
       {std::span<const char* const>(kJoinStatements), std::span<const char* const>(kJoinedRows),
        std::span<const char* const>(kLoneRowStatements)}) {
    const Counts counts = compare(statements, JoinStrategy::kMerge, kDescends);
    EXPECT_GT(counts.unfit, 0);
    EXPECT_GT(counts.there, 4);
  }
}

TEST_F(StrategiesOnGpu, ExplainSaysWhatWasMade) {
  const Query query = tables.query_of(kPartsAndFacts);
  Asking asking;
  asking.strategy = JoinStrategy::kUnchained;
  EXPECT_TRUE(says(explained_with(query, asking.options()), "500 rows of parts, a table of keys"));
  asking.strategy = JoinStrategy::kDirect;
  EXPECT_TRUE(
      says(explained_with(query, asking.options()), "500 rows of parts, an array of 1,498"));
  asking.strategy = JoinStrategy::kMerge;
  EXPECT_TRUE(says(explained_with(query, asking.options()), "500 rows of parts, ascending keys"));
}

/// With --device auto the CPU goes on, and has the same strategy.
TEST_F(StrategiesOnGpu, WhatKeysDoNotAllowIsTheCpusWhereItMayBe) {
  const Query query = tables.query_of(kMakersAndFacts);
  Asking asking;
  asking.strategy = JoinStrategy::kDirect;
  EXPECT_TRUE(says(answer_with(query, asking.options()).text, kNoArray));
  asking.cpu_fallback = true;
  const Answer found = answer_with(query, asking.options());
  EXPECT_EQ(found.text, answer_with(query, asking.options(false)).text);
}

TEST_F(StrategiesOnGpu, EveryStrategyIsThere) {
  const Query query = tables.query_of(kPartsAndFacts);
  const std::string expected = answer_of(query, nullptr).text;
  for (const std::string_view name : kJoinStrategyNames) {
    Asking asking;
    asking.strategy = *join_strategy_of(name);
    const Answer found = answer_with(query, asking.options());
    EXPECT_EQ(found.text, expected) << name;
    EXPECT_EQ(found.summary.why_cpu, "") << name;
  }
}

// --- keys that ascend

std::string number(long long value) {
  return std::to_string(value);
}

/// orders: keys that ascend, in a range that no array has, some of them negative, each
/// `repeated` times; lines: five rows of each key, every tenth of which no order has, in this order
/// or another.
class OrdersAndLines {
 public:
  OrdersAndLines(int orders, int repeated, bool shuffled, std::uint32_t group_rows)
      : orders_(orders_csv(orders, repeated), group_rows),
        lines_(lines_csv(orders, shuffled), group_rows) {}

  Query query_of(const std::string& statement) const {
    const auto parsed = parse_sql(statement);
    EXPECT_TRUE(parsed.ok()) << parsed.error().message();
    const auto table = [&](const std::string& name) -> const Table& {
      return *(name == "orders" ? orders_ : lines_).table;
    };
    std::vector<Table> tables{table(parsed->from.path)};
    for (const SqlJoin& join : parsed->joins) tables.push_back(table(join.source.path));
    return Query::from(*parsed, statement, std::move(tables));
  }

 private:
  static constexpr long long kStep = 2'000'000'011;
  static long long key(int order, int orders) { return (order - orders / 3) * kStep; }

  static std::string orders_csv(int orders, int repeated) {
    std::string csv = "o_key,day,rank\n";
    for (int i = 0; i < orders * repeated; ++i) {
      csv += number(key(i / repeated, orders)) + "," + number(i * 37 % 50) + "," + number(i) + "\n";
    }
    return csv;
  }
  static std::string lines_csv(int orders, bool shuffled) {
    std::string csv = "l_key,price,l_number\n";
    const int rows = orders * 5;
    for (int i = 0; i < rows; ++i) {
      const int row = shuffled ? static_cast<int>(i * 7919LL % rows) : i;
      const int order = row / 5;
      csv += number(key(order, orders) + (order % 10 == 3 ? 1 : 0)) + "," + number(row * 31 % 97) +
             "," + number(row % 5) + "\n";
    }
    return csv;
  }

  MadeTable orders_;
  MadeTable lines_;
};

constexpr const char* kOrderStatements[] = {
    "select day, count(*), sum(price) from lines join orders on l_key = o_key group by day",
    "select count(*), sum(price) from lines join orders on l_key = o_key where day < 20",
    "select l_key, rank, price from lines join orders on l_key = o_key where day < 7",
    "select l_number, count(*), sum(rank), count(rank) from lines left join orders on l_key = "
    "o_key "
    "and day > 30 group by l_number",
    "select l_number, day, count(*) from lines right join orders on l_key = o_key and price < 40 "
    "group by l_number, day",
    "select l_number, day, count(*), sum(price) from lines full join orders on l_key = o_key and "
    "price < rank group by l_number, day",
    "select l_number, count(*) from lines semi join orders on l_key = o_key and day < 25 group by "
    "l_number",
    "select l_number, count(*) from lines anti join orders on l_key = o_key and day < 25 group by "
    "l_number",
    "select l_number, count(*) from lines semi join orders on l_key = o_key and price * 9 > rank "
    "group by l_number",
    "select l_number, count(*) from lines anti join orders on l_key = o_key and price * 9 > rank "
    "group by l_number",
    "select day, count(*) from orders semi join lines on l_key = o_key and price < 40 group by day",
    "select day, count(*) from orders anti join lines on l_key = o_key and price < 40 group by day",
    "select o_key, day, count(*), sum(price) from lines join orders on l_key = o_key group by "
    "o_key, day",
    // Nothing on one side, and a single row.
    "select count(*), sum(rank) from lines left join orders on l_key = o_key and rank < 0",
    "select count(*), sum(rank) from lines join orders on l_key = o_key and rank = 11",
    "select count(*), sum(day) from lines right join orders on l_key = o_key and price > 1000",
};

class AscendingKeysOnGpu : public ::testing::TestWithParam<std::tuple<int, int, bool>> {};

TEST_P(AscendingKeysOnGpu, AnswerAsTheCpu) {
  const auto [orders, repeated, shuffled] = GetParam();
  const OrdersAndLines tables(orders, repeated, shuffled, 2048);
  for (const JoinStrategy strategy : {JoinStrategy::kMerge, JoinStrategy::kAuto}) {
    Asking asking;
    asking.strategy = strategy;
    for (const char* const statement : kOrderStatements) {
      SCOPED_TRACE(statement);
      ++asking.seed;
      const Query query = tables.query_of(statement);
      const Answer expected = answer_of(query, nullptr);
      ASSERT_NE(expected.text.substr(0, 6), "error:") << expected.text;
      const Answer found = answer_with(query, asking.options());
      // Lines are the build side of some.
      if (shuffled && strategy == JoinStrategy::kMerge && says(found.text, kDescends)) continue;
      EXPECT_EQ(found.text, expected.text);
      EXPECT_EQ(found.summary.why_cpu, "");
      EXPECT_EQ(found.summary.rows_matched, expected.summary.rows_matched);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, AscendingKeysOnGpu,
                         ::testing::Values(std::tuple{1, 1, false}, std::tuple{40, 3, false},
                                           std::tuple{700, 1, true}, std::tuple{1500, 1, false},
                                           std::tuple{500, 4, true}, std::tuple{450, 3, false}));

/// By itself only where both sides ascend, and as far as that is right.
TEST(KeysThatAscendOnGpu, AreSearchedWhereBothSidesAscend) {
  const char* const statement = kOrderStatements[0];
  const Asking asking;
  const auto structure = [&](const OrdersAndLines& tables) {
    return explained_with(tables.query_of(statement), asking.options());
  };
  EXPECT_TRUE(says(structure({1500, 1, false, 1024}), "1,500 rows of orders, ascending keys\n"));
  EXPECT_TRUE(says(structure({1500, 1, true, 1024}), "1,500 rows of orders, a table of keys"));
  EXPECT_TRUE(
      says(structure({500, 4, false, 1024}), "2,000 rows of orders, ascending keys, keys repeat"));
}

/// Two keys have changed places where nobody looks.
TEST(KeysThatAscendOnGpu, AreSeenNotToAscend) {
  constexpr int kRows = 12 * 1024;
  std::string build = "key,value\n";
  std::string probe = "wanted,price\n";
  for (int i = 0; i < kRows; ++i) {
    const int at = i == 2500 ? 2501 : i == 2501 ? 2500 : i;
    build += number(at * 3'000'000'019LL) + "," + number(i % 9) + "\n";
    for (int k = 0; k < 2; ++k) probe += number(i * 3'000'000'019LL) + "," + number(i % 7) + "\n";
  }
  const MadeTable a(probe, 1u << 20);
  const MadeTable b(build, 1u << 20);
  const std::string statement =
      "select value, count(*), sum(price) from a join b on a.wanted = b.key group by value";
  const auto parsed = parse_sql(statement);
  ASSERT_TRUE(parsed.ok());
  const Query query = Query::from(*parsed, statement, {*a.table, *b.table});
  Asking asking;
  EXPECT_EQ(answer_with(query, asking.options()).text, answer_of(query, nullptr).text);
  EXPECT_TRUE(says(explained_with(query, asking.options()), "12,288 rows of b, a table of keys"));
  asking.strategy = JoinStrategy::kMerge;
  EXPECT_TRUE(says(answer_with(query, asking.options()).text, kDescends));
}

/// Rows are put in order in memory that grows with their table, however few they are: where there
/// is none the CPU answers, though a table of their keys would have room.
TEST(KeysThatAscendOnGpu, FewRowsOfALargeTableMayHaveNoMemory) {
  constexpr std::uint32_t kRows = 2'000'000;
  using Columns = std::vector<std::pair<std::string, ColumnData>>;
  const auto add = [](Columns& to, const char* name, std::uint32_t rows, std::uint32_t values) {
    to.emplace_back(name, column_of<std::int64_t>(ColumnType::kInt64, rows, [values](auto row) {
                      return std::int64_t{row % values};
                    }));
  };
  Columns probe;
  add(probe, "id", kRows + 1, kRows + 1);
  add(probe, "wanted", kRows + 1, 5000);
  add(probe, "price", kRows + 1, 7);
  Columns build;
  add(build, "key", kRows, kRows);
  add(build, "value", kRows, 9);
  const TableOfColumns a(probe, 1u << 16);
  const TableOfColumns b(build, 1u << 16);
  const std::string statement =
      "select value, count(*), sum(price) from a join b on a.wanted = b.key and b.key < 400 where "
      "id < 9000 group by value";
  const auto parsed = parse_sql(statement);
  ASSERT_TRUE(parsed.ok());
  const Query query = Query::from(*parsed, statement, {*a.table, *b.table});
  const std::string expected = answer_of(query, nullptr).text;
  int there = 0;
  int by_cpu = 0;
  for (std::uint64_t bytes = 300'000; bytes < 3'000'000; bytes += bytes / 4) {
    SCOPED_TRACE(bytes);
    Asking open;
    open.strategy = JoinStrategy::kUnchained;
    open.limits.device_bytes = bytes;
    const Answer by_table = answer_with(query, open.options());
    if (by_table.text != expected || !by_table.summary.why_cpu.empty()) continue;
    Asking merge = open;
    merge.strategy = JoinStrategy::kMerge;
    const Answer found = answer_with(query, merge.options());
    EXPECT_EQ(found.text, expected);
    (found.summary.why_cpu.empty() ? there : by_cpu) += 1;
  }
  EXPECT_GT(there, 0);
  EXPECT_GT(by_cpu, 0);
}

TEST(KeysThatAscendOnGpu, EachAllocationMayFailAndTheDeviceBeLost) {
  const OrdersAndLines tables(700, 2, false, 1024);
  for (const char* const statement : {kOrderStatements[0], kOrderStatements[5]}) {
    SCOPED_TRACE(statement);
    const Query query = tables.query_of(statement);
    Asking whole;
    whole.strategy = JoinStrategy::kMerge;
    const Answer expected = answer_with(query, whole.options());
    ASSERT_EQ(expected.summary.why_cpu, "");
    for (std::uint64_t i = 0; i < whole.faults->allocations; ++i) {
      Asking asking = whole;
      asking.faults = std::make_shared<EmulatedFaults>();
      asking.faults->allocation = i;
      const Answer found = answer_with(query, asking.options());
      EXPECT_EQ(found.text, "error: out of device memory: as the test wants it") << i;
      EXPECT_EQ(asking.faults->live_bytes, 0u);
    }
    for (std::uint64_t i = 0; i < whole.faults->launches; i += 3) {
      Asking asking = whole;
      asking.faults = std::make_shared<EmulatedFaults>();
      asking.faults->launch = i;
      const Answer found = answer_with(query, asking.options());
      EXPECT_TRUE(says(found.text, "GPU failed")) << found.text;
      EXPECT_EQ(asking.faults->live_bytes, 0u);
    }
  }
}

}  // namespace
}  // namespace presso::query_strategies_on_gpu_test
