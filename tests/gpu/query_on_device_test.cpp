// SPDX-License-Identifier: MIT
// Queries on a real GPU give what they give on the CPU: the cases of the emulator, and larger ones.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "presso/device_table.h"
#include "presso/query_gpu.h"
#include "tests/simt/join_cases.h"
#include "tests/simt/keyed_tables.h"
#include "tests/simt/query_cases.h"
#include "tests/simt/real_cases.h"

namespace presso::query_on_device_test {
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
    EXPECT_EQ(found.summary.why_cpu, "");
    if (*asked.where == '\0') continue;
    Query selected = Query::from(*made.table);
    selected.where(asked.where).select("id, word, maybe, real");
    EXPECT_EQ(answer_of(selected, device_).text, answer_of(selected, nullptr).text);
  }
}

/// Groups and joins of tables that stay in its memory.
TEST_P(QueryOnDevice, AnswersFromItsMemory) {
  const auto [rows, group_rows] = GetParam();
  const MadeTable made(make_csv(rows, static_cast<unsigned>(rows)), group_rows);
  const auto loaded = gpu::DeviceTable::load(device_, {*made.table});
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  for (const Asked& asked : kAsked) {
    SCOPED_TRACE(std::string(asked.where) + " | " + asked.group_by + " | " + asked.aggregates);
    const Query query = query_of(*made.table, asked);
    const Answer found = answer_of(query, device_);
    EXPECT_EQ(found.text, answer_of(query, nullptr).text);
    EXPECT_EQ(found.summary.why_cpu, "");
    EXPECT_EQ(found.summary.bytes_read, 0u);
    if (*asked.where == '\0') continue;
    Query selected = Query::from(*made.table);
    selected.where(asked.where).select("id, word, maybe, price");
    EXPECT_EQ(answer_of(selected, device_).text, answer_of(selected, nullptr).text);
  }
  if (rows < 600) return;
  const JoinedTables tables(rows, group_rows);
  std::vector<gpu::DeviceTable> all;
  for (const char* const name : JoinedTables::kNames) {
    auto one = gpu::DeviceTable::load(device_, {tables.table(name)});
    ASSERT_TRUE(one.ok()) << one.error().message();
    all.push_back(std::move(*one));
  }
  for (const char* const statement : kJoinStatements) {
    SCOPED_TRACE(statement);
    const Query query = tables.query_of(statement);
    const Answer found = answer_of(query, device_);
    EXPECT_EQ(found.text, answer_of(query, nullptr).text);
    EXPECT_GT(found.summary.bytes_resident, 0u);
  }
}

/// Sums of doubles have the CPU's bits, in whatever order lanes add.
TEST_P(QueryOnDevice, AddsDoublesAsTheCpu) {
  const auto [rows, group_rows] = GetParam();
  const auto count = static_cast<std::uint32_t>(rows);
  const auto expect_as_on_cpu = [&](const TableOfColumns& made, std::span<const Asked> all,
                                    const char* why_cpu = "") {
    for (const Asked& asked : all) {
      SCOPED_TRACE(std::string(asked.where) + " | " + asked.group_by + " | " + asked.aggregates);
      const Query query = query_of(*made.table, asked);
      const Answer found = bits_of(query, device_);
      EXPECT_EQ(found.text, bits_of(query, nullptr).text);
      EXPECT_EQ(found.summary.why_cpu, why_cpu);
    }
  };
  const TableOfColumns usual = usual_reals(count, group_rows, count);
  expect_as_on_cpu(usual, kAskedOfReals);
  expect_as_on_cpu(usual, kExpressionsOfReals);
  const Asked kHostile[] = {
      {"", "few", "avg(pairs), sum(pairs), min(huge), max(tiny)"},
      {"", "many", "avg(plus), sum(minus), max(floats), min(special), max(special)"},
      {"special < nan_or_one", "few", "count(*), max(huge / tiny), min(tiny * 0.5e0)"},
  };
  const TableOfColumns hostile = hostile_reals(count, group_rows, count + 1);
  expect_as_on_cpu(hostile, kHostile);
  const Asked kTooFar[] = {{"", "few", "sum(huge)"}};
  expect_as_on_cpu(hostile, kTooFar, "sums of doubles that are too far from each other");
}

