// SPDX-License-Identifier: MIT
// The tables of joins alone: how fast each strategy builds and finds, by one and by two threads.
//
// Keys are 64-bit words: spread evenly below --key-range, or random ones. --zipf: the build side's
// rows are drawn from as many keys as it has rows. Probe keys are drawn evenly; a share of them are
// keys of the build side. Slices of 65,536 probe keys (--slice) are looked up one after the other.
// How many pairs there are was counted while the keys were made; another number ends the program.
// The nested loop is left out of `all` above 5,000 x 100,000 rows.
//
// A line for each strategy and number of threads: milliseconds of building and millions of its
// rows a second, millions of probe keys a second, bytes. Times are CPU times of the process, the
// least of all runs, so that other work on the machine hardly matters: that of building is the sum
// of all threads, that of finding is divided by their number. --wall takes the clock instead.
//
// --two-phase: also the ways of writing pairs whose number is counted first (F4): keys are looked
// up again for writing; what was found is kept for all probe rows (F10a); lists of 1,024 keys are
// counted and written in turn (F10b).
// --filter: also the filter of keys for the probe side's scan.
#include <atomic>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>

#include "lab/harness/command_line.h"
#include "lab/harness/timing.h"
#include "lab/join/lab_join_table.h"
#include "lab/programs/join/join_data.h"
#include "query/join/join_table.h"
#include "query/join/key_filter.h"

namespace {

using namespace presso;
using namespace presso::query;
using namespace presso::query::join;
using namespace presso::harness;

struct Options {
  bench::JoinDataOptions data;
  std::string strategy = "all";
  unsigned threads = 0;  // 0: one and two
  double load = 0;
  bool buckets = false;
  std::uint64_t slice = 65'536;
  int runs = 3;
  bool wall = false;
  bool two_phase = false;
  bool filter = false;
};

/// Calls work(begin, end, worker) for slices of the probe side, on all threads.
template <class Work>
void for_each_slice(std::uint64_t rows, std::uint64_t slice, unsigned threads, const Work& work) {
  std::atomic<std::uint64_t> next{0};
  const auto loop = [&](unsigned worker) {
    for (std::uint64_t at = next.fetch_add(slice); at < rows; at = next.fetch_add(slice)) {
      work(at, std::min(rows, at + slice), worker);
    }
  };
  std::vector<std::thread> others;
  for (unsigned worker = 1; worker < threads; ++worker) others.emplace_back(loop, worker);
  loop(0);
  for (std::thread& other : others) other.join();
}

/// The time of a function, by thread.
template <class Function>
double timed(const Options& options, unsigned threads, Function&& function) {
  if (options.wall) return seconds_of(Clock::kWall, function);
  return seconds_of(Clock::kProcess, function) / threads;
}

void check_pairs(std::uint64_t pairs, const bench::JoinData& data, const std::string& what) {
  if (pairs == data.pairs) return;
  std::fprintf(stderr, "join_rate: %s found %llu pairs, there are %llu\n", what.c_str(),
               static_cast<unsigned long long>(pairs), static_cast<unsigned long long>(data.pairs));
  std::exit(1);
}

/// A strategy of the product, or of the laboratory.
struct Named {
  std::string name;
  JoinStrategy strategy = JoinStrategy::kAuto;
  std::optional<lab::Strategy> other = {};
};

std::vector<Named> all_strategies() {
  std::vector<Named> all;
  for (const std::string_view name : kJoinStrategyNames) {
    all.push_back({std::string(name), *join_strategy_of(name)});
  }
  for (std::size_t i = 0; i < lab::kStrategyNames.size(); ++i) {
    all.push_back(
        {std::string(lab::kStrategyNames[i]), JoinStrategy::kAuto, static_cast<lab::Strategy>(i)});
  }
  return all;
}

std::unique_ptr<JoinTable> build(const Named& which, lab::Plan& plan, const bench::JoinData& data) {
  plan.strategy = which.strategy;
  plan.which = which.other.value_or(lab::Strategy::kChained);
  const BuildKeys keys{data.build, nullptr};
  auto table = which.other ? lab::build(plan, keys) : JoinTable::build(plan, keys);
  if (!table.ok()) {
    std::printf("%-11s %u  %s\n", which.name.c_str(), plan.threads, table.error().what.c_str());
    return nullptr;
  }
  return std::move(*table);
}

std::uint64_t probe(const JoinTable& table, const bench::JoinData& data, const Options& options,
                    std::vector<lab::LabFound>& found) {
  std::atomic<std::uint64_t> pairs{0};
  for_each_slice(data.probe.size(), options.slice, static_cast<unsigned>(found.size()),
                 [&](std::uint64_t begin, std::uint64_t end, unsigned worker) {
                   const std::span<const std::uint64_t> keys(data.probe.data() + begin,
                                                             end - begin);
                   if (!table.find(keys, nullptr, found[worker]).ok()) std::abort();
                   pairs += found[worker].pairs;
                 });
  return pairs;
}

void measure(const Named& which, unsigned threads, const bench::JoinData& data,
             const Options& options) {
  lab::Plan plan;
  plan.threads = threads;
  plan.load = options.load;
  plan.buckets = options.buckets;
  plan.memory_bytes = std::uint64_t{8} << 30;
  plan.probes_ascend = [&] { return options.data.probe_order == bench::KeyOrder::kSorted; };
  std::unique_ptr<JoinTable> table;
  std::vector<lab::LabFound> found(threads);
  double best_build = 1e9, best_probe = 1e9;
  for (int run = 0; run < options.runs; ++run) {
    table.reset();
    const double time = timed(options, 1, [&] { table = build(which, plan, data); });
    if (table == nullptr) return;
    best_build = std::min(best_build, time);
    std::uint64_t pairs = 0;
    best_probe = std::min(
        best_probe, timed(options, threads, [&] { pairs = probe(*table, data, options, found); }));
    check_pairs(pairs, data, table->describe());
  }
  std::printf("%-11s %u  build %8.2f ms %7.1f M/s  find %7.1f M/s  %7.1f MB  %s\n",
              which.name.c_str(), threads, 1e3 * best_build,
              1e-6 * static_cast<double>(data.build.size()) / best_build,
              1e-6 * static_cast<double>(data.probe.size()) / best_probe,
              1e-6 * static_cast<double>(table->bytes()), table->describe().c_str());
  std::fflush(stdout);
}

/// The ways of F4 and F10, by one thread: all pairs as two columns.
class TwoPhase {
 public:
  TwoPhase(const JoinTable& table, const bench::JoinData& data, const Options& options)
      : table_(table), data_(data), options_(options) {
    probe_rows_.resize(data.pairs);
    build_rows_.resize(data.pairs);
  }

