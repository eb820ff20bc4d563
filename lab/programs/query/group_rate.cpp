// SPDX-License-Identifier: MIT
// Grouping alone: rows a second of each strategy for few, many and clustered groups, by one and by
// two threads.
//
// Keys and values lie in memory as 32-bit integers and are widened vector by vector, as a decoder
// would. Aggregates: sum and count; case q1: five sums and a count (TPC-H Q1). A line for each
// case, strategy and number of threads: nanoseconds a row and thread of adding, milliseconds of
// finishing, and millions of rows a second for both. Times are CPU times of threads (the busiest
// one's for adding, the caller's for finishing), the least of all runs, so that other work on the
// machine hardly matters.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "corpora/random.h"
#include "lab/harness/command_line.h"
#include "lab/harness/timing.h"
#include "query/group/grouping.h"

namespace {

using namespace presso;
using namespace presso::query;
using namespace presso::harness;

struct Options {
  std::uint64_t rows = 6'000'000;
  int runs = 5;
  unsigned threads = 0;  // 0: one and two
  std::string only_case;
  std::string only_strategy;
  bool wall = false;
  std::uint32_t groups = 0;
  std::uint32_t range = 0;
};

struct Case {
  std::string name;
  std::vector<std::int32_t> keys;
  std::int64_t most_key = 0;
  bool known_range = true;
  std::size_t sums = 1;
};

template <class KeyOf>
Case make_case(std::string name, std::uint64_t rows, std::int64_t most, std::size_t sums,
               KeyOf&& key_of) {
  Case result{std::move(name), {}, most, true, sums};
  result.keys.resize(rows);
  for (std::uint64_t i = 0; i < rows; ++i) result.keys[i] = static_cast<std::int32_t>(key_of(i));
  return result;
}

std::vector<Case> all_cases(const Options& options) {
  const std::uint64_t rows = options.rows;
  corpora::Random random(1);
  std::vector<Case> cases;
  if (options.groups != 0) {
    const std::uint32_t step = std::max(1u, options.range / options.groups);
    cases.push_back(make_case("given", rows, options.range, 1,
                              [&](auto) { return random.below(options.groups) * step; }));
    return cases;
  }
  cases.push_back(make_case("4", rows, 5, 1, [&](auto) { return random.below(4); }));
  cases.push_back(make_case("q1", rows, 11, 5, [&](auto) { return random.below(4); }));
  cases.push_back(make_case("60", rows, 59, 1, [&](auto) { return random.below(60); }));
  cases.push_back(make_case("1000", rows, 999, 1, [&](auto) { return random.below(1000); }));
  cases.push_back(make_case("200k", rows, 199'999, 1, [&](auto) { return random.below(200'000); }));
  // As l_orderkey: four neighbours, 8 of 32 keys are used.
  cases.push_back(make_case("1.5M clustered", rows, 6'000'000, 1,
                            [&](std::uint64_t i) { return i / 4 / 8 * 32 + i / 4 % 8; }));
  cases.push_back(
      make_case("1.5M", rows, 1'499'999, 1, [&](auto) { return random.below(1'500'000); }));
  return cases;
}

GroupingPlan plan_of(const Case& which, GroupStrategy strategy, unsigned threads) {
  GroupingPlan plan;
  plan.keys = {KeySpec{Physical::kInt64, 0, which.most_key, false}};
  plan.aggregates = {AggregateSpec{}};
  for (std::size_t i = 0; i < which.sums; ++i) {
    AggregateSpec sum;
    sum.kind = AggregateKind::kSum;
    sum.least = 0;
    sum.most = 10'000'000;
    plan.aggregates.push_back(sum);
  }
  plan.rows = which.keys.size();
  plan.strategy = strategy;
  plan.threads = threads;
  return plan;
}

constexpr std::uint64_t kMorselRows = 65'536;

