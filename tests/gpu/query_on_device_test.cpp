// SPDX-License-Identifier: MIT
// Queries on a real GPU give what they give on the CPU: the cases of the emulator, and larger ones.
#include <gtest/gtest.h>

#include <cstdlib>
#include <span>
#include <string>

#include "presso/query_gpu.h"
#include "tests/simt/join_cases.h"
#include "tests/simt/query_cases.h"

namespace presso {
namespace {

using namespace test;

class QueryOnDevice : public ::testing::TestWithParam<std::pair<int, std::uint32_t>> {
 protected:
  void SetUp() override {
    auto device = gpu::open_query_gpu();
    if (!device.ok()) GTEST_SKIP() << "no usable GPU: " << device.error().message();
    device_ = std::move(*device);
    const char* const scale = std::getenv("PRESSO_GPU_TEST_SCALE");
    const bool is_small = scale != nullptr && std::string(scale) == "small";
    if (is_small && GetParam().first > 10'000) GTEST_SKIP() << "a large table";
  }

  std::shared_ptr<QueryDevice> device_;
};

TEST_P(QueryOnDevice, AnswersAsTheCpu) {
  const auto [rows, group_rows] = GetParam();
  const MadeTable made(make_csv(rows, static_cast<unsigned>(rows)), group_rows);
  for (const Asked& asked : kAsked) {
    SCOPED_TRACE(std::string(asked.where) + " | " + asked.group_by + " | " + asked.aggregates);
    const Query query = query_of(*made.table, asked);
    const Answer found = answer_of(query, device_);
    EXPECT_EQ(found.text, answer_of(query, nullptr).text);
    if (!is_lenient(asked)) {
      EXPECT_EQ(found.summary.why_cpu, "");
    }
    if (*asked.where == '\0') continue;
    Query selected = Query::from(*made.table);
    selected.where(asked.where).select("id, word, maybe, real");
    EXPECT_EQ(answer_of(selected, device_).text, answer_of(selected, nullptr).text);
  }
}

TEST_P(QueryOnDevice, JoinsAsTheCpu) {
  const auto [rows, group_rows] = GetParam();
  if (rows < 600) GTEST_SKIP() << "facts must be more than what they are joined with";
  const JoinedTables tables(rows, group_rows);
  const auto expect_as_on_cpu = [&](std::span<const char* const> statements, const char* there) {
    for (const char* const statement : statements) {
      SCOPED_TRACE(statement);
      const Query query = tables.query_of(statement);
      const Answer found = answer_of(query, device_);
      EXPECT_EQ(found.text, answer_of(query, nullptr).text);
      EXPECT_EQ(found.summary.why_cpu, "");
      EXPECT_EQ(found.summary.on_device, there);
    }
  };
  expect_as_on_cpu(kJoinStatements, "joins, conditions and groups");
  expect_as_on_cpu(kLoneRowStatements, "joins, conditions and groups");
  expect_as_on_cpu(kStringKeyStatements, "joins, conditions and groups");
  expect_as_on_cpu(kJoinedRows, "joins and conditions");
  expect_as_on_cpu(kLoneRows, "joins and conditions");
}

INSTANTIATE_TEST_SUITE_P(Sizes, QueryOnDevice,
                         ::testing::Values(std::pair{33, 1000u}, std::pair{6000, 2500u},
                                           std::pair{9000, 1u << 20}, std::pair{300'000, 1u << 20},
                                           std::pair{300'000, 70'000u}));

}  // namespace
}  // namespace presso
