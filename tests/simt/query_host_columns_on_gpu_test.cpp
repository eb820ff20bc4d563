// SPDX-License-Identifier: MIT
// Columns of build sides in pinned host memory, where the GPU's has no room for them: the answers
// are the CPU's, whether there is that memory or not.
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "query/gpu/table/host_columns.h"
#include "query/gpu/table/query_on_gpu.h"
#include "tests/simt/emulated_query_device.h"
#include "tests/simt/faulty_queries.h"
#include "tests/simt/queried_table.h"
#include "tests/simt/query_file.h"

namespace presso::query_host_columns_on_gpu_test {
namespace {

using namespace test;

constexpr std::uint64_t kKibi = std::uint64_t{1} << 10;

struct Asking {
  std::uint64_t device_bytes = 300 * kKibi;
  std::uint64_t pinned_bytes = ~std::uint64_t{0};
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  /// Where host memory costs nothing it is taken before passes.
  gpu::HostRates rates = {.write = 1e30, .gather = 1e30};
  std::uint32_t seed = 1;
  std::shared_ptr<EmulatedFaults> faults = std::make_shared<EmulatedFaults>();

  QueryOptions options() const {
    QueryOptions options;
    options.threads = 2;
    options.memory_bytes = memory_bytes;
    gpu::MemoryLimits limits;
    limits.device_bytes = device_bytes;
    limits.pinned_bytes = pinned_bytes;
    options.device = make_emulated_query_device(faults, seed, limits);
    dynamic_cast<gpu::QueryOnGpu&>(*options.device).set_host_rates(rates);
    return options;
  }
};

std::string explained(const Query& query, const Asking& asking) {
  return explained_with(query, asking.options());
}

constexpr const char* kOnHost = " bytes in host memory";
constexpr const char* kInParts = " parts";

constexpr const char* kGrouped =
    "select kind, count(*), min(a), max(b), min(c), max(d), count(e), max(f) from facts join wide "
    "on "
    "k = id group by kind";

/// Compares with the CPU; what --explain says.
std::string compare(const Query& query, const Asking& asking) {
  const Answer expected = answer_of(query, nullptr);
  EXPECT_NE(expected.text.substr(0, 6), "error:") << expected.text;
  const Answer found = answer_with(query, asking.options());
  EXPECT_EQ(asking.faults->live_bytes, 0u);
  EXPECT_EQ(asking.faults->live_handles, 0u);
  EXPECT_EQ(found.text, expected.text);
  EXPECT_EQ(found.summary.rows_matched, expected.summary.rows_matched);
  return found.summary.why_cpu.empty() ? explained(query, asking) : found.summary.why_cpu;
}

/// Statements of which as many as said have columns of build sides in host memory.
void expect_on_host(const std::string& test, std::uint64_t kibi, int least) {
  QueryTables tables = query_tables("host_columns");
  Asking asking;
  asking.device_bytes = kibi * kKibi;
  int on_host = 0;
  for (const std::string& statement : query_statements("host_columns", test)) {
    SCOPED_TRACE(statement);
    ++asking.seed;
    on_host += says(compare(tables.query_of(statement), asking), kOnHost) ? 1 : 0;
  }
  EXPECT_GE(on_host, least);
}

TEST(HostColumnsOnGpu, HoldBuildSidesOfAllKinds) {
  expect_on_host("KindsOfJoins", 300, 12);
  expect_on_host("ConditionsOnPairs", 380, 2);
  expect_on_host("OtherBuildSides", 300, 1);
}

/// By what is predicted: a pass over few rows takes less than to gather values of many.
TEST(HostColumnsOnGpu, PassesWhereTheyAreFaster) {
  QueryTables tables = query_tables("host_columns");
  const Query query = tables.query_of(kGrouped);
  Asking asking;
  asking.rates = {};
  const std::string text = compare(query, asking);
  EXPECT_TRUE(says(text, kInParts)) << text;
  EXPECT_FALSE(says(text, kOnHost));
}

TEST(HostColumnsOnGpu, AreBoundedByMemory) {
  QueryTables tables = query_tables("host_columns");
  const Query query = tables.query_of(kGrouped);
  Asking asking;
  EXPECT_TRUE(says(compare(query, asking), "columns of 2")) << explained(query, asking);
  asking.pinned_bytes = 300 * kKibi;
  std::string text = compare(query, asking);
  EXPECT_TRUE(says(text, kInParts)) << text;
  // Parts of the build side may have their columns there, where these are few enough.
  asking.pinned_bytes = ~std::uint64_t{0};
  asking.memory_bytes = 100 * kKibi;
  text = compare(query, asking);
  EXPECT_TRUE(says(text, kInParts)) << text;
}

/// As pinned memory is refused, whatever the limits say: passes come next, then the CPU.
TEST(HostColumnsOnGpu, PassesWherePinnedMemoryIsRefused) {
  QueryTables tables = query_tables("host_columns");
  const Query query = tables.query_of(kGrouped);
  Asking asking;
  asking.faults->most_pinned = 100 * kKibi;
  const std::string text = compare(query, asking);
  EXPECT_TRUE(says(text, kInParts)) << text;
  EXPECT_FALSE(says(text, kOnHost));
  // Too little for sixteen parts with columns there, but enough for parts without.
  int on_host = 0;
  int by_cpu = 0;
  for (std::uint64_t bytes = 120 * kKibi; bytes < 200 * kKibi; bytes += 8 * kKibi) {
    for (const std::uint64_t most_pinned : {~std::uint64_t{0}, 20 * kKibi}) {
      Asking less;
      less.device_bytes = bytes;
      less.faults->most_pinned = most_pinned;
      const Answer found = answer_with(query, less.options());
      EXPECT_EQ(less.faults->live_bytes, 0u);
      if (found.text.starts_with("error: out of ")) continue;
      EXPECT_EQ(found.text, answer_of(query, nullptr).text);
      by_cpu += found.summary.why_cpu.empty() ? 0 : 1;
      on_host += says(explained(query, less), kOnHost) ? 1 : 0;
    }
  }
  EXPECT_GE(on_host + by_cpu, 1);
}

/// Pinned memory is asked for the rows that there are, once these have been counted.
TEST(HostColumnsOnGpu, AreAsManyAsRowsAreLeft) {
  QueryTables tables = query_tables("host_columns");
  const Query query = tables.query_of(
      "select count(*), max(a), max(b), min(c), max(d), min(e) from f join v on k = there and "
      "there < 9600");
  const auto is_on_host = [&](const Asking& asking) {
    const std::string told = compare(query, asking);
    return says(told, kOnHost) && !says(told, "by the CPU");
  };
  int on_host = 0;
  for (std::uint64_t bytes = 760 * kKibi; bytes < 900 * kKibi; bytes += 20 * kKibi) {
    SCOPED_TRACE(bytes);
    Asking asking;
    asking.device_bytes = bytes;
    const bool with_any = is_on_host(asking);
    on_host += with_any ? 1 : 0;
    asking.faults->most_pinned = 420 * kKibi;  // for 10,752 of 12,007 rows; 9,600 are left
    EXPECT_EQ(is_on_host(asking), with_any);
  }
  EXPECT_GT(on_host, 0);
}

/// Build sides that are joined to others before share what there is of pinned memory with them.
TEST(HostColumnsOnGpu, OfNestedBuildSidesKeepToOneLimit) {
  QueryTables tables = query_tables("host_columns");
  const Query query = tables.query_of(
      "select kind, count(*), min(a), max(b), min(c), max(d), max(e) from few_f join few_n on k = "
      "id "
      "join few_v on place = there group by kind");
  struct Used {
    std::uint64_t pinned_bytes = 0;
    int on_host = 0;  ///< build sides with columns there
  };
  const auto run = [&](std::uint64_t memory_bytes, std::uint64_t device_bytes) {
    Asking asking;
    asking.memory_bytes = memory_bytes;
    asking.device_bytes = device_bytes;
    const std::string told = compare(query, asking);
    Used used{asking.faults->most_pinned_bytes, 0};
    for (std::size_t at = told.find(kOnHost); at != std::string::npos;
         at = told.find(kOnHost, at + 1)) {
      ++used.on_host;
    }
    return used;
  };
  int both = 0;
  for (std::uint64_t device_bytes = 240 * kKibi; device_bytes < 400 * kKibi;
       device_bytes += 40 * kKibi) {
    SCOPED_TRACE(device_bytes);
    const Used without = run(20 * kKibi, device_bytes);
    for (const std::uint64_t memory_bytes : {380 * kKibi, 500 * kKibi, 900 * kKibi}) {
      const Used used = run(memory_bytes, device_bytes);
      // A piece on its way back is there as long as the query.
      constexpr std::uint64_t kPiece = 64 * kKibi;
      EXPECT_LE(used.pinned_bytes, without.pinned_bytes + kPiece + memory_bytes / 2)
          << memory_bytes;
      both += used.on_host > 1 ? 1 : 0;
    }
  }
  EXPECT_GT(both, 0);
}

TEST(HostColumnsOnGpu, EachAllocationAndLaunchMayFail) {
  QueryTables tables = query_tables("host_columns");
  const Query query = tables.query_of(
      "select kind, count(*), min(a), max(b), min(c), max(d), count(e), max(f) from facts full "
      "join "
      "wide on k = id group by kind");
  ASSERT_TRUE(says(explained(query, {}), kOnHost));
  expect_faults_are_told(query, 3, 40, [](const std::shared_ptr<EmulatedFaults>& faults) {
    Asking asking;
    asking.faults = faults;
    return asking.options();
  });
}

TEST(HostColumnsOnGpu, WhatIsPredicted) {
  gpu::HostColumns of;
  of.rows = 1e6;
  of.row_bytes = 40;
  of.columns = 5;
  of.matches = 1e7;
  of.pass_bytes = 2e9;
  of.passes = 1;
  const gpu::HostRates rates;
  EXPECT_DOUBLE_EQ(gpu::seconds_on_host(of, rates), (4e7 + 1e7 * 5 * 32) / 20e9);
  EXPECT_DOUBLE_EQ(gpu::seconds_of_passes(of, rates), 0.1);
  of.is_resident = true;
  EXPECT_DOUBLE_EQ(gpu::seconds_of_passes(of, rates), 0.002);
  of.passes = std::numeric_limits<double>::infinity();
  of.pass_bytes = 0;
  EXPECT_GT(gpu::seconds_of_passes(of, rates), gpu::seconds_on_host(of, rates));
  EXPECT_EQ(gpu::most_host_bytes(100, 30), 15u);
}

}  // namespace
}  // namespace presso::query_host_columns_on_gpu_test