  void look_up_again() {
    std::uint64_t pairs = 0;
    for_each([&](std::uint64_t, const Found& found) { pairs += found.pairs; }, options_.slice);
    check_pairs(pairs, data_, "two-phase");
    next_ = 0;
    for_each([&](std::uint64_t begin, const Found& found) { write(begin, found); }, options_.slice);
  }
  void keep_for_all_rows() {
    kept_.resize(data_.probe.size() / options_.slice + 1);
    std::uint64_t pairs = 0;
    std::size_t slice = 0;
    for_each_span(options_.slice, [&](std::uint64_t, std::span<const std::uint64_t> keys) {
      if (!table_.find(keys, nullptr, kept_[slice]).ok()) std::abort();
      pairs += kept_[slice++].pairs;
    });
    check_pairs(pairs, data_, "two-phase");
    next_ = 0;
    for (std::size_t i = 0; i < slice; ++i) write(i * options_.slice, kept_[i]);
  }
  void short_lists() {
    next_ = 0;
    for_each([&](std::uint64_t begin, const Found& found) { write(begin, found); }, 1024);
  }

 private:
  template <class Take>
  void for_each_span(std::uint64_t size, Take&& take) {
    for (std::uint64_t at = 0; at < data_.probe.size(); at += size) {
      const std::uint64_t count = std::min<std::uint64_t>(size, data_.probe.size() - at);
      take(at, std::span<const std::uint64_t>(data_.probe.data() + at, count));
    }
  }
  template <class Take>
  void for_each(Take&& take, std::uint64_t size) {
    for_each_span(size, [&](std::uint64_t begin, std::span<const std::uint64_t> keys) {
      if (!table_.find(keys, nullptr, found_).ok()) std::abort();
      take(begin, found_);
    });
  }
  void write(std::uint64_t begin, const Found& found) {
    for (std::size_t i = 0; i < found.count.size(); ++i) {
      for (std::uint32_t k = 0; k < found.count[i]; ++k) {
        probe_rows_[next_] = static_cast<std::uint32_t>(begin + i);
        build_rows_[next_++] = found.row(i, k);
      }
    }
  }

