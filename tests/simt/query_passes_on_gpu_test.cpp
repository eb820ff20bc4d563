// SPDX-License-Identifier: MIT
// Build sides that are larger than a GPU's memory allows, made in parts: the answers are the CPU's.
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "presso/device_table.h"
#include "query/gpu/table/build_passes.h"
#include "query/gpu/table/query_on_gpu.h"
#include "tests/simt/emulated_query_device.h"
#include "tests/simt/join_cases.h"
#include "tests/simt/real_cases.h"
#include "tests/support/sanitized.h"

namespace presso::query_passes_on_gpu_test {
namespace {

using namespace test;

constexpr std::uint64_t kKibi = std::uint64_t{1} << 10;

gpu::MemoryLimits limit_of(std::uint64_t bytes) {
  gpu::MemoryLimits limits;
  limits.device_bytes = bytes;
  return limits;
}

/// What --explain says of a query that the emulated GPU has run under a limit.
std::string explained(const Query& query, std::uint64_t limit) {
  QueryOptions options;
  options.threads = 2;
  // As what compare() asks: memory that a device keeps counts against the limit.
  const auto faults = std::make_shared<EmulatedFaults>();
  options.device = make_emulated_query_device(faults, 1, limit_of(limit));
  return explained_with(query, options);
}

/// How many parts that says there were; 0: none.
std::uint64_t parts_of(const std::string& explanation) {
  for (std::size_t at = explanation.find(", in "); at != std::string::npos;
       at = explanation.find(", in ", at + 1)) {
    std::size_t end = 0;
    const std::string text = explanation.substr(at + 5, 12);
    if (!std::isdigit(static_cast<unsigned char>(text[0]))) continue;
    const std::uint64_t parts = std::stoull(text, &end);
    if (text.compare(end, 6, " parts") == 0) return parts;
  }
  return 0;
}

/// Counts what has become of statements under a limit.
struct Outcomes {
  std::uint64_t in_parts = 0;
  std::uint64_t most_parts = 0;
  std::uint64_t as_a_whole = 0;
  std::uint64_t left_to_cpu = 0;
  std::uint64_t without_memory = 0;  ///< the limit does not suffice for what is not a build side
};

/// The answer must be the CPU's wherever there is one, and nothing may be left of it.
void compare(const Query& query, std::uint64_t limit, std::uint32_t seed, Outcomes& outcomes) {
  const Answer expected = answer_of(query, nullptr);
  ASSERT_NE(expected.text.substr(0, 6), "error:") << expected.text;
  const auto faults = std::make_shared<EmulatedFaults>();
  const Answer found = answer_of(query, make_emulated_query_device(faults, seed, limit_of(limit)));
  EXPECT_EQ(faults->live_bytes, 0u);
  EXPECT_EQ(faults->live_handles, 0u);
  if (found.text.starts_with("error: out of device memory")) {
    ++outcomes.without_memory;
    return;
  }
  ASSERT_EQ(found.text, expected.text);
  EXPECT_EQ(found.summary.rows_matched, expected.summary.rows_matched);
  EXPECT_EQ(found.summary.rows, expected.summary.rows);
  if (!found.summary.why_cpu.empty()) {
    ++outcomes.left_to_cpu;
    return;
  }
  EXPECT_GE(found.summary.bytes_stored, found.summary.bytes_read);
  const std::uint64_t parts = parts_of(explained(query, limit));
  ++(parts > 0 ? outcomes.in_parts : outcomes.as_a_whole);
  outcomes.most_parts = std::max(outcomes.most_parts, parts);
  // A part without rows takes no pass, a table of groups that was too small takes more.
  if (parts > 1) {
    EXPECT_GT(found.summary.passes, 1u);
  }
}

/// cities: keys are strings that repeat, or two numbers, any of which may be null; visits: the
/// same, more rows, some without a partner.
class CitiesAndVisits {
 public:
  Query query_of(const std::string& statement) const {
    const auto parsed = parse_sql(statement);
    EXPECT_TRUE(parsed.ok()) << parsed.error().message();
    std::vector<Table> tables{table(parsed->from.path)};
    for (const SqlJoin& join : parsed->joins) tables.push_back(table(join.source.path));
    return Query::from(*parsed, statement, std::move(tables));
  }

