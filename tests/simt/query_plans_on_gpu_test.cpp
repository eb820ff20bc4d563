// SPDX-License-Identifier: MIT
// Plans of selections on the emulated GPU: whichever conditions come first, beside each other or in
// kernels of their own, the answer is the CPU's; plans that kernels cannot follow are refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpora/random.h"
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

/// A condition, and whether it is one that a program computes. Each is on columns of its own, or
/// they would be merged.
struct Tested {
  const char* text;
  bool is_expression = false;
};

/// The conditions by their numbers, which --explain tells: each is found by its first word, which
/// is in none of the others.
std::vector<Tested> numbered(const Query& query, const std::vector<Tested>& conditions) {
  const auto told = query.explain({}, false);
  EXPECT_TRUE(told.ok());
  std::vector<Tested> found;
  for (std::size_t number = 1; number <= conditions.size(); ++number) {
    const std::string begin = "\n  " + std::to_string(number) + "  ";
    const std::size_t at = told->find(begin);
    if (at == std::string::npos) break;
    std::string line = " " + told->substr(at + begin.size(), told->find('\n', at + 1) - at);
    std::replace(line.begin(), line.end(), '(', ' ');
    for (const Tested& one : conditions) {
      std::string word(one.text);
      word = word.substr(word.find_first_not_of('('));
      word = word.substr(0, word.find(' '));
      if (line.find(" " + word + " ") != std::string::npos) found.push_back(one);
    }
  }
  EXPECT_EQ(found.size(), conditions.size()) << *told;
  return found;
}

/// A plan of `count` conditions, put together at random.
struct MadePlan {
  std::vector<std::size_t> order;
  std::vector<std::string> between;  ///< behind each but the last; behind that "" or ";"

  static MadePlan of(std::size_t count, const std::vector<std::string>& connectors,
                     corpora::Random& random) {
    MadePlan plan;
    for (std::size_t i = 0; i < count; ++i) plan.order.push_back(i);
    for (std::size_t i = count; i > 1; --i) {
      std::swap(plan.order[i - 1], plan.order[random.below(static_cast<std::uint32_t>(i))]);
    }
    for (std::size_t i = 0; i < count; ++i) {
      const auto which = random.below(static_cast<std::uint32_t>(connectors.size()));
      plan.between.push_back(connectors[which]);
    }
    if (plan.between.back() != ";") plan.between.back() = "";
    return plan;
  }
  std::string text() const {
    std::string text;
    for (std::size_t i = 0; i < order.size(); ++i) {
      text += std::to_string(order[i] + 1) + between[i];
    }
    return text;
  }
  std::size_t kernels() const {
    return 1 + static_cast<std::size_t>(std::count(between.begin(), between.end(), ";"));
  }
  /// In each kernel expressions come behind all other conditions, and a branch.
  bool is_for_kernels(const std::vector<Tested>& conditions) const {
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      const bool first = conditions[order[i]].is_expression;
      const bool second = conditions[order[i + 1]].is_expression;
      if (between[i] == ";") continue;
      if (first && !second) return false;
      if (between[i] == "&" && first != second) return false;
    }
    return true;
  }
};

std::size_t kernels_of(const EmulatedFaults& faults) {
  return static_cast<std::size_t>(std::count(faults.steps.begin(), faults.steps.end(), "pipeline"));
}

/// Which connectors stand between conditions.
class PlansOnGpu : public ::testing::TestWithParam<std::vector<std::string>> {
 protected:
  /// What is asked of the rows behind the conditions: groups of every kind, sums, a count, rows.
  static std::vector<Query> queries(const Table& table, const std::vector<Tested>& conditions,
                                    const std::vector<Asked>& asked, const char* columns) {
    std::vector<Query> made;
    for (const Asked& one : asked) made.push_back(query_of(table, one));
    made.push_back(Query::from(table));
    made.back().select(columns);
    for (Query& query : made) {
      for (const Tested& condition : conditions) query.where(condition.text);
    }
    return made;
  }