/// Batches on the device, copied back by a stream that waits for their events.
TEST_P(QueryOnDevice, HandsOutItsMemory) {
  const auto [rows, group_rows] = GetParam();
  const MadeTable made(make_csv(rows, static_cast<unsigned>(rows)), group_rows);
  QueryOptions options;
  options.device = device_;
  Query query = Query::from(*made.table);
  query.where("run > 2").select("id");
  ArrowOwner<ArrowDeviceArrayStream> found;
  ArrowOwner<ArrowArrayStream> expected;
  ASSERT_TRUE(gpu::run_on(query, options, *found.out()).ok());
  ASSERT_TRUE(query.run({}, *expected.out()).ok());
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  for (;;) {
    ArrowDeviceArray batch = {};
    ArrowOwner<ArrowArray> host;
    ASSERT_EQ(found->get_next(found.get(), &batch), 0);
    ASSERT_EQ(expected->get_next(expected.get(), host.out()), 0);
    ASSERT_EQ(batch.array.release == nullptr, host.empty());
    if (host.empty()) break;
    ASSERT_EQ(batch.array.length, host->length);
    std::vector<std::int64_t> ids(static_cast<std::size_t>(host->length));
    EXPECT_EQ(cudaStreamWaitEvent(stream, *static_cast<cudaEvent_t*>(batch.sync_event), 0),
              cudaSuccess);
    EXPECT_EQ(cudaMemcpyAsync(ids.data(), batch.array.children[0]->buffers[1],
                              ids.size() * sizeof ids[0], cudaMemcpyDeviceToHost, stream),
              cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    const auto* const of_host = static_cast<const std::int64_t*>(host->children[0]->buffers[1]);
    EXPECT_TRUE(std::equal(ids.begin(), ids.end(), of_host));
    batch.array.release(&batch.array);
  }
  cudaStreamDestroy(stream);
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

/// More groups than a table has room for that stays in the cache: their rows are divided into
/// parts. Where one key has most rows the table grows.
TEST(QueryOnDeviceByParts, AnswersAsTheCpu) {
  const auto device = gpu::open_query_gpu();
  if (!device.ok()) GTEST_SKIP() << "no usable GPU: " << device.error().message();
  const char* const scale = std::getenv("PRESSO_GPU_TEST_SCALE");
  if (scale != nullptr && std::string(scale) == "small") GTEST_SKIP() << "a large table";
  constexpr std::uint32_t kRows = 8'000'000;
  for (const std::uint32_t usual_in_ten : {0u, 6u}) {
    corpora::Random random(usual_in_ten);
    const auto key = [&](std::uint32_t) -> std::int64_t {
      if (random.below(10) < usual_in_ten) return 77;
      return static_cast<std::int64_t>(random.below(6'000'000) * 6'148'914'691'236'517ull);
    };
    const auto value = [&](std::uint32_t) { return std::int64_t{random.below(1u << 20)} - 1000; };
    std::vector<std::pair<std::string, ColumnData>> columns;
    columns.emplace_back("key", column_of<std::int64_t>(ColumnType::kInt64, kRows, key));
    columns.emplace_back("value", column_of<std::int64_t>(ColumnType::kInt64, kRows, value));
    const TableOfColumns made(columns, 1u << 20);
    for (const Asked& asked : {Asked{"", "key", "count(*), sum(value)"},
                               Asked{"value < 900000", "key", "min(value), avg(value)"}}) {
      SCOPED_TRACE(std::string(asked.where) + asked.aggregates + std::to_string(usual_in_ten));
      const Query query = query_of(*made.table, asked);
      const Answer found = answer_of(query, *device);
      EXPECT_EQ(found.text, answer_of(query, nullptr).text);
      EXPECT_EQ(found.summary.why_cpu, "");
      EXPECT_GT(found.summary.passes, 1u);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, QueryOnDevice,
                         ::testing::Values(std::pair{33, 1000u}, std::pair{6000, 2500u},
                                           std::pair{9000, 1u << 20}, std::pair{300'000, 1u << 20},
                                           std::pair{300'000, 70'000u}));

/// Groups by strings that are no dictionary's, and conditions on them.
class StringGroupsOnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    auto device = gpu::open_query_gpu();
    if (!device.ok()) GTEST_SKIP() << "no usable GPU: " << device.error().message();
    device_ = std::move(*device);
  }
  void expect_as_on_cpu(const Query& query) {
    const Answer found = answer_of(query, device_);
    EXPECT_EQ(found.text, answer_of(query, nullptr).text);
    EXPECT_EQ(found.summary.why_cpu, "");
  }

  std::shared_ptr<QueryDevice> device_;
};

TEST_F(StringGroupsOnDevice, OfAllFormsAnswerAsTheCpu) {
  using Form = KeyedTables::Form;
  for (const Form form : {Form::kTokens, Form::kBytes, Form::kMixed}) {
    const KeyedTables tables(form);
    for (const char* const statement : kStringGroups) {
      SCOPED_TRACE(statement);
      expect_as_on_cpu(tables.query_of(statement));
    }
    for (const char* const statement : kJoinedStringGroups) {
      SCOPED_TRACE(statement);
      expect_as_on_cpu(tables.query_of(statement));
    }
  }
}

/// Warps put the same strings into the index at the same time. `few` is a dictionary.
TEST_F(StringGroupsOnDevice, OfManyRowsAnswerAsTheCpu) {
  const char* const scale = std::getenv("PRESSO_GPU_TEST_SCALE");
  const std::uint32_t rows = scale != nullptr && std::string(scale) == "small" ? 9'000 : 400'000;
  corpora::Random random(3);
  std::string csv = "id,few,text,digits\n";
  for (std::uint32_t i = 0; i < rows; ++i) {
    csv += std::to_string(i) + "," + key_string(random.below(90) * 3 + random.below(2)) + "," +
           key_string(random.below(rows / 2)) + "," + hex_string(random.below(rows / 3)) + "\n";
  }
  const MadeTable made(csv, 70'000);
  for (const char* const keys : {"few", "text", "digits", "few, digits"}) {
    SCOPED_TRACE(keys);
    Query query = Query::from(*made.table);
    query.group_by(keys).aggregate("count(*), sum(id), min(id)");
    expect_as_on_cpu(query);
  }
}

class TextConditionsOnDevice : public StringGroupsOnDevice {};

TEST_F(TextConditionsOnDevice, OfAllFormsAnswerAsTheCpu) {
  using Form = KeyedTables::Form;
  for (const Form form : {Form::kTokens, Form::kBytes, Form::kMixed}) {
    const KeyedTables tables(form);
    for (const char* const condition : kTextConditions) {
      SCOPED_TRACE(condition);
      expect_as_on_cpu(tables.query_of(text_statement(condition)));
    }
  }
}

TEST_F(TextConditionsOnDevice, OfManyRowsAnswerAsTheCpu) {
  const char* const scale = std::getenv("PRESSO_GPU_TEST_SCALE");
  const std::uint32_t rows = scale != nullptr && std::string(scale) == "small" ? 9'000 : 400'000;
  std::string csv = "id,digits\n";
  for (std::uint32_t i = 0; i < rows; ++i) {
    csv += std::to_string(i) + "," + (i % 13 == 4 ? "" : hex_string(i)) + "\n";
  }
  const MadeTable made(csv, 150'000);
  ASSERT_EQ(form_of(*made.table, 0, "digits"), Representation::kBytes);
  for (const char* const where :
       {"digits like '%ab%'", "digits not like '%a%' and id > 5000", "digits < '8' or id < 3000",
        "digits matches '(ab|cd).*(ef|01)'", "digits = '0'", "digits like '%7'"}) {
    SCOPED_TRACE(where);
    Query query = Query::from(*made.table);
    query.where(where).aggregate("count(*), sum(id), min(id), max(id)");
    expect_as_on_cpu(query);
  }
}

}  // namespace
}  // namespace presso::query_on_device_test
