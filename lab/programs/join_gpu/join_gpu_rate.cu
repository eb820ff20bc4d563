// SPDX-License-Identifier: MIT
// How fast a GPU joins columns that lie in its memory.
//
// Cases are named "rows x rows keys ...", variants "strategy order uniqueness". Keys are made on
// the device (join_keys.h), with the number of pairs and their checksum, which each variant must
// give, in the right order where it claims one, before it is timed and afterwards; results are
// poisoned before. Printed: the median of all runs, by events around all that a join enqueues,
// building and output included, and G rows of both sides a second. "counted first" copies the
// totals back and waits before it writes. "64 bits in 32" are keys of 64 bits whose range is told
// and takes 32, which tables and parts narrow. Where there are "columns", a row's keys are packed
// first, and that is timed with the join.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "lab/harness/command_line.h"
#include "lab/harness/gpu.h"
#include "lab/harness/report.h"
#include "lab/programs/join_gpu/join_keys.h"
#include "query/gpu/join/column_steps.h"
#include "query/gpu/join/device_join.h"
#include "query/gpu/join/join_launcher.cuh"

namespace presso::gpu::bench {
namespace {

using namespace presso::harness;

struct Options {
  std::vector<std::string> only;
  std::vector<DeviceJoinAlgorithm> strategies;  ///< none: those that are listed for a case
  int runs = 11;
  double scale = 1;
  bool stages = false;
  std::string csv;
  JoinTuning tuning;
};

struct Variant {
  DeviceJoinAlgorithm strategy;
  bool ordered = false;
  bool unique = true;
  bool counted_first = false;
  bool only_counts = false;

  bool operator==(const Variant&) const = default;
};

struct Case {
  std::string name;
  JoinKeys keys;
  std::vector<Variant> variants;
  std::uint32_t columns = 1;  ///< that the bits of each key are divided among
  std::uint32_t column_bytes = 8;
};

constexpr const char* kStrategyNames[] = {"direct",  "table",          "radix",        "merge",
                                          "chained", "chained-shared", "chained-split"};

/// How many rows of chains are looked at where each thread block has a part of the build side,
/// about: all probe rows, and build rows where these are grouped, go through all parts.
double steps_of_split(const JoinKeys& keys) {
  constexpr double kPartRows = 12'288, kFewParts = 128;
  const double parts = std::max(keys.build_rows / kPartRows, kFewParts);
  const double rows_of_key = std::max(keys.build_rows / parts / keys.distinct, 1.0);
  const auto rows = static_cast<double>(keys.build_rows) + keys.probe_rows;
  return parts * rows_of_key * rows;
}

/// Whether the strategy gives all matches of such keys, within seconds.
bool suits(DeviceJoinAlgorithm strategy, const JoinKeys& keys) {
  constexpr double kMostSteps = 2e11;
  if (strategy == DeviceJoinAlgorithm::kChainedSplit) return steps_of_split(keys) <= kMostSteps;
  if (strategy == DeviceJoinAlgorithm::kDirect) return keys.shape == KeyShape::kDense;
  return strategy != DeviceJoinAlgorithm::kMerge || keys.shape == KeyShape::kSorted;
}

/// The variants of a case with these strategies in the place of their own, each once.
std::vector<Variant> with_strategies(const std::vector<Variant>& listed,
                                     const std::vector<DeviceJoinAlgorithm>& strategies,
                                     const JoinKeys& keys) {
  if (strategies.empty()) return listed;
  std::vector<Variant> variants;
  for (const DeviceJoinAlgorithm strategy : strategies) {
    if (!suits(strategy, keys)) continue;
    for (Variant variant : listed) {
      variant.strategy = strategy;
      const bool is_new = std::find(variants.begin(), variants.end(), variant) == variants.end();
      if (is_new) variants.push_back(variant);
    }
  }
  return variants;
}

std::string name_of(const Variant& variant) {
  std::string name = kStrategyNames[static_cast<std::size_t>(variant.strategy)];
  name += variant.ordered ? " ordered" : " any order";
  name += variant.unique ? " unique" : " not known";
  if (variant.only_counts) return name + " counted";
  return variant.counted_first ? name + " counted first" : name;
}

/// Notes how long each kernel takes.
class StageLauncher {
 public:
  explicit StageLauncher(Gpu& gpu) : launcher_(gpu.stream()), gpu_(gpu) {}

