// SPDX-License-Identifier: MIT
// Times a query within a process, again and again, without its start: beside engines that are
// libraries. The answer's rows are made but not printed.
//
// Prints one line: least and median milliseconds, rows of the answer, rows that match, stored bytes
// read, the most bytes of memory, bytes written to temporary files, passes.
#include <cstdio>
#include <map>
#include <string>

#include "lab/harness/command_line.h"
#include "lab/harness/tables.h"
#include "lab/harness/timing.h"

namespace presso {
namespace {

using namespace presso::harness;

class CountingSink final : public ResultSink {
 public:
  Result<bool> write(ResultBatch, Buffer) override { return true; }
};

Result<Query> query_over(const std::string& text) {
  if (text.find(' ') == std::string::npos) {
    PRESSO_ASSIGN(const Table table, open_table(text));
    return Query::from(table);
  }
  PRESSO_ASSIGN(Statement statement, statement_of(text));
  return std::move(statement.query);
}

Status run(int count, char** arguments) {
  QueryOptions options;
  int runs = 9;
  std::map<std::string, std::string> clauses;
  std::string limit;
  CommandLine line("TABLE.presso|STATEMENT", "Times a query; the options make one of a table.");
  for (const char* const name : {"--where", "--columns", "--group-by", "--agg", "--order-by"}) {
    line.add(std::string(name) + " TEXT", "as presso select has it", clauses[name]);
  }
  line.add("--limit N", "rows of the answer", limit);
  line.add("--plan TEXT", "how conditions are tested", options.plan.plan);
  constexpr const char* kStrategies[] = {"auto", "dense", "hash", "radix"};
  constexpr GroupStrategy kValues[] = {GroupStrategy::kAuto, GroupStrategy::kDense,
                                       GroupStrategy::kHash, GroupStrategy::kRadix};
  line.add("--strategy NAME", "of groups: auto, dense, hash or radix",
           names_among(kStrategies, [&](std::size_t i) { options.group_strategy = kValues[i]; }));
  line.add("--join-strategy NAME", "of joins", [&](const std::string& name) {
    const auto strategy = join_strategy_of(name);
    options.join_strategy = strategy.value_or(options.join_strategy);
    return strategy.has_value();
  });
  line.add("--memory BYTES", "for groups, joins and order", options.memory_bytes);
  line.add("-T N", "threads", options.threads);
  line.add("--runs N", "timed runs (9), after one that warms up", runs, 1);
  const std::vector<std::string> operands = line.parse(count, arguments, 1, 1);
  PRESSO_ASSIGN(Query query, query_over(operands[0]));
  using Clause = Query& (Query::*)(std::string_view);
  const std::pair<const char*, Clause> kClauses[] = {{"--where", &Query::where},
                                                     {"--columns", &Query::select},
                                                     {"--group-by", &Query::group_by},
                                                     {"--agg", &Query::aggregate},
                                                     {"--order-by", &Query::order_by}};
  for (const auto& [name, clause] : kClauses) {
    if (!clauses[name].empty()) (query.*clause)(clauses[name]);
  }
  if (!limit.empty()) query.limit(static_cast<std::uint64_t>(number_of(limit).value_or(0)));
  QuerySummary summary;
  PRESSO_ASSIGN(const Times seconds, measure(runs, 1, [&]() -> Status {
                  CountingSink sink;
                  PRESSO_ASSIGN(summary, query.run(options, sink));
                  return {};
                }));
  std::printf("%.2f %.2f", seconds.best * 1e3, seconds.median * 1e3);
  for (const std::uint64_t number : {summary.rows, summary.rows_matched, summary.bytes_read,
                                     summary.peak_bytes, summary.spilled_bytes, summary.passes}) {
    std::printf(" %llu", static_cast<unsigned long long>(number));
  }
  std::printf("\n");
  return {};
}

}  // namespace
}  // namespace presso

int main(int count, char** arguments) {
  return presso::harness::exit_status(presso::run(count, arguments));
}
