// SPDX-License-Identifier: MIT
// Joins with many more pairs than there are rows: counts and sums on the emulated GPU are the
// CPU's, whichever form sums take for that (SumLimits).
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "query/gpu/table/query_on_gpu.h"
#include "tests/simt/emulated_query_device.h"
#include "tests/simt/real_cases.h"
#include "tests/support/sanitized.h"

namespace presso::query_pairs_on_gpu_test {
namespace {

using namespace test;
using D = ColumnType;

/// `prefix` before each name. key (of four rows in five the same one, some null), wide (the same of
/// keys that are far from each other), kind, small (with nulls), far (few multiples of a large
/// number), large (up to 10^15), any (of 64 bits), near (doubles of alike size), special (doubles,
/// some infinite).
TableOfColumns table_of(const std::string& prefix, std::uint32_t rows, unsigned seed) {
  corpora::Random random(seed);
  std::vector<std::pair<std::string, ColumnData>> columns;
  const auto integers = [&](const char* name, auto value_of) {
    columns.emplace_back(prefix + name, column_of<std::int64_t>(D::kInt64, rows, value_of));
  };
  const auto doubles = [&](const char* name, auto value_of) {
    columns.emplace_back(prefix + name, column_of<double>(D::kDouble, rows, value_of));
  };
  integers("key", [&](std::uint32_t row) {
    return std::int64_t{row % 5 == 4 ? random.below(20) + 2 : 1};
  });
  columns.back().second = with_nulls(std::move(columns.back().second), random, 25);
  integers("wide", [&](std::uint32_t row) {
    return std::int64_t{row % 6 == 1 ? random.below(20) : 7} * 3'000'000'019 - 50'000'000'000;
  });
  integers("kind", [&](std::uint32_t) { return std::int64_t{random.below(4)}; });
  integers("small", [&](std::uint32_t) { return std::int64_t{random.below(100)} - 60; });
  columns.back().second = with_nulls(std::move(columns.back().second), random, 6);
  // Row 14 has 14,000,042: the one of -inf.
  integers("far", [](std::uint32_t row) { return std::int64_t{row} * 1'000'003; });
  integers("large", [&](std::uint32_t row) {
    const std::int64_t most = 1'000'000'000'000'000;
    return row % 3 == 0 ? most - row : most / 7 * random.below(8);
  });
  integers("any", [&](std::uint32_t row) {
    if (row % 2 == 0) return std::numeric_limits<std::int64_t>::max() - row;
    return row % 3 == 0 ? std::numeric_limits<std::int64_t>::min() + row
                        : std::int64_t{random.below(1000)} - 500;
  });
  doubles("near", [&](std::uint32_t) { return any_real(random, -10, 20); });
  doubles("special", [&](std::uint32_t row) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (row == 9) return kInfinity;
    return row == 14 ? -kInfinity : any_real(random, -3, 9);
  });
  return {columns, 1024};
}

class PairsOnGpu : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kLeft = 150;
  static constexpr std::uint32_t kRight = 140;

  Query query_of(const std::string& statement) const { return query_of(statement, right_); }
  Query query_of(const std::string& statement, const TableOfColumns& right) const {
    const auto parsed = parse_sql(statement);
    EXPECT_TRUE(parsed.ok()) << parsed.error().message();
    std::vector<Table> tables = {*left_.table};
    for (std::size_t i = 0; i < parsed->joins.size(); ++i) tables.push_back(*right.table);
    return Query::from(*parsed, statement, std::move(tables));
  }

  /// Whether --explain says that pairs were counted without being looked at one by one.
  static bool counts_pairs(const Query& query) {
    QueryOptions options;
    options.device = make_emulated_query_device();
    const auto text = query.explain(options, true);
    EXPECT_TRUE(text.ok());
    return text.ok() && text->find(", keys repeat, counted") != std::string::npos;
  }

