// SPDX-License-Identifier: MIT
// How fast rows are sorted (query/order): the first 10 of random numbers, and all rows by a number,
// by a date-like number, by strings of 25 bytes, by two keys, in memory and by way of files. Rows
// are in memory before; the time is that of add(), on all threads, and of next() until the end, and
// each has a payload of 8 bytes. Prints the best of three runs: seconds and millions of rows a
// second.
#include <algorithm>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "corpora/random.h"
#include "lab/harness/command_line.h"
#include "lab/harness/timing.h"
#include "presso/stopwatch.h"
#include "query/order/ordering.h"

namespace presso::query {
namespace {

using namespace presso::harness;

struct Data {
  std::vector<std::int64_t> numbers;
  std::vector<std::int64_t> dates;  ///< of 2,526 days
  std::vector<std::int64_t> payload;
  std::vector<Byte> text;
  std::vector<StringRef> strings;
};

constexpr std::size_t kTextBytes = 25;

Data make_data(std::size_t rows) {
  corpora::Random random(1);
  Data data;
  data.text.resize(rows * kTextBytes);
  for (Byte& byte : data.text) byte = static_cast<Byte>('a' + random.below(26));
  for (std::size_t i = 0; i < rows; ++i) {
    data.numbers.push_back(static_cast<std::int64_t>(random.next()));
    data.dates.push_back(8000 + random.below(2526));
    data.payload.push_back(static_cast<std::int64_t>(i));
    data.strings.push_back({data.text.data() + i * kTextBytes, kTextBytes});
  }
  return data;
}

VectorView view_of(const Data& data, Physical physical, bool dates, std::size_t first) {
  if (physical == Physical::kString) return {physical, data.strings.data() + first, nullptr};
  return {physical, (dates ? data.dates : data.numbers).data() + first, nullptr};
}

struct Order {
  const char* name;
  std::vector<Physical> columns;  ///< the second kInt64 are dates; the payload comes last
  std::vector<OrderKey> keys;
  std::uint64_t limit = ~std::uint64_t{0};
  std::uint64_t memory_bytes = std::uint64_t{16} << 30;
};

/// Batches by turns, or as many as each thread has time for.
void add_all(Ordering& ordering, const Order& order, const Data& data, unsigned threads) {
  const std::size_t rows = data.payload.size();
  const auto add = [&](unsigned worker) {
    for (std::size_t first = worker * kBatchRows; first < rows; first += threads * kBatchRows) {
      std::vector<VectorView> views;
      for (std::size_t i = 0; i < order.columns.size(); ++i) {
        views.push_back(view_of(data, order.columns[i], i == 1, first));
      }
      views.push_back({Physical::kInt64, data.payload.data() + first, nullptr});
      const auto count =
          static_cast<std::uint32_t>(std::min<std::size_t>(kBatchRows, rows - first));
      const Status added = ordering.add(worker, first, nullptr, views, count);
      if (!added.ok()) give_up(added.error());
    }
  };
  std::vector<std::thread> helpers;
  for (unsigned worker = 1; worker < threads; ++worker) helpers.emplace_back(add, worker);
  add(0);
  for (std::thread& helper : helpers) helper.join();
}

void measure(const Order& order, const Data& data, unsigned threads, const std::string& folder) {
  double best = 1e9;
  double best_add = 0;
  double least_core = 1e9;
  std::string how;
  for (int run = 0; run < 3; ++run) {
    OrderingPlan plan{order.columns, order.keys, order.limit, threads, order.memory_bytes, folder};
    plan.columns.push_back(Physical::kInt64);
    const Stopwatch watch;
    const double core_before = now(Clock::kProcess);
    const auto ordering = value_or_exit(Ordering::make(plan));
    add_all(*ordering, order, data, threads);
    const double adding = watch.seconds();
    std::uint64_t rows = 0;
    while (true) {
      const auto batch = value_or_exit(ordering->next());
      if (batch.rows() == 0) break;
      rows += batch.rows();
    }
    if (rows != std::min<std::uint64_t>(order.limit, data.payload.size()))
      give_up(make_error(ErrorCode::kContent, "rows are missing"));
    if (watch.seconds() < best) best_add = adding;
    best = std::min(best, watch.seconds());
    least_core = std::min(least_core, now(Clock::kProcess) - core_before);
    how = ordering->describe() + ", peak " + grouped(ordering->peak_bytes() >> 20) + " MiB";
  }
  std::printf("%-28s %u threads %7.3f s (%.3f s until next) %8.1f M rows/s  cores %.3f s  %s\n",
              order.name, threads, best, best_add,
              static_cast<double>(data.payload.size()) / best / 1e6, least_core, how.c_str());
}

void run(std::size_t rows, unsigned most_threads, const std::string& folder,
         const std::string& name) {
  const Data data = make_data(rows);
  const Physical number = Physical::kInt64;
  std::vector<Order> orders = {
      {"first 10 by number", {number}, {{0, false}}, 10},
      {"first 100000 by number", {number}, {{0, false}}, 100000},
      {"first 10 by string", {Physical::kString}, {{0, false}}, 10},
      {"all by number", {number}, {{0, false}}},
      {"all by date, number", {number, number}, {{1, false}, {0, true}}},
      {"all by date", {number, number}, {{1, false}}},
      {"all by string", {Physical::kString}, {{0, false}}},
  };
  if (!folder.empty()) {
    orders.push_back(
        {"all by number, files", {number}, {{0, false}}, ~std::uint64_t{0}, 64u << 20});
    orders.push_back(
        {"all by string, files", {Physical::kString}, {{0, false}}, ~std::uint64_t{0}, 64u << 20});
  }
  for (const Order& order : orders) {
    if (std::string(order.name).find(name) == std::string::npos) continue;
    for (unsigned threads = 1; threads <= most_threads; threads *= 2) {
      measure(order, data, threads, folder);
    }
  }
}

}  // namespace
}  // namespace presso::query

int main(int count, char** arguments) {
  const presso::harness::CommandLine line("[MILLIONS_OF_ROWS [THREADS [DIRECTORY [NAME]]]]",
                                          "Times sorting: 6 2, no files, all of them.");
  std::vector<std::string> operands = line.parse(count, arguments, 0, 4);
  const std::string usual[] = {"6", "2", "", ""};
  for (std::size_t i = operands.size(); i < 4; ++i) operands.push_back(usual[i]);
  const double millions = presso::harness::number_of(operands[0]).value_or(0);
  const double threads = presso::harness::number_of(operands[1]).value_or(0);
  if (millions <= 0 || threads < 1) line.refuse("rows and threads are numbers above 0");
  presso::query::run(static_cast<std::size_t>(millions * 1e6), static_cast<unsigned>(threads),
                     operands[2], operands[3]);
}