  Status fill(void* at, int byte, std::uint64_t bytes) {
    PRESSO_TRY(launcher_.fill(at, byte, bytes));
    return note("clearing");
  }
  template <class Body>
  Status run(std::uint64_t blocks, std::uint32_t shared_bytes,
             const typename Body::Arguments& arguments) {
    PRESSO_TRY(launcher_.template run<Body>(blocks, shared_bytes, arguments));
    return note(Body::kName);
  }
  /// Notes the moment at which all that was enqueued until now is done.
  Status note(const char* name) {
    PRESSO_ASSIGN(const Event event, gpu_.device().create_timed_event());
    stages_.push_back({name, OwnedEvent(gpu_.device(), event)});
    return gpu_.device().record(event, gpu_.stream());
  }

  Status print() {
    PRESSO_TRY(gpu_.wait());
    for (std::size_t i = 1; i < stages_.size(); ++i) {
      PRESSO_ASSIGN(const double seconds, gpu_.device().seconds_between(stages_[i - 1].event.get(),
                                                                        stages_[i].event.get()));
      if (seconds >= 2e-5) std::printf("      %-28s %8.3f ms\n", stages_[i].name, seconds * 1e3);
    }
    return {};
  }

 private:
  struct Stage {
    const char* name;
    OwnedEvent event;
  };

  JoinLauncher launcher_;
  Gpu& gpu_;
  std::vector<Stage> stages_;
};

class Bench {
 public:
  Bench(Gpu& gpu, const Options& options)
      : gpu_(gpu),
        options_(options),
        report_(Report::Form::kAligned,
                "case:-34,variant:-36,ms:9,g_rows_per_s:12,pairs,temporary_bytes,right:5") {}

  Result<bool> run(const std::vector<Case>& cases) {
    PRESSO_TRY(gpu_.reserve(small_, 4096));
    PRESSO_TRY(report_.also_to(options_.csv));
    for (const Case& one : cases) PRESSO_TRY(measure(one));
    return all_right_;
  }

 private:
  Status measure(Case one) {
    for (std::uint32_t* rows : {&one.keys.build_rows, &one.keys.probe_rows, &one.keys.distinct}) {
      if (*rows > 16) *rows = std::max(16u, static_cast<std::uint32_t>(*rows * options_.scale));
    }
    bool is_made = false;
    for (const Variant& variant : with_strategies(one.variants, options_.strategies, one.keys)) {
      const std::string name = one.name + ", " + name_of(variant);
      if (!is_wanted(name)) continue;
      if (!is_made) PRESSO_TRY(make(one));
      is_made = true;
      const Status status = measure_one(one, variant);
      if (status.ok()) continue;
      const ErrorCode code = status.error().code;
      // A strategy that was named may not take so many rows.
      const bool is_refused = code == ErrorCode::kInvalidArgument && !options_.strategies.empty();
      if (code != ErrorCode::kDeviceMemory && !is_refused) return status;
      std::printf("%-64s %s\n", name.c_str(),
                  is_refused ? status.error().message().c_str() : "too little memory");
    }
    return {};
  }

  bool is_wanted(const std::string& name) const {
    return std::all_of(options_.only.begin(), options_.only.end(), [&](const std::string& text) {
      return name.find(text) != std::string::npos;
    });
  }

