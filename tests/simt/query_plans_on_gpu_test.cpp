// SPDX-License-Identifier: MIT
// Plans of selections on the emulated GPU: whichever conditions come first, beside each other or in
// kernels of their own, the answer is the CPU's; plans that kernels cannot follow are refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "decompress/table/group_reader.h"
#include "presso/sql.h"
#include "query/run/explain.h"
#include "tests/simt/emulated_query_device.h"
#include "tests/simt/queried_table.h"
#include "tests/simt/query_cases.h"
#include "tests/simt/query_file.h"
#include "tests/simt/query_runs.h"
#include "tests/simt/string_query_cases.h"
#include "tests/support/sanitized.h"

namespace presso::query_plans_on_gpu_test {
namespace {

using namespace test;

Answer answer_by_plan(const Query& query, const std::string& plan,
                      std::shared_ptr<QueryDevice> device, bool cpu_fallback = false,
                      PlanChoice::Rows rows = PlanChoice::Rows::kAuto) {
  QueryOptions options;
  options.threads = 2;
  options.device = std::move(device);
  options.cpu_fallback = cpu_fallback;
  options.plan = {plan, rows};
  TextSink sink;
  const auto done = query.run(options, sink);
  if (!done.ok()) return {"error: " + done.error().message(), {}};
  return {sink.text, *done};
}

std::size_t kernels_of(const EmulatedFaults& faults) {
  return static_cast<std::size_t>(std::count(faults.steps.begin(), faults.steps.end(), "pipeline"));
}

/// Those that kernels can follow have as many kernels as they say; others are the CPU's where it
/// may go on. Random plans are in tests/queries/plans.txt.
TEST(PlanOnGpu, HasTheKernelsThatItSays) {
  const MadeTable made(make_csv(3000, 3), 1024);
  const Query query =
      query_of(*made.table, {"run > 2 and maybe < 100 and id < walk", "word", "sum(price)"});
  const Answer expected = answer_of(query, nullptr);
  for (const auto& [plan, kernels] : {std::pair{"1&2&&3", 1u},
                                      {"2&&1&&3", 1u},
                                      {"2;1&&3", 2u},
                                      {"3;1&2", 2u},
                                      {"2;3;1", 3u},
                                      {"1&2;3;", 3u}}) {
    SCOPED_TRACE(plan);
    const auto faults = std::make_shared<EmulatedFaults>();
    const Answer found = answer_by_plan(query, plan, make_emulated_query_device(faults));
    EXPECT_EQ(found.text, expected.text);
    EXPECT_EQ(found.summary.why_cpu, "");
    EXPECT_EQ(found.summary.rows_matched, expected.summary.rows_matched);
    EXPECT_GT(kernels_of(*faults), 0u);
    EXPECT_EQ(kernels_of(*faults) % kernels, 0u);
  }
  // In each kernel expressions come after all other conditions, and a branch.
  for (const char* const plan : {"1&2&3", "3&&1;2", "3&1&&2", "2;3&&1"}) {
    SCOPED_TRACE(plan);
    const auto device = make_emulated_query_device();
    EXPECT_TRUE(says(answer_by_plan(query, plan, device).text, "a plan that a GPU cannot follow"));
    const Answer by_cpu = answer_by_plan(query, plan, device, true);
    EXPECT_EQ(by_cpu.text, expected.text);
    EXPECT_TRUE(says(by_cpu.summary.why_cpu, "a plan that a GPU"));
  }
}

/// Each allocation of a plan of several kernels may fail, and each launch.
TEST(PlanOnGpu, FailsAsADeviceDoes) {
  const MadeTable made(make_string_csv(2500, 1300, 9), 1300);
  const Query query = query_of(
      *made.table, {"comment like '%e%' and run > 1 and id < run * 3000", "word", "sum(id)"});
  const char* const kPlan = "2;1;3;";
  const auto whole = std::make_shared<EmulatedFaults>();
  const Answer expected = answer_by_plan(query, kPlan, make_emulated_query_device(whole));
  EXPECT_EQ(expected.text, answer_of(query, nullptr).text);
  const auto expect_error = [&](const std::shared_ptr<EmulatedFaults>& faults) {
    const Answer found = answer_by_plan(query, kPlan, make_emulated_query_device(faults));
    EXPECT_EQ(found.text.substr(0, 6), "error:") << found.text;
    EXPECT_EQ(faults->live_bytes, 0u);
    EXPECT_EQ(faults->live_handles, 0u);
  };
  for (std::uint64_t i = 0; i < whole->allocations; ++i) {
    const auto faults = std::make_shared<EmulatedFaults>();
    faults->allocation = i;
    expect_error(faults);
  }
  for (std::uint64_t i = 0; i < whole->launches; ++i) {
    const auto faults = std::make_shared<EmulatedFaults>();
    faults->launch = i;
    expect_error(faults);
  }
}

TEST(PlanOnGpu, ListsBetweenKernelsAreRefused) {
  const MadeTable made(make_csv(3000, 3), 1024);
  const Query query = query_of(*made.table, {"run > 2 and maybe < 100", "word", "sum(price)"});
  const std::string expected = answer_of(query, nullptr).text;
  const auto by = [&](const char* plan, PlanChoice::Rows rows) {
    return answer_by_plan(query, plan, make_emulated_query_device(), false, rows);
  };
  EXPECT_EQ(by("2;1", PlanChoice::Rows::kList).text,
            "error: invalid argument: a plan that a GPU cannot follow: rows go from one kernel to "
            "the next as a bitmap, not as a list");
  EXPECT_EQ(by("2;1", PlanChoice::Rows::kBitmap).text, expected);
  EXPECT_EQ(by("2&&1", PlanChoice::Rows::kList).text, expected);
  EXPECT_EQ(by("", PlanChoice::Rows::kList).text, expected);
}

TEST(PlanOnGpu, IsExplained) {
  const MadeTable made(make_csv(3000, 3), 1024);
  const Query query =
      query_of(*made.table, {"run > 2 and maybe < 100 and id < walk", "word", "sum(price)"});
  const auto explained = [&](const char* plan) {
    QueryOptions options;
    options.plan.plan = plan;
    options.device = make_emulated_query_device();
    const auto told = query.explain(options, false);
    return told.ok() ? *told : told.error().what;
  };
  EXPECT_NE(explained("2;1&&3").find("on the GPU: plan 2;1&&3, 2 kernels\n"), std::string::npos)
      << explained("2;1&&3");
  EXPECT_NE(explained("1&2;3;").find("on the GPU: plan 1&2;3;, 3 kernels\n"), std::string::npos);
  EXPECT_NE(explained("").find(", one kernel\n"), std::string::npos);
  EXPECT_NE(explained("3&&1;2").find("on the GPU: a plan that a GPU cannot follow: condition 3 is "
                                     "an expression"),
            std::string::npos);
}

/// Stored bytes of a column's blocks; `nulls`: of those alone that say which rows are null.
std::uint64_t bytes_of(const Table& table, const char* column, bool nulls = false) {
  std::uint64_t bytes = 0;
  for (std::uint64_t i = 0; i < table.row_groups(); ++i) {
    const auto group = GroupReader::open(table, i);
    EXPECT_TRUE(group.ok());
    const ColumnChunk& chunk = (*group)->chunk(*table.find_column(column));
    for (std::uint32_t k = chunk.first_block; k < chunk.first_block + chunk.blocks; ++k) {
      const ColumnBlock& block = (*group)->directory().blocks[k];
      const bool is_validity = block.stream == ColumnStream::kValidity;
      const bool is_value = !nulls && block.stream >= ColumnStream::kValues;
      if (is_validity || is_value) bytes += block.stored_bytes;
    }
  }
  return bytes;
}

/// What each kernel reads and writes, in --explain=analyze.
TEST(PlanOnGpu, IsAnalyzed) {
  const MadeTable made(make_csv(3000, 3), 1024);
  const std::string bitmap = "384 bytes";  // three row groups, of one vector each
  const auto analyzed = [&](const char* where, const char* aggregates, const char* plan) {
    QueryOptions options;
    options.plan.plan = plan;
    options.device = make_emulated_query_device();
    const auto told = query_of(*made.table, {where, "", aggregates}).explain(options, true);
    return told.ok() ? *told : told.error().what;
  };
  const auto expect_lines = [](const std::string& text, const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      EXPECT_NE(text.find("\non the GPU: kernel " + line + "\n"), std::string::npos) << line << '\n'
                                                                                     << text;
    }
  };
  const auto read = [&](const char* column, std::uint64_t more, bool nulls = false) {
    return grouped(bytes_of(*made.table, column, nulls) + more) + " bytes read, ";
  };
  // A sum has its first row and itself; rows are only counted.
  const char* const kWhere = "price < 500 and maybe is null";
  expect_lines(analyzed(kWhere, "sum(walk)", "1;2;"),
               {"1 of 3, 1: " + read("price", 0) + bitmap + " written",
                "2 of 3, 2: " + read("maybe", 384, true) + bitmap + " written",
                "3 of 3, no condition: " + read("walk", 384) + "16 bytes written"});
  expect_lines(analyzed(kWhere, "count(*)", "2;1"),
               {"1 of 2, 2: " + read("maybe", 0, true) + bitmap + " written",
                "2 of 2, 1: " + read("price", 384) + "0 bytes written"});
  expect_lines(
      analyzed(kWhere, "count(*)", "2&&1"),
      {"1 of 1, 2&&1: " + read("price", bytes_of(*made.table, "maybe", true)) + "0 bytes written"});
}

/// Lines of --explain=analyze that tell of kernels.
std::vector<std::string> kernel_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; (at = text.find("\non the GPU: kernel ", at)) != std::string::npos;) {
    lines.push_back(text.substr(at + 1, text.find('\n', at + 1) - at - 1));
    ++at;
  }
  return lines;
}