  void expect_plans_to_agree(const std::vector<Query>& queries,
                             const std::vector<Tested>& conditions, int plans,
                             corpora::Random& random) {
    for (const Query& query : queries) {
      const std::vector<Tested> known = numbered(query, conditions);
      const Answer expected = answer_of(query, nullptr);
      for (int i = 0; i < plans; ++i) {
        const MadePlan plan = MadePlan::of(known.size(), GetParam(), random);
        SCOPED_TRACE(plan.text());
        const auto faults = std::make_shared<EmulatedFaults>();
        const auto device = make_emulated_query_device(faults, random.below(1000));
        const Answer found = answer_by_plan(query, plan.text(), device);
        EXPECT_EQ(faults->live_bytes, 0u);
        if (!plan.is_for_kernels(known)) {
          EXPECT_NE(found.text.find("a plan that a GPU cannot follow"), std::string::npos);
          const Answer by_cpu = answer_by_plan(query, plan.text(), device, true);
          EXPECT_EQ(by_cpu.text, expected.text);
          EXPECT_NE(by_cpu.summary.why_cpu.find("a plan that a GPU"), std::string::npos);
          continue;
        }
        ++followed_;
        EXPECT_EQ(found.text, expected.text);
        EXPECT_EQ(found.summary.why_cpu, "");
        EXPECT_EQ(found.summary.rows_matched, expected.summary.rows_matched);
        // For each part of the table, and again where a table of groups was too small.
        EXPECT_EQ(kernels_of(*faults) % plan.kernels(), 0u);
        if (expected.summary.rows_matched != 0) {
          EXPECT_GE(kernels_of(*faults), plan.kernels());
        }
      }
    }
  }

  std::size_t followed_ = 0;  ///< plans, by kernels
};

TEST_P(PlansOnGpu, AnswerAsTheCpu) {
  const std::vector<Tested> kConditions[] = {
      {{"day >= 1994-01-01"}, {"maybe < 200"}, {"word in ('AIR', 'RAIL', 'FOB', 'SHIP')"}},
      {{"(run = 2 or maybe > 100)"},
       {"discount between 0.02 and 0.08"},
       {"price < 900"},
       {"walk > 900"}},
      {{"maybe is null"}, {"run < 5"}},
      {{"day > 1993-01-01"}, {"maybe <> run", true}, {"odd < 45"}},
      {{"price > 200"}, {"id < walk * 9", true}, {"wide - run <> 7", true}},
      {{"id < walk * 9", true}, {"maybe <> run", true}, {"odd - price > 90", true}},
      {{"id < 0"}, {"run = 3"}, {"word <> 'AIR'"}},
  };
  const std::vector<Asked> kQueries = {
      {"", "", "count(*)"},
      {"", "", "sum(odd), sum(run)"},
      {"", "", "sum(price * (1 - discount)), min(maybe), count(maybe)"},
      {"", "word", "count(*), sum(price), sum(price * (1 - discount))"},
      {"", "wide", "count(*), max(maybe)"},
      {"", "maybe, run + 1", "count(*), avg(price)"},
  };
  for (const auto& [rows, group_rows] : {std::pair{6000, 2500u}, std::pair{1025, 1u << 20}}) {
    const MadeTable made(make_csv(rows, static_cast<unsigned>(rows)), group_rows);
    corpora::Random random(static_cast<unsigned>(rows));
    for (const std::vector<Tested>& conditions : kConditions) {
      SCOPED_TRACE(conditions[0].text);
      expect_plans_to_agree(queries(*made.table, conditions, kQueries, "id, word, maybe, real"),
                            conditions, kIsSanitized ? 2 : 4, random);
    }
  }
  EXPECT_GT(followed_, 100u / (kIsSanitized ? 2 : 1));
}