 private:
  const Table& table(const std::string& name) const {
    return *(name == "cities" ? cities_ : visits_).table;
  }
  /// Adds a field; one of `one_in` is null.
  static void add(std::string& csv, corpora::Random& random, std::uint32_t one_in,
                  const char* before, std::uint64_t number, char after = ',') {
    if (random.below(one_in) != 0) csv.append(before).append(std::to_string(number));
    csv.push_back(after);
  }
  static std::string cities() {
    corpora::Random random(3);
    std::string csv = "name,a,b,size,note\n";
    for (int i = 0; i < 8000; ++i) {
      add(csv, random, 12, "city ", random.below(4000));
      add(csv, random, 12, "", random.below(120));
      add(csv, random, 15, "", random.below(50) + 1000);
      csv.append(std::to_string(random.below(100))).append(",note ");
      csv.append(std::to_string(random.below(1u << 30))).push_back('\n');
    }
    return csv;
  }
  static std::string visits() {
    corpora::Random random(4);
    std::string csv = "visit,city,x,y,cost\n";
    for (int i = 0; i < 9000; ++i) {
      csv.append(std::to_string(i)).push_back(',');
      add(csv, random, 10, "city ", random.below(4500));
      add(csv, random, 10, "", random.below(140));
      add(csv, random, 20, "", random.below(60) + 995);
      csv.append(std::to_string(random.below(100))).push_back('\n');
    }
    return csv;
  }

  MadeTable cities_{cities(), 3000};
  MadeTable visits_{visits(), 2500};
};

constexpr const char* kKeys[] = {"visits.city = cities.name",
                                 "visits.x = cities.a and visits.y = cities.b",
                                 "visits.city = cities.name and visits.x = cities.a"};

TEST(PassesOnGpu, EachKindOfJoinWithEachKindOfKey) {
  const CitiesAndVisits tables;
  struct Kind {
    const char* join;
    const char* grouped;
    const char* rows;
    const char* where;  ///< of the rows, which need memory for themselves
  };
  static constexpr Kind kKinds[] = {
      {"visits join cities", "size, count(*), sum(cost) from", "visit, size from",
       " where size + cost < 50"},
      {"visits left join cities", "size, count(*), sum(cost) from", "visit, size from",
       " where size + cost < 30 or (size is null and cost < 30)"},
      {"visits right join cities", "size, count(*), sum(cost) from", "visit, size from",
       " where cost < 15 or cost is null"},
      {"visits full join cities", "size, count(*), sum(cost) from", "visit, size from",
       " where cost < 15 or cost is null"},
      {"visits semi join cities", "cost, count(*), max(visit) from", "visit from", ""},
      {"visits anti join cities", "cost, count(*), max(visit) from", "visit from",
       " where cost < 80"},
      {"cities semi join visits", "size, count(*), max(a) from", "a, size from", ""},
      {"cities anti join visits", "size, count(*), max(a) from", "a, size from", ""},
  };
  for (const Kind& kind : kKinds) {
    Outcomes grouped;
    Outcomes rows;
    for (const char* const keys : kKeys) {
      for (const char* const pairs : {"", " and size * 2 > cost"}) {
        const std::string join = std::string(" ") + kind.join + " on " + keys + pairs;
        const std::string by(kind.grouped, std::string(kind.grouped).find(','));
        const std::string statements[] = {
            std::string("select ") + kind.grouped + join + " group by " + by,
            std::string("select ") + kind.rows + join + kind.where};
        for (const std::string& statement : statements) {
          SCOPED_TRACE(statement);
          Outcomes& outcomes = &statement == statements ? grouped : rows;
          for (const std::uint64_t limit : {390 * kKibi, 480 * kKibi}) {
            if (kIsSanitized && limit > 400 * kKibi) continue;
            compare(tables.query_of(statement), limit, 7, outcomes);
          }
        }
      }
    }
    EXPECT_GE(grouped.in_parts, kIsSanitized ? 1u : 2u) << kind.join;
    EXPECT_GE(grouped.most_parts, kIsSanitized ? 2u : 3u) << kind.join;
    EXPECT_GE(rows.in_parts, kIsSanitized ? 1u : 2u) << kind.join;
    EXPECT_LE(grouped.most_parts, gpu::kMostPasses);
  }
}

/// What statements that other tests have, and random ones, give where tables are twenty times as
/// large as there.
class ManyStatementsInParts : public ::testing::Test {
 protected:
  void compare_all(std::span<const char* const> statements, std::uint64_t limit) {
    for (const char* const statement : statements) {
      SCOPED_TRACE(statement);
      compare(tables.query_of(statement), limit, ++seed, outcomes);
    }
  }