  Status make(const Case& one) {
    const JoinKeys& keys = one.keys;
    PRESSO_TRY(gpu_.reserve(build_, std::uint64_t{keys.build_rows} * keys.key_bytes));
    PRESSO_TRY(gpu_.reserve(probe_, std::uint64_t{keys.probe_rows} * keys.key_bytes));
    PRESSO_TRY(make_keys(keys, build_.get(), probe_.get(), as<JoinSums>(small_), gpu_.stream()));
    PRESSO_ASSIGN(expected_, gpu_.value<JoinSums>(small_.get()));
    is_packed_ = one.columns > 1;
    if (!is_packed_) return {};
    PRESSO_TRY(split(one, build_, keys.build_rows, build_columns_, build_bits_, packed_build_));
    return split(one, probe_, keys.probe_rows, probe_columns_, probe_bits_, packed_probe_);
  }

  /// Columns of the keys, and how they are made keys again, in their old place.
  Status split(const Case& one, DeviceMemory& keys, std::uint32_t rows, DeviceMemory& columns,
               DeviceMemory& bits, PackedKeys& packed) {
    const std::uint64_t bytes = (std::uint64_t{rows} * one.column_bytes + 255) / 256 * 256;
    PRESSO_TRY(gpu_.reserve(columns, one.columns * bytes));
    PRESSO_TRY(gpu_.reserve(bits, rows / 8 + sizeof(std::uint64_t)));
    packed = {};
    packed.part_count = one.columns;
    packed.rows = rows;
    packed.d_keys = keys.get();
    packed.key_bytes = one.keys.key_bytes;
    packed.d_valid = as<std::uint32_t>(bits);
    void* d_columns[kMostJoinKeys] = {};
    std::vector<std::uint64_t> lasts;
    for (std::uint32_t i = 0; i < one.columns; ++i) {
      d_columns[i] = columns.get() + i * bytes;
      const std::uint32_t width = column_bits(i, one.columns, one.keys.key_bytes);
      lasts.push_back((std::uint64_t{1} << width) - 1);
    }
    const auto factors = choose_factors(lasts);
    if (!factors) return make_error(ErrorCode::kInvalidArgument, "columns do not fit");
    for (std::uint32_t i = 0; i < one.columns; ++i) {
      packed.parts[i] = {d_columns[i], nullptr, one.column_bytes, 0, lasts[i], factors->factors[i]};
    }
    PRESSO_TRY(split_keys(keys.get(), one.keys.key_bytes, rows, d_columns, one.columns,
                          one.column_bytes, gpu_.stream()));
    return gpu_.wait();
  }

  template <class Launcher>
  Status pack(Launcher& launcher) {
    if (!is_packed_) return {};
    PRESSO_TRY(enqueue_packed_keys(packed_build_, launcher));
    return enqueue_packed_keys(packed_probe_, launcher);
  }

  JoinInput input_of(const JoinKeys& keys, const Variant& variant) const {
    JoinInput input;
    input.build = {build_.get(), nullptr, nullptr, keys.build_rows};
    // As DeviceJoiner has it: bits say which probe rows are in the ranges.
    const std::uint32_t* const d_valid = is_packed_ ? packed_probe_.d_valid : nullptr;
    input.probe = {probe_.get(), d_valid, nullptr, keys.probe_rows};
    input.key_bytes = keys.key_bytes;
    input.strategy = variant.strategy;
    input.ordered = variant.ordered;
    input.unique = variant.unique;
    input.range = known_range(keys);
    return input;
  }

  Status measure_one(const Case& one, const Variant& variant) {
    PRESSO_ASSIGN(const JoinPlan plan,
                  JoinPlan::make(input_of(one.keys, variant), options_.tuning));
    PRESSO_TRY(gpu_.reserve(temporary_, plan.temporary_bytes()));
    capacity_ = variant.only_counts ? 0 : expected_.pairs;
    PRESSO_TRY(gpu_.reserve(out_, 2 * sizeof(std::uint32_t) * capacity_ + 512));
    bool right = true;
    PRESSO_TRY(verify(plan, variant, right));
    PRESSO_ASSIGN(const Times ms, gpu_.time(options_.runs, [&] { return join(plan, variant); }));
    PRESSO_TRY(verify(plan, variant, right));
    report(one, variant, plan, ms.median, right);
    return options_.stages ? print_stages(plan, variant) : Status();
  }