/// Kernels are told once each, however often the tables are run over: bytes are added up.
TEST(PlanOnGpu, IsAnalyzedOnceWhereTablesAreRunOverAgain) {
  std::string csv = "key,value\n";
  for (int i = 0; i < 4000; ++i) {
    csv += std::to_string(i * 1'000'003LL) + "," + std::to_string(i) + "\n";
  }
  const MadeTable made(csv, 1024);
  const auto faults = std::make_shared<EmulatedFaults>();
  faults->group_parts.most_part_rows = 0;  // a table of groups grows instead
  QueryOptions options;
  options.device = make_emulated_query_device(faults);
  options.plan.plan = "1;";
  const Query query = query_of(*made.table, {"value >= 0 and value <> 7", "key", "count(*)"});
  const auto told = query.explain(options, true);
  ASSERT_TRUE(told.ok()) << told.error().what;
  EXPECT_NE(told->find("a larger table of groups"), std::string::npos) << *told;
  const std::size_t at = told->find("passes over the tables: ");
  ASSERT_NE(at, std::string::npos) << *told;
  const std::uint64_t passes = std::stoull(told->substr(at + 24));
  EXPECT_GT(passes, 1u);
  const std::vector<std::string> lines = kernel_lines(*told);
  ASSERT_EQ(lines.size(), 2u) << *told;
  const std::uint64_t read = passes * bytes_of(*made.table, "value");
  EXPECT_EQ(lines[0].find("on the GPU: kernel 1 of 2, 1: " +
                          query::bytes_text(static_cast<double>(read)) + " read, "),
            0u)
      << lines[0] << ", " << passes << " passes";
}

