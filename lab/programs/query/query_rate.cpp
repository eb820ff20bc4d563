// SPDX-License-Identifier: MIT
// Times a query within a process, again and again, without its start: beside engines that are
// libraries. The answer's rows are made but not printed.
//
//   query_rate TABLE.presso [--where EXPR] [--columns LIST] [--group-by LIST] [--agg LIST]
//              [--order-by LIST] [--limit N] [--plan TEXT] [--strategy NAME] [-T N] [--runs N]
//   query_rate STATEMENT [--join-strategy NAME] [--memory BYTES] [-T N] [--runs N]
//
// Prints one line: least and median milliseconds, rows of the answer, rows that match, stored bytes
// read, the most bytes of memory, bytes written to temporary files, passes.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "presso/query.h"
#include "presso/stopwatch.h"

namespace {

class CountingSink final : public presso::ResultSink {
 public:
  presso::Result<bool> write(presso::ResultBatch, presso::Buffer) override { return true; }
};

int fail(const std::string& text) {
  std::fprintf(stderr, "query_rate: %s\n", text.c_str());
  return 2;
}

presso::GroupStrategy strategy_of(const std::string& name) {
  if (name == "dense") return presso::GroupStrategy::kDense;
  if (name == "hash") return presso::GroupStrategy::kHash;
  if (name == "radix") return presso::GroupStrategy::kRadix;
  return presso::GroupStrategy::kAuto;
}

}  // namespace

/// Files stay open until the end.
presso::Result<presso::Table> open_table(const std::string& path) {
  static std::vector<std::unique_ptr<presso::FdRandomAccess>> files;
  const int fd = open(path.c_str(), O_RDONLY);
  struct stat about = {};
  if (fd < 0 || fstat(fd, &about) != 0) {
    return presso::make_error(presso::ErrorCode::kIo, "cannot open " + path);
  }
  files.push_back(
      std::make_unique<presso::FdRandomAccess>(fd, static_cast<std::uint64_t>(about.st_size)));
  return presso::Table::open(*files.back());
}

presso::Result<presso::Query> query_of(const std::string& first) {
  if (first.find(' ') == std::string::npos) {
    PRESSO_ASSIGN(const presso::Table table, open_table(first));
    return presso::Query::from(table);
  }
  PRESSO_ASSIGN(const presso::SqlQuery statement, presso::parse_sql(first));
  std::vector<presso::Table> tables;
  PRESSO_ASSIGN(presso::Table table, open_table(statement.from.path));
  tables.push_back(std::move(table));
  for (const presso::SqlJoin& join : statement.joins) {
    PRESSO_ASSIGN(presso::Table joined, open_table(join.source.path));
    tables.push_back(std::move(joined));
  }
  return presso::Query::from(statement, first, std::move(tables));
}

int main(int argc, char** argv) {
  if (argc < 2) return fail("usage: query_rate TABLE.presso [--where EXPR] ...");
  auto asked = query_of(argv[1]);
  if (!asked.ok()) return fail(asked.error().message());
  presso::Query& query = *asked;
  presso::QueryOptions options;
  int runs = 9;
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string flag = argv[i];
    const std::string value = argv[i + 1];
    if (flag == "--where") query.where(value);
    if (flag == "--columns") query.select(value);
    if (flag == "--group-by") query.group_by(value);
    if (flag == "--agg") query.aggregate(value);
    if (flag == "--order-by") query.order_by(value);
    if (flag == "--limit") query.limit(std::strtoull(value.c_str(), nullptr, 10));
    if (flag == "--plan") options.plan.plan = value;
    if (flag == "--strategy") options.group_strategy = strategy_of(value);
    if (flag == "--join-strategy") {
      options.join_strategy = presso::join_strategy_of(value).value_or(options.join_strategy);
    }
    if (flag == "--memory") options.memory_bytes = std::strtoull(value.c_str(), nullptr, 10);
    if (flag == "-T") options.threads = static_cast<unsigned>(std::atoi(value.c_str()));
    if (flag == "--runs") runs = std::max(1, std::atoi(value.c_str()));
  }
  std::vector<double> milliseconds;
  presso::QuerySummary summary;
  for (int run = 0; run <= runs; ++run) {  // the first one warms up
    CountingSink sink;
    const presso::Stopwatch time;
    const auto done = query.run(options, sink);
    if (!done.ok()) return fail(done.error().message());
    if (run > 0) milliseconds.push_back(time.seconds() * 1e3);
    summary = *done;
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  std::printf("%.2f %.2f", milliseconds.front(), milliseconds[milliseconds.size() / 2]);
  for (const std::uint64_t number : {summary.rows, summary.rows_matched, summary.bytes_read,
                                     summary.peak_bytes, summary.spilled_bytes, summary.passes}) {
    std::printf(" %llu", static_cast<unsigned long long>(number));
  }
  std::printf("\n");
  return 0;
}