  JoinPairs pairs() const {
    auto* const probe = as<std::uint32_t>(out_);
    return {probe, probe + (capacity_ + 63) / 64 * 64, capacity_};
  }

  Status join(const JoinPlan& plan, const Variant& variant) {
    void* const temporary = temporary_.get();
    JoinLauncher launcher(gpu_.stream());
    PRESSO_TRY(pack(launcher));
    if (variant.only_counts) return count_join(plan, temporary, gpu_.stream());
    if (!variant.counted_first) return run_join(plan, temporary, pairs(), gpu_.stream());
    PRESSO_TRY(count_join(plan, temporary, gpu_.stream()));
    PRESSO_TRY(gpu_.value<JoinTotals>(join_totals(plan, temporary)));
    return write_join(plan, temporary, pairs(), gpu_.stream());
  }

  Status verify(const JoinPlan& plan, const Variant& variant, bool& right) {
    PRESSO_TRY(gpu_.fill(out_.get(), 0xC5, 2 * sizeof(std::uint32_t) * capacity_ + 512));
    PRESSO_TRY(join(plan, variant));
    PRESSO_ASSIGN(const auto totals, gpu_.value<JoinTotals>(join_totals(plan, temporary_.get())));
    right &= totals.pairs == expected_.pairs;
    if (variant.only_counts) return {};
    const JoinPairs to = pairs();
    PRESSO_TRY(sum_pairs(to.d_probe, to.d_build, capacity_, as<JoinSums>(small_), gpu_.stream()));
    PRESSO_ASSIGN(const JoinSums sums, gpu_.value<JoinSums>(small_.get()));
    right &= sums.checksum == expected_.checksum;
    if (!variant.ordered) return {};
    PRESSO_TRY(
        check_order(to.d_probe, to.d_build, capacity_, as<std::uint64_t>(small_), gpu_.stream()));
    PRESSO_ASSIGN(const auto faults, gpu_.value<std::uint64_t>(small_.get()));
    right &= faults == 0;
    return {};
  }

  void report(const Case& one, const Variant& variant, const JoinPlan& plan, double ms,
              bool right) {
    const double rows = static_cast<double>(one.keys.build_rows) + one.keys.probe_rows;
    report_.add({one.name, name_of(variant), fixed(ms, 4), fixed(rows / ms / 1e6, 3),
                 expected_.pairs, plan.temporary_bytes(), verdict(right)});
    all_right_ &= right;
  }

  Status print_stages(const JoinPlan& plan, const Variant& variant) {
    StageLauncher launcher(gpu_);
    PRESSO_TRY(launcher.note("begin"));
    PRESSO_TRY(pack(launcher));
    PRESSO_TRY(with_join_steps(plan, temporary_.get(), launcher, [&](auto& steps) -> Status {
      if (variant.only_counts) return steps.count();
      return steps.join(pairs());
    }));
    return launcher.print();
  }

