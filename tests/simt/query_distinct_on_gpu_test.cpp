// SPDX-License-Identifier: MIT
// count(distinct) on the emulated GPU: the same numbers, groups and order as on the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "corpora/random.h"
#include "tests/simt/emulated_query_device.h"
#include "tests/simt/faulty_queries.h"
#include "tests/simt/query_cases.h"
#include "tests/simt/real_cases.h"
#include "tests/support/sanitized.h"

namespace presso::query_distinct_on_gpu_test {
namespace {

using namespace test;

constexpr Asked kDistinct[] = {
    {"", "", "count(distinct run)"},
    {"", "", "count(distinct maybe), count(maybe), count(*), sum(maybe), min(price)"},
    {"", "", "count(distinct wide), sum(wide), avg(wide), max(day)"},
    {"", "", "count(distinct word), count(distinct word) + 1"},
    {"", "", "count(distinct real)"},
    {"id < 0", "", "count(distinct run), count(*), min(id), avg(run)"},
    {"id < 0", "", "count(distinct run), sum(id), min(id), max(price), min(real)"},
    {"id < 0", "word", "count(distinct run)"},
    {"", "word", "count(distinct run)"},
    {"", "word", "count(distinct maybe), count(*), sum(price), avg(discount), min(walk), max(day)"},
    {"run > 2", "maybe", "count(distinct word), sum(id)"},
    {"maybe > 0", "word, run", "count(distinct day), sum(wide), avg(maybe), max(odd)"},
    {"", "maybe, word", "count(distinct discount), count(maybe)"},
    {"", "word", "count(distinct word), count(*)"},
    {"", "run", "count(distinct run + maybe), count(distinct case when maybe > 3 then walk end)"},
    {"", "year(day)", "count(distinct month(day)), count(distinct coalesce(maybe, run))"},
    {"", "run", "count(distinct length(word) = 4), count(distinct walk > id), sum(real)"},
    {"", "word", "sum(real), avg(real), min(real), count(distinct maybe)"},
    // One run for each of several.
    {"", "word", "count(distinct run), count(distinct maybe), count(*), count(distinct run)"},
    {"walk > 1010", "",
     "count(distinct run), sum(maybe), count(distinct word), count(distinct day)"},
    // In a table of keys, before they are merged or also behind that.
    {"", "run", "count(distinct id), min(wide)"},
    {"", "id, walk", "count(distinct run), count(*), sum(price)"},
    {"", "id", "count(distinct word), max(price)"},
    {"maybe > 0", "id, walk", "count(distinct maybe), sum(wide)"},
    {"", "maybe, id", "count(distinct maybe)"},
    {"", "day", "count(distinct id)"},
};

class DistinctOnGpu : public ::testing::TestWithParam<std::pair<int, std::uint32_t>> {
 protected:
  /// The same to the bit. Returns what has run.
  static std::shared_ptr<EmulatedFaults> expect_as_on_cpu(const Query& query, std::uint32_t seed) {
    const Answer expected = bits_of(query, nullptr);
    EXPECT_NE(expected.text.substr(0, 6), "error:") << expected.text;
    auto faults = std::make_shared<EmulatedFaults>();
    const Answer found = bits_of(query, make_emulated_query_device(faults, seed));
    EXPECT_EQ(found.text, expected.text);
    EXPECT_EQ(found.summary.why_cpu, "");
    EXPECT_EQ(found.summary.rows_matched, expected.summary.rows_matched);
    EXPECT_EQ(found.summary.groups, expected.summary.groups);
    EXPECT_GT(faults->merged, 0u);
    EXPECT_EQ(faults->live_bytes, 0u);
    EXPECT_EQ(faults->live_handles, 0u);
    return faults;
  }
};

TEST_P(DistinctOnGpu, CountsAsTheCpu) {
  const auto [rows, group_rows] = GetParam();
  const MadeTable made(make_csv(rows, static_cast<unsigned>(rows) + 5), group_rows);
  std::uint32_t seed = 1;
  for (const Asked& asked : kDistinct) {
    SCOPED_TRACE(std::string(asked.where) + " | " + asked.group_by + " | " + asked.aggregates);
    expect_as_on_cpu(query_of(*made.table, asked), ++seed);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, DistinctOnGpu,
                         ::testing::Values(std::pair{33, 1000u}, std::pair{2500, 1024u},
                                           std::pair{6000, 1u << 20}));

/// Values at the ends of 64 bits, of both zeros, and NaNs, are as many as on the CPU.
TEST(DistinctValuesOnGpu, MayBeAnything) {
  constexpr std::uint32_t kRows = 3000;
  corpora::Random random(4);
  const auto hostile = [&](std::uint32_t row) {
    if (row % 7 == 0) return row % 2 == 0 ? 0.0 : -0.0;
    if (row % 7 == 1) return std::numeric_limits<double>::quiet_NaN();
    if (row % 7 == 2) return std::bit_cast<double>(~std::uint64_t{0});
    return static_cast<double>(random.below(300)) / 8;
  };
  const auto any = [&](std::uint32_t row) {
    if (row % 9 == 0) return std::numeric_limits<std::int64_t>::min();
    if (row % 9 == 1) return std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(random.below(500) * 36'893'488'147'419'103ull);
  };
  std::vector<std::pair<std::string, ColumnData>> columns;
  columns.emplace_back("any", column_of<std::int64_t>(ColumnType::kInt64, kRows, any));
  columns.emplace_back("real", column_of<double>(ColumnType::kDouble, kRows, hostile));
  columns.emplace_back(
      "maybe", with_nulls(column_of<double>(ColumnType::kDouble, kRows, hostile), random, 4));
  columns.emplace_back(
      "lone", with_nulls(column_of<float>(
                             ColumnType::kFloat, kRows,
                             [&](std::uint32_t row) { return static_cast<float>(hostile(row)); }),
                         random, 4));
  const TableOfColumns made(columns, 1024);
  std::uint32_t seed = 60;
  for (const char* const aggregates :
       {"count(distinct any), count(*)", "count(distinct real), sum(real)",
        "count(distinct maybe), count(maybe)", "count(distinct lone), min(lone)",
        "count(distinct maybe * 2), count(distinct nullif(real, 1)), count(distinct any)"}) {
    SCOPED_TRACE(aggregates);
    const Query query = query_of(*made.table, {"", "", aggregates});
    const Answer found = bits_of(query, make_emulated_query_device({}, ++seed));
    EXPECT_EQ(found.text, bits_of(query, nullptr).text);
    EXPECT_EQ(found.summary.why_cpu, "");
  }
  const Query keyed = query_of(*made.table, {"", "any", "count(distinct real)"});
  const Answer found = bits_of(keyed, make_emulated_query_device());
  EXPECT_EQ(found.text, bits_of(keyed, nullptr).text);
  EXPECT_EQ(found.summary.why_cpu, "keys that do not fit into 63 bits together");
}

/// What a later pass cannot do is known before the first one.
TEST(DistinctValuesOnGpu, AreRefusedBeforeAnythingRuns) {
  const MadeTable made(make_csv(3000, 17), 1024);
  for (const Asked& asked :
       {Asked{"", "id", "count(distinct run), count(distinct wide)"},
        Asked{"", "word", "count(distinct run), count(distinct lower(word)), sum(price)"}}) {
    SCOPED_TRACE(asked.aggregates);
    const Query query = query_of(*made.table, asked);
    const auto faults = std::make_shared<EmulatedFaults>();
    const Answer found = answer_of(query, make_emulated_query_device(faults));
    EXPECT_EQ(found.text, answer_of(query, nullptr).text);
    EXPECT_NE(found.summary.why_cpu, "");
    EXPECT_EQ(faults->launches, 0u);
  }
}

/// Sums that take more cells leave one to the number of values.
TEST(DistinctValuesOnGpu, HaveACellBesideSumsThatTakeMore) {
  const TableOfColumns made = hostile_reals(4000, 1500, 3);
  const Query query =
      query_of(*made.table, {"", "few",
                             "count(distinct many), count(*), sum(pairs), min(pairs), max(pairs), "
                             "sum(few), min(few), max(few), sum(many), min(many), max(many), "
                             "min(wide), max(wide), min(tiny), max(tiny), min(huge), max(huge), "
                             "min(plus), max(plus)"});
  const Answer found = bits_of(query, make_emulated_query_device());
  EXPECT_EQ(found.text, bits_of(query, nullptr).text);
  EXPECT_EQ(found.summary.why_cpu, "");
  EXPECT_GT(found.summary.passes, 1u);
}

/// Strings that are no dictionary's get numbers on the device.
TEST(DistinctStringsOnGpu, AreNumberedThere) {
  corpora::Random random(12);
  std::string csv = "id,kind,name\n";
  for (int i = 0; i < 4000; ++i) {
    csv.append(std::to_string(i)).append(",").append(std::to_string(random.below(6))).append(",");
    if (random.below(9) != 0) {
      csv.append("some name of ").append(std::to_string(random.below(2500) * 7919));
    }
    csv += "\n";
  }
  const MadeTable made(csv, 1024);
  for (const Asked& asked : {Asked{"", "", "count(distinct name), count(name)"},
                             Asked{"id > 700", "kind", "count(distinct name), count(*)"},
                             Asked{"", "name", "count(distinct kind), sum(id)"},
                             Asked{"", "name", "count(distinct name), count(distinct kind)"}}) {
    SCOPED_TRACE(std::string(asked.group_by) + " | " + asked.aggregates);
    const Query query = query_of(*made.table, asked);
    const auto faults = std::make_shared<EmulatedFaults>();
    const Answer found = answer_of(query, make_emulated_query_device(faults, 3));
    EXPECT_EQ(found.text, answer_of(query, nullptr).text);
    EXPECT_EQ(found.summary.why_cpu, "");
    EXPECT_GT(faults->numbered, 0u);
    EXPECT_GT(faults->merged, 0u);
  }
}

/// Keys that are far apart, so that groups are made part by part before they are merged.
class DistinctOfFarKeys : public ::testing::Test {
 protected:
  static constexpr int kRows = 9000;

  static std::string csv() {
    corpora::Random random(21);
    std::string csv = "far,near,value,price\n";
    for (int i = 0; i < kRows; ++i) {
      csv.append(std::to_string(std::uint64_t{random.below(3000)} << 34)).append(",");
      csv.append(std::to_string(random.below(5))).append(",");
      csv.append(random.below(6) == 0 ? "" : std::to_string(random.below(4000))).append(",");
      csv.append(std::to_string(random.below(900))).append(".25\n");
    }
    return csv;
  }

  const MadeTable made{csv(), 2500};
};

TEST_F(DistinctOfFarKeys, AreMergedFromPartsAndFromTables) {
  for (const std::uint32_t most_part_rows : {std::uint32_t{kRows}, 0u}) {
    for (const Asked& asked : {Asked{"", "far", "count(distinct value), count(*), sum(price)"},
                               Asked{"", "near", "count(distinct far), min(price), count(value)"},
                               Asked{"", "", "count(distinct far), sum(value)"},
                               Asked{"price > 100", "far, near", "count(distinct value)"}}) {
      SCOPED_TRACE(std::string(asked.group_by) + " | " + asked.aggregates);
      const Query query = query_of(*made.table, asked);
      const auto faults = std::make_shared<EmulatedFaults>();
      faults->group_parts.most_part_rows = most_part_rows;
      const Answer found = answer_of(query, make_emulated_query_device(faults, 7));
      EXPECT_EQ(found.text, answer_of(query, nullptr).text);
      EXPECT_EQ(found.summary.why_cpu, "");
      EXPECT_GT(faults->merged, 0u);
    }
  }
}

TEST_F(DistinctOfFarKeys, MemoryMayBeLimited) {
  const Query query = query_of(*made.table, {"", "far", "count(distinct value), count(*)"});
  const std::string expected = answer_of(query, nullptr).text;
  bool on_device = false;
  bool on_cpu = false;
  for (std::uint64_t bytes = 100'000; bytes < 6'000'000; bytes += bytes / 4) {
    SCOPED_TRACE(bytes);
    const auto limited = std::make_shared<EmulatedFaults>();
    const Answer found =
        answer_of(query, make_emulated_query_device(limited, 3, {.device_bytes = bytes}));
    EXPECT_EQ(limited->live_bytes, 0u);
    if (found.text.substr(0, 6) == "error:") {
      EXPECT_NE(found.text.find("out of device memory"), std::string::npos) << found.text;
      continue;
    }
    EXPECT_EQ(found.text, expected);
    on_device = on_device || found.summary.why_cpu.empty();
    on_cpu = on_cpu || !found.summary.why_cpu.empty();
  }
  EXPECT_TRUE(on_device);
  EXPECT_TRUE(on_cpu);
}

TEST_F(DistinctOfFarKeys, FaultsAreTold) {
  expect_faults_are_told(
      query_of(*made.table, {"value > 3500", "far", "count(distinct value), sum(price)"}), 3);
  expect_faults_are_told(query_of(*made.table, {"value > 3500", "near",
                                                "count(distinct value), count(distinct near)"}),
                         3);
}

/// Values and keys of either table, with rows that have no partner on either side.
TEST(DistinctOfJoinsOnGpu, CountsAsTheCpu) {
  corpora::Random random(31);
  std::string left = "id,key,kind,note\n";
  for (int i = 0; i < 1500; ++i) {
    left.append(std::to_string(i)).append(",").append(std::to_string(random.below(400)));
    left.append(",").append(std::to_string(random.below(5))).append(",");
    left.append(random.below(4) == 0 ? "" : std::to_string(random.below(60))).append("\n");
  }
  std::string right = "part,size,name\n";
  for (int i = 0; i < 500; ++i) {
    right.append(std::to_string(i % 350 * 2)).append(",");
    right.append(random.below(5) == 0 ? "" : std::to_string(random.below(40))).append(",");
    right.append("n").append(std::to_string(random.below(9))).append("\n");
  }
  std::string unique = "part,size,name\n";
  for (int i = 0; i < 400; ++i) {
    unique.append(std::to_string(i)).append(",").append(std::to_string(random.below(4000)));
    unique.append(",n").append(std::to_string(random.below(9))).append("\n");
  }
  const MadeTable l(left, 512);
  const MadeTable r(right, 1000);
  const MadeTable u(unique, 1000);
  std::uint32_t seed = 0;
  for (const char* const kind : {"join", "left join", "right join", "full join"}) {
    for (const char* const what :
         {"select kind, count(distinct size), count(*), sum(note)",
          "select size, count(distinct note), count(distinct kind), min(id)",
          "select name, count(distinct id), count(distinct part)",
          "select count(distinct name), count(distinct note), count(*)",
          "select key, size, count(distinct coalesce(note, size))"}) {
      for (const MadeTable* const other : {&r, &u}) {
        std::string statement = std::string(what) + " from l " + kind + " r on l.key = r.part";
        const std::string keys = statement.substr(7, statement.find(", count") - 7);
        if (statement.find("select count") == std::string::npos) statement += " group by " + keys;
        SCOPED_TRACE(statement);
        const auto parsed = parse_sql(statement);
        ASSERT_TRUE(parsed.ok()) << parsed.error().message();
        const Query query = Query::from(*parsed, statement, {*l.table, *other->table});
        const Answer expected = answer_of(query, nullptr);
        ASSERT_NE(expected.text.substr(0, 6), "error:") << expected.text;
        const Answer found = answer_of(query, make_emulated_query_device({}, ++seed));
        EXPECT_EQ(found.text, expected.text);
        EXPECT_EQ(found.summary.why_cpu, "");
      }
    }
  }
}

/// Passes make the same build sides: --explain tells of each once.
TEST(DistinctOfJoinsOnGpu, BuildSidesAreToldOnce) {
  std::string left = "id,key,kind\n";
  for (int i = 0; i < 900; ++i) {
    left += std::to_string(i) + "," + std::to_string(i % 70) + "," + std::to_string(i % 9) + "\n";
  }
  std::string right = "part,size\n";
  for (int i = 0; i < 50; ++i) right += std::to_string(i) + "," + std::to_string(i % 6) + "\n";
  const MadeTable l(left, 512);
  const MadeTable r(right, 1000);
  const std::string statement =
      "select size, count(distinct id), count(distinct kind), count(distinct key) from l join r on "
      "l.key = r.part group by size";
  const auto parsed = parse_sql(statement);
  ASSERT_TRUE(parsed.ok());
  const Query query = Query::from(*parsed, statement, {*l.table, *r.table});
  QueryOptions options;
  options.device = make_emulated_query_device();
  const std::string told = explained_with(query, options);
  const std::string note = "on the GPU: 50 rows of r, an array of";
  const std::size_t first = told.find(note);
  ASSERT_NE(first, std::string::npos) << told;
  EXPECT_EQ(told.find(note, first + 1), std::string::npos) << told;
  EXPECT_TRUE(says(told, "passes over the tables: 3")) << told;
}

}  // namespace
}  // namespace presso::query_distinct_on_gpu_test
