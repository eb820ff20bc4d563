// SPDX-License-Identifier: MIT
// How fast a GPU groups rows in shared memory where rows are placed against conflicts of banks
// (lab/placement), beside the cells that queries use, as CSV.
//
//   placement_rate [--groups N]... [--theta F]... [--degree N]... [--strategy NAME]...
//                  [--budget F] [--window N] [--rows N] [--base-rows N] [--runs N]
//
// select a, count(*), sum(v), with each group's first row:
//
//   block     cells of 64 bits by code, as GroupPlace::kBlock (query/gpu/kernels/groups.cuh) has
//   them split     halves of 32 bits in arrays of their own, by code placed    the same by placed
//   slots window    the same, placed with --window (16 chunks)
//
// select sum(d.b) from f, d where f.a = d.a:
//
//   lookup         values of d in an array, by code
//   lookup-placed  the same by slots that are placed for reads
//
// Codes are drawn for --base-rows rows (2^20), with code i in proportion to 1 / (i + 1)^theta (0
// and 1), or so that of each 32 rows exactly --degree are in one bank (of at least 32 groups for
// each of them), and placed on the host; these rows are repeated up to --rows (2^28). A table may
// become --budget (12) times as large as it has groups, as far as shared memory goes. Answers are
// compared with those of a loop on the CPU before they are timed and afterwards; exit status 1
// where one was wrong. ms: the median of --runs (11) runs after two, by events around clearing and
// the kernel.
// rounds: accesses that a chunk of 32 rows needs, by the host's count: of additions to counts, of
// lookups reads.
// host_s: seconds that placing the base rows took.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <vector>

#include "corpora/random.h"
#include "lab/placement/bank_conflicts.h"
#include "lab/placement/placed_sums.cuh"
#include "lab/placement/placement.h"
#include "lab/programs/decompress_gpu/bench_support.h"
#include "query/gpu/join/join_launcher.cuh"

namespace presso::gpu::bench {
namespace {

enum class Strategy { kBlock, kSplit, kPlaced, kWindow, kLookup, kLookupPlaced };
constexpr const char* kNames[] = {"block", "split", "placed", "window", "lookup", "lookup-placed"};

bool is_lookup(Strategy strategy) {
  return strategy == Strategy::kLookup || strategy == Strategy::kLookupPlaced;
}
bool is_placed(Strategy strategy) {
  return strategy == Strategy::kPlaced || strategy == Strategy::kWindow ||
         strategy == Strategy::kLookupPlaced;
}

/// Of a thread block's shared memory, which other strategies of joins use as well.
constexpr std::uint32_t kSharedBytes = 192 << 10;
constexpr std::uint32_t kRangeRows = 1 << 16;
constexpr std::uint32_t kValueBits = 20;

/// How codes are drawn.
struct Draw {
  std::string name;
  double theta = 0;
  std::uint32_t degree = 0;  ///< of conflicts; 0: by theta

  bool suits(std::uint32_t groups) const { return groups >= degree * lab::kBanks; }
  std::vector<std::uint16_t> codes(std::uint32_t rows, std::uint32_t groups) const {
    if (degree == 0) return lab::drawn_codes(rows, groups, theta, groups);
    return lab::conflicting_codes(rows, groups, degree, groups);
  }
};

struct Options {
  std::vector<std::uint32_t> groups;
  std::vector<Draw> draws;
  std::vector<Strategy> strategies;
  double budget = 12;
  std::uint32_t window = 16;
  std::uint32_t rows = 1u << 28;
  std::uint32_t base_rows = 1u << 20;
  int runs = 11;
};

/// Device memory of one column or table.
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

/// What the CPU says of the base rows.
struct Expected {
  std::vector<u64> first_rows, counts, sums;
  u64 of_lookups = 0;
};

/// Which slots rows go to, by code or placed.
struct Placing {
  std::vector<std::uint16_t> slots;
  std::vector<std::uint16_t> items_of;  ///< empty: slots are codes
  std::uint32_t slot_count = 0;
  double copies = 1;  ///< of a group
  double seconds = 0;
};

class Bench {
 public:
  explicit Bench(const Options& options) : options_(options) {}
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  ~Bench() {
    static_cast<void>(cudaEventDestroy(begin_));
    static_cast<void>(cudaEventDestroy(end_));
    static_cast<void>(cudaStreamDestroy(stream_));
  }