  const JoinedTables tables{11000, 4096, 20};
  std::uint32_t seed = 0;
  Outcomes outcomes;
};

TEST_F(ManyStatementsInParts, AnswerAsTheCpu) {
  compare_all(kJoinStatements, 560 * kKibi);
  EXPECT_GE(outcomes.in_parts, 8u);
}

/// In the form that holds most pairs.
TEST_F(ManyStatementsInParts, AddUpPiecesAsTheCpu) {
  gpu::SumLimits limits;
  limits.halves = limits.limbs = 50;
  std::uint64_t in_passes = 0;
  for (const char* const statement : kJoinStatements) {
    SCOPED_TRACE(statement);
    const Query query = tables.query_of(statement);
    const auto faults = std::make_shared<EmulatedFaults>();
    const auto device = make_emulated_query_device(faults, ++seed, limit_of(560 * kKibi));
    dynamic_cast<gpu::QueryOnGpu&>(*device).set_sum_limits(limits);
    const Answer found = answer_of(query, device);
    if (found.text.starts_with("error: out of device memory")) continue;
    ASSERT_EQ(found.text, answer_of(query, nullptr).text);
    in_passes += found.summary.why_cpu.empty() && found.summary.passes > 1 ? 1 : 0;
  }
  EXPECT_GE(in_passes, 6u);
}

TEST_F(ManyStatementsInParts, GroupLoneRowsAsTheCpu) {
  compare_all(kLoneRowStatements, 560 * kKibi);
  EXPECT_GE(outcomes.in_parts, 8u);
}

TEST_F(ManyStatementsInParts, FindStringsAsTheCpu) {
  compare_all(kStringKeyStatements, 560 * kKibi);
  EXPECT_GE(outcomes.in_parts, 2u);
}

TEST_F(ManyStatementsInParts, GiveRowsAsTheCpu) {
  for (const std::uint64_t limit : {560 * kKibi, 1000 * kKibi}) {
    compare_all(kJoinedRows, limit);
    compare_all(kLoneRows, limit);
  }
  EXPECT_GE(outcomes.in_parts, 4u);
}

TEST_F(ManyStatementsInParts, RandomOnesAnswerAsTheCpu) {
  corpora::Random random(78);
  constexpr int kStatements = kIsSanitized ? 40 : 160;
  for (int i = 0; i < kStatements; ++i) {
    const std::string statement = random_join_statement(random);
    SCOPED_TRACE(statement);
    compare(tables.query_of(statement), (500 + random.below(500)) * kKibi, ++seed, outcomes);
  }
  EXPECT_GE(outcomes.in_parts, kStatements / 16u);
}

constexpr const char* kInParts =
    "select size, count(*), sum(cost) from visits left join cities on visits.city = cities.name "
    "and visits.x = cities.a group by size";

TEST(PassesOnGpu, SayWhatTheyDid) {
  const CitiesAndVisits tables;
  const Query query = tables.query_of(kInParts);
  const std::string text = explained(query, 390 * kKibi);
  const std::uint64_t parts = parts_of(text);
  ASSERT_GE(parts, 2u) << text;
  EXPECT_NE(text.find("on the GPU: 6,694 rows of cities, in " + std::to_string(parts) + " parts\n"),
            std::string::npos)
      << text;
  const auto run = [&](std::uint64_t limit) {
    return answer_of(query, make_emulated_query_device(nullptr, 1, limit_of(limit))).summary;
  };
  const QuerySummary once = run(~std::uint64_t{0});
  const QuerySummary again = run(390 * kKibi);
  EXPECT_EQ(once.passes, 1u);
  EXPECT_GE(again.passes, parts);
  EXPECT_GT(again.bytes_read, once.bytes_read) << "what is read again counts again";
  EXPECT_EQ(again.rows_in, once.rows_in);
}

/// Tokens are no pipeline's: the CPU makes the rows, once, and parts are cut from them.
TEST(PassesOnGpu, RowsThatTheCpuMakesAreCutIntoParts) {
  const CitiesAndVisits tables;
  Outcomes outcomes;
  int cut = 0;
  for (const char* const kind : {"join", "left join", "full join", "anti join"}) {
    const std::string statement = "select cost, count(*), max(visit) from visits " +
                                  std::string(kind) +
                                  " cities on visits.city = cities.name and visits.x = cities.a "
                                  "and length(cities.note) > 3 group by cost";
    SCOPED_TRACE(statement);
    const Query query = tables.query_of(statement);
    compare(query, 390 * kKibi, 3, outcomes);
    const std::string text = explained(query, 390 * kKibi);
    const bool is_cut = parts_of(text) > 1;
    cut += is_cut && text.find("rows of cities by the CPU (") != std::string::npos ? 1 : 0;
  }
  EXPECT_GE(cut, 3);
}

/// The device has less memory than a limit says, as it turns out.
TEST(PassesOnGpu, MemoryMayRunOutWithoutALimit) {
  const CitiesAndVisits tables;
  const Query query = tables.query_of(kInParts);
  const std::string expected = answer_of(query, nullptr).text;
  std::uint64_t in_passes = 0;
  constexpr std::uint64_t kStep = kIsSanitized ? 60 : 20;
  for (std::uint64_t bytes = 300 * kKibi; bytes < 1200 * kKibi; bytes += kStep * kKibi) {
    const auto faults = std::make_shared<EmulatedFaults>();
    faults->device_bytes = bytes;
    const Answer found = answer_of(query, make_emulated_query_device(faults));
    EXPECT_EQ(faults->live_bytes, 0u);
    if (found.text.starts_with("error: out of ")) continue;
    EXPECT_EQ(found.text, expected);
    in_passes += found.summary.why_cpu.empty() && found.summary.passes > 1 ? 1 : 0;
  }
  EXPECT_GE(in_passes, kIsSanitized ? 1u : 2u);
}

TEST(PassesOnGpu, WhatDoesNotFitInPassesIsLeftToTheCpu) {
  std::string many = "id,one,few,v\n";
  for (std::uint64_t i = 0; i < 80'000; ++i) {
    many.append(std::to_string(i * 1'000'003)).append(",");
    many.append(std::to_string(i % 100 == 0 ? i : 1)).append(",");
    many.append(std::to_string(i % 100 == 0 ? i / 100 % 8 : 1)).append(",");
    many.append(std::to_string(i % 7)).append("\n");
  }
  std::string more = "key,w\n";
  for (int i = 0; i < 81'000; ++i) {
    more.append(std::to_string(i * 2)).append(",").append(std::to_string(i % 5)).append("\n");
  }
  const MadeTable a(more, 8192);
  const MadeTable b(many, 8192);
  struct Left {
    const char* on;
    std::uint64_t limit;
    const char* why;
  };
  for (const Left& left :
       {Left{"b.one", 900 * kKibi, "a build side of 80,000 rows, of which only "},
        Left{"b.few", 2000 * kKibi,
             "build rows of one key for which there may be too little device memory"},
        Left{
            "b.id", 600 * kKibi,
            "a build side of 80,000 rows, beside whose parts there is too little device memory"}}) {
    const std::string statement =
        std::string("select w, count(*), sum(v) from a join b on a.key = ") + left.on +
        " group by w";
    SCOPED_TRACE(statement);
    const auto parsed = parse_sql(statement);
    ASSERT_TRUE(parsed.ok()) << parsed.error().message();
    const Query query = Query::from(*parsed, statement, {*a.table, *b.table});
    const Answer found =
        answer_of(query, make_emulated_query_device(nullptr, 1, limit_of(left.limit)));
    EXPECT_EQ(found.text, answer_of(query, nullptr).text);
    EXPECT_EQ(found.summary.why_cpu.substr(0, std::string(left.why).size()), left.why);
    EXPECT_EQ(found.summary.device, "");
  }
}

/// Tables that stay in the GPU's memory are read again there.
TEST_F(ManyStatementsInParts, TablesInMemoryAreReadAgain) {
  const auto load = [&](const std::shared_ptr<QueryDevice>& device) {
    return gpu::DeviceTable::load(device, {tables.table("twice")});
  };
  std::uint64_t table_bytes = 0;
  {
    const auto loaded = load(make_emulated_query_device(std::make_shared<EmulatedFaults>()));
    ASSERT_TRUE(loaded.ok()) << loaded.error().message();
    table_bytes = loaded->device_bytes();
  }
  const Query query = tables.query_of(
      "select word, count(*), sum(value) from facts left join twice on facts.part = twice.id "
      "group by word");
  const auto device = make_emulated_query_device(std::make_shared<EmulatedFaults>(), 1,
                                                 limit_of(table_bytes + 470 * kKibi));
  const auto loaded = load(device);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  const Answer found = answer_of(query, device);
  EXPECT_EQ(found.text, answer_of(query, nullptr).text);
  EXPECT_EQ(found.summary.why_cpu, "");
  EXPECT_GT(found.summary.passes, 1u);
  EXPECT_GT(found.summary.bytes_resident, 0u);
}

/// Groups, and rows, with parts that have to be halved among them.
constexpr const char* kFaultyStatements[] = {
    kInParts,
    "select size, count(*), sum(cost) from visits full join cities on visits.city = cities.name "
    "and visits.x = cities.a group by size",
    "select visit from visits semi join cities on visits.city = cities.name and "
    "visits.x = cities.a"};

TEST(PassesOnGpu, EachAllocationAndLaunchMayFail) {
  const CitiesAndVisits tables;
  constexpr std::uint64_t kStep = kIsSanitized ? 31 : 7;
  const gpu::MemoryLimits limits = limit_of(390 * kKibi);
  for (const char* const statement : kFaultyStatements) {
    SCOPED_TRACE(statement);
    const Query query = tables.query_of(statement);
    const auto whole = std::make_shared<EmulatedFaults>();
    const Answer all = answer_of(query, make_emulated_query_device(whole, 1, limits));
    ASSERT_EQ(all.summary.why_cpu, "");
    ASSERT_GT(all.summary.passes, 1u);
    const auto fail = [&](std::uint64_t EmulatedFaults::*what, std::uint64_t count,
                          const char* error) {
      for (std::uint64_t i = 0; i < count; i += kStep) {
        const auto faults = std::make_shared<EmulatedFaults>();
        (*faults).*what = i;
        const Answer found = answer_of(query, make_emulated_query_device(faults, 1, limits));
        // Memory that is too little for parts leaves the query to the CPU.
        const bool is_the_cpus = found.text == all.text && !found.summary.why_cpu.empty();
        EXPECT_TRUE(is_the_cpus || found.text.find(error) != std::string::npos)
            << found.text.substr(0, 200);
        EXPECT_EQ(faults->live_bytes, 0u);
        EXPECT_EQ(faults->live_handles, 0u);
      }
    };
    fail(&EmulatedFaults::allocation, whole->allocations, "error: out of device memory");
    fail(&EmulatedFaults::pinned_allocation, whole->pinned_allocations, "error: out of memory");
    fail(&EmulatedFaults::launch, whole->launches, "GPU failed");
  }
}

/// Sums of doubles in parts: visits and cities with values so far from each other that cells are
/// changed while parts have been made, and that build rows without a partner have such values, too.
class FarDoublesInParts : public ::testing::Test {
 protected:
  static TableOfColumns made(std::uint32_t rows, std::uint32_t keys, unsigned seed, const char* key,
                             const char* value, const char* group) {
    corpora::Random random(seed);
    using D = ColumnType;
    std::vector<std::pair<std::string, ColumnData>> columns;
    columns.emplace_back(key, column_of<std::int64_t>(D::kInt64, rows, [&](std::uint32_t) {
                           return std::int64_t{random.below(keys)} * 5;
                         }));
    columns.emplace_back(group, column_of<std::int64_t>(D::kInt64, rows, [&](std::uint32_t) {
                           return std::int64_t{random.below(6)};
                         }));
    columns.emplace_back(value, column_of<double>(D::kDouble, rows, [&](std::uint32_t) {
                           return any_real(random, -70, 40);
                         }));
    return {columns, 4000};
  }
  Query query_of(const std::string& statement) const {
    const auto parsed = parse_sql(statement);
    EXPECT_TRUE(parsed.ok()) << parsed.error().message();
    std::vector<Table> tables;
    const auto add = [&](const std::string& path) {
      tables.push_back(path == "visits" ? *visits_.table : *cities_.table);
    };
    add(parsed->from.path);
    for (const SqlJoin& join : parsed->joins) add(join.source.path);
    return Query::from(*parsed, statement, std::move(tables));
  }

