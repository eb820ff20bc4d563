// SPDX-License-Identifier: MIT
// How fast a GPU joins columns that lie in its memory.
//
//   join_gpu_rate [--only TEXT]... [--strategy NAME]... [--runs N] [--scale F] [--stages]
//                 [--csv FILE] [--run-rows N] [--part-rows N] [--one-level-bits N] [--item-rows N]
//                 [--chain-load N] [--split-blocks N]
//
// Cases are named "rows x rows keys ...", variants "strategy order uniqueness"; --only keeps those
// whose names together contain every TEXT. --strategy (direct, table, radix, merge, chained,
// chained-shared, chained-split) tries every case with these strategies, where its keys suit them
// and it does not take minutes, in the place of those that are listed for it. --scale 0.01 takes a
// hundredth of all rows. Keys are made on the device (join_keys.h), with the number of pairs and
// their checksum, which each variant must give, in the right order where it claims one, before it
// is timed and afterwards; results are poisoned before. Printed: the median of 11 runs after two,
// by events around all that a join enqueues, building and output included, as G rows of both sides
// a second. "counted first" copies the totals back and waits before it writes. --stages:
// milliseconds of each kernel, of one more run. "64 bits in 32" are keys of 64 bits whose range is
// told and takes 32, which tables and parts narrow; of "columns" a row's keys are packed first, and
// that is timed with the join. Exit status 1 where a result was wrong. The last
// six options set what JoinTuning has (query/gpu/join/join_plan.h).
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "lab/programs/decompress_gpu/bench_support.h"
#include "lab/programs/join_gpu/join_keys.h"
#include "query/gpu/join/column_steps.h"
#include "query/gpu/join/device_join.h"
#include "query/gpu/join/join_launcher.cuh"

namespace presso::gpu::bench {
namespace {

struct Options {
  std::vector<std::string> only;
  std::vector<DeviceJoinAlgorithm> strategies;  ///< none: those that are listed for a case
  int runs = 11;
  double scale = 1;
  bool stages = false;
  std::string csv;
  JoinTuning tuning;
};

struct Case {
  std::string name;
  JoinKeys keys;
  std::uint32_t columns = 1;  ///< that the bits of each key are divided among
  std::uint32_t column_bytes = 8;
};

struct Variant {
  DeviceJoinAlgorithm strategy;
  bool ordered = false;
  bool unique = true;
  bool counted_first = false;
  bool only_counts = false;
};

constexpr const char* kStrategyNames[] = {"direct",  "table",          "radix",        "merge",
                                          "chained", "chained-shared", "chained-split"};

const char* name_of(DeviceJoinAlgorithm strategy) {
  return kStrategyNames[static_cast<std::size_t>(strategy)];
}

std::optional<DeviceJoinAlgorithm> strategy_of(const std::string& name) {
  for (std::size_t i = 0; i < std::size(kStrategyNames); ++i) {
    if (name == kStrategyNames[i]) return static_cast<DeviceJoinAlgorithm>(i);
  }
  return std::nullopt;
}

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

bool is_same(const Variant& a, const Variant& b) {
  return a.strategy == b.strategy && a.ordered == b.ordered && a.unique == b.unique &&
         a.counted_first == b.counted_first && a.only_counts == b.only_counts;
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
      const bool is_there = std::any_of(variants.begin(), variants.end(),
                                        [&](const Variant& v) { return is_same(v, variant); });
      if (!is_there) variants.push_back(variant);
    }
  }
  return variants;
}

std::string name_of(const Variant& variant) {
  std::string name = name_of(variant.strategy);
  name += variant.ordered ? " ordered" : " any order";
  name += variant.unique ? " unique" : " not known";
  if (variant.only_counts) return name + " counted";
  return variant.counted_first ? name + " counted first" : name;
}

/// Device memory that grows with what is asked for.
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { static_cast<void>(cudaFree(memory_)); }

  Status reserve(std::uint64_t bytes) {
    if (bytes <= bytes_) return {};
    static_cast<void>(cudaFree(memory_));
    memory_ = nullptr;
    bytes_ = 0;
    PRESSO_TRY(check(cudaMalloc(&memory_, bytes), "allocating"));
    bytes_ = bytes;
    return {};
  }
  template <class T>
  T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  void* memory_ = nullptr;
  std::uint64_t bytes_ = 0;
};