TEST(PlanOnGpu, IsAnalyzedWithItsBuildSides) {
  const MadeTable facts(make_csv(3000, 5), 1024);
  std::string csv = "key,size\n";
  for (int i = 0; i < 40; ++i) csv += std::to_string(i) + "," + std::to_string(i * 7) + "\n";
  const MadeTable sides(csv, 16);
  const std::string statement =
      "select sum(price) from facts join sides on run = key where price > 200 and size < 100";
  const auto parsed = parse_sql(statement);
  ASSERT_TRUE(parsed.ok());
  const Query query = Query::from(*parsed, statement, {*facts.table, *sides.table});
  QueryOptions options;
  options.device = make_emulated_query_device();
  const auto told = query.explain(options, true);
  ASSERT_TRUE(told.ok()) << told.error().what;
  const std::vector<std::string> lines = kernel_lines(*told);
  ASSERT_EQ(lines.size(), 2u) << *told;
  EXPECT_EQ(lines[0].find("on the GPU: kernel 1 of 1 over sides, 1: "), 0u) << lines[0];
  EXPECT_EQ(lines[1].find("on the GPU: kernel 1 of 1, 1: "), 0u) << lines[1];
}

/// The device has no clock, and without being asked for nothing is measured at all.
TEST(PlanOnGpu, TellsTheKernelsSecondsWhereItIsAsked) {
  const MadeTable made(make_csv(2000, 3), 1024);
  QueryOptions options;
  options.device = make_emulated_query_device();
  options.times_kernels = true;
  TextSink sink;
  const auto done = query_of(*made.table, {"run > 2", "word", "sum(price)"}).run(options, sink);
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->kernel_seconds, 0);
  EXPECT_EQ(sink.text,
            answer_of(query_of(*made.table, {"run > 2", "word", "sum(price)"}), nullptr).text);
}