  const TableOfColumns visits_ = made(9000, 9000, 1, "city", "cost", "kind");
  const TableOfColumns cities_ = made(8000, 10000, 2, "name", "size", "zone");
};

TEST_F(FarDoublesInParts, AreAddedUpAsOnTheCpu) {
  std::uint64_t in_parts = 0;
  std::uint32_t seed = 3;
  for (const char* const join : {"join", "left join", "right join", "full join"}) {
    for (const char* const asked :
         {"zone, sum(size), count(*)", "kind, sum(cost), avg(size), count(*)", "zone, sum(cost)"}) {
      const std::string by(asked, std::string(asked).find(','));
      const std::string statement = std::string("select ") + asked + " from visits " + join +
                                    " cities on visits.city = cities.name group by " + by;
      SCOPED_TRACE(statement);
      const Query query = query_of(statement);
      const Answer expected = bits_of(query, nullptr);
      for (const std::uint64_t limit : {420 * kKibi, 560 * kKibi, 4000 * kKibi}) {
        const auto faults = std::make_shared<EmulatedFaults>();
        const Answer found =
            bits_of(query, make_emulated_query_device(faults, ++seed, limit_of(limit)));
        EXPECT_EQ(faults->live_bytes, 0u);
        if (found.text.starts_with("error: out of device memory")) continue;
        EXPECT_EQ(found.text, expected.text) << limit;
        const std::string text = explained(query, limit);
        in_parts += found.summary.why_cpu.empty() && parts_of(text) > 1 ? 1 : 0;
      }
    }
  }
  EXPECT_GE(in_parts, 8u);
}

}  // namespace
}  // namespace presso::query_passes_on_gpu_test
