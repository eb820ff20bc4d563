// SPDX-License-Identifier: MIT
// Conditions on strings that row groups store as tokens, on the emulated GPU: the same answers as
// the CPU's, and the same errors of damaged blocks.
#include <gtest/gtest.h>

#include <string>

#include "corpora/random.h"
#include "decompress/table/group_reader.h"
#include "tests/simt/damaged_columns.h"
#include "tests/simt/emulated_query_device.h"
#include "tests/simt/queried_table.h"
#include "tests/simt/string_query_cases.h"

namespace presso::query_on_gpu_strings_test {
namespace {

using test::Answer;
using test::answer_of;
using test::Asked;
using test::EmulatedFaults;
using test::kStringsAsked;
using test::MadeTable;
using test::make_string_csv;
using test::query_of;

Representation form_of(const Table& table, std::uint64_t group, const char* column) {
  const auto reader = GroupReader::open(table, group);
  EXPECT_TRUE(reader.ok());
  return (*reader)->chunk(*table.find_column(column)).representation;
}

/// By the CPU and by the GPU.
void expect_the_cpus_answer(const MadeTable& made, const Asked& asked, std::uint32_t seed) {
  SCOPED_TRACE(std::string(asked.where) + " | " + asked.group_by + " | " + asked.aggregates);
  const Query query = query_of(*made.table, asked);
  const Answer expected = answer_of(query, nullptr);
  const auto faults = std::make_shared<EmulatedFaults>();
  const Answer found = answer_of(query, test::make_emulated_query_device(faults, seed));
  EXPECT_EQ(found.text, expected.text);
  EXPECT_EQ(found.summary.why_cpu, "");
  EXPECT_EQ(found.summary.device, "the emulator");
  EXPECT_EQ(found.summary.rows_matched, expected.summary.rows_matched);
  EXPECT_EQ(faults->live_bytes, 0u);
  EXPECT_EQ(faults->live_handles, 0u);
}

void expect_the_cpus_rows(const MadeTable& made, const Asked& asked, std::uint32_t seed) {
  SCOPED_TRACE(asked.where);
  Query query = Query::from(*made.table);
  query.where(asked.where).select("id, mixed");
  const Answer found = answer_of(query, test::make_emulated_query_device({}, seed));
  EXPECT_EQ(found.text, answer_of(query, nullptr).text);
  EXPECT_EQ(found.summary.on_device, "conditions");
}

class QueryOnGpuStrings : public ::testing::TestWithParam<std::pair<std::uint32_t, std::uint32_t>> {
};

TEST_P(QueryOnGpuStrings, AnswersAsTheCpu) {
  const auto [rows, group_rows] = GetParam();
  const MadeTable made(make_string_csv(rows, group_rows, 9), group_rows);
  ASSERT_EQ(form_of(*made.table, 0, "comment"), Representation::kToken);
  ASSERT_EQ(form_of(*made.table, 0, "note"), Representation::kToken);
  ASSERT_EQ(form_of(*made.table, 0, "mixed"), Representation::kDictionary);
  if (rows > group_rows) {
    ASSERT_EQ(form_of(*made.table, 1, "mixed"), Representation::kToken);
    ASSERT_EQ(form_of(*made.table, (rows - 1) / group_rows, "mixed"), Representation::kNull);
  }
  std::uint32_t seed = rows;
  for (const Asked& asked : kStringsAsked) {
    expect_the_cpus_answer(made, asked, ++seed);
    expect_the_cpus_rows(made, asked, ++seed);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, QueryOnGpuStrings,
                         ::testing::Values(std::pair{3000u, 65536u}, std::pair{6900u, 2300u},
                                           std::pair{7499u, 2500u}));

/// Strings so long that blocks of tokens end within slices, and slices within blocks.
TEST(QueryOnGpuLongStrings, BlocksNeedNotEndWhereSlicesDo) {
  const MadeTable made(make_string_csv(70000, 1u << 20, 18), 1u << 20);
  const auto reader = GroupReader::open(*made.table, 0);
  ASSERT_TRUE(reader.ok());
  const auto blocks =
      (*reader)->blocks_of(*made.table->find_column("comment"), ColumnStream::kTokens, 0, 70000);
  ASSERT_GT(blocks.end - blocks.first, 2u);
  ASSERT_NE((*reader)->begin_of(blocks.first + 1) % kMaxIntegerRows, 0u);
  expect_the_cpus_answer(made, {"comment not like '%special%requests%'"}, 1);
  expect_the_cpus_answer(made, {"comment like '%final%' and id >= 66000"}, 2);
}

TEST(QueryOnGpuUnsupported, MoreThanFourConditionsAreTheCpus) {
  const MadeTable made(make_string_csv(3000, 65536, 9), 65536);
  const Query many = query_of(*made.table, {"comment like '%a%' or comment like '%b%l%' or "
                                            "note like '%c%' or note like '%d%s' or "
                                            "comment like 'e%'"});
  const Answer five = answer_of(many, test::make_emulated_query_device());
  EXPECT_EQ(five.text, answer_of(many, nullptr).text);
  EXPECT_EQ(five.summary.why_cpu, "more than four conditions on strings that are no dictionary's");
}

// --- faults

TEST(QueryOnGpuStringFaults, EachAllocationAndLaunchMayFail) {
  const MadeTable made(make_string_csv(5000, 2500, 9), 2500);
  const Query query = query_of(*made.table, {"note not like '%final%'", "word", "sum(id)"});
  const auto whole = std::make_shared<EmulatedFaults>();
  const Answer right = answer_of(query, test::make_emulated_query_device(whole));
  ASSERT_EQ(right.text, answer_of(query, nullptr).text);
  ASSERT_EQ(right.summary.why_cpu, "");
  struct Fault {
    std::uint64_t count;
    std::uint64_t EmulatedFaults::*which;
    const char* message;
  };
  for (const Fault& fault :
       {Fault{whole->allocations, &EmulatedFaults::allocation, "out of device memory"},
        Fault{whole->pinned_allocations, &EmulatedFaults::pinned_allocation, "out of memory"},
        Fault{whole->launches, &EmulatedFaults::launch, "GPU failed"}}) {
    ASSERT_GT(fault.count, 3u);
    for (std::uint64_t i = 0; i < fault.count; ++i) {
      const auto faults = std::make_shared<EmulatedFaults>();
      (*faults).*fault.which = i;
      const Answer found = answer_of(query, test::make_emulated_query_device(faults));
      EXPECT_EQ(found.text.substr(0, 6), "error:") << found.text;
      EXPECT_NE(found.text.find(fault.message), std::string::npos) << found.text;
      EXPECT_EQ(faults->live_bytes, 0u);
      EXPECT_EQ(faults->live_handles, 0u);
    }
  }
}

// --- damage

TEST(QueryOnGpuDamage, ErrorsOfTokenBlocksAreTheCpus) {
  MadeTable made(make_string_csv(5000, 2500, 9), 2500);
  auto seen = test::damage(made, "note", 12, 3, [&made] {
    return query_of(*made.table, {"note like '%special%requests%'"});
  });
  EXPECT_GT(seen[ErrorCode::kContentChecksum], 5u);
  EXPECT_GT(seen[ErrorCode::kBadLength], 3u);
  EXPECT_GT(seen[ErrorCode::kOk], 3u);
}

}  // namespace
}  // namespace presso::query_on_gpu_strings_test