  /// Returns how often the GPU has read the tables.
  std::uint64_t expect_as_on_cpu(const std::string& statement, const gpu::SumLimits& limits,
                                 const std::string& why_cpu = "") {
    const Query query = query_of(statement);
    const Answer expected = bits_of(query, nullptr);
    EXPECT_NE(expected.text.substr(0, 6), "error:") << expected.text;
    const auto faults = std::make_shared<EmulatedFaults>();
    {
      const auto device = make_emulated_query_device(faults, ++seed_);
      dynamic_cast<gpu::QueryOnGpu&>(*device).set_sum_limits(limits);
      const Answer found = bits_of(query, device);
      EXPECT_EQ(found.text, expected.text);
      EXPECT_EQ(found.summary.why_cpu, why_cpu);
      EXPECT_EQ(found.summary.rows_matched, expected.summary.rows_matched);
      EXPECT_GT(found.summary.rows_matched, 16 * found.summary.rows_in);
      EXPECT_GE(found.summary.bytes_stored, found.summary.bytes_read);
      passes_ = found.summary.passes;
    }
    EXPECT_EQ(faults->live_bytes, 0u);
    return passes_;
  }

  const TableOfColumns left_ = table_of("l_", kLeft, 3);
  const TableOfColumns right_ = table_of("r_", kRight, 4);
  std::uint32_t seed_ = 0;
  std::uint64_t passes_ = 0;
};

/// All of them give the same for any limits.
constexpr const char* kStatements[] = {
    "select count(*) from l join r on l_key = r_key",
    "select count(*), count(r_small), sum(l_small), avg(r_small), min(l_far), max(r_far) from l "
    "join r on l_key = r_key",
    "select count(*), sum(l_large), sum(r_large), avg(l_large) from l join r on l_key = r_key",
    "select sum(l_any), sum(r_any), avg(r_any) from l join r on l_key = r_key",
    "select l_kind, r_kind, count(*), sum(l_any), sum(r_large), sum(l_small) from l join r on "
    "l_key = r_key group by l_kind, r_kind",
    "select sum(l_near), avg(r_near), count(*) from l join r on l_key = r_key",
    "select r_kind, sum(l_near), sum(r_special), max(r_special) from l join r on l_key = r_key "
    "group by r_kind",
    "select l_kind, sum(r_special), sum(r_any) from l join r on l_key = r_key where r_far <> "
    "14000042 group by l_kind",
    "select l_kind, count(*), count(r_key), sum(r_large), sum(r_near) from l left join r on l_key "
    "= r_key and l_small <> r_small + 1 group by l_kind",
    "select r_kind, l_kind, count(*), sum(l_any), sum(r_any), sum(l_near) from l full join r on "
    "l_key = r_key group by r_kind, l_kind",
    // Each pair is a group, in a table of keys.
    "select l_far, r_far, count(*), sum(l_large), sum(r_any) from l join r on l_key = r_key group "
    "by l_far, r_far",
};

TEST_F(PairsOnGpu, SumsAreTheCpusInEachForm) {
  gpu::SumLimits lower;
  lower.halves = lower.limbs = 5000;  // rows that are expected, but not all pairs
  gpu::SumLimits lowest;
  lowest.halves = lowest.limbs = 100;  // not even the rows
  for (const char* const statement : kStatements) {
    SCOPED_TRACE(statement);
    for (const gpu::SumLimits& limits : {gpu::SumLimits(), lower, lowest}) {
      expect_as_on_cpu(statement, limits);
    }
  }
}

TEST_F(PairsOnGpu, SumsThatHaveRoomRunOnce) {
  const gpu::SumLimits usual;
  EXPECT_EQ(expect_as_on_cpu(kStatements[0], usual), 1u);
  EXPECT_EQ(expect_as_on_cpu(kStatements[1], usual), 1u);
  // One cell holds 9,223 of them, and more were not expected.
  EXPECT_EQ(expect_as_on_cpu(kStatements[2], usual), 2u);
  // Two cells hold 2^32.
  EXPECT_EQ(expect_as_on_cpu(kStatements[3], usual), 1u);
  gpu::SumLimits lower;
  lower.halves = lower.limbs = 5000;
  EXPECT_EQ(expect_as_on_cpu(kStatements[0], lower), 1u);
  EXPECT_EQ(expect_as_on_cpu(kStatements[1], lower), 1u);
  EXPECT_EQ(expect_as_on_cpu(kStatements[3], lower), 2u);
  EXPECT_EQ(expect_as_on_cpu(kStatements[5], lower), 2u);
}

