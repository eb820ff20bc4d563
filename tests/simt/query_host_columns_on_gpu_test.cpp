// SPDX-License-Identifier: MIT
// Columns of build sides in pinned host memory, where the GPU's has no room for them: the answers
// are the CPU's, whether there is that memory or not.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "corpora/random.h"
#include "presso/sql.h"
#include "query/gpu/table/host_columns.h"
#include "query/gpu/table/query_on_gpu.h"
#include "tests/simt/emulated_query_device.h"
#include "tests/simt/queried_table.h"
#include "tests/support/sanitized.h"

namespace presso::query_host_columns_on_gpu_test {
namespace {

using namespace test;

constexpr std::uint64_t kKibi = std::uint64_t{1} << 10;

/// wide: keys, every seventh of which comes three times, and six columns of large numbers, some of
/// which are null; facts: keys of which a third have a partner. inner: a row for some of wide's
/// groups.
class WideTables {
 public:
  Query query_of(const std::string& statement) const {
    const auto parsed = parse_sql(statement);
    EXPECT_TRUE(parsed.ok()) << parsed.error().message();
    const auto table = [&](const std::string& name) -> const Table& {
      return *(name == "wide" ? wide_ : name == "facts" ? facts_ : small_).table;
    };
    std::vector<Table> tables{table(parsed->from.path)};
    for (const SqlJoin& join : parsed->joins) tables.push_back(table(join.source.path));
    return Query::from(*parsed, statement, std::move(tables));
  }

 private:
  static constexpr int kRows = 4000;