/// Strings that are tokens have kernels of their own, whose bits go to the kernel of their part.
TEST_P(PlansOnGpu, WithStringsAnswerAsTheCpu) {
  const std::vector<Tested> kConditions[] = {
      {{"comment like '%e%'"}, {"note not like '%final%'"}, {"run > 1"}},
      {{"(mixed like '%ironic%' or note like '%bold%')"},
       {"comment not like '%special%'"},
       {"word = 'AIR'"}},
      {{"note is not null"}, {"comment like '%the%'"}, {"id < run * 3000", true}},
  };
  const std::vector<Asked> kQueries = {
      {"", "", "count(*), sum(id)"},
      {"", "word, run", "count(*), sum(id), count(mixed)"},
  };
  const MadeTable made(make_string_csv(4600, 2300, 9), 2300);
  corpora::Random random(77);
  for (const std::vector<Tested>& conditions : kConditions) {
    SCOPED_TRACE(conditions[0].text);
    expect_plans_to_agree(queries(*made.table, conditions, kQueries, "id, mixed"), conditions,
                          kIsSanitized ? 2 : 4, random);
  }
  EXPECT_GT(followed_, 10u);
}

/// How many conditions on its own rows the table has that is read in order.
std::size_t conditions_of_root(const Query& query) {
  const auto told = query.explain({}, false);
  EXPECT_TRUE(told.ok());
  const std::string begin = "where: plan ";
  const std::size_t at = told->find("where: ");
  if (at == std::string::npos || told->compare(at, begin.size(), begin) != 0) return 0;
  const std::string plan = told->substr(at, told->find(',', at) - at);
  std::size_t numbers = 0;
  for (std::size_t i = 1; i < plan.size(); ++i) {
    numbers += std::isdigit(plan[i]) != 0 && std::isdigit(plan[i - 1]) == 0 ? 1 : 0;
  }
  return numbers;
}

/// Joins are steps of the last kernel, and what they tell of the table's keys is no condition
/// there.
TEST_P(PlansOnGpu, WithJoinsAnswerAsTheCpu) {
  const MadeTable facts(make_csv(5000, 5), 2300);
  std::string csv = "key,kind,size\n";
  for (int i = 0; i < 40; ++i) {
    csv += std::to_string(i % 13) + (i % 3 == 0 ? ",odd," : ",even,") + std::to_string(i) + "\n";
  }
  const MadeTable sides(csv, 16);
  corpora::Random random(19);
  std::size_t planned = 0;
  for (const char* const kind : {"join", "left join", "right join", "full join", "semi join"}) {
    for (const char* const asked :
         {"kind, count(*), sum(price), max(size)", "word, count(*), sum(maybe)"}) {
      const bool is_semi = std::string_view(kind) == "semi join";
      if (is_semi && *asked == 'k') continue;
      const std::string key(asked, std::string_view(asked).find(','));
      const std::string statement =
          "select " + std::string(asked) + " from facts " + kind + " sides on run = key and " +
          "day > 1993-03-01 and maybe < 150 where price < 800 and word <> 'AIR' group by " + key;
      SCOPED_TRACE(statement);
      const auto parsed = parse_sql(statement);
      ASSERT_TRUE(parsed.ok()) << parsed.error().message();
      const Query query = Query::from(*parsed, statement, {*facts.table, *sides.table});
      const std::string expected = answer_of(query, nullptr).text;
      const std::size_t conditions = conditions_of_root(query);
      if (conditions < 2) continue;
      for (int i = 0; i < 3; ++i, ++planned) {
        const MadePlan plan = MadePlan::of(conditions, GetParam(), random);
        SCOPED_TRACE(plan.text());
        const auto faults = std::make_shared<EmulatedFaults>();
        const auto device = make_emulated_query_device(faults, random.below(1000));
        const Answer found = answer_by_plan(query, plan.text(), device);
        EXPECT_EQ(found.text, expected);
        EXPECT_EQ(found.summary.why_cpu, "");
        EXPECT_EQ(faults->live_bytes, 0u);
      }
    }
  }
  EXPECT_GT(planned, 10u);
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

INSTANTIATE_TEST_SUITE_P(Connectors, PlansOnGpu,
                         ::testing::Values(std::vector<std::string>{"&"},
                                           std::vector<std::string>{"&&"},
                                           std::vector<std::string>{";"},
                                           std::vector<std::string>{"&", "&&", ";"}));

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