  bool all_right() const { return all_right_; }

  Status run() {
    PRESSO_TRY(check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream"));
    PRESSO_TRY(check(cudaEventCreate(&begin_), "an event"));
    PRESSO_TRY(check(cudaEventCreate(&end_), "an event"));
    corpora::Random random(7);
    values_.resize(options_.base_rows);
    for (u32& value : values_) value = random.below(1u << kValueBits);
    PRESSO_TRY(send(values_, options_.rows, d_values_));
    std::printf("groups,keys,strategy,slots,copies,rounds,host_s,ms,g_rows_per_s,right\n");
    for (const Draw& draw : options_.draws) {
      for (const std::uint32_t groups : options_.groups) {
        if (!draw.suits(groups)) continue;
        codes_ = draw.codes(options_.base_rows, groups);
        expect(groups);
        PRESSO_TRY(send(dimension_, groups, d_dimension_));
        for (const Strategy strategy : options_.strategies) {
          PRESSO_TRY(measure(draw, groups, strategy));
        }
      }
    }
    return {};
  }

 private:
  /// To the device, again and again until there are `count` values.
  template <class T>
  Status send(const std::vector<T>& from, std::uint64_t count, Buffer& to) {
    PRESSO_TRY(to.reserve(count * sizeof(T)));
    std::uint64_t there = std::min<std::uint64_t>(count, from.size());
    PRESSO_TRY(check(cudaMemcpyAsync(to.as<T>(), from.data(), there * sizeof(T),
                                     cudaMemcpyHostToDevice, stream_),
                     "copying a column"));
    while (there < count) {
      const std::uint64_t more = std::min(there, count - there);
      PRESSO_TRY(check(cudaMemcpyAsync(to.as<T>() + there, to.as<T>(), more * sizeof(T),
                                       cudaMemcpyDeviceToDevice, stream_),
                       "repeating a column"));
      there += more;
    }
    return check(cudaStreamSynchronize(stream_), "waiting");
  }

  std::uint64_t repeats() const { return options_.rows / options_.base_rows; }

  void expect(std::uint32_t groups) {
    expected_ = {};
    expected_.first_rows.assign(groups, ~u64{0});
    expected_.counts.assign(groups, 0);
    expected_.sums.assign(groups, 0);
    dimension_.resize(groups);
    corpora::Random random(groups);
    for (u32& value : dimension_) value = static_cast<u32>(random.next());
    for (std::uint32_t row = 0; row < options_.base_rows; ++row) {
      const std::uint16_t group = codes_[row];
      expected_.first_rows[group] = std::min<u64>(expected_.first_rows[group], row);
      expected_.counts[group] += repeats();
      expected_.sums[group] += repeats() * values_[row];
      expected_.of_lookups += repeats() * dimension_[group];
    }
  }

  Result<Placing> place(std::uint32_t groups, Strategy strategy) const {
    Placing placing;
    placing.slot_count = groups;
    if (!is_placed(strategy)) {
      placing.slots = codes_;
      return placing;
    }
    const std::uint32_t slot_bytes =
        is_lookup(strategy) ? SumOfLookups::shared_bytes(1) : SplitCells::bytes(1);
    lab::PlacementOptions asked;
    asked.items = groups;
    // Slots are numbers of 16 bits.
    const double most = std::min<double>(kSharedBytes / slot_bytes, 1 << 16);
    asked.most_slots = static_cast<std::uint32_t>(std::min(options_.budget * groups, most));
    asked.window = strategy == Strategy::kWindow ? options_.window : 0;
    asked.range_rows = kRangeRows;
    asked.for_reads = is_lookup(strategy);
    const auto begin = std::chrono::steady_clock::now();
    PRESSO_ASSIGN(lab::Placement placed, lab::place_items(codes_, asked));
    placing.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    placing.copies = static_cast<double>(placed.copies) / groups;
    placing.slots = std::move(placed.slots);
    placing.items_of = std::move(placed.items_of);
    placing.slot_count = static_cast<std::uint32_t>(placing.items_of.size());
    return placing;
  }

  Status measure(const Draw& draw, std::uint32_t groups, Strategy strategy) {
    PRESSO_ASSIGN(const Placing placing, place(groups, strategy));
    PRESSO_TRY(send(placing.slots, options_.rows, d_slots_));
    if (!placing.items_of.empty()) {
      PRESSO_TRY(send(placing.items_of, placing.items_of.size(), d_items_of_));
    }
    PRESSO_TRY(d_out_.reserve(3 * sizeof(u64) * groups));
    bool right = true;
    PRESSO_TRY(verify(groups, strategy, placing, right));
    std::vector<double> times;
    for (int run = -2; run < options_.runs; ++run) {
      PRESSO_TRY(check(cudaEventRecord(begin_, stream_), "an event"));
      PRESSO_TRY(enqueue(groups, strategy, placing));
      PRESSO_TRY(check(cudaEventRecord(end_, stream_), "an event"));
      PRESSO_TRY(check(cudaStreamSynchronize(stream_), "waiting"));
      float ms = 0;
      PRESSO_TRY(check(cudaEventElapsedTime(&ms, begin_, end_), "a time"));
      if (run >= 0) times.push_back(ms);
    }
    PRESSO_TRY(verify(groups, strategy, placing, right));
    const lab::MeanConflicts conflicts = lab::mean_conflicts(words_of(placing, strategy));
    const double ms = summary(times).median;
    std::printf("%u,%s,%s,%u,%.2f,%.3f,%.2f,%.4f,%.2f,%d\n", groups, draw.name.c_str(),
                kNames[static_cast<std::size_t>(strategy)], placing.slot_count, placing.copies,
                is_lookup(strategy) ? conflicts.read_rounds : conflicts.write_rounds,
                placing.seconds, ms, options_.rows / ms / 1e6, right ? 1 : 0);
    std::fflush(stdout);
    all_right_ &= right;
    return {};
  }

  /// The words of shared memory that rows add to first: of cells of 64 bits every second one.
  static std::vector<std::uint16_t> words_of(const Placing& placing, Strategy strategy) {
    std::vector<std::uint16_t> words = placing.slots;
    if (strategy != Strategy::kBlock) return words;
    for (std::uint16_t& word : words) word = static_cast<std::uint16_t>(2 * word);
    return words;
  }

  const std::uint16_t* d_items_of(const Placing& placing) const {
    return placing.items_of.empty() ? nullptr : d_items_of_.as<std::uint16_t>();
  }

  Status enqueue(std::uint32_t groups, Strategy strategy, const Placing& placing) {
    JoinLauncher launcher(stream_);
    const std::uint64_t ranges = (std::uint64_t{options_.rows} + kRangeRows - 1) / kRangeRows;
    auto* const out = d_out_.as<u64>();
    if (is_lookup(strategy)) {
      PRESSO_TRY(launcher.fill(out, 0, sizeof(u64)));
      PlacedLookupArguments to;
      to.slots_of_rows = d_slots_.as<std::uint16_t>();
      to.rows = options_.rows;
      to.range_rows = kRangeRows;
      to.slots = placing.slot_count;
      to.items = groups;
      to.values = d_dimension_.as<u32>();
      to.items_of = d_items_of(placing);
      to.sum = out;
      return launcher.run<SumOfLookups>(ranges, SumOfLookups::shared_bytes(to.slots), to);
    }
    PRESSO_TRY(launcher.fill(out, 0xFF, sizeof(u64) * groups));
    PRESSO_TRY(launcher.fill(out + groups, 0, 2 * sizeof(u64) * groups));
    PlacedSumArguments to;
    to.slots_of_rows = d_slots_.as<std::uint16_t>();
    to.values = d_values_.as<u32>();
    to.rows = options_.rows;
    to.range_rows = kRangeRows;
    to.slots = placing.slot_count;
    to.groups = groups;
    to.items_of = d_items_of(placing);
    to.out = {out, out + groups, out + 2 * groups};
    if (strategy == Strategy::kBlock) {
      return launcher.run<SumByGroup<BlockCells>>(ranges, BlockCells::bytes(to.slots), to);
    }
    return launcher.run<SumByGroup<SplitCells>>(ranges, SplitCells::bytes(to.slots), to);
  }

  Status verify(std::uint32_t groups, Strategy strategy, const Placing& placing, bool& right) {
    PRESSO_TRY(enqueue(groups, strategy, placing));
    const std::size_t words = is_lookup(strategy) ? 1 : std::size_t{3} * groups;
    std::vector<u64> found(words);
    PRESSO_TRY(check(cudaMemcpyAsync(found.data(), d_out_.as<u64>(), words * sizeof(u64),
                                     cudaMemcpyDeviceToHost, stream_),
                     "copying back"));
    PRESSO_TRY(check(cudaStreamSynchronize(stream_), "waiting"));
    if (is_lookup(strategy)) {
      right &= found[0] == expected_.of_lookups;
      return {};
    }
    const auto at = [&](std::size_t column) {
      return found.begin() + static_cast<std::ptrdiff_t>(column * groups);
    };
    right &= std::equal(at(0), at(1), expected_.first_rows.begin());
    right &= std::equal(at(1), at(2), expected_.counts.begin());
    right &= std::equal(at(2), at(3), expected_.sums.begin());
    return {};
  }

  const Options& options_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  std::vector<std::uint16_t> codes_;
  std::vector<u32> values_, dimension_;
  Expected expected_;
  Buffer d_slots_, d_values_, d_items_of_, d_dimension_, d_out_;
  bool all_right_ = true;
};

bool add_strategy(const std::string& name, std::vector<Strategy>& to) {
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (name != kNames[i]) continue;
    to.push_back(static_cast<Strategy>(i));
    return true;
  }
  return false;
}

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string flag = argv[i];
    const char* const value = argv[i + 1];
    const auto number = static_cast<std::uint32_t>(std::strtoul(value, nullptr, 10));
    if (flag == "--groups") {
      options.groups.push_back(number);
    } else if (flag == "--theta") {
      options.draws.push_back({std::string("theta ") + value, std::atof(value), 0});
    } else if (flag == "--degree") {
      if (number < 1 || number > lab::kBanks) return false;
      options.draws.push_back({std::string("degree ") + value, 0, number});
    } else if (flag == "--strategy") {
      if (!add_strategy(value, options.strategies)) return false;
    } else if (flag == "--budget") {
      options.budget = std::atof(value);
    } else if (flag == "--window") {
      options.window = number;
    } else if (flag == "--rows") {
      options.rows = number;
    } else if (flag == "--base-rows") {
      options.base_rows = number;
    } else if (flag == "--runs") {
      options.runs = std::max(1, std::atoi(value));
    } else {
      return false;
    }
  }
  if (options.groups.empty()) options.groups = {64, 128, 256, 512, 1024, 2048, 4096};
  if (options.draws.empty()) options.draws = {{"theta 0", 0, 0}, {"theta 1", 1, 0}};
  if (options.strategies.empty()) {
    for (const char* const name : kNames) add_strategy(name, options.strategies);
  }
  const bool fits = std::all_of(options.groups.begin(), options.groups.end(), [](u32 groups) {
    return groups > 0 && BlockCells::bytes(groups) <= kSharedBytes;
  });
  // Whole repetitions, and ranges of thread blocks that begin with those of the base rows.
  return argc % 2 == 1 && fits && options.budget >= 1 && options.base_rows > 0 &&
         options.base_rows % kRangeRows == 0 && options.rows > 0 &&
         options.rows % options.base_rows == 0;
}

}  // namespace
}  // namespace presso::gpu::bench

int main(int argc, char** argv) {
  using namespace presso::gpu::bench;
  Options options;
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr,
                 "usage: placement_rate [--groups N]... [--theta F]... [--degree N]... "
                 "[--strategy NAME]... [--budget F] [--window N] [--rows N] [--base-rows N] "
                 "[--runs N]\n"
                 "groups: 1 to 8,192; base rows: multiples of 65,536; rows: of base rows\n");
    return 2;
  }
  Bench bench(options);
  const presso::Status status = bench.run();
  if (!status.ok()) {
    std::fprintf(stderr, "placement_rate: %s\n", status.error().message().c_str());
    return 2;
  }
  return bench.all_right() ? 0 : 1;
}
