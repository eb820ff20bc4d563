// SPDX-License-Identifier: MIT
// Statements of tests/queries on a real GPU as users have it (query_cases_on_device.cpp runs all of
// them with limits that tests set): over larger tables, from its memory, and answers that stay
// there.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "presso/device_table.h"
#include "presso/query_gpu.h"
#include "tests/simt/query_file.h"
#include "tests/simt/real_cases.h"

namespace presso::query_on_device_test {
namespace {

using namespace test;

bool is_small() {
  const char* const scale = std::getenv("PRESSO_GPU_TEST_SCALE");
  return scale != nullptr && std::string(scale) == "small";
}

class QueryOnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    auto device = gpu::open_query_gpu();
    if (!device.ok()) GTEST_SKIP() << "no usable GPU: " << device.error().message();
    device_ = std::move(*device);
  }
  std::shared_ptr<QueryDevice> device_;
};

/// A test of tests/queries, and the size of its tables.
struct Cases {
  const char* file;
  const char* test;
  const char* size;
  bool resident = false;  ///< tables are loaded before
};

class CasesOnDevice : public QueryOnDevice, public ::testing::WithParamInterface<Cases> {};

TEST_P(CasesOnDevice, AnswerAsTheCpu) {
  const auto& [file, test, size, resident] = GetParam();
  if (is_small() && std::string(size).starts_with("300000")) GTEST_SKIP() << "a large table";
  QueryTables tables = query_tables(file, size);
  std::map<std::string, gpu::DeviceTable> loaded;
  for (const std::string& statement : query_statements(file, test)) {
    SCOPED_TRACE(statement);
    for (const std::string& name : QueryTables::names_in(statement)) {
      if (!resident || loaded.contains(name)) continue;
      auto table = gpu::DeviceTable::load(device_, tables.files(name));
      ASSERT_TRUE(table.ok()) << table.error().message();
      loaded.emplace(name, std::move(*table));
    }
    const Query query = tables.query_of(statement);
    const Answer found = bits_of(query, device_);
    EXPECT_TRUE(found.text == bits_of(query, nullptr).text);
    EXPECT_EQ(found.summary.why_cpu, "");
    EXPECT_TRUE(resident || found.summary.bytes_resident == 0);
    // Strings of joined tables are numbered by the CPU.
    EXPECT_TRUE(!resident || std::string(file) == "joins" || found.summary.bytes_read == 0);
  }
}

/// Several tests, each for several sizes.
std::vector<Cases> cases_of(const char* file, const std::vector<const char*>& tests,
                            const std::vector<const char*>& sizes, bool resident = false) {
  std::vector<Cases> all;
  for (const char* const test : tests) {
    for (const char* const size : sizes) all.push_back({file, test, size, resident});
  }
  return all;
}

constexpr const char* kSmall = "6000/2500";
constexpr const char* kLarge = "300000/70000";
constexpr const char* kOneRowGroup = "300000/1048576";

INSTANTIATE_TEST_SUITE_P(OneTable, CasesOnDevice,
                         ::testing::ValuesIn(cases_of("one_table",
                                                      {"Groups", "Rows", "SumsOfProducts"},
                                                      {kSmall, kLarge, kOneRowGroup})));
/// Sums of doubles have the CPU's bits, in whatever order lanes add.
INSTANTIATE_TEST_SUITE_P(
    Doubles, CasesOnDevice,
    ::testing::ValuesIn(cases_of("doubles", {"UsualOnes", "ExpressionsOfThem", "HostileOnes"},
                                 {kSmall, kLarge, kOneRowGroup})));
INSTANTIATE_TEST_SUITE_P(Joins, CasesOnDevice,
                         ::testing::ValuesIn(cases_of("joins",
                                                      {"Groups", "LoneRowsInGroups", "StringKeys",
                                                       "Rows", "LoneRows"},
                                                      {kSmall, kLarge})));