TEST_F(PairsOnGpu, WhatNoFormHoldsIsTheCpus) {
  gpu::SumLimits limits;
  limits.halves = limits.limbs = 5000;
  limits.most = 8000;
  const char* const why = "sums of more than 8,000 joined rows";
  expect_as_on_cpu(kStatements[3], limits, why);
  expect_as_on_cpu(kStatements[5], limits, why);
  expect_as_on_cpu(kStatements[0], limits);
}

/// Of the right side nothing matters but how many rows a key has.
constexpr const char* kCountedPairs[] = {
    "select count(*) from l join r on l_key = r_key",
    "select count(*), sum(l_small), min(l_far), avg(l_small), count(l_small), max(l_near) from l "
    "join r on l_key = r_key where l_small <> 3",
    "select l_kind, count(*), sum(l_far), count(l_small) from l left join r on l_key = r_key "
    "group by l_kind",
    "select l_kind, count(*), sum(l_small) from l join r on l_wide = r_wide group by "
    "l_kind",
    "select l_far, count(*), sum(l_small + 1) from l join r on l_key = r_key and r_far > 9000000 "
    "group by l_far",
    "select count(*), sum(l_small) from l join r a on l_key = a.r_key left join r b on l_key = "
    "b.r_key",
    "select l_kind, count(*), sum(b.r_small) from l join r a on l_key = a.r_key join r b on l_key "
    "= b.r_key and b.r_far < 5000000 group by l_kind",
    "select count(*), sum(l_kind) from l join r a on l_key = a.r_key semi join r b on l_kind = "
    "b.r_kind and l_small < b.r_small"};

TEST_F(PairsOnGpu, PairsAreCountedWithoutBeingLookedAt) {
  for (const char* const statement : kCountedPairs) {
    SCOPED_TRACE(statement);
    EXPECT_TRUE(counts_pairs(query_of(statement)));
    expect_as_on_cpu(statement, {});
  }
  for (const char* const statement :
       {"select count(*), sum(r_small) from l join r on l_key = r_key",
        "select count(*) from l join r on l_key = r_key and l_small <> r_small",
        "select r_kind, count(*) from l join r on l_key = r_key group by r_kind",
        "select count(*) from l full join r on l_key = r_key",
        "select sum(l_any) from l join r on l_key = r_key",
        "select sum(l_near) from l join r on l_key = r_key",
        // Registers suffice for these sums, but not for what they would be times a count.
        "select count(*), sum(l_small), sum(l_small + 1), sum(l_small + 2), sum(l_small + 3), "
        "sum(l_small + 4), sum(l_small + 5), sum(l_small + 6), sum(l_small + 7), sum(l_small + 8), "
        "sum(l_small + 9), sum(l_kind) from l join r on l_key = r_key"}) {
    SCOPED_TRACE(statement);
    EXPECT_FALSE(counts_pairs(query_of(statement)));
    expect_as_on_cpu(statement, {});
  }
}

/// Pairs that are more than a sum has room for show in their number, not in that of rows.
TEST_F(PairsOnGpu, CountedPairsHaveRoomOrBeginAgain) {
  const std::string statement = "select count(*), sum(l_large) from l join r on l_key = r_key";
  EXPECT_FALSE(counts_pairs(query_of(statement)));  // the second time
  EXPECT_EQ(expect_as_on_cpu(statement, {}), 2u);
  EXPECT_EQ(expect_as_on_cpu(kCountedPairs[0], {}), 1u);
}

