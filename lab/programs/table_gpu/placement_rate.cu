// SPDX-License-Identifier: MIT
// How fast a GPU groups rows in shared memory where rows are placed against conflicts of banks
// (lab/placement), beside the cells that queries use, as CSV.
//
// select a, count(*), sum(v), with each group's first row:
//
//   block          cells of 64 bits by code, as queries have them
//                  (query/gpu/kernels/common_cells.cuh)
//   split          halves of 32 bits in arrays of their own, by code
//   placed         the same by placed slots
//   window         the same, placed with --window
//
// select sum(d.b) from f, d where f.a = d.a:
//
//   lookup         values of d in an array, by code
//   lookup-placed  the same by slots that are placed for reads
//
// Codes are drawn for the base rows, with code i in proportion to 1 / (i + 1)^theta, or so that of
// each 32 rows exactly --degree are in one bank (of at least 32 groups for each of them), and
// placed on the host; these rows are repeated. Answers are compared with those of a loop on the CPU
// before they are timed and afterwards. ms: the median of all runs, by events around clearing and
// the kernel. rounds: accesses that a chunk of 32 rows needs, by the host's count: additions to
// counts, or reads of lookups. host_s: seconds that placing the base rows took.
#include <algorithm>
#include <string>
#include <vector>

#include "corpora/random.h"
#include "lab/harness/command_line.h"
#include "lab/harness/gpu.h"
#include "lab/harness/report.h"
#include "lab/placement/bank_conflicts.h"
#include "lab/placement/placed_sums.cuh"
#include "lab/placement/placement.h"
#include "query/gpu/join/join_launcher.cuh"

namespace presso::gpu::bench {
namespace {

using namespace presso::harness;

enum class Strategy { kBlock, kSplit, kPlaced, kWindow, kLookup, kLookupPlaced };
constexpr const char* kNames[] = {"block", "split", "placed", "window", "lookup", "lookup-placed"};

bool is_lookup(Strategy strategy) {
  return strategy == Strategy::kLookup || strategy == Strategy::kLookupPlaced;
}
bool is_placed(Strategy strategy) {
  return strategy == Strategy::kPlaced || strategy == Strategy::kWindow ||
         strategy == Strategy::kLookupPlaced;
}

/// Shared memory of a thread block, as other strategies of joins use it.
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

/// The answers over all rows, by the CPU.
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
  Bench(Gpu& gpu, const Options& options)
      : gpu_(gpu),
        options_(options),
        report_(Report::Form::kCsv,
                "groups,keys,strategy,slots,copies,rounds,host_s,ms,g_rows_per_s,right") {}

  Result<bool> run() {
    corpora::Random random(7);
    values_.resize(options_.base_rows);
    for (u32& value : values_) value = random.below(1u << kValueBits);
    PRESSO_TRY(send(values_, options_.rows, d_values_));
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
    return all_right_;
  }

 private:
  /// To the device, again and again until there are `count` values.
  template <class T>
  Status send(const std::vector<T>& from, std::uint64_t count, DeviceMemory& to) {
    PRESSO_TRY(gpu_.reserve(to, count * sizeof(T)));
    const std::uint64_t there = std::min<std::uint64_t>(count, from.size());
    PRESSO_TRY(gpu_.copy_in(to.get(), from.data(), there * sizeof(T)));
    return gpu_.repeat(to.get(), there * sizeof(T), count * sizeof(T));
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
    const double begin = now(Clock::kWall);
    PRESSO_ASSIGN(lab::Placement placed, lab::place_items(codes_, asked));
    placing.seconds = now(Clock::kWall) - begin;
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
    PRESSO_TRY(gpu_.reserve(d_out_, 3 * sizeof(u64) * groups));
    bool right = true;
    PRESSO_TRY(verify(groups, strategy, placing, right));
    PRESSO_ASSIGN(const Times times,
                  gpu_.time(options_.runs, [&] { return enqueue(groups, strategy, placing); }));
    PRESSO_TRY(verify(groups, strategy, placing, right));
    const lab::MeanConflicts conflicts = lab::mean_conflicts(words_of(placing, strategy));
    const double rounds = is_lookup(strategy) ? conflicts.read_rounds : conflicts.write_rounds;
    const double ms = times.median;
    report_.add({groups, draw.name, kNames[static_cast<std::size_t>(strategy)], placing.slot_count,
                 fixed(placing.copies, 2), fixed(rounds, 3), fixed(placing.seconds, 2),
                 fixed(ms, 4), fixed(options_.rows / ms / 1e6, 2), verdict(right)});
    all_right_ &= right;
    return {};
  }

  /// The words of shared memory that rows add to first: every second one where cells have 64 bits.
  static std::vector<std::uint16_t> words_of(const Placing& placing, Strategy strategy) {
    std::vector<std::uint16_t> words = placing.slots;
    if (strategy != Strategy::kBlock) return words;
    for (std::uint16_t& word : words) word = static_cast<std::uint16_t>(2 * word);
    return words;
  }