INSTANTIATE_TEST_SUITE_P(
    Strings, CasesOnDevice,
    ::testing::ValuesIn(cases_of("strings", {"KeysOfGroups", "KeysOfGroupsOfJoins", "Conditions"},
                                 {"tokens", "bytes", "forms"})));
INSTANTIATE_TEST_SUITE_P(
    TablesInMemory, CasesOnDevice,
    ::testing::ValuesIn(cases_of("one_table", {"GroupsInDeviceMemory", "RowsInDeviceMemory"},
                                 {kSmall, kLarge}, true)));
INSTANTIATE_TEST_SUITE_P(JoinsInMemory, CasesOnDevice,
                         ::testing::ValuesIn(cases_of("joins", {"InDeviceMemory"}, {kSmall, kLarge},
                                                      true)));

/// Asks the statements about a table `t` with these columns and this number of rows, and expects at
/// least `least_passes` passes over it.
void ask_about(const std::shared_ptr<QueryDevice>& device, std::uint32_t rows,
               const std::vector<std::string>& columns, const std::vector<std::string>& statements,
               std::uint64_t least_passes) {
  const std::uint32_t group_rows = rows > 1'000'000 ? 1u << 20 : 70'000;
  QueryTables tables({{"t", TableRecipe{"columns", rows, group_rows, 1, false, columns, {}}}});
  for (const std::string& statement : statements) {
    SCOPED_TRACE(statement);
    const Query query = tables.query_of(statement);
    const Answer found = bits_of(query, device);
    EXPECT_TRUE(found.text == bits_of(query, nullptr).text);
    EXPECT_EQ(found.summary.why_cpu, "");
    EXPECT_GE(found.summary.passes, least_passes);
  }
}

/// More groups than a table has room for that stays in the cache: their rows are divided into
/// parts. Where one key has most rows the table grows.
TEST_F(QueryOnDevice, MakesGroupsInParts) {
  if (is_small()) GTEST_SKIP() << "a large table";
  for (const char* const usual : {"0", "6"}) {
    ask_about(
        device_, 8'000'000,
        {"key int64 = any(10) < " + std::string(usual) + " ? 77 : any(6000000) * 6148914691236517",
         "value int64 = any(1048576) - 1000"},
        {"select key, count(*), sum(value) from t group by key",
         "select key, min(value), avg(value) from t where value < 900000 group by key"},
        2);
  }
}

/// Warps put the same strings into the index at the same time. `few` is a dictionary.
TEST_F(QueryOnDevice, NumbersManyStrings) {
  const std::uint32_t rows = is_small() ? 9'000 : 400'000;
  ask_about(device_, rows,
            {"id int64 = row", "few utf8 = {words any(90) * 3 + any(2)}",
             "text utf8 = {words any(rows / 2)}", "digits utf8 = {hex any(rows / 3)}"},
            {"select few, count(*), sum(id), min(id) from t group by few",
             "select text, count(*), sum(id), min(id) from t group by text",
             "select digits, count(*), sum(id), min(id) from t group by digits",
             "select few, digits, count(*), sum(id) from t group by few, digits"},
            1);
}

TEST_F(QueryOnDevice, TestsManyStrings) {
  std::vector<std::string> statements;
  for (const char* const where :
       {"digits like '%ab%'", "digits not like '%a%' and id > 5000", "digits < '8' or id < 3000",
        "digits matches '(ab|cd).*(ef|01)'", "digits = '0'", "digits like '%7'"}) {
    statements.push_back(std::string("select count(*), sum(id), min(id), max(id) from t where ") +
                         where);
  }
  ask_about(device_, is_small() ? 9'000 : 400'000,
            {"id int64 = row", "digits utf8 = {hex row} null 1/13"}, statements, 1);
}

/// Batches on the device, copied back by a stream that waits for their events.
TEST_F(QueryOnDevice, HandsOutItsMemory) {
  QueryTables tables = query_tables("one_table", is_small() ? "9000/4000" : "300000/70000");
  QueryOptions options;
  options.device = device_;
  Query query = Query::from(tables.files("t"));
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

}  // namespace
}  // namespace presso::query_on_device_test