/// 2^40 pairs and more, which nobody could look at one by one here.
TEST_F(PairsOnGpu, CountsAreRightBeyond32Bits) {
  std::string statement = "select count(*), sum(l_kind), max(l_small) from l";
  for (int i = 0; i < 6; ++i) {
    const std::string number = std::to_string(i);
    statement.append(" join r r").append(number);
    statement.append(" on l_key = r").append(number).append(".r_key");
  }
  const Answer found = answer_of(query_of(statement), make_emulated_query_device());
  EXPECT_EQ(found.summary.why_cpu, "");
  EXPECT_GT(found.summary.rows_matched, std::uint64_t{1} << 40);
  // What each row has, by statements of one join.
  const Answer rows = answer_of(
      query_of("select l_kind, l_key, count(*) as n from l join r on l_key = r_key group by "
               "l_kind, l_key, l_far"),
      nullptr);
  std::uint64_t pairs = 0;
  std::uint64_t sum = 0;
  std::istringstream lines(rows.text);
  for (std::string line; std::getline(lines, line);) {
    std::uint64_t kind = 0;
    std::uint64_t key = 0;
    std::uint64_t count = 0;
    ASSERT_EQ(std::sscanf(line.c_str(), "%lu,%lu,%lu", &kind, &key, &count), 3) << line;
    std::uint64_t product = 1;
    for (int i = 0; i < 6; ++i) product *= count;
    pairs += product;
    sum += product * kind;
  }
  EXPECT_EQ(found.summary.rows_matched, pairs);
  EXPECT_EQ(found.text.substr(0, found.text.find(',', found.text.find(',') + 1)),
            std::to_string(pairs).append(",").append(std::to_string(sum)));
}

/// Of eight tables there may be more pairs than 64 bits count: then they are looked at, here none.
TEST_F(PairsOnGpu, PairsThatMayBeTooManyForACountAreLookedAt) {
  const TableOfColumns right = table_of("r_", 600, 5);
  std::string statement = "select count(*) from l";
  for (int i = 0; i < 7; ++i) {
    const std::string number = std::to_string(i);
    statement.append(" join r r").append(number);
    statement.append(" on l_far = r").append(number).append(".r_key");
    const Query query = query_of(statement, right);
    // A single one is the first table, whose rows look up those of l, which do not repeat.
    EXPECT_EQ(counts_pairs(query), i > 0 && i < 6);
    const Answer found = answer_of(query, make_emulated_query_device());
    EXPECT_EQ(found.text, "0\n");
    EXPECT_EQ(found.summary.why_cpu, "");
  }
}

/// Rows that come out are more than the device has room for at a time: 40 rows of one key on the
/// right, whose partners are spread evenly (b), or are the last rows (c).
class PairRowsOnGpu : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kRows = 3000;
  static constexpr std::uint32_t kGroupRows = 256;  // a task each
  static constexpr std::uint32_t kHotRows = 40;

  static TableOfColumns made(std::uint32_t rows, const std::string& prefix,
                             const std::function<std::int64_t(std::uint32_t)>& key) {
    corpora::Random random(rows);
    const auto integers = [&](const std::function<std::int64_t(std::uint32_t)>& value) {
      return column_of<std::int64_t>(D::kInt64, rows, value);
    };
    std::vector<std::pair<std::string, ColumnData>> columns;
    columns.emplace_back(prefix + "key", integers(key));
    columns.emplace_back(prefix + "id", integers([](std::uint32_t row) {
                           return std::int64_t{row} * 3'000'000'019;
                         }));
    columns.emplace_back(
        prefix + "small",
        with_nulls(integers([&](std::uint32_t) { return std::int64_t{random.below(100)} - 60; }),
                   random, 6));
    return {columns, kGroupRows};
  }

  Query query_of(const TableOfColumns& left, const std::string& join) const {
    const std::string statement = "select l_id, r_id, l_small, r_small from l " + join;
    const auto parsed = parse_sql(statement);
    EXPECT_TRUE(parsed.ok()) << parsed.error().message();
    return Query::from(*parsed, statement, {*left.table, *right_.table});
  }

  static Answer ask(const Query& query, const std::shared_ptr<EmulatedFaults>& faults,
                    std::uint64_t device_bytes) {
    gpu::MemoryLimits limits;
    limits.device_bytes = device_bytes;
    return answer_of(query, make_emulated_query_device(faults, 1, limits));
  }

  const TableOfColumns even_ = made(
      kRows, "l_", [](std::uint32_t row) { return std::int64_t{row % 5 == 4 ? 1000 + row : 1}; });
  const TableOfColumns last_ = made(kRows, "l_", [](std::uint32_t row) {
    return std::int64_t{row < 2700 && row % 30 != 7 ? 1000 + row : 1};
  });
  const TableOfColumns right_ = made(kHotRows + 25, "r_", [](std::uint32_t row) {
    return std::int64_t{row < kHotRows ? 1 : row * 100};
  });
};

constexpr std::uint64_t kMebi = std::uint64_t{1} << 20;