  static std::string number(std::uint64_t value) { return std::to_string(value); }
  static std::string wide() {
    corpora::Random random(31);
    std::string csv = "id,a,b,c,d,e,f,kind,note\n";
    for (int i = 0; i < kRows; ++i) {
      csv += number(static_cast<std::uint64_t>(i % 7 < 3 ? i / 7 * 7 : i) * 3) + ",";
      for (int k = 0; k < 6; ++k) {
        const bool is_null = k == 4 && random.below(5) == 0;
        csv += (is_null ? "" : number(random.below(1u << 30) * std::uint64_t{70'001})) + ",";
      }
      csv += number(random.below(20)) + ",note " + number(random.below(1u << 30)) + "\n";
    }
    return csv;
  }
  static std::string facts() {
    corpora::Random random(32);
    std::string csv = "n,k,r,s\n";
    for (int i = 0; i < 9000; ++i) {
      csv += number(static_cast<std::uint64_t>(i)) + ",";
      csv += (random.below(9) == 0 ? "" : number(random.below(3 * kRows))) + ",";
      csv += number(random.below(1000)) + "," + number(random.below(1u << 30)) + "\n";
    }
    return csv;
  }
  static std::string small() {
    std::string csv = "of_kind,label\n";
    for (std::uint64_t i = 0; i < 12; ++i) csv += number(i) + "," + number(i % 3) + "\n";
    return csv;
  }

  MadeTable wide_{wide(), 1500};
  MadeTable facts_{facts(), 4096};
  MadeTable small_{small(), 100};
};

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
    "select kind, count(*), min(a), max(b), min(c), max(d), count(e), max(f) from ";
constexpr const char* kRowsOf = "select n, a, b, c, d, e, f from ";

constexpr const char* kKinds[] = {"facts join wide",       "facts left join wide",
                                  "facts right join wide", "facts full join wide",
                                  "wide semi join facts",  "wide anti join facts"};

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

TEST(HostColumnsOnGpu, EachKindOfJoin) {
  const WideTables tables;
  int on_host = 0;
  Asking asking;
  for (const char* const kind : kKinds) {
    const bool gives_wide = std::string(kind).starts_with("wide");
    for (const char* const pairs : {"", " and b * 3 > a"}) {
      const std::string join = std::string(kind) + " on k = id" + pairs;
      const std::string statements[] = {
          kGrouped + join + " group by kind",
          (gives_wide ? "select a, b, c, d, e, f from " : kRowsOf) + join};
      for (const std::string& statement : statements) {
        SCOPED_TRACE(statement);
        ++asking.seed;
        const std::string text = compare(tables.query_of(statement), asking);
        on_host += says(text, kOnHost) ? 1 : 0;
      }
    }
  }
  EXPECT_GE(on_host, 12);
}

TEST(HostColumnsOnGpu, OfConditionsOnPairsOfSemiAndAntiJoins) {
  const WideTables tables;
  for (const char* const kind : {"semi", "anti"}) {
    const std::string statement = std::string("select count(*) from facts ") + kind +
                                  " join wide on k = id and a + b + c > d + f + s";
    SCOPED_TRACE(statement);
    const Query query = tables.query_of(statement);
    int on_host = 0;
    for (std::uint64_t bytes = 320 * kKibi; bytes < 440 * kKibi; bytes += 20 * kKibi) {
      Asking asking;
      asking.device_bytes = bytes;
      const Answer found = answer_with(query, asking.options());
      if (found.text.starts_with("error: out of ")) continue;
      const std::string text = compare(query, asking);
      on_host += says(text, kOnHost) ? 1 : 0;
    }
    EXPECT_GE(on_host, 1);
  }
}

/// Build sides that the CPU makes, that are joined to others before, and whose rows tell groups.
TEST(HostColumnsOnGpu, HoweverTheBuildSideIsMade) {
  const WideTables tables;
  const Asking asking;
  const std::string by_cpu =
      std::string(kGrouped) + "facts join wide on k = id and length(note) > 3 group by kind";
  EXPECT_TRUE(says(compare(tables.query_of(by_cpu), asking), kOnHost));
  for (const char* const statement :
       {"select label, count(*), min(a), max(b), min(c), max(d), count(e), max(f) from facts join "
        "wide on k = id join small on kind = of_kind group by label",
        "select k, a, b, c, d, e, f, count(*) from facts join wide on k = id and id % 7 = 1 group "
        "by k, a, b, c, d, e, f"}) {
    SCOPED_TRACE(statement);
    compare(tables.query_of(statement), asking);
  }
}

/// By what is predicted: a pass over few rows takes less than to gather values of many.
TEST(HostColumnsOnGpu, PassesWhereTheyAreFaster) {
  const WideTables tables;
  const Query query = tables.query_of(kGrouped + std::string("facts join wide on k = id group by "
                                                             "kind"));
  Asking asking;
  asking.rates = {};
  const std::string text = compare(query, asking);
  EXPECT_TRUE(says(text, kInParts)) << text;
  EXPECT_FALSE(says(text, kOnHost));
}

TEST(HostColumnsOnGpu, AreBoundedByMemory) {
  const WideTables tables;
  const Query query = tables.query_of(kGrouped + std::string("facts join wide on k = id group by "
                                                             "kind"));
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
  const WideTables tables;
  const Query query = tables.query_of(kGrouped + std::string("facts join wide on k = id group by "
                                                             "kind"));
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

/// f: keys; n: rows that lead from these to v, which has five columns of large numbers. All columns
/// are simply packed.
class PlainTables {
 public:
  /// `rows`: of n and v, a prime number.
  explicit PlainTables(std::uint64_t rows) : rows_(rows) {}

  Query query_of(const std::string& statement) const {
    const auto parsed = parse_sql(statement);
    EXPECT_TRUE(parsed.ok()) << parsed.error().message();
    std::vector<Table> tables{*f_.table};
    for (const SqlJoin& join : parsed->joins) {
      tables.push_back(join.source.path == "n" ? *n_.table : *v_.table);
    }
    return Query::from(*parsed, statement, std::move(tables));
  }

 private:
  std::string any_order(std::uint64_t i) const { return std::to_string(i * 1237 % rows_); }
  std::string facts() const {
    std::string csv = "k\n";
    for (std::uint64_t i = 0; i < 2 * rows_; ++i) csv.append(any_order(i)).append("\n");
    return csv;
  }
  std::string near() const {
    corpora::Random random(33);
    std::string csv = "id,place,kind\n";
    for (std::uint64_t i = 0; i < rows_; ++i) {
      csv.append(any_order(i)).append(",").append(any_order(i + 99)).append(",");
      csv.append(std::to_string(random.below(9))).append("\n");
    }
    return csv;
  }
  std::string far() const {
    corpora::Random random(34);
    std::string csv = "there,a,b,c,d,e\n";
    for (std::uint64_t i = 0; i < rows_; ++i) {
      csv.append(any_order(i + 7));
      for (int k = 0; k < 5; ++k) {
        csv.append(",").append(std::to_string(random.below(1u << 30) * std::uint64_t{70'001}));
      }
      csv.append("\n");
    }
    return csv;
  }

  std::uint64_t rows_;
  MadeTable f_{facts(), 1u << 16};
  MadeTable n_{near(), 1u << 16};
  MadeTable v_{far(), 1u << 16};
};

/// Pinned memory is asked for the rows that there are, once these have been counted.
TEST(HostColumnsOnGpu, AreAsManyAsRowsAreLeft) {
  const PlainTables tables(12'007);
  const Query query = tables.query_of(
      "select count(*), max(a), max(b), min(c), max(d), min(e) from f join v on k = there and "
      "there "
      "< 9600");
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
  const PlainTables tables(4001);
  const Query query = tables.query_of(
      "select kind, count(*), min(a), max(b), min(c), max(d), max(e) from f join n on k = id join "
      "v "
      "on place = there group by kind");
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
      EXPECT_LE(used.pinned_bytes, without.pinned_bytes + memory_bytes / 2) << memory_bytes;
      both += used.on_host > 1 ? 1 : 0;
    }
  }
  EXPECT_GT(both, 0);
}

TEST(HostColumnsOnGpu, EachAllocationAndLaunchMayFail) {
  const WideTables tables;
  const Query query = tables.query_of(kGrouped + std::string("facts full join wide on k = id group "
                                                             "by kind"));
  const Asking whole;
  const Answer all = answer_with(query, whole.options());
  ASSERT_EQ(all.summary.why_cpu, "");
  ASSERT_TRUE(says(explained(query, {}), kOnHost));
  constexpr std::uint64_t kStep = kIsSanitized ? 17 : 3;
  const auto fail = [&](std::uint64_t EmulatedFaults::*what, std::uint64_t count,
                        const char* error) {
    for (std::uint64_t i = 0; i < count; i += kStep) {
      Asking asking;
      (*asking.faults).*what = i;
      const Answer found = answer_with(query, asking.options());
      EXPECT_EQ(asking.faults->live_bytes, 0u);
      EXPECT_EQ(asking.faults->live_handles, 0u);
      EXPECT_TRUE(found.text == all.text || says(found.text, error)) << i << ": " << found.text;
    }
  };
  fail(&EmulatedFaults::allocation, whole.faults->allocations, "error: out of device memory");
  fail(&EmulatedFaults::pinned_allocation, whole.faults->pinned_allocations,
       "error: out of memory");
  fail(&EmulatedFaults::launch, whole.faults->launches, "GPU failed");
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
