// SPDX-License-Identifier: MIT
// Tables of joins: every way finds the rows that a plain map finds, in ascending order, for keys of
// every shape, by any number of threads; and allocates what it says.
#include "tests/unit/query/join/join_table_suite.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace presso::query::join::test {
namespace {

using Rows = JoinedRows;

Rows rows_of(const Found& found, std::size_t keys) {
  Rows rows(keys);
  std::uint64_t pairs = 0;
  for (std::size_t i = 0; i < keys; ++i) {
    for (std::uint32_t k = 0; k < found.count[i]; ++k) rows[i].push_back(found.row(i, k));
    pairs += found.count[i];
  }
  EXPECT_EQ(found.pairs, pairs);
  return rows;
}

bool has_repeats(const JoinCase& which) {
  Words keys;
  for (std::size_t i = 0; i < which.build.size(); ++i) {
    const auto& bits = which.build_validity;
    if (bits.empty() || ((bits[i / 64] >> (i % 64)) & 1) != 0) keys.push_back(which.build[i]);
  }
  std::sort(keys.begin(), keys.end());
  return std::adjacent_find(keys.begin(), keys.end()) != keys.end();
}

}  // namespace

void expect_rows(JoinWay& way, unsigned threads, const JoinCase& which,
                 const JoinedRows& expected) {
  auto table = way.build({threads}, which.build_keys());
  ASSERT_TRUE(table.ok()) << which.name << table.error().what;
  const std::shared_ptr<Found> found = way.make_found();
  ASSERT_TRUE((*table)->find(which.probe, which.probe_bits(), *found).ok());
  EXPECT_EQ(rows_of(*found, which.probe.size()), expected)
      << which.name << ": " << (*table)->describe();
  const JoinMemory memory = way.predict({threads}, **table);
  EXPECT_EQ(memory.kept(), (*table)->bytes()) << which.name << ": " << memory.text();
  EXPECT_EQ((*table)->facts().rows, which.build.size());
}

namespace {

class JoinTables : public testing::TestWithParam<JoinWay*> {
 protected:
  static JoinWay& way() { return *GetParam(); }
};

TEST_P(JoinTables, FindTheRowsThatAPlainMapFinds) {
  for (const JoinCase& which : join_cases(way().is_slow() ? 700 : 50'000, 500)) {
    if (!way().suits(which)) continue;
    const Rows expected = expected_rows(which);
    for (const unsigned threads : {1u, 2u, 3u, 7u}) {
      expect_rows(way(), threads, which, expected);
    }
  }
}

TEST_P(JoinTables, FindTheSameRowsOfFewKeys) {
  for (const std::size_t rows : {1u, 2u, 3u, 5u, 17u, 64u, 65u}) {
    for (const JoinCase& which : join_cases(rows, 3 * rows)) {
      if (way().suits(which)) expect_rows(way(), 2, which, expected_rows(which));
    }
  }
}

TEST_P(JoinTables, KnowWhetherKeysAreUnique) {
  for (const JoinCase& which : join_cases(300, 3)) {
    if (!way().suits(which)) continue;
    auto table = way().build({}, which.build_keys());
    ASSERT_TRUE(table.ok());
    EXPECT_FALSE((*table)->unique() && has_repeats(which)) << which.name;
    const bool may_not_know = !way().finds_unique_keys();
    EXPECT_TRUE((*table)->unique() || has_repeats(which) || may_not_know) << which.name;
  }
}

TEST_P(JoinTables, SayWhatMemoryTheyLack) {
  for (const JoinCase& which : join_cases(way().is_slow() ? 700 : 50'000, 500)) {
    if (!way().suits(which)) continue;
    auto enough = way().build({}, which.build_keys());
    ASSERT_TRUE(enough.ok());
    const JoinMemory memory = way().predict({}, **enough);
    if (memory.needed() == 0) continue;
    JoinWay::Asked little{1, memory.needed() - 1, enough->get()};
    auto table = way().build(little, which.build_keys());
    ASSERT_FALSE(table.ok()) << which.name;
    EXPECT_EQ(table.error().code, ErrorCode::kOutOfMemory);
    EXPECT_NE(table.error().what.find(memory.buffers[0].name), std::string::npos);
    little.memory_bytes = memory.needed();
    EXPECT_TRUE(way().build(little, which.build_keys()).ok()) << which.name;
  }
}

TEST_P(JoinTables, AnswerSeveralThreadsAtOnce) {
  for (const JoinCase& which : join_cases(2'000, 500)) {
    if (!way().suits(which)) continue;
    auto table = way().build({3}, which.build_keys());
    ASSERT_TRUE(table.ok());
    std::vector<Rows> answers(3);
    std::vector<std::thread> threads;
    for (Rows& answer : answers) {
      threads.emplace_back([&] {
        const std::shared_ptr<Found> found = way().make_found();
        if (!(*table)->find(which.probe, which.probe_bits(), *found).ok()) return;
        answer = rows_of(*found, which.probe.size());
      });
    }
    for (std::thread& thread : threads) thread.join();
    const Rows expected = expected_rows(which);
    for (const Rows& answer : answers) EXPECT_EQ(answer, expected) << which.name;
  }
}

TEST_P(JoinTables, CountMorePairsThanFitInto32Bits) {
  if (way().is_slow()) return;
  const Words build(70'000, 12), probe(65'536, 12);
  auto table = way().build({2}, {build, nullptr});
  ASSERT_TRUE(table.ok());
  const std::shared_ptr<Found> made = way().make_found();
  Found& found = *made;
  ASSERT_TRUE((*table)->find(probe, nullptr, found).ok());
  EXPECT_EQ(found.pairs, std::uint64_t{70'000} * 65'536);
  for (const std::size_t i : {0u, 1u, 65'535u}) {
    ASSERT_EQ(found.count[i], 70'000u);
    for (std::uint32_t k = 0; k < 70'000; ++k) ASSERT_EQ(found.row(i, k), k);
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, JoinTables, testing::ValuesIn(join_ways()),
                         [](const auto& test) { return test.param->name(); });

}  // namespace
}  // namespace presso::query::join::test
