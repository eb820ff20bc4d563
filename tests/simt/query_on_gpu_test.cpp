// SPDX-License-Identifier: MIT
// Queries on the emulated GPU give what they give on the CPU: the same rows in the same order.
#include <gtest/gtest.h>

#include <string>

#include "corpora/random.h"
#include "tests/simt/emulated_query_device.h"
#include "tests/simt/queried_table.h"
#include "tests/simt/query_cases.h"
#include "tests/support/sanitized.h"

namespace presso::query_on_gpu_test {
namespace {

using namespace test;

class QueryOnGpu : public ::testing::TestWithParam<std::pair<int, std::uint32_t>> {};

TEST_P(QueryOnGpu, AnswersAsTheCpu) {
  const auto [rows, group_rows] = GetParam();
  const MadeTable made(make_csv(rows, static_cast<unsigned>(rows)), group_rows);
  std::uint32_t seed = 1;
  for (const Asked& asked : kAsked) {
    SCOPED_TRACE(std::string(asked.where) + " | " + asked.group_by + " | " + asked.aggregates);
    const Query query = query_of(*made.table, asked);
    const Answer expected = answer_of(query, nullptr);
    const auto faults = std::make_shared<EmulatedFaults>();
    const Answer found = answer_of(query, test::make_emulated_query_device(faults, ++seed));
    EXPECT_EQ(found.text, expected.text);
    // A table of one row has no dictionary.
    if (rows > 1) {
      EXPECT_EQ(found.summary.why_cpu, "");
    }
    EXPECT_EQ(found.summary.rows_matched, expected.summary.rows_matched);
    // Else conditions' columns may be read there and here.
    if (found.summary.why_cpu.empty()) {
      EXPECT_GE(found.summary.bytes_stored, found.summary.bytes_read);
    }
    EXPECT_EQ(faults->live_bytes, 0u);
    EXPECT_EQ(faults->live_handles, 0u);
  }
}

/// Rows that match are found there, and written here.
TEST_P(QueryOnGpu, FindsRowsAsTheCpu) {
  const auto [rows, group_rows] = GetParam();
  const MadeTable made(make_csv(rows, static_cast<unsigned>(rows) + 1), group_rows);
  std::uint32_t seed = 100;
  for (const Asked& asked : kAsked) {
    if (*asked.where == '\0') continue;
    SCOPED_TRACE(asked.where);
    Query query = Query::from(*made.table);
    query.where(asked.where).select("id, word, maybe, real");
    const Answer expected = answer_of(query, nullptr);
    const Answer found = answer_of(query, test::make_emulated_query_device({}, ++seed));
    EXPECT_EQ(found.text, expected.text);
    if (rows > 1) {
      EXPECT_EQ(found.summary.on_device, "conditions");
    }
    query.order_by("real desc, id").limit(20, 3);
    EXPECT_EQ(answer_of(query, test::make_emulated_query_device({}, seed)).text,
              answer_of(query, nullptr).text);
  }
}

/// Groups and sums that are chains of columns have kernels of their own.
TEST_P(QueryOnGpu, ChainsAsTheCpu) {
  const auto [rows, group_rows] = GetParam();
  const MadeTable made(make_csv(rows, static_cast<unsigned>(rows) + 2), group_rows);
  const char* const kPriceSums =
      "sum(price), sum(price * (1 - discount)), count(*), sum(price * (1 - discount) * (7 + run)),"
      "avg(discount), min(walk - id), sum(walk - id)";
  const Asked kChains[] = {
      {"", "", kPriceSums},
      {"day < 1998-09-02", "word", kPriceSums},
      {"day < 1998-09-02", "word", "sum(price), max(odd), sum(3 - run), sum(odd * run)"},
      {"discount between 0.02 and 0.07", "run", "sum(wide), min(wide), count(*), sum(run)"},
      {"day between 1994-01-01 and 1994-03-30", "run", "sum(odd), sum(price * discount)"},
      {"price < 300 and word <> 'AIR'", "word, run", kPriceSums},
      {"odd < 40", "run, word", "max(day), sum(odd * walk * run), sum(odd * walk + id)"},
      {"id > 500000", "run", "count(*)"},
  };
  std::uint32_t seed = 200;
  for (const Asked& asked : kChains) {
    SCOPED_TRACE(std::string(asked.where) + " | " + asked.group_by + " | " + asked.aggregates);
    const Query query = query_of(*made.table, asked);
    const auto faults = std::make_shared<EmulatedFaults>();
    const Answer found = answer_of(query, test::make_emulated_query_device(faults, ++seed));
    EXPECT_EQ(found.text, answer_of(query, nullptr).text);
    if (rows > 1 && found.summary.blocks_read != 0) {
      EXPECT_EQ(found.summary.why_cpu, "");
      EXPECT_GT(faults->chains, 0u);
    }
  }
  const Query dropping = query_of(*made.table, {"id < walk", "word", "count(*), sum(price)"});
  const auto faults = std::make_shared<EmulatedFaults>();
  EXPECT_EQ(answer_of(dropping, test::make_emulated_query_device(faults, ++seed)).text,
            answer_of(dropping, nullptr).text);
  EXPECT_EQ(faults->chains, 0u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, QueryOnGpu,
                         ::testing::Values(std::pair{1, 1000u}, std::pair{33, 1000u},
                                           std::pair{2500, 1024u}, std::pair{6000, 2500u},
                                           std::pair{9000, 1u << 20}));

/// Keys of all 64 bits, among them the one that says in the table that there is none; and more of
/// them than the first table has room for.
class GroupTableOnGpu : public ::testing::TestWithParam<unsigned> {
 protected:
  static std::string csv(unsigned usual_in_ten) {
    corpora::Random random(5);
    std::string csv = "key,value,maybe\n";
    const char* const kEnds[] = {"-9223372036854775808", "9223372036854775807", "-1", "0"};
    constexpr int kRows = 9000;
    for (int i = 0; i < kRows; ++i) {
      const std::uint64_t key = std::uint64_t{random.below(4000)} * 2'148'914'691'236'517;
      if (random.below(10) < usual_in_ten) {
        csv += "77";
      } else if (random.below(9) == 0) {
        csv += kEnds[random.below(4)];
      } else {
        csv += std::to_string(static_cast<std::int64_t>(key));
      }
      csv.append(",").append(std::to_string(i)).append(",");
      if (random.below(3) != 0) csv += std::to_string(random.below(1000));
      csv += "\n";
    }
    return csv;
  }
};

TEST_P(GroupTableOnGpu, TakesAnyKeyAndGrows) {
  const MadeTable made(csv(GetParam()), 1024);
  for (const char* const aggregates : {"count(*), sum(value), min(value)", "max(value)",
                                       "count(maybe), sum(maybe), min(maybe), avg(maybe)"}) {
    const Query query = query_of(*made.table, {"", "key", aggregates});
    for (std::uint32_t seed = 0; seed < (kIsSanitized ? 2u : 6u); ++seed) {
      const auto faults = std::make_shared<EmulatedFaults>();
      faults->group_parts.most_part_rows = 0;  // groups are not made part by part
      const Answer found = answer_of(query, test::make_emulated_query_device(faults, seed));
      EXPECT_EQ(found.text, answer_of(query, nullptr).text);
      EXPECT_EQ(found.summary.why_cpu, "");
      EXPECT_GT(found.summary.passes, 2u);
      EXPECT_GE(found.summary.bytes_stored, found.summary.bytes_read);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(UsualInTen, GroupTableOnGpu, ::testing::Values(0u, 6u));

class QueryOnGpuFaults : public ::testing::Test {
 protected:
  static Query query_of_groups(const Table& table) {
    return query_of(table, {"maybe > -100 and walk > run * 3", "word", "sum(price), avg(maybe)"});
  }
  static Query query_of_rows(const Table& table) {
    Query query = Query::from(table);
    query.where("maybe > -100 and walk > run * 3").select("id");
    return query;
  }

  MadeTable made{make_csv(3000, 7), 1024};
};

TEST_F(QueryOnGpuFaults, WhatItCannotDoIsLeftToTheCpu) {
  struct Left {
    const char* group_by;
    const char* aggregates;
    const char* why;
  };
  for (const Left& left :
       {Left{"real, word", "count(*)", "keys that do not fit into 63 bits together"},
        Left{"wide, id, wide + 1", "count(*)", "keys that do not fit into 63 bits together"},
        Left{"wide, id", "count(distinct walk)", "keys that do not fit into 63 bits together"},
        Left{"word", "max(word)", "aggregates of other than numbers of 64 bits"}}) {
    SCOPED_TRACE(left.aggregates);
    const Query query = query_of(*made.table, {"run > 2", left.group_by, left.aggregates});
    const Answer found = answer_of(query, test::make_emulated_query_device());
    EXPECT_EQ(found.text, answer_of(query, nullptr).text);
    EXPECT_EQ(found.summary.why_cpu, left.why);
    EXPECT_EQ(found.summary.on_device, "conditions");
  }
  Query limited = query_of_rows(*made.table);
  limited.limit(5);
  EXPECT_EQ(answer_of(limited, test::make_emulated_query_device()).summary.why_cpu,
            "few rows are asked for");
}

TEST_F(QueryOnGpuFaults, EachAllocationMayFail) {
  for (const bool pinned : {false, true}) {
    for (const bool groups : {false, true}) {
      const Query query = groups ? query_of_groups(*made.table) : query_of_rows(*made.table);
      const auto whole = std::make_shared<EmulatedFaults>();
      ASSERT_NE(answer_of(query, test::make_emulated_query_device(whole)).text, "");
      const std::uint64_t count = pinned ? whole->pinned_allocations : whole->allocations;
      ASSERT_GT(count, 2u);
      for (std::uint64_t i = 0; i < count; i += kIsSanitized ? 3 : 1) {
        const auto faults = std::make_shared<EmulatedFaults>();
        (pinned ? faults->pinned_allocation : faults->allocation) = i;
        const Answer found = answer_of(query, test::make_emulated_query_device(faults));
        EXPECT_EQ(found.text, std::string("error: out of ") + (pinned ? "" : "device ") +
                                  "memory: as the test wants it");
        EXPECT_EQ(faults->live_bytes, 0u);
        EXPECT_EQ(faults->live_handles, 0u);
      }
    }
  }
}

TEST_F(QueryOnGpuFaults, TheDeviceMayBeLostAtAnyTime) {
  const Query query = query_of_groups(*made.table);
  const auto whole = std::make_shared<EmulatedFaults>();
  ASSERT_NE(answer_of(query, test::make_emulated_query_device(whole)).text, "");
  for (std::uint64_t i = 0; i < whole->launches; ++i) {
    const auto faults = std::make_shared<EmulatedFaults>();
    faults->launch = i;
    const Answer found = answer_of(query, test::make_emulated_query_device(faults));
    EXPECT_EQ(found.text.substr(0, 6), "error:") << found.text;
    EXPECT_NE(found.text.find("GPU failed"), std::string::npos) << found.text;
    EXPECT_EQ(faults->live_bytes, 0u);
  }
}

/// Each byte of the file that matters to the query: either the answer is the right one, or both
/// report the same block and code.
TEST_F(QueryOnGpuFaults, DamagedBlocksAreReportedAsOnTheCpu) {
  const Query sound = query_of(*made.table, {"", "word", "sum(price), avg(maybe)"});
  const std::string expected = answer_of(sound, nullptr).text;
  corpora::Random random(3);
  int damaged = 0;
  constexpr int kFiles = kIsSanitized ? 8 : 150;
  for (int i = 0; i < kFiles; ++i) {
    std::vector<Byte> bytes = made.bytes;
    bytes[300 + random.below(static_cast<std::uint32_t>(bytes.size() - 2300))] ^=
        static_cast<Byte>(1 + random.below(255));
    const MemoryRandomAccess access(bytes);
    const auto table = Table::open(access);
    if (!table.ok()) continue;
    const Query query = query_of(*table, {"", "word", "sum(price), avg(maybe)"});
    const std::string of_cpu = answer_of(query, nullptr).text;
    const std::string of_gpu = answer_of(query, test::make_emulated_query_device()).text;
    EXPECT_EQ(of_gpu, of_cpu) << i;
    damaged += of_cpu != expected ? 1 : 0;
  }
  EXPECT_GT(damaged, kFiles / 8);
}

}  // namespace
}  // namespace presso::query_on_gpu_test