  const std::uint16_t* d_items_of(const Placing& placing) const {
    return placing.items_of.empty() ? nullptr : as<std::uint16_t>(d_items_of_);
  }

  Status enqueue(std::uint32_t groups, Strategy strategy, const Placing& placing) {
    JoinLauncher launcher(gpu_.stream());
    const std::uint64_t ranges = (std::uint64_t{options_.rows} + kRangeRows - 1) / kRangeRows;
    auto* const out = as<u64>(d_out_);
    if (is_lookup(strategy)) {
      PRESSO_TRY(launcher.fill(out, 0, sizeof(u64)));
      PlacedLookupArguments to;
      to.slots_of_rows = as<std::uint16_t>(d_slots_);
      to.rows = options_.rows;
      to.range_rows = kRangeRows;
      to.slots = placing.slot_count;
      to.items = groups;
      to.values = as<u32>(d_dimension_);
      to.items_of = d_items_of(placing);
      to.sum = out;
      return launcher.run<SumOfLookups>(ranges, SumOfLookups::shared_bytes(to.slots), to);
    }
    PRESSO_TRY(launcher.fill(out, 0xFF, sizeof(u64) * groups));
    PRESSO_TRY(launcher.fill(out + groups, 0, 2 * sizeof(u64) * groups));
    PlacedSumArguments to;
    to.slots_of_rows = as<std::uint16_t>(d_slots_);
    to.values = as<u32>(d_values_);
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
    PRESSO_ASSIGN(const std::vector<u64> found, gpu_.values<u64>(d_out_.get(), words));
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

  Gpu& gpu_;
  const Options& options_;
  Report report_;
  std::vector<std::uint16_t> codes_;
  std::vector<u32> values_, dimension_;
  Expected expected_;
  DeviceMemory d_slots_, d_values_, d_items_of_, d_dimension_, d_out_;
  bool all_right_ = true;
};

/// Returns whether rows can be repeated whole, in ranges of thread blocks that begin with those of
/// the base rows, and whether all groups fit into shared memory.
bool fits(const Options& options) {
  return options.base_rows > 0 && options.base_rows % kRangeRows == 0 && options.rows > 0 &&
         options.rows % options.base_rows == 0 &&
         std::all_of(options.groups.begin(), options.groups.end(), [](u32 groups) {
           return groups > 0 && BlockCells::bytes(groups) <= kSharedBytes;
         });
}

Options parse(int count, char** arguments) {
  Options options;
  CommandLine line("", "Times groups in shared memory. Exit status 1 where an answer was wrong.");
  line.add("--groups N", "1 to 8,192; may be repeated (powers of 2 from 64 to 4,096)",
           [&](const std::string& value) {
             options.groups.push_back(static_cast<u32>(number_of(value).value_or(0)));
             return true;
           });
  line.add("--theta F", "how codes are drawn; may be repeated (0 and 1)",
           [&](const std::string& value) {
             options.draws.push_back({"theta " + value, number_of(value).value_or(0), 0});
             return true;
           });
  line.add("--degree N", "rows of each 32 that are in one bank; may be repeated",
           [&](const std::string& value) {
             const auto degree = static_cast<u32>(number_of(value).value_or(0));
             options.draws.push_back({"degree " + value, 0, degree});
             return degree >= 1 && degree <= lab::kBanks;
           });
  line.add("--strategy NAME", "block, split, placed, window, lookup, lookup-placed (all)",
           names_among(kNames, [&](std::size_t place) {
             options.strategies.push_back(static_cast<Strategy>(place));
           }));
  line.add("--budget F", "how many times larger than its groups a table may be (12)",
           options.budget, 1);
  line.add("--window N", "chunks (16)", options.window);
  line.add("--rows N", "a multiple of the base rows (2^28)", options.rows);
  line.add("--base-rows N", "a multiple of 65,536 (2^20)", options.base_rows);
  line.add("--runs N", "timed runs (11)", options.runs, 1);
  line.parse(count, arguments, 0, 0);
  if (options.groups.empty()) options.groups = {64, 128, 256, 512, 1024, 2048, 4096};
  if (options.draws.empty()) options.draws = {{"theta 0", 0, 0}, {"theta 1", 1, 0}};
  if (options.strategies.empty()) {
    for (std::size_t i = 0; i < std::size(kNames); ++i) {
      options.strategies.push_back(static_cast<Strategy>(i));
    }
  }
  if (!fits(options)) line.refuse("groups or rows are not such numbers");
  return options;
}

Result<bool> run(int count, char** arguments) {
  const Options options = parse(count, arguments);
  PRESSO_ASSIGN(const auto gpu, Gpu::open());
  return Bench(*gpu, options).run();
}

}  // namespace
}  // namespace presso::gpu::bench

int main(int count, char** arguments) {
  return presso::harness::exit_status(presso::gpu::bench::run(count, arguments));
}