/// Takes morsels until there are none.
void work(Grouping& grouping, unsigned worker, const Case& which,
          const std::vector<std::int32_t>& values, std::atomic<std::uint64_t>& next) {
  static thread_local std::int64_t wide[6][kBatchRows];
  std::vector<VectorView> arguments(1 + which.sums);
  for (std::size_t i = 0; i < which.sums; ++i) {
    arguments[i + 1] = {Physical::kInt64, wide[i + 1], nullptr};
  }
  const VectorView key{Physical::kInt64, wide[0], nullptr};
  const std::uint64_t rows = which.keys.size();
  for (std::uint64_t morsel = next.fetch_add(kMorselRows); morsel < rows;
       morsel = next.fetch_add(kMorselRows)) {
    const std::uint64_t end = std::min(rows, morsel + kMorselRows);
    for (std::uint64_t row = morsel; row < end; row += kBatchRows) {
      const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(kBatchRows, end - row));
      for (std::uint32_t i = 0; i < count; ++i) wide[0][i] = which.keys[row + i];
      for (std::size_t sum = 1; sum <= which.sums; ++sum) {
        for (std::uint32_t i = 0; i < count; ++i) wide[sum][i] = values[row + i];
      }
      if (!grouping.add(worker, {row, nullptr}, {&key, 1}, arguments, count).ok()) std::abort();
    }
  }
}

void measure(const Case& which, const std::vector<std::int32_t>& values, GroupStrategy strategy,
             const char* name, unsigned threads, const Options& options) {
  const Clock clock = options.wall ? Clock::kWall : Clock::kThread;
  double best_add = 1e9, best_finish = 1e9, best = 1e9;
  std::uint64_t groups = 0, bytes = 0;
  std::string described;
  for (int run = 0; run < options.runs; ++run) {
    auto grouping = Grouping::make(plan_of(which, strategy, threads));
    if (!grouping.ok()) return;
    std::atomic<std::uint64_t> next{0};
    std::vector<double> times(threads);
    std::vector<std::thread> others;
    const auto timed = [&](unsigned worker) {
      times[worker] = seconds_of(clock, [&] { work(**grouping, worker, which, values, next); });
    };
    for (unsigned worker = 1; worker < threads; ++worker) others.emplace_back(timed, worker);
    timed(0);
    for (std::thread& other : others) other.join();
    bytes = (*grouping)->bytes();
    double add = 0;
    for (const double time : times) add = options.wall ? std::max(add, time) : add + time / threads;
    const double begin = now(clock);
    auto store = (*grouping)->finish();
    const double finish = now(clock) - begin;
    if (!store.ok()) std::abort();
    groups = store->rows();
    described = (*grouping)->describe();
    best_add = std::min(best_add, add);
    best_finish = std::min(best_finish, finish);
    best = std::min(best, add + finish);
  }
  const auto rows = static_cast<double>(which.keys.size());
  std::printf(
      "%-15s %-10s %u  add %6.2f ns  finish %6.1f ms  %6.0f M rows/s  (%llu groups, %.1f MB, %s)\n",
      which.name.c_str(), name, threads, 1e9 * best_add * threads / rows, 1e3 * best_finish,
      1e-6 * rows / best, static_cast<unsigned long long>(groups),
      1e-6 * static_cast<double>(bytes), described.c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CommandLine line("", "Times strategies of grouping.");
  line.add("--rows N", "rows of each case (6,000,000)", options.rows, 1);
  line.add("--runs N", "runs, of which the best counts (5)", options.runs, 1);
  line.add("--threads N", "only with N threads (1 and 2)", options.threads);
  line.add("--case TEXT", "only this case", options.only_case);
  line.add("--strategy TEXT", "only auto, dense, hash or radix", options.only_strategy);
  line.add("--groups N", "a case of N random keys, evenly spread over a range", options.groups);
  line.add("--range N", "the range of --groups", options.range);
  line.add("--wall", "the time that passes in place of processor time", options.wall);
  line.parse(argc, argv, 0, 0);
  corpora::Random random(2);
  std::vector<std::int32_t> values(options.rows);
  for (std::int32_t& value : values) value = static_cast<std::int32_t>(random.below(10'000'000));
  const std::pair<const char*, GroupStrategy> strategies[] = {
      {"auto", GroupStrategy::kAuto},
      {"dense", GroupStrategy::kDense},
      {"hash", GroupStrategy::kHash},
      {"radix", GroupStrategy::kRadix},
  };
  for (const Case& which : all_cases(options)) {
    if (!options.only_case.empty() && which.name != options.only_case) continue;
    for (const auto& [name, strategy] : strategies) {
      if (!options.only_strategy.empty() && options.only_strategy != name) continue;
      for (unsigned threads = 1; threads <= 2; ++threads) {
        if (options.threads != 0 && threads != options.threads) continue;
        measure(which, values, strategy, name, threads, options);
      }
    }
  }
  return 0;
}