/// Notes how long each kernel takes.
class StageLauncher {
 public:
  explicit StageLauncher(cudaStream_t stream) : launcher_(stream), stream_(stream) {
    note("begin");
  }
  ~StageLauncher() {
    for (const auto& stage : stages_) static_cast<void>(cudaEventDestroy(stage.event));
  }
  StageLauncher(const StageLauncher&) = delete;
  StageLauncher& operator=(const StageLauncher&) = delete;

  Status fill(void* at, int byte, std::uint64_t bytes) {
    PRESSO_TRY(launcher_.fill(at, byte, bytes));
    note("clearing");
    return {};
  }
  template <class Body>
  Status run(std::uint64_t blocks, std::uint32_t shared_bytes,
             const typename Body::Arguments& arguments) {
    PRESSO_TRY(launcher_.template run<Body>(blocks, shared_bytes, arguments));
    note(Body::kName);
    return {};
  }

  void print() {
    static_cast<void>(cudaStreamSynchronize(stream_));
    for (std::size_t i = 1; i < stages_.size(); ++i) {
      float ms = 0;
      static_cast<void>(cudaEventElapsedTime(&ms, stages_[i - 1].event, stages_[i].event));
      if (ms >= 0.02F) std::printf("      %-28s %8.3f ms\n", stages_[i].name, ms);
    }
  }

 private:
  struct Stage {
    const char* name;
    cudaEvent_t event;
  };
  void note(const char* name) {
    Stage stage{name, nullptr};
    static_cast<void>(cudaEventCreate(&stage.event));
    static_cast<void>(cudaEventRecord(stage.event, stream_));
    stages_.push_back(stage);
  }

  JoinLauncher launcher_;
  cudaStream_t stream_;
  std::vector<Stage> stages_;
};

class Bench {
 public:
  explicit Bench(const Options& options) : options_(options) {}
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  ~Bench() {
    if (csv_ != nullptr) std::fclose(csv_);
    static_cast<void>(cudaEventDestroy(begin_));
    static_cast<void>(cudaEventDestroy(end_));
    static_cast<void>(cudaStreamDestroy(stream_));
  }