  const JoinTable& table_;
  const bench::JoinData& data_;
  const Options& options_;
  lab::LabFound found_;
  std::vector<lab::LabFound> kept_;
  std::uint64_t next_ = 0;
  std::vector<std::uint32_t> probe_rows_;
  std::vector<std::uint32_t> build_rows_;
};

void measure_two_phase(const Named& which, const bench::JoinData& data, const Options& options) {
  lab::Plan plan;
  const std::unique_ptr<JoinTable> table = build(which, plan, data);
  if (table == nullptr) return;
  TwoPhase ways(*table, data, options);
  double best[3] = {1e9, 1e9, 1e9};
  for (int run = 0; run < options.runs; ++run) {
    best[0] = std::min(best[0], timed(options, 1, [&] { ways.look_up_again(); }));
    best[1] = std::min(best[1], timed(options, 1, [&] { ways.keep_for_all_rows(); }));
    best[2] = std::min(best[2], timed(options, 1, [&] { ways.short_lists(); }));
  }
  std::printf("%-11s 1  pairs, M probe keys/s: again %.1f  kept %.1f  short lists %.1f\n",
              which.name.c_str(), 1e-6 * static_cast<double>(data.probe.size()) / best[0],
              1e-6 * static_cast<double>(data.probe.size()) / best[1],
              1e-6 * static_cast<double>(data.probe.size()) / best[2]);
}

/// By one thread, in batches as a scan has them; --match says how many keys should pass.
void measure_filter(const bench::JoinData& data, const Options& options) {
  double best_build = 1e9, best_test = 1e9;
  std::uint64_t passed = 0;
  std::string text;
  for (int run = 0; run < options.runs; ++run) {
    std::unique_ptr<KeyFilter> filter;
    best_build = std::min(best_build, timed(options, 1, [&] {
                            auto built = KeyFilter::build({data.build, nullptr}, 1);
                            if (!built.ok()) std::abort();
                            filter = std::make_unique<KeyFilter>(std::move(*built));
                          }));
    best_test = std::min(best_test, timed(options, 1, [&] {
                           passed = 0;
                           std::uint64_t bits[16];
                           for (std::uint64_t at = 0; at < data.probe.size(); at += 1024) {
                             const auto count = static_cast<std::uint32_t>(
                                 std::min<std::uint64_t>(1024, data.probe.size() - at));
                             filter->test(data.probe.data() + at, count, bits);
                             for (std::uint32_t word = 0; word < (count + 63) / 64; ++word) {
                               passed += static_cast<std::uint64_t>(std::popcount(bits[word]));
                             }
                           }
                         }));
    text = filter->describe();
  }
  const auto probes = static_cast<double>(data.probe.size());
  std::printf(
      "filter      1  build %8.2f ms %7.1f M/s  test %7.1f M/s  %s, passes %.3f%%, "
      "of no match %.3f%%\n",
      1e3 * best_build, 1e-6 * static_cast<double>(data.build.size()) / best_build,
      1e-6 * probes / best_test, text.c_str(), 100 * static_cast<double>(passed) / probes,
      100 * static_cast<double>(passed - data.matches) /
          std::max(1.0, probes - static_cast<double>(data.matches)));
}

bool is_too_slow(const Named& which, const Options& options) {
  return which.other == lab::Strategy::kNestedLoop && options.strategy == "all" &&
         (options.data.build_rows > 5'000 || options.data.probe_rows > 100'000);
}

Options parse(int argc, char** argv) {
  Options options;
  bench::JoinDataOptions& data = options.data;
  const auto order_into = [](bench::KeyOrder& to) {
    static constexpr const char* kOrders[] = {"sorted", "shuffled"};
    return names_among(kOrders, [&to](std::size_t i) { to = static_cast<bench::KeyOrder>(i); });
  };
  CommandLine line("", "Times tables of joins.");
  line.add("--build N", "rows of the build side (1.5e6)", data.build_rows);
  line.add("--probe N", "rows of the probe side (6e6)", data.probe_rows);
  line.add("--dup N", "build rows for each key (1)", data.duplicates, 1);
  line.add("--zipf S", "skew of the build side", data.zipf);
  line.add("--match SHARE", "share of the probe rows that match (1)", data.match);
  line.add("--key-range N", "keys are spread evenly below N (random words)", data.key_range);
  line.add("--build-order ORDER", "sorted or shuffled", order_into(data.build_order));
  line.add("--probe-order ORDER", "sorted or shuffled", order_into(data.probe_order));
  line.add("--strategy NAME", "only this one (all)", options.strategy);
  line.add("--threads N", "only with N threads (1 and 2)", options.threads);
  line.add("--load F", "of the open table", options.load);
  line.add("--buckets", "buckets in the open table", options.buckets);
  line.add("--slice N", "probe keys that are looked up at a time (65,536)", options.slice, 1);
  line.add("--runs N", "runs, of which the best counts (3)", options.runs, 1);
  line.add("--wall", "the time that passes in place of processor time", options.wall);
  line.add("--two-phase", "ways of writing pairs, too", options.two_phase);
  line.add("--filter", "the filter of keys, too", options.filter);
  line.parse(argc, argv, 0, 0);
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  const bench::JoinData data = bench::make_join_data(options.data);
  if (options.filter) measure_filter(data, options);
  for (const Named& which : all_strategies()) {
    if (options.strategy != "all" && options.strategy != which.name) continue;
    if (is_too_slow(which, options)) continue;
    for (unsigned threads = 1; threads <= 2; ++threads) {
      if (options.threads != 0 && threads != options.threads) continue;
      measure(which, threads, data, options);
    }
    if (options.two_phase) measure_two_phase(which, data, options);
  }
  return 0;
}
