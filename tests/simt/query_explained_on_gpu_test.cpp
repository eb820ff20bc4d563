// SPDX-License-Identifier: MIT
// What the device of tests says of how it has answered a query: which structures of build sides it
// made, in how many parts and passes, whether it looked at pairs, and why the CPU had to.
#include <gtest/gtest.h>

#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "presso/device_table.h"
#include "query/gpu/table/query_on_gpu.h"
#include "tests/simt/emulated_query_device.h"
#include "tests/simt/query_file.h"
#include "tests/simt/query_runs.h"
#include "tests/simt/real_cases.h"

namespace presso::query_explained_on_gpu_test {
namespace {

using namespace test;

QueryRun limited_to(std::uint64_t kibi) {
  QueryRun run;
  run.limits.device_bytes = kibi << 10;
  return run;
}

QueryRun by(JoinStrategy strategy) {
  QueryRun run;
  run.strategy = strategy;
  return run;
}

/// What --explain=analyze says. Memory that a device keeps would count against a limit, so that
/// none is kept.
std::string explained(const Query& query, const QueryRun& run = {}) {
  return explained_with(query, run.options(query, run.device(run.faults())));
}

Answer answered(const Query& query, const QueryRun& run = {}) {
  return answer_with(query, run.options(query, run.device(run.faults())));
}

TEST(ExplainedOnGpu, BuildSidesAreToldByTheirStructure) {
  QueryTables tables = query_tables("joins", "3000/1024");
  const Query query = tables.query_of(
      "select name, count(*), sum(price) from facts join parts on facts.part = parts.id group by "
      "name");
  const auto expect_told = [&](JoinStrategy strategy, const char* structure) {
    const std::string told = explained(query, by(strategy));
    EXPECT_TRUE(says(told, structure)) << told;
  };
  expect_told(JoinStrategy::kUnchained, "500 rows of parts, a table of keys");
  expect_told(JoinStrategy::kDirect, "500 rows of parts, an array of 1,498");
  expect_told(JoinStrategy::kMerge, "500 rows of parts, ascending keys");
}

/// The CPU goes on where it may, and has the same strategy.
TEST(ExplainedOnGpu, WhatKeysDoNotAllowIsTheCpusWhereItMayBe) {
  QueryTables tables = query_tables("joins", "3000/1024");
  const Query query = tables.query_of(
      "select land, count(*), sum(rating) from facts join makers on facts.maker = makers.id group "
      "by land");
  QueryOptions options = by(JoinStrategy::kDirect).options(query, make_emulated_query_device());
  EXPECT_TRUE(says(answer_with(query, options).text, "a direct join on a GPU needs keys"));
  options.cpu_fallback = true;
  const Answer found = answer_with(query, options);
  options.device = nullptr;
  EXPECT_EQ(found.text, answer_with(query, options).text);
}

/// --explain=code: names of columns stand beside the code, which has numbers.
TEST(ExplainedOnGpu, CodeIsToldWhereItIsAskedFor) {
  QueryTables tables = query_tables("joins", "3000/1024");
  const Query query = tables.query_of(
      "select part, sum(price) from facts where price > 20 group "
      "by part");
  QueryRun run;
  QueryOptions options = run.options(query, run.device(run.faults()));
  EXPECT_FALSE(says(explained_with(query, options), "PRESSO_KERNEL"));
  options.tells_code = true;
  const std::string told = explained_with(query, options);
  EXPECT_TRUE(says(told, "code for the GPU: column 0 is ")) << told;
  EXPECT_TRUE(says(told, "PRESSO_KERNEL(presso_usual, ")) << told;
}

/// Without a compiler the CPU goes on where it may, and the reason is told.
TEST(ExplainedOnGpu, WhatCannotBeCompiledIsTheCpus) {
  QueryTables tables = query_tables("joins", "3000/1024");
  const Query query = tables.query_of("select part, sum(price) from facts group by part");
  const auto faults = std::make_shared<EmulatedFaults>();
  faults->compilation = 0;
  QueryOptions options = QueryRun().options(query, make_emulated_query_device(faults));
  const std::string why = "no kernels are compiled, as the test wants it";
  EXPECT_TRUE(says(answer_with(query, options).text, why.c_str()));
  options.cpu_fallback = true;
  const Answer found = answer_with(query, options);
  EXPECT_EQ(found.summary.why_cpu, "no usable GPU: " + why);
  options.device = nullptr;
  EXPECT_EQ(found.text, answer_with(query, options).text);
}

TEST(ExplainedOnGpu, KeysAreSearchedWhereBothSidesAscend) {
  QueryTables tables = query_tables("ascending_keys");
  const auto structure = [&](const std::string& n) {
    return explained(tables.query_of("select day, count(*), sum(price) from lines" + n +
                                     " join orders" + n + " on l_key = o_key group by day"));
  };
  EXPECT_TRUE(says(structure("1500"), "1,500 rows of orders1500, ascending keys\n"));
  EXPECT_TRUE(says(structure("700"), "700 rows of orders700, a table of keys"));
  EXPECT_TRUE(says(structure("1350"), "1,350 rows of orders1350, ascending keys, keys repeat"));
  const std::string nearly = explained(tables.query_of(
      "select value, count(*) from wanted a join nearly b on a.wanted = b.key group by value"));
  EXPECT_TRUE(says(nearly, "12,288 rows of b, a table of keys")) << nearly;
}

/// Rows are put in order in memory that grows with their table, however few they are: where there
/// is none the CPU answers, though a table of their keys would have room.
TEST(ExplainedOnGpu, FewAscendingRowsOfALargeTableMayHaveNoMemory) {
  QueryTables tables = query_tables("ascending_keys");
  const Query query = tables.query_of(
      "select value, count(*), sum(price) from many_wanted a join many_keys b on a.wanted = b.key "
      "and b.key < 439804651110400 where id < 9000 group by value");
  const std::string expected = answer_of(query, nullptr).text;
  int there = 0;
  int by_cpu = 0;
  for (std::uint64_t kibi = 293; kibi < 2930; kibi += kibi / 4) {
    QueryRun run = limited_to(kibi);
    run.strategy = JoinStrategy::kUnchained;
    const Answer by_table = answered(query, run);
    if (by_table.text != expected || !by_table.summary.why_cpu.empty()) continue;
    run.strategy = JoinStrategy::kMerge;
    const Answer found = answered(query, run);
    EXPECT_EQ(found.text, expected);
    (found.summary.why_cpu.empty() ? there : by_cpu) += 1;
  }
  EXPECT_GT(there, 0);
  EXPECT_GT(by_cpu, 0);
}

TEST(ExplainedOnGpu, PassesAndPartsAreCounted) {
  QueryTables tables = query_tables("passes");
  const Query query = tables.query_of(
      "select size, count(*), sum(cost) from visits left join cities on visits.city = cities.name "
      "and visits.x = cities.a group by size");
  const std::string told = explained(query, limited_to(390));
  const std::size_t at = told.find(" rows of cities, in ");
  ASSERT_NE(at, std::string::npos) << told;
  const std::uint64_t parts = std::stoull(told.substr(at + 20));
  EXPECT_GE(parts, 2u) << told;
  const QuerySummary once = answered(query).summary;
  const QuerySummary again = answered(query, limited_to(390)).summary;
  EXPECT_EQ(once.passes, 1u);
  EXPECT_GE(again.passes, parts);
  EXPECT_GT(again.bytes_read, once.bytes_read) << "what is read again counts again";
  EXPECT_EQ(again.rows_in, once.rows_in);
  const std::string cut = explained(
      tables.query_of("select cost, count(*) from visits join cities on visits.city = cities.name "
                      "and visits.x = cities.a and cities.a % (size + 7) > 1 group by cost"),
      limited_to(390));
  EXPECT_TRUE(says(cut, "rows of cities by the CPU (") && says(cut, " parts")) << cut;
}

TEST(ExplainedOnGpu, WhatDoesNotFitInPassesIsLeftToTheCpu) {
  QueryTables tables = query_tables("passes");
  struct Left {
    const char* key;
    std::uint64_t kibi;
    const char* why;
  };
  for (const Left& left :
       {Left{"b.one", 900, "a build side of 80,000 rows, of which only "},
        Left{"b.few", 2000,
             "build rows of one key for which there may be too little device memory"},
        Left{"b.id", 600,
             "a build side of 80,000 rows, beside whose parts there is too little device "
             "memory"}}) {
    SCOPED_TRACE(left.key);
    const Query query = tables.query_of(
        "select w, count(*), sum(v) from more a join many b on a.key = " + std::string(left.key) +
        " group by w");
    const Answer found = answered(query, limited_to(left.kibi));
    EXPECT_EQ(found.text, answer_of(query, nullptr).text);
    EXPECT_TRUE(found.summary.why_cpu.starts_with(left.why)) << found.summary.why_cpu;
    EXPECT_EQ(found.summary.device, "");
  }
}

/// Tables that stay in the GPU's memory are read again there.
TEST(ExplainedOnGpu, PassesReadTablesInMemoryAgain) {
  QueryTables tables = query_tables("joins", "11000/4096x20");
  const auto load = [&](const std::shared_ptr<QueryDevice>& device) {
    return gpu::DeviceTable::load(device, tables.files("twice"));
  };
  QueryRun run;
  std::uint64_t table_bytes = 0;
  {
    const auto loaded = load(run.device(run.faults()));
    ASSERT_TRUE(loaded.ok()) << loaded.error().message();
    table_bytes = loaded->device_bytes();
  }
  const Query query = tables.query_of(
      "select word, count(*), sum(value) from facts left join twice on facts.part = twice.id "
      "group by word");
  run.limits.device_bytes = table_bytes + (std::uint64_t{470} << 10);
  const auto device = run.device(run.faults());
  const auto loaded = load(device);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  const Answer found = answer_of(query, device);
  EXPECT_EQ(found.text, answer_of(query, nullptr).text);
  EXPECT_EQ(found.summary.why_cpu, "");
  EXPECT_GT(found.summary.passes, 1u);
  EXPECT_GT(found.summary.bytes_resident, 0u);
}

/// Passes make the same build sides, each of which is told once.
TEST(ExplainedOnGpu, BuildSidesOfSeveralPassesAreToldOnce) {
  QueryTables tables = query_tables("distinct");
  const std::string told = explained(tables.query_of(
      "select name, count(distinct id), count(distinct kind), count(distinct key) from l join "
      "unique r on l.key = r.part group by name"));
  const std::string note = "on the GPU: 400 rows of r, an array of";
  const std::size_t first = told.find(note);
  ASSERT_NE(first, std::string::npos) << told;
  EXPECT_EQ(told.find(note, first + 1), std::string::npos) << told;
  EXPECT_TRUE(says(told, "passes over the tables: 3")) << told;
}

// --- pairs that are counted without being looked at one by one

bool counts_pairs(const Query& query) {
  return says(explained(query), ", keys repeat, counted");
}

TEST(CountedPairsOnGpu, AreThoseOfWhichOnlyTheNumberMatters) {
  QueryTables tables = query_tables("pairs");
  const std::vector<std::string> statements = query_statements("pairs", "CountedPairs");
  for (const std::string& statement : statements) {
    SCOPED_TRACE(statement);
    EXPECT_TRUE(counts_pairs(tables.query_of(statement)));
  }
  for (const std::string& statement : query_statements("pairs", "PairsThatAreLookedAt")) {
    SCOPED_TRACE(statement);
    EXPECT_FALSE(counts_pairs(tables.query_of(statement)));
  }
  // More than a sum has room for show in their number: then they are looked at, the second time.
  EXPECT_FALSE(counts_pairs(
      tables.query_of("select count(*), sum(l_large) from l join r on l_key = r_key")));
}

TEST(CountedPairsOnGpu, WhatNoFormOfSumsHoldsIsTheCpus) {
  QueryTables tables = query_tables("pairs");
  gpu::SumLimits limits;
  limits.halves = limits.limbs = 5000;
  limits.most = 8000;
  for (const auto& [aggregates, why] :
       {std::pair{"sum(l_any), sum(r_any), avg(r_any)", "sums of more than 8,000 joined rows"},
        {"sum(l_near), avg(r_near), count(*)", "sums of more than 8,000 joined rows"},
        {"count(*)", ""}}) {
    const Query query =
        tables.query_of(std::string("select ") + aggregates + " from l join r on l_key = r_key");
    const auto device = make_emulated_query_device();
    dynamic_cast<gpu::QueryOnGpu&>(*device).set_sum_limits(limits);
    const Answer found = bits_of(query, device);
    EXPECT_EQ(found.text, bits_of(query, nullptr).text);
    EXPECT_EQ(found.summary.why_cpu, why);
  }
}

/// 2^40 pairs and more, which nobody could look at one by one here.
TEST(CountedPairsOnGpu, MayBeMoreThan32BitsCount) {
  QueryTables tables = query_tables("pairs");
  std::string statement = "select count(*), sum(l_kind), max(l_small) from l";
  for (int i = 0; i < 6; ++i) {
    const std::string name = std::string("r").append(std::to_string(i));
    statement.append(" join r ").append(name).append(" on l_key = ").append(name).append(".r_key");
  }
  const Answer found = answered(tables.query_of(statement));
  EXPECT_EQ(found.summary.why_cpu, "");
  EXPECT_GT(found.summary.rows_matched, std::uint64_t{1} << 40);
  // What each row has, by a statement of one join.
  const Answer rows = answer_of(
      tables.query_of("select l_kind, l_key, count(*) as n from l join r on l_key = r_key group by "
                      "l_kind, l_key, l_far"),
      nullptr);
  std::uint64_t pairs = 0;
  std::uint64_t sum = 0;
  std::istringstream lines(rows.text);
  for (std::string line; std::getline(lines, line);) {
    std::uint64_t kind = 0;
    std::uint64_t key = 0;
    std::uint64_t count = 0;
    ASSERT_EQ(std::sscanf(line.c_str(), "%lu,%lu,%lu", &kind, &key, &count), 3) << line;
    std::uint64_t product = 1;
    for (int i = 0; i < 6; ++i) product *= count;
    pairs += product;
    sum += product * kind;
  }
  EXPECT_EQ(found.summary.rows_matched, pairs);
  EXPECT_EQ(found.text.substr(0, found.text.find(',', found.text.find(',') + 1)),
            std::to_string(pairs).append(",").append(std::to_string(sum)));
}

/// Eight tables may have more pairs than 64 bits can count. The device then looks at each pair
/// instead of counting keys; here there is none.
TEST(CountedPairsOnGpu, MayBeTooManyForACount) {
  QueryTables tables = query_tables("pairs");
  std::string statement = "select count(*) from l";
  for (int i = 0; i < 7; ++i) {
    const std::string name = std::string("r").append(std::to_string(i));
    statement.append(" join many ").append(name).append(" on l_far = ").append(name);
    const Query query = tables.query_of(statement.append(".many_key"));
    // A single one is the first table, whose rows look up those of l, which do not repeat.
    EXPECT_EQ(counts_pairs(query), i > 0 && i < 6);
    const Answer found = answered(query);
    EXPECT_EQ(found.text, "0\n");
    EXPECT_EQ(found.summary.why_cpu, "");
  }
}

}  // namespace
}  // namespace presso::query_explained_on_gpu_test