  Gpu& gpu_;
  const Options& options_;
  Report report_;
  DeviceMemory build_, probe_, temporary_, out_, small_;
  DeviceMemory build_columns_, probe_columns_, build_bits_, probe_bits_;
  PackedKeys packed_build_, packed_probe_;
  bool is_packed_ = false;
  std::uint64_t capacity_ = 0;
  JoinSums expected_;
  bool all_right_ = true;
};

constexpr auto kDirect = DeviceJoinAlgorithm::kDirect, kTable = DeviceJoinAlgorithm::kTable,
               kRadix = DeviceJoinAlgorithm::kRadix, kMerge = DeviceJoinAlgorithm::kMerge,
               kChained = DeviceJoinAlgorithm::kChained,
               kShared = DeviceJoinAlgorithm::kChainedShared,
               kSplit = DeviceJoinAlgorithm::kChainedSplit;
constexpr std::uint32_t kThousand = 1000, kMillion = 1'000'000;

JoinKeys keys_of(std::uint32_t build, std::uint32_t probe, std::uint32_t key_bytes = 8) {
  JoinKeys keys;
  keys.build_rows = keys.distinct = build;
  keys.probe_rows = probe;
  keys.key_bytes = key_bytes;
  return keys;
}
JoinKeys matching(JoinKeys keys, std::uint32_t thousandths) {
  keys.matching = thousandths;
  return keys;
}
JoinKeys shaped(JoinKeys keys, KeyShape shape) {
  keys.shape = shape;
  return keys;
}
JoinKeys drawn(JoinKeys keys, KeyDraw draw) {
  keys.draw = draw;
  return keys;
}
JoinKeys repeating(JoinKeys keys, std::uint32_t distinct) {
  keys.distinct = distinct;
  return keys;
}

std::vector<Variant> in_any_order(const std::vector<DeviceJoinAlgorithm>& strategies) {
  std::vector<Variant> variants;
  for (const auto strategy : strategies) variants.push_back({strategy});
  return variants;
}
std::vector<Variant> counted_first(const std::vector<DeviceJoinAlgorithm>& strategies) {
  std::vector<Variant> variants;
  for (const auto strategy : strategies) variants.push_back({strategy, false, false, true});
  return variants;
}
std::vector<Variant> operator+(std::vector<Variant> a, const std::vector<Variant>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
std::vector<Variant> in_order(std::vector<Variant> variants) {
  for (Variant& variant : variants) variant.ordered = true;
  return variants;
}

std::vector<Case> all_cases() {
  const std::vector<Variant> both = in_any_order({kTable, kRadix});
  const std::vector<Variant> six = both + in_order(both) + counted_first({kTable, kRadix});
  const JoinKeys large = keys_of(100 * kMillion, 400 * kMillion);
  std::vector<Case> cases;
  for (const auto& [bytes, bits] :
       {std::pair<std::uint32_t, std::string>{8, ", 64 bits"}, {4, ", 32 bits"}}) {
    const JoinKeys keys = keys_of(100 * kMillion, 400 * kMillion, bytes);
    cases.push_back({"100M x 400M" + bits, keys, six});
    cases.push_back({"100M x 400M" + bits + ", 10 %", matching(keys, 100), six});
    cases.push_back({"10M x 10M" + bits, keys_of(10 * kMillion, 10 * kMillion, bytes), six});
    cases.push_back({"1M x 500M" + bits, keys_of(kMillion, 500 * kMillion, bytes), six});
    cases.push_back({"2M x 200M" + bits, keys_of(2 * kMillion, 200 * kMillion, bytes), both});
  }
  // Keys of 64 bits that are narrowed, to be compared with those of 64 and of 32 bits, and keys of
  // several columns.
  for (const auto& [name, build, probe] :
       {std::tuple<std::string, std::uint32_t, std::uint32_t>{"100M x 400M", 100, 400},
        {"10M x 10M", 10, 10},
        {"1M x 500M", 1, 500}}) {
    const JoinKeys keys = keys_of(build * kMillion, probe * kMillion);
    JoinKeys narrow = keys;
    narrow.key_bytes = 4;
    cases.push_back({name + ", 64 bits in 32", shaped(keys, KeyShape::kRanged),
                     both + in_order(in_any_order({kTable})) + counted_first({kTable, kRadix})});
    cases.push_back({name + ", 2 columns of 32 bits", keys, both, 2, 4});
    cases.push_back({name + ", 3 columns of 64 bits", keys, both, 3, 8});
    cases.push_back({name + ", 2 columns of 64 bits in 32", narrow, both, 2, 8});
  }
  const JoinKeys sorted = shaped(large, KeyShape::kSorted);
  const std::vector<Variant> merges = in_any_order({kMerge}) + in_order(in_any_order({kMerge})) +
                                      in_order(counted_first({kMerge})) + in_any_order({kRadix});
  cases.push_back({"100M x 400M, 64 bits, sorted", sorted, merges});
  cases.push_back({"100M x 400M, 64 bits, sorted, 10 %", matching(sorted, 100), merges});
  for (const std::uint32_t build : {kMillion, 100 * kMillion}) {
    for (const std::uint32_t bytes : {8u, 4u}) {
      cases.push_back(
          {std::string(build == kMillion ? "1M" : "100M") + " x 400M, " +
               (bytes == 8 ? "64" : "32") + " bits, dense",
           shaped(keys_of(build, 400 * kMillion, bytes), KeyShape::kDense),
           in_any_order({kDirect}) + in_order(in_any_order({kDirect})) + counted_first({kDirect})});
    }
  }
  cases.push_back({"100M x 400M, half on one key", drawn(large, KeyDraw::kHalfOnOne), both});
  cases.push_back({"100M x 400M, Zipf 1.5", drawn(large, KeyDraw::kZipf), both});
  const std::vector<Variant> repeats = counted_first({kTable, kRadix});
  cases.push_back({"40M in fours x 40M",
                   repeating(keys_of(40 * kMillion, 40 * kMillion), 10 * kMillion),
                   repeats + in_order(repeats)});
  cases.push_back({"10M x 10M, one key",
                   repeating(keys_of(10 * kMillion, 10 * kMillion), 1),
                   {{kTable, false, false, false, true}, {kRadix, false, false, false, true}}});
  // Build sides that fit into a thread block's shared memory, and one that does not.
  const std::vector<Variant> chains = in_any_order({kTable, kChained, kShared, kSplit});
  const JoinKeys small = keys_of(10 * kThousand, 400 * kMillion);
  cases.push_back({"10K x 400M, 64 bits", small, chains + in_order(chains)});
  cases.push_back({"10K x 400M, 32 bits", keys_of(10 * kThousand, 400 * kMillion, 4),
                   chains + in_order(chains)});
  cases.push_back({"10K x 400M, half on one key", drawn(small, KeyDraw::kHalfOnOne),
                   chains + in_order(chains)});
  cases.push_back(
      {"10K x 400M, Zipf 1.5", drawn(small, KeyDraw::kZipf), chains + in_order(chains)});
  cases.push_back({"10K in fours x 40M", repeating(keys_of(10 * kThousand, 40 * kMillion), 2500),
                   counted_first({kTable, kChained, kShared, kSplit})});
  cases.push_back({"1M x 40M, 64 bits", keys_of(kMillion, 40 * kMillion),
                   in_any_order({kTable, kChained, kSplit})});
  return cases;
}

Result<bool> run(int count, char** arguments) {
  Options options;
  CommandLine line("", "Times joins. Exit status 1 where a result was wrong.");
  line.add("--only TEXT", "only rows whose case and variant together contain each TEXT",
           options.only);
  line.add("--strategy NAME",
           "try every case with this one, where its keys suit it and it does not take minutes: "
           "direct, table, radix, merge, chained, chained-shared, chained-split",
           names_among(kStrategyNames, [&](std::size_t place) {
             options.strategies.push_back(static_cast<DeviceJoinAlgorithm>(place));
           }));
  line.add("--runs N", "timed runs (11)", options.runs, 1);
  line.add("--scale F", "0.01 takes a hundredth of all rows", options.scale);
  line.add("--stages", "milliseconds of each kernel, of one more run", options.stages);
  line.add("--csv FILE", "append the rows there", options.csv);
  const std::string tuning = "see JoinTuning in query/gpu/join/device_join_plan.h";
  line.add("--run-rows N", tuning, options.tuning.run_rows);
  line.add("--part-rows N", tuning, options.tuning.part_rows);
  line.add("--one-level-bits N", tuning, options.tuning.one_level_bits);
  line.add("--item-rows N", tuning, options.tuning.item_rows);
  line.add("--chain-load N", tuning, options.tuning.chain_load);
  line.add("--split-blocks N", tuning, options.tuning.split_blocks);
  line.parse(count, arguments, 0, 0);
  PRESSO_ASSIGN(const auto gpu, Gpu::open());
  return Bench(*gpu, options).run(all_cases());
}

}  // namespace
}  // namespace presso::gpu::bench

int main(int count, char** arguments) {
  return presso::harness::exit_status(presso::gpu::bench::run(count, arguments));
}