  Status begin() {
    PRESSO_TRY(check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream"));
    PRESSO_TRY(check(cudaEventCreate(&begin_), "an event"));
    PRESSO_TRY(check(cudaEventCreate(&end_), "an event"));
    PRESSO_TRY(small_.reserve(4096));
    if (!options_.csv.empty()) {
      csv_ = std::fopen(options_.csv.c_str(), "w");
      if (csv_ == nullptr) return errno_error(options_.csv, errno);
      std::fprintf(csv_, "case,variant,ms,g_rows_per_s,pairs,temporary_bytes,right\n");
    }
    return {};
  }

  bool all_right() const { return all_right_; }

  Status measure(Case one, const std::vector<Variant>& variants) {
    scale(one.keys.build_rows);
    scale(one.keys.probe_rows);
    scale(one.keys.distinct);
    bool is_made = false;
    for (const Variant& variant : with_strategies(variants, options_.strategies, one.keys)) {
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

 private:
  void scale(std::uint32_t& rows) const {
    if (rows <= 16) return;
    rows = std::max(16u, static_cast<std::uint32_t>(rows * options_.scale));
  }
  bool is_wanted(const std::string& name) const {
    for (const std::string& text : options_.only) {
      if (name.find(text) == std::string::npos) return false;
    }
    return true;
  }

  template <class T>
  Status read(const T* from, T& to) {
    PRESSO_TRY(check(cudaMemcpyAsync(&to, from, sizeof to, cudaMemcpyDeviceToHost, stream_),
                     "copying back"));
    return check(cudaStreamSynchronize(stream_), "waiting");
  }

  Status make(const Case& one) {
    const JoinKeys& keys = one.keys;
    PRESSO_TRY(build_.reserve(std::uint64_t{keys.build_rows} * keys.key_bytes));
    PRESSO_TRY(probe_.reserve(std::uint64_t{keys.probe_rows} * keys.key_bytes));
    PRESSO_TRY(
        make_keys(keys, build_.as<void>(), probe_.as<void>(), small_.as<JoinSums>(), stream_));
    PRESSO_TRY(read(small_.as<JoinSums>(), expected_));
    is_packed_ = one.columns > 1;
    if (!is_packed_) return {};
    PRESSO_TRY(split(one, build_, keys.build_rows, build_columns_, build_bits_, packed_build_));
    return split(one, probe_, keys.probe_rows, probe_columns_, probe_bits_, packed_probe_);
  }

  /// Columns of the keys, and how they are made keys again, in their old place.
  Status split(const Case& one, Buffer& keys, std::uint32_t rows, Buffer& columns, Buffer& bits,
               PackedKeys& packed) {
    const std::uint64_t bytes = (std::uint64_t{rows} * one.column_bytes + 255) / 256 * 256;
    PRESSO_TRY(columns.reserve(one.columns * bytes));
    PRESSO_TRY(bits.reserve(rows / 8 + sizeof(std::uint64_t)));
    packed = {};
    packed.part_count = one.columns;
    packed.rows = rows;
    packed.d_keys = keys.as<void>();
    packed.key_bytes = one.keys.key_bytes;
    packed.d_valid = bits.as<std::uint32_t>();
    void* d_columns[kMostJoinKeys] = {};
    std::vector<std::uint64_t> lasts;
    for (std::uint32_t i = 0; i < one.columns; ++i) {
      d_columns[i] = columns.as<unsigned char>() + i * bytes;
      const std::uint32_t width = column_bits(i, one.columns, one.keys.key_bytes);
      lasts.push_back((std::uint64_t{1} << width) - 1);
    }
    const auto factors = choose_factors(lasts);
    if (!factors) return make_error(ErrorCode::kInvalidArgument, "columns do not fit");
    for (std::uint32_t i = 0; i < one.columns; ++i) {
      packed.parts[i] = {d_columns[i], nullptr, one.column_bytes, 0, lasts[i], factors->factors[i]};
    }
    PRESSO_TRY(split_keys(keys.as<void>(), one.keys.key_bytes, rows, d_columns, one.columns,
                          one.column_bytes, stream_));
    return check(cudaStreamSynchronize(stream_), "waiting");
  }

  template <class Launcher>
  Status pack(Launcher& launcher) {
    if (!is_packed_) return {};
    PRESSO_TRY(enqueue_packed_keys(packed_build_, launcher));
    return enqueue_packed_keys(packed_probe_, launcher);
  }

  JoinInput input_of(const JoinKeys& keys, const Variant& variant) const {
    JoinInput input;
    input.build = {build_.as<void>(), nullptr, nullptr, keys.build_rows};
    // As DeviceJoiner has it: bits say which probe rows are in the ranges.
    const std::uint32_t* const d_valid = is_packed_ ? packed_probe_.d_valid : nullptr;
    input.probe = {probe_.as<void>(), d_valid, nullptr, keys.probe_rows};
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
    PRESSO_TRY(temporary_.reserve(plan.temporary_bytes()));
    capacity_ = variant.only_counts ? 0 : expected_.pairs;
    PRESSO_TRY(out_.reserve(2 * sizeof(std::uint32_t) * capacity_ + 512));
    bool right = true;
    PRESSO_TRY(verify(plan, variant, right));
    std::vector<double> times;
    for (int run = -2; run < options_.runs; ++run) {
      PRESSO_TRY(check(cudaEventRecord(begin_, stream_), "an event"));
      PRESSO_TRY(join(plan, variant));
      PRESSO_TRY(check(cudaEventRecord(end_, stream_), "an event"));
      PRESSO_TRY(check(cudaStreamSynchronize(stream_), "waiting"));
      float ms = 0;
      PRESSO_TRY(check(cudaEventElapsedTime(&ms, begin_, end_), "a time"));
      if (run >= 0) times.push_back(ms);
    }
    PRESSO_TRY(verify(plan, variant, right));
    report(one, variant, plan, summary(times).median, right);
    return options_.stages ? print_stages(plan, variant) : Status();
  }

  JoinPairs pairs() const {
    auto* const probe = out_.as<std::uint32_t>();
    return {probe, probe + (capacity_ + 63) / 64 * 64, capacity_};
  }

  Status join(const JoinPlan& plan, const Variant& variant) {
    void* const temporary = temporary_.as<void>();
    JoinLauncher launcher(stream_);
    PRESSO_TRY(pack(launcher));
    if (variant.only_counts) return count_join(plan, temporary, stream_);
    if (!variant.counted_first) return run_join(plan, temporary, pairs(), stream_);
    PRESSO_TRY(count_join(plan, temporary, stream_));
    JoinTotals totals;
    PRESSO_TRY(read(join_totals(plan, temporary), totals));
    return write_join(plan, temporary, pairs(), stream_);
  }

  Status verify(const JoinPlan& plan, const Variant& variant, bool& right) {
    PRESSO_TRY(check(cudaMemsetAsync(out_.as<void>(), 0xC5,
                                     2 * sizeof(std::uint32_t) * capacity_ + 512, stream_),
                     "poisoning"));
    PRESSO_TRY(join(plan, variant));
    JoinTotals totals;
    PRESSO_TRY(read(join_totals(plan, temporary_.as<void>()), totals));
    right &= totals.pairs == expected_.pairs;
    if (variant.only_counts) return {};
    const JoinPairs to = pairs();
    JoinSums sums;
    PRESSO_TRY(sum_pairs(to.d_probe, to.d_build, capacity_, small_.as<JoinSums>(), stream_));
    PRESSO_TRY(read(small_.as<JoinSums>(), sums));
    right &= sums.checksum == expected_.checksum;
    if (!variant.ordered) return {};
    std::uint64_t faults = 0;
    PRESSO_TRY(check_order(to.d_probe, to.d_build, capacity_, small_.as<std::uint64_t>(), stream_));
    PRESSO_TRY(read(small_.as<std::uint64_t>(), faults));
    right &= faults == 0;
    return {};
  }

  void report(const Case& one, const Variant& variant, const JoinPlan& plan, double ms,
              bool right) {
    const double rows = static_cast<double>(one.keys.build_rows) + one.keys.probe_rows;
    const double rate = rows / ms / 1e6;
    const std::string name = name_of(variant);
    std::printf("%-34s %-36s %9.3f ms %7.1f G rows/s%s\n", one.name.c_str(), name.c_str(), ms, rate,
                right ? "" : "   WRONG");
    std::fflush(stdout);
    if (csv_ != nullptr) {
      std::fprintf(csv_, "%s,%s,%.4f,%.3f,%llu,%llu,%d\n", one.name.c_str(), name.c_str(), ms, rate,
                   static_cast<unsigned long long>(expected_.pairs),
                   static_cast<unsigned long long>(plan.temporary_bytes()), right ? 1 : 0);
      std::fflush(csv_);
    }
    all_right_ &= right;
  }

  Status print_stages(const JoinPlan& plan, const Variant& variant) {
    StageLauncher launcher(stream_);
    PRESSO_TRY(pack(launcher));
    PRESSO_TRY(with_join_steps(plan, temporary_.as<void>(), launcher, [&](auto& steps) -> Status {
      if (variant.only_counts) return steps.count();
      return steps.join(pairs());
    }));
    launcher.print();
    return {};
  }

  const Options& options_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  Buffer build_, probe_, temporary_, out_, small_;
  Buffer build_columns_, probe_columns_, build_bits_, probe_bits_;
  PackedKeys packed_build_, packed_probe_;
  bool is_packed_ = false;
  std::uint64_t capacity_ = 0;
  JoinSums expected_;
  std::FILE* csv_ = nullptr;
  bool all_right_ = true;
};

JoinKeys keys_of(std::uint32_t build, std::uint32_t probe, std::uint32_t key_bytes = 8,
                 std::uint32_t matching = 1000) {
  JoinKeys keys;
  keys.build_rows = build;
  keys.probe_rows = probe;
  keys.distinct = build;
  keys.key_bytes = key_bytes;
  keys.matching = matching;
  return keys;
}

constexpr std::uint32_t kMillion = 1'000'000;

Status measure_unique(Bench& bench) {
  constexpr auto kTable = DeviceJoinAlgorithm::kTable, kRadix = DeviceJoinAlgorithm::kRadix;
  const std::vector<Variant> variants = {{kTable},
                                         {kRadix},
                                         {kTable, true},
                                         {kRadix, true},
                                         {kTable, false, false, true},
                                         {kRadix, false, false, true}};
  for (const std::uint32_t bytes : {8u, 4u}) {
    const std::string bits = bytes == 8 ? ", 64 bits" : ", 32 bits";
    PRESSO_TRY(bench.measure({"100M x 400M" + bits, keys_of(100 * kMillion, 400 * kMillion, bytes)},
                             variants));
    PRESSO_TRY(bench.measure(
        {"100M x 400M" + bits + ", 10 %", keys_of(100 * kMillion, 400 * kMillion, bytes, 100)},
        variants));
    PRESSO_TRY(bench.measure({"10M x 10M" + bits, keys_of(10 * kMillion, 10 * kMillion, bytes)},
                             variants));
    PRESSO_TRY(
        bench.measure({"1M x 500M" + bits, keys_of(kMillion, 500 * kMillion, bytes)}, variants));
    PRESSO_TRY(bench.measure({"2M x 200M" + bits, keys_of(2 * kMillion, 200 * kMillion, bytes)},
                             {{kTable}, {kRadix}}));
  }
  return {};
}

Status measure_shaped(Bench& bench) {
  constexpr auto kMerge = DeviceJoinAlgorithm::kMerge, kDirect = DeviceJoinAlgorithm::kDirect;
  JoinKeys keys = keys_of(100 * kMillion, 400 * kMillion);
  keys.shape = KeyShape::kSorted;
  const std::vector<Variant> merges = {
      {kMerge}, {kMerge, true}, {kMerge, true, false, true}, {DeviceJoinAlgorithm::kRadix}};
  PRESSO_TRY(bench.measure({"100M x 400M, 64 bits, sorted", keys}, merges));
  keys.matching = 100;
  PRESSO_TRY(bench.measure({"100M x 400M, 64 bits, sorted, 10 %", keys}, merges));
  for (const std::uint32_t build : {kMillion, 100 * kMillion}) {
    for (const std::uint32_t bytes : {8u, 4u}) {
      keys = keys_of(build, 400 * kMillion, bytes);
      keys.shape = KeyShape::kDense;
      const std::string name = build == kMillion ? "1M x 400M" : "100M x 400M";
      PRESSO_TRY(
          bench.measure({name + (bytes == 8 ? ", 64 bits, dense" : ", 32 bits, dense"), keys},
                        {{kDirect}, {kDirect, true}, {kDirect, false, false, true}}));
    }
  }
  return {};
}

Status measure_skewed(Bench& bench) {
  constexpr auto kTable = DeviceJoinAlgorithm::kTable, kRadix = DeviceJoinAlgorithm::kRadix;
  JoinKeys keys = keys_of(100 * kMillion, 400 * kMillion);
  keys.draw = KeyDraw::kHalfOnOne;
  PRESSO_TRY(bench.measure({"100M x 400M, half on one key", keys}, {{kTable}, {kRadix}}));
  keys.draw = KeyDraw::kZipf;
  PRESSO_TRY(bench.measure({"100M x 400M, Zipf 1.5", keys}, {{kTable}, {kRadix}}));
  keys = keys_of(40 * kMillion, 40 * kMillion);
  keys.distinct = 10 * kMillion;
  const std::vector<Variant> repeats = {{kTable, false, false, true},
                                        {kRadix, false, false, true},
                                        {kTable, true, false, true},
                                        {kRadix, true, false, true}};
  PRESSO_TRY(bench.measure({"40M in fours x 40M", keys}, repeats));
  keys = keys_of(10 * kMillion, 10 * kMillion);
  keys.distinct = 1;
  return bench.measure({"10M x 10M, one key", keys},
                       {{kTable, false, false, false, true}, {kRadix, false, false, false, true}});
}

/// Keys of 64 bits that are narrowed, to be compared with those of 64 and of 32 bits, and keys of
/// several columns.
Status measure_narrowed(Bench& bench) {
  constexpr auto kTable = DeviceJoinAlgorithm::kTable, kRadix = DeviceJoinAlgorithm::kRadix;
  struct Sizes {
    const char* name;
    std::uint32_t build;
    std::uint32_t probe;
  };
  const Sizes kSizes[] = {{"100M x 400M", 100 * kMillion, 400 * kMillion},
                          {"10M x 10M", 10 * kMillion, 10 * kMillion},
                          {"1M x 500M", kMillion, 500 * kMillion}};
  const std::vector<Variant> columns = {{kTable}, {kRadix}};
  for (const Sizes& sizes : kSizes) {
    JoinKeys keys = keys_of(sizes.build, sizes.probe);
    keys.shape = KeyShape::kRanged;
    const std::string name = sizes.name;
    PRESSO_TRY(bench.measure({name + ", 64 bits in 32", keys}, {{kTable},
                                                                {kRadix},
                                                                {kTable, true},
                                                                {kTable, false, false, true},
                                                                {kRadix, false, false, true}}));
    keys = keys_of(sizes.build, sizes.probe);
    PRESSO_TRY(bench.measure({name + ", 2 columns of 32 bits", keys, 2, 4}, columns));
    PRESSO_TRY(bench.measure({name + ", 3 columns of 64 bits", keys, 3, 8}, columns));
    keys.key_bytes = 4;
    PRESSO_TRY(bench.measure({name + ", 2 columns of 64 bits in 32", keys, 2, 8}, columns));
  }
  return {};
}

/// Build sides that fit into a thread block's shared memory, and one that does not.
Status measure_chained(Bench& bench) {
  constexpr auto kTable = DeviceJoinAlgorithm::kTable, kChained = DeviceJoinAlgorithm::kChained;
  constexpr auto kShared = DeviceJoinAlgorithm::kChainedShared,
                 kSplit = DeviceJoinAlgorithm::kChainedSplit;
  const std::vector<Variant> unique = {{kTable},        {kChained},     {kShared},
                                       {kSplit},        {kTable, true}, {kChained, true},
                                       {kShared, true}, {kSplit, true}};
  const std::vector<Variant> repeating = {{kTable, false, false, true},
                                          {kChained, false, false, true},
                                          {kShared, false, false, true},
                                          {kSplit, false, false, true}};
  constexpr std::uint32_t kThousand = 1000;
  for (const std::uint32_t bytes : {8u, 4u}) {
    const std::string bits = bytes == 8 ? ", 64 bits" : ", 32 bits";
    PRESSO_TRY(bench.measure({"10K x 400M" + bits, keys_of(10 * kThousand, 400 * kMillion, bytes)},
                             unique));
  }
  JoinKeys keys = keys_of(10 * kThousand, 400 * kMillion);
  keys.draw = KeyDraw::kHalfOnOne;
  PRESSO_TRY(bench.measure({"10K x 400M, half on one key", keys}, unique));
  keys.draw = KeyDraw::kZipf;
  PRESSO_TRY(bench.measure({"10K x 400M, Zipf 1.5", keys}, unique));
  keys = keys_of(10 * kThousand, 40 * kMillion);
  keys.distinct = 2500;
  PRESSO_TRY(bench.measure({"10K in fours x 40M", keys}, repeating));
  return bench.measure({"1M x 40M, 64 bits", keys_of(kMillion, 40 * kMillion)},
                       {{kTable}, {kChained}, {kSplit}});
}

Status run_all(Bench& bench) {
  PRESSO_TRY(bench.begin());
  PRESSO_TRY(measure_unique(bench));
  PRESSO_TRY(measure_narrowed(bench));
  PRESSO_TRY(measure_shaped(bench));
  PRESSO_TRY(measure_skewed(bench));
  return measure_chained(bench);
}

using TuningField = std::uint32_t JoinTuning::*;

/// What a flag sets, or null.
TuningField tuning_field(const std::string& flag) {
  if (flag == "--run-rows") return &JoinTuning::run_rows;
  if (flag == "--part-rows") return &JoinTuning::part_rows;
  if (flag == "--one-level-bits") return &JoinTuning::one_level_bits;
  if (flag == "--item-rows") return &JoinTuning::item_rows;
  if (flag == "--chain-load") return &JoinTuning::chain_load;
  if (flag == "--split-blocks") return &JoinTuning::split_blocks;
  return nullptr;
}

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--stages") {
      options.stages = true;
    } else if (i + 1 == argc) {
      return false;
    } else if (flag == "--only") {
      options.only.emplace_back(argv[++i]);
    } else if (flag == "--strategy") {
      const auto strategy = strategy_of(argv[++i]);
      if (!strategy) return false;
      options.strategies.push_back(*strategy);
    } else if (flag == "--runs") {
      options.runs = std::max(1, std::atoi(argv[++i]));
    } else if (flag == "--scale") {
      options.scale = std::atof(argv[++i]);
    } else if (const auto field = tuning_field(flag)) {
      options.tuning.*field = static_cast<std::uint32_t>(std::atoi(argv[++i]));
    } else if (flag == "--csv") {
      options.csv = argv[++i];
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace
}  // namespace presso::gpu::bench

int main(int argc, char** argv) {
  using namespace presso::gpu::bench;
  Options options;
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr,
                 "usage: join_gpu_rate [--only TEXT]... [--strategy NAME]... [--runs N] "
                 "[--scale F] [--stages] [--csv FILE] [--run-rows N] [--part-rows N] "
                 "[--one-level-bits N] [--item-rows N] [--chain-load N] [--split-blocks N]\n");
    return 2;
  }
  Bench bench(options);
  const presso::Status status = run_all(bench);
  if (!status.ok()) {
    std::fprintf(stderr, "join_gpu_rate: %s\n", status.error().message().c_str());
    return 2;
  }
  return bench.all_right() ? 0 : 1;
}
