// SPDX-License-Identifier: MIT
// Joined and grouped on the emulated GPU, queries give what they give on the CPU.
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "tests/simt/emulated_query_device.h"
#include "tests/simt/join_cases.h"
#include "tests/support/sanitized.h"

namespace presso::query_joins_on_gpu_test {
namespace {

using namespace test;

class JoinsOnGpu : public ::testing::TestWithParam<std::pair<int, std::uint32_t>> {
 protected:
  /// All of it is done there; `on_device`: what that is.
  static void expect_as_on_cpu(std::span<const char* const> statements, const char* on_device) {
    const auto [rows, group_rows] = GetParam();
    const JoinedTables tables(rows, group_rows);
    std::uint32_t seed = 1;
    for (const char* const statement : statements) {
      SCOPED_TRACE(statement);
      const Query query = tables.query_of(statement);
      const Answer expected = answer_of(query, nullptr);
      ASSERT_NE(expected.text.substr(0, 6), "error:") << expected.text;
      const auto faults = std::make_shared<EmulatedFaults>();
      const Answer found = answer_of(query, make_emulated_query_device(faults, ++seed));
      EXPECT_EQ(found.text, expected.text);
      EXPECT_EQ(found.summary.why_cpu, "");
      EXPECT_EQ(found.summary.on_device, on_device);
      EXPECT_EQ(found.summary.rows_matched, expected.summary.rows_matched);
      EXPECT_EQ(found.summary.rows, expected.summary.rows);
      EXPECT_GE(found.summary.bytes_stored, found.summary.bytes_read);
      EXPECT_EQ(faults->live_bytes, 0u);
      EXPECT_EQ(faults->live_handles, 0u);
    }
  }
};

TEST_P(JoinsOnGpu, AnswerAsTheCpu) {
  expect_as_on_cpu(kJoinStatements, "joins, conditions and groups");
}

TEST_P(JoinsOnGpu, GiveRowsAsTheCpu) {
  expect_as_on_cpu(kJoinedRows, "joins and conditions");
}

TEST_P(JoinsOnGpu, GroupLoneRowsAsTheCpu) {
  expect_as_on_cpu(kLoneRowStatements, "joins, conditions and groups");
}

TEST_P(JoinsOnGpu, FindStringsAsTheCpu) {
  expect_as_on_cpu(kStringKeyStatements, "joins, conditions and groups");
}

TEST_P(JoinsOnGpu, GiveLoneRowsAsTheCpu) {
  expect_as_on_cpu(kLoneRows, "joins and conditions");
}

INSTANTIATE_TEST_SUITE_P(Sizes, JoinsOnGpu,
                         ::testing::Values(std::pair{700, 1000u}, std::pair{3000, 1024u},
                                           std::pair{9000, 1u << 20}));

TEST(RandomJoinsOnGpu, AnswerAsTheCpu) {
  const JoinedTables tables(1500, 700);
  corpora::Random random(77);
  constexpr std::uint32_t kStatements = kIsSanitized ? 40 : 150;
  std::uint32_t on_device = 0;
  for (std::uint32_t i = 0; i < kStatements; ++i) {
    const std::string statement = random_join_statement(random);
    SCOPED_TRACE(statement);
    const Query query = tables.query_of(statement);
    const Answer expected = answer_of(query, nullptr);
    ASSERT_NE(expected.text.substr(0, 6), "error:") << expected.text;
    const Answer found = answer_of(query, make_emulated_query_device({}, i));
    ASSERT_EQ(found.text, expected.text);
    EXPECT_EQ(found.summary.rows_matched, expected.summary.rows_matched);
    on_device += found.summary.on_device.find("joins") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(on_device, kStatements / 2);
}

/// Build rows tell groups, by a key that is a string, whose numbers are those of either side.
TEST(StringKeysOnGpu, GroupsByBuildRowsOfStringKeys) {
  static constexpr int kSteps[] = {3, 7, 9, 11, 13, 17, 19, 21, 23, 27};  // each finds all cities
  std::string cities = "city,size,year\n";
  std::string people = "person,lives_in\n";
  for (int i = 0; i < 4000; ++i) {
    cities.append("city " + std::to_string(i * kSteps[i / 400] % 400) + "," +
                  std::to_string(i % 90) + ",");
    cities.append(std::to_string(i / 400) + "\n");
  }
  for (int i = 0; i < 3000; ++i) {
    people.append(std::to_string(i % 160) + ",");
    people.append(i % 11 == 0 ? "" : "city " + std::to_string(i * i % 500)).append("\n");
  }
  const MadeTable a(people, 5000);
  const MadeTable b(cities, 5000);
  for (const char* const keys : {"lives_in, person", "city, person", "lives_in, city, person"}) {
    SCOPED_TRACE(keys);
    const std::string statement = "select " + std::string(keys) +
                                  ", count(*), sum(size) from a join b on a.lives_in = b.city "
                                  "where year = 4 group by " +
                                  keys;
    const auto parsed = parse_sql(statement);
    ASSERT_TRUE(parsed.ok()) << parsed.error().message();
    const Query query = Query::from(*parsed, statement, {*a.table, *b.table});
    const Answer expected = answer_of(query, nullptr);
    ASSERT_NE(expected.text.substr(0, 6), "error:") << expected.text;
    const Answer found = answer_of(query, make_emulated_query_device());
    EXPECT_EQ(found.text, expected.text);
    EXPECT_EQ(found.summary.why_cpu, "");
  }
}

class JoinsOnGpuFaults : public ::testing::Test {
 protected:
  const JoinedTables tables{3000, 1024};
};

TEST_F(JoinsOnGpuFaults, WhatItCannotDoIsLeftToTheCpu) {
  struct Left {
    const char* statement;
    const char* why;
  };
  for (const Left& left : {
           Left{"select facts.maker, makers.id, count(*) from facts full join makers on "
                "facts.maker = makers.id group by facts.maker, makers.id",
                "keys that do not fit into 63 bits together"},
           Left{"select count(*) from facts join parts on upper(facts.word) = parts.name",
                "keys of a join that are neither numbers nor columns of strings"},
           Left{"select facts.maker * facts.maker * facts.maker from facts join parts on "
                "facts.part = parts.id where facts.maker = 3000000019 and facts.id < 100",
                "results that may fail"},
       }) {
    SCOPED_TRACE(left.statement);
    const Query query = tables.query_of(left.statement);
    const Answer found = answer_of(query, make_emulated_query_device());
    const Answer expected = answer_of(query, nullptr);
    EXPECT_EQ(found.text, expected.text);
    EXPECT_EQ(found.summary.bytes_read, expected.summary.bytes_read);
    EXPECT_EQ(found.summary.why_cpu, left.why);
    EXPECT_EQ(found.summary.device, "");
  }
}

TEST_F(JoinsOnGpuFaults, FewRowsAreLeftToTheCpu) {
  const Query query = tables.query_of(
      "select facts.id, comment from facts join parts on facts.part = parts.id limit 5");
  const Answer found = answer_of(query, make_emulated_query_device());
  EXPECT_EQ(found.text, answer_of(query, nullptr).text);
  EXPECT_EQ(found.summary.why_cpu, "few rows are asked for");
}

/// Groups told by build rows, groups in a table, rows; and build rows at the end.
constexpr const char* kFaultyStatements[] = {
    kNestedJoin,
    "select facts.part, facts.x, city, sum(price) from facts join parts on facts.part = parts.id "
    "join places on facts.x = places.x and facts.y = places.y group by facts.part, facts.x, city",
    kJoinedRows[1],
    "select parts.id, facts.id, land_name, count(*) from facts full join parts on facts.part = "
    "parts.id full join lands on parts.name = lands.land_name and parts.size > lands.zone_of "
    "group by parts.id, facts.id, land_name",
    kLoneRows[4]};

TEST_F(JoinsOnGpuFaults, EachAllocationMayFail) {
  for (const char* const statement : kFaultyStatements) {
    SCOPED_TRACE(statement);
    const Query query = tables.query_of(statement);
    for (const bool pinned : {false, true}) {
      const auto whole = std::make_shared<EmulatedFaults>();
      ASSERT_EQ(answer_of(query, make_emulated_query_device(whole)).summary.why_cpu, "");
      const std::uint64_t count = pinned ? whole->pinned_allocations : whole->allocations;
      ASSERT_GT(count, 3u);
      for (std::uint64_t i = 0; i < count; i += kIsSanitized ? 5 : 1) {
        const auto faults = std::make_shared<EmulatedFaults>();
        (pinned ? faults->pinned_allocation : faults->allocation) = i;
        const Answer found = answer_of(query, make_emulated_query_device(faults));
        EXPECT_EQ(found.text, std::string("error: out of ") + (pinned ? "" : "device ") +
                                  "memory: as the test wants it");
        EXPECT_EQ(faults->live_bytes, 0u);
        EXPECT_EQ(faults->live_handles, 0u);
      }
    }
  }
}

TEST_F(JoinsOnGpuFaults, TheDeviceMayBeLostAtAnyTime) {
  for (const char* const statement : kFaultyStatements) {
    SCOPED_TRACE(statement);
    const Query query = tables.query_of(statement);
    const auto whole = std::make_shared<EmulatedFaults>();
    ASSERT_EQ(answer_of(query, make_emulated_query_device(whole)).summary.why_cpu, "");
    for (std::uint64_t i = 0; i < whole->launches; i += kIsSanitized ? 5 : 1) {
      const auto faults = std::make_shared<EmulatedFaults>();
      faults->launch = i;
      const Answer found = answer_of(query, make_emulated_query_device(faults));
      EXPECT_NE(found.text.find("GPU failed"), std::string::npos) << found.text;
      EXPECT_EQ(faults->live_bytes, 0u);
      EXPECT_EQ(faults->live_handles, 0u);
    }
  }
}

}  // namespace
}  // namespace presso::query_joins_on_gpu_test