constexpr const char* kPairJoins[] = {"join r on l_key = r_key",
                                      "left join r on l_key = r_key and l_small <> r_small",
                                      "full join r on l_key = r_key and l_small <> 7",
                                      "join r on l_key = r_key order by l_small desc, r_id, l_id"};

TEST_F(PairRowsOnGpu, RowsComeInPartsWhereTheDeviceHasLittleRoom) {
  for (const char* const join : kPairJoins) {
    SCOPED_TRACE(join);
    for (const TableOfColumns* const left : {&even_, &last_}) {
      const Query query = query_of(*left, join);
      const Answer expected = answer_of(query, nullptr);
      ASSERT_NE(expected.text.substr(0, 6), "error:") << expected.text;
      std::uint64_t launches = 0;
      const std::uint64_t little = left == &even_ ? 3 * kMebi : kMebi * 3 / 2;
      for (const std::uint64_t limit : {64 * kMebi, little}) {
        const auto faults = std::make_shared<EmulatedFaults>();
        const Answer found = ask(query, faults, limit);
        EXPECT_TRUE(found.text == expected.text) << found.text.substr(0, 300);
        EXPECT_EQ(found.summary.why_cpu, "");
        EXPECT_EQ(found.summary.on_device, "joins and conditions");
        EXPECT_EQ(found.summary.rows_matched, expected.summary.rows_matched);
        EXPECT_EQ(faults->live_bytes, 0u);
        EXPECT_GT(faults->launches, launches);
        launches = faults->launches;
      }
    }
  }
}

TEST_F(PairRowsOnGpu, RowsOfATaskThatHaveNoRoomAreTheCpus) {
  const Query query = query_of(even_, kPairJoins[0]);
  const Answer found = ask(query, std::make_shared<EmulatedFaults>(), kMebi * 3 / 4);
  EXPECT_EQ(found.text, answer_of(query, nullptr).text);
  EXPECT_EQ(found.summary.why_cpu,
            "many joined rows for few, for which there may be too little device memory");
}

/// The device may have less memory than its limit says.
TEST_F(PairRowsOnGpu, RowsComeInPartsWhereMemoryIsScarce) {
  const Query query = query_of(even_, kPairJoins[0]);
  const Answer expected = answer_of(query, nullptr);
  std::uint64_t by_gpu = 0;
  for (const std::uint64_t bytes : {8 * kMebi, 4 * kMebi, 3 * kMebi}) {
    const auto faults = std::make_shared<EmulatedFaults>();
    faults->device_bytes = bytes;
    const Answer found = ask(query, faults, ~std::uint64_t{0});
    EXPECT_EQ(faults->live_bytes, 0u);
    if (found.text.starts_with("error: out of device memory")) continue;
    EXPECT_TRUE(found.text == expected.text) << found.text.substr(0, 300);
    by_gpu += found.summary.why_cpu.empty() ? 1 : 0;
  }
  EXPECT_GE(by_gpu, 2u);
}

TEST_F(PairRowsOnGpu, EachAllocationAndLaunchMayFail) {
  const Query query = query_of(last_, kPairJoins[1]);
  const auto whole = std::make_shared<EmulatedFaults>();
  const std::uint64_t little = kMebi * 3 / 2;
  const Answer all = ask(query, whole, little);
  ASSERT_EQ(all.summary.why_cpu, "");
  const auto fail = [&](std::uint64_t EmulatedFaults::*what, std::uint64_t count,
                        const char* error) {
    for (std::uint64_t i = 0; i < count; i += kIsSanitized ? 7 : 1) {
      const auto faults = std::make_shared<EmulatedFaults>();
      (*faults).*what = i;
      const Answer found = ask(query, faults, little);
      EXPECT_NE(found.text.find(error), std::string::npos) << found.text.substr(0, 200);
      EXPECT_EQ(faults->live_bytes, 0u);
      EXPECT_EQ(faults->live_handles, 0u);
    }
  };
  fail(&EmulatedFaults::allocation, whole->allocations, "error: out of device memory");
  fail(&EmulatedFaults::launch, whole->launches, "GPU failed");
}

}  // namespace
}  // namespace presso::query_pairs_on_gpu_test