GpuQueryRates dividing_rates() {
  return rates_of(0);
}

struct Followed {
  Answer answer;
  std::size_t kernels = 0;  ///< that were started
  std::string explained;
};

Followed by_rates(const Query& query, const GpuQueryRates& rates, const gpu::MemoryLimits& limits,
                  PlanChoice::Rows rows = PlanChoice::Rows::kAuto) {
  const auto faults = std::make_shared<EmulatedFaults>();
  QueryOptions options;
  options.threads = 2;
  options.device = make_emulated_query_device(faults, 3, limits);
  options.gpu_rates = rates;
  options.plan.rows = rows;
  Followed followed;
  const auto told = query.explain(options, false);
  followed.explained = told.ok() ? *told : told.error().what;
  TextSink sink;
  const auto done = query.run(options, sink);
  followed.answer =
      done.ok() ? Answer{sink.text, *done} : Answer{"error: " + done.error().message(), {}};
  followed.kernels = kernels_of(*faults);
  options.device = nullptr;
  EXPECT_EQ(faults->live_bytes, 0u);
  return followed;
}

/// A row in 5,000 is left by the first condition, and only a kernel's end spares the other columns.
TEST(PlanByRates, EndsKernelsWhereThatPays) {
  for (const int rows : {0, 1, 1025, 12'000}) {
    const MadeTable made(make_csv(rows, 4), 5000);
    for (const Asked& asked : std::vector<Asked>{{"", "", "count(*)"},
                                                 {"", "", "sum(price), count(maybe)"},
                                                 {"", "word", "count(*), sum(maybe)"},
                                                 {"", "wide", "count(*)"}}) {
      Query query = query_of(*made.table, asked);
      query.where("id in (4500, 31002)").where("maybe < 200").where("price > 150");
      SCOPED_TRACE(asked.aggregates);
      const Followed divided = by_rates(query, dividing_rates(), {});
      EXPECT_EQ(divided.answer.text, answer_of(query, nullptr).text);
      EXPECT_EQ(divided.answer.summary.why_cpu, "");
      GpuQueryRates dear = dividing_rates();
      dear.pass_ns = 100;
      const Followed whole = by_rates(query, dear, {});
      EXPECT_EQ(whole.answer.text, divided.answer.text);
      if (rows < 10'000) continue;
      EXPECT_NE(whole.explained.find(", one kernel, predicted "), std::string::npos);
      EXPECT_NE(divided.explained.find(", 2 kernels, predicted "), std::string::npos)
          << divided.explained;
      EXPECT_EQ(divided.kernels, 2 * whole.kernels);
      const Followed list = by_rates(query, dividing_rates(), {}, PlanChoice::Rows::kList);
      EXPECT_EQ(list.answer.text, divided.answer.text);
      EXPECT_NE(list.explained.find(", one kernel, predicted "), std::string::npos);
    }
  }
}

/// Build sides have kernels and plans of their own.
TEST(PlanByRates, EndsKernelsOfBuildSides) {
  QueryTables tables = query_tables("plans");
  QueryOptions options;
  options.device = make_emulated_query_device();
  options.gpu_rates = dividing_rates();
  const std::string statement = query_statements("plans", "JoinsByRates")[0];
  const std::string told = explained_with(tables.query_of(statement), options);
  EXPECT_TRUE(says(told, "kernel 1 of 2 over s")) << told;
}

}  // namespace
}  // namespace presso::query_plans_on_gpu_test
