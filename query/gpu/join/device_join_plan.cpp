// SPDX-License-Identifier: MIT
// Chooses how DeviceJoiner joins; presso sql and presso join choose elsewhere (see the header). The
// thresholds are for an H100 or H200; rates are in query/join/NOTES.md.
#include "query/gpu/join/device_join_plan.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>

#include "decompress/gpu/runtime/memory_parts.h"
#include "query/gpu/join/join_sizes.h"

namespace presso::gpu {
namespace {

/// Half of an H100's L2 cache: random accesses within it are three times as fast.
constexpr std::uint64_t kCachedBytes = std::uint64_t{1} << 25;
/// The most rows of a side that parts can number.
constexpr std::uint64_t kMostRadixRows = 0xFFFFFFFFu - (std::uint64_t{1} << 23);
/// The most units of a table, which are numbered with one more in 32 bits.
constexpr std::uint64_t kMostUnits = 0xFFFFFFFEu;
constexpr std::uint32_t kMostRunRows = 16;  ///< their remainders still fit beside a tile
/// Load of the mean part's table; the rest is room for parts that are larger.
constexpr double kPartLoad = 0.42;
/// The least number of probe rows for a thread block, so that building its table pays.
constexpr std::uint32_t kLeastItemRows = 16384;
/// Limit of JoinTuning::chain_load.
constexpr std::uint32_t kMostChainLoad = 10000;

Error invalid(const char* what) {
  return Error{ErrorCode::kInvalidArgument, std::string("a join ") + what};
}

/// Whether an address is a multiple of `alignment`.
bool is_placed(const void* at, std::uintptr_t alignment) {
  return reinterpret_cast<std::uintptr_t>(at) % alignment == 0;
}

/// A side without rows needs no keys.
bool has_keys(const JoinRows& rows) {
  return rows.count == 0 || rows.d_keys != nullptr;
}

/// Bytes of the keys that a table or parts would have: 4 if the keys' range is known and fits 32
/// bits.
std::uint32_t narrowest_key_bytes(const JoinInput& input) {
  constexpr std::uint32_t kBytes = sizeof(std::uint32_t);
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  const bool fits = input.range && span_of(*input.range, input.key_bytes) <= kMost;
  return fits ? kBytes : input.key_bytes;
}

/// Bytes of the keys that the chosen strategy works with.
std::uint32_t key_bytes_of(const JoinInput& input) {
  const bool narrows = input.strategy == DeviceJoinAlgorithm::kTable ||
                       input.strategy == DeviceJoinAlgorithm::kRadix;
  return narrows ? narrowest_key_bytes(input) : input.key_bytes;
}

/// Collects what choose_strategy() needs.
JoinFacts facts_of(const JoinInput& input) {
  JoinFacts facts;
  facts.build_rows = input.build.count;
  facts.probe_rows = input.probe.count;
  facts.key_bytes = narrowest_key_bytes(input);
  if (input.range && span_of(*input.range, input.key_bytes) < kNoRow) {
    facts.range = span_of(*input.range, input.key_bytes) + 1;
  }
  facts.ascend = input.ascends;
  facts.ordered = input.ordered;
  return facts;
}

/// Returns what is wrong with the input, or null.
const char* fault_of(const JoinInput& input) {
  if (input.key_bytes != 4 && input.key_bytes != 8) return "has keys that are not of 4 or 8 bytes";
  if (input.build.count == kNoRow || input.probe.count == kNoRow) return "has too many rows";
  if (!has_keys(input.build) || !has_keys(input.probe)) return "lacks keys";
  for (const JoinRows* side : {&input.build, &input.probe}) {
    if (!is_placed(side->d_keys, 16) || !is_placed(side->d_valid, 4) ||
        !is_placed(side->d_selected, 4)) {
      return "has misaligned memory";
    }
  }
  if (!is_placed(input.d_matched, 4)) return "has misaligned memory";
  if (input.strategy == DeviceJoinAlgorithm::kDirect) {
    if (!input.range) return "by an array does not say the range of build keys";
    if (span_of(*input.range, input.key_bytes) >= kNoRow) {
      return "has too large a range of keys for an array";
    }
  }
  const std::uint64_t rows = std::max(input.build.count, input.probe.count);
  if (input.strategy == DeviceJoinAlgorithm::kRadix && rows > kMostRadixRows) {
    return "has too many rows for parts";
  }
  if (input.strategy == DeviceJoinAlgorithm::kTable &&
      units_of(input.build.count, key_bytes_of(input)) > kMostUnits) {
    return "has too many rows for one table";
  }
  return nullptr;
}

}  // namespace

std::uint64_t span_of(const JoinKeyRange& range, std::uint32_t key_bytes) {
  const std::uint64_t span = range.most - range.least;
  return key_bytes == 4 ? static_cast<std::uint32_t>(span) : span;
}

DeviceJoinAlgorithm choose_strategy(const JoinFacts& facts) {
  if (facts.ascend) return DeviceJoinAlgorithm::kMerge;
  if (facts.range > 0 && facts.range < kNoRow) {
    const std::uint64_t bytes = sizeof(std::uint32_t) * facts.range;
    const std::uint64_t places = facts.range / std::max<std::uint64_t>(facts.build_rows, 1);
    if (bytes <= kCachedBytes && places <= 16) return DeviceJoinAlgorithm::kDirect;
    if (places < 2) return DeviceJoinAlgorithm::kDirect;
  }
  const bool is_cached = key_table_bytes(facts.build_rows, facts.key_bytes) <= kCachedBytes;
  const bool is_radix = std::max(facts.build_rows, facts.probe_rows) <= kMostRadixRows;
  if (units_of(facts.build_rows, facts.key_bytes) > kMostUnits) return DeviceJoinAlgorithm::kRadix;
  // Where rows are in order, radix puts what it found back by random writes.
  if (is_cached || facts.ordered || !is_radix) return DeviceJoinAlgorithm::kTable;
  return DeviceJoinAlgorithm::kRadix;
}

/// The order matters: the strategy decides whether keys are narrowed, which decides the limits.
Result<JoinPlan> JoinPlan::make(const JoinInput& asked, const JoinTuning& tuning) {
  JoinInput input = asked;
  if (input.strategy == DeviceJoinAlgorithm::kAuto)
    input.strategy = choose_strategy(facts_of(input));
  if (const char* const fault = fault_of(input)) return invalid(fault);
  if (!std::has_single_bit(tuning.run_rows) || tuning.run_rows > kMostRunRows) {
    return invalid("has no such length of runs");
  }
  JoinPlan plan;
  plan.input_ = input;
  plan.key_bytes_ = key_bytes_of(input);
  plan.is_single_ = input.unique || !gives_pairs(input.kind);
  plan.needs_groups_ = !input.unique && (gives_pairs(input.kind) || input.d_matched != nullptr);
  plan.keeps_found_ = input.ordered || !plan.is_single_;
  if (input.strategy == DeviceJoinAlgorithm::kRadix) {
    plan.keeps_found_ |= gives_missing(input.kind);
    plan.keeps_by_part_ = plan.keeps_found_ && !input.ordered && !gives_missing(input.kind);
    plan.choose_parts(tuning);
  }
  if (input.strategy == DeviceJoinAlgorithm::kChained || plan.has_slices()) {
    PRESSO_TRY(plan.choose_chains(tuning));
  }
  plan.divide();
  return plan;
}

Status JoinPlan::check(const void* d_temporary, const JoinPairs& pairs) const {
  if (d_temporary == nullptr || !is_placed(d_temporary, MemoryParts::kAlignment)) {
    return invalid("lacks temporary memory at a multiple of 256");
  }
  if (pairs.capacity == 0) return {};
  if (pairs.d_probe == nullptr || (gives_pairs(input_.kind) && pairs.d_build == nullptr)) {
    return invalid("lacks memory for its pairs");
  }
  if (!is_placed(pairs.d_probe, 4) || !is_placed(pairs.d_build, 4)) {
    return invalid("has misaligned memory");
  }
  return {};
}

/// A probe row has at most one pair if the build keys are unique or only rows are given.
std::uint64_t JoinPlan::most_pairs() const {
  if (!is_single_) return ~std::uint64_t{0};
  const std::uint64_t probe = input_.probe.count;
  return gives_unmatched(input_.kind) ? probe + input_.build.count : probe;
}

std::uint64_t JoinPlan::places() const {
  return input_.range ? span_of(*input_.range, input_.key_bytes) + 1 : 0;
}

/// Chooses bits such that a part's build rows fit a table in shared memory, then the sizes of
/// tables and of the probe rows that a thread block takes.
void JoinPlan::choose_parts(const JoinTuning& tuning) {
  const std::uint64_t rows = input_.build.count;
  const auto rows_of = [&](std::uint32_t bits) { return rows >> bits; };
  std::uint32_t bits = 1;
  const std::uint32_t most_bits = std::min(tuning.most_bits, 2 * kMostLevelBits);
  while (bits < std::min(most_bits, kMostSharedPartBits) && rows_of(bits) > tuning.part_rows) {
    ++bits;
  }
  // With more bits, counts no longer fit into shared memory; larger parts are better than that.
  const auto most_rows = static_cast<std::uint64_t>(tuning.most_slots * kPartLoad);
  while (bits < most_bits && rows_of(bits) > most_rows) ++bits;
  run_rows_ = tuning.run_rows;
  first_bits_ = bits <= tuning.one_level_bits ? bits : (bits + 1) / 2;
  second_bits_ = bits - first_bits_;
  const auto slots = static_cast<std::uint64_t>(static_cast<double>(rows_of(bits)) / kPartLoad);
  slots_ = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
               slots + tuning.least_slots, tuning.least_slots, tuning.most_slots)) /
           4 * 4;
  const std::uint64_t mean = input_.probe.count >> bits;
  item_rows_ = tuning.item_rows != 0
                   ? tuning.item_rows
                   : static_cast<std::uint32_t>(std::max<std::uint64_t>(4 * mean, kLeastItemRows));
}

/// Chooses slots and, for chains in shared memory, the rows of a slice. chain_load is in rows for
/// each 100 slots. Error: kInvalidArgument if the build side does not fit into the slices.
Status JoinPlan::choose_chains(const JoinTuning& tuning) {
  if (tuning.chain_load == 0 || tuning.chain_load > kMostChainLoad) {
    return invalid("has no such load of its chains");
  }
  const std::uint64_t rows = input_.build.count, load = tuning.chain_load;
  const auto slots_of = [&](std::uint64_t rows_of_table) {
    const std::uint64_t slots = (100 * rows_of_table + load - 1) / load;
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(slots, 1, kNoRow));
  };
  if (input_.strategy == DeviceJoinAlgorithm::kChained) {
    chain_slots_ = slots_of(rows);
    return {};
  }
  std::uint64_t most = tuning.slice_bytes / slice_bytes(1, 0, input_.key_bytes);
  while (most > 0 && slice_bytes(most, slots_of(most), input_.key_bytes) > tuning.slice_bytes) {
    --most;
  }
  std::uint64_t slice = std::max<std::uint64_t>(rows, 1);
  if (input_.strategy == DeviceJoinAlgorithm::kChainedSplit) {
    const std::uint64_t blocks = std::max<std::uint32_t>(tuning.split_blocks, 1);
    slice = std::min((slice + blocks - 1) / blocks, std::max<std::uint64_t>(most, 1));
  }
  if (slice > most) return invalid("has too many build rows for chains in shared memory");
  slice_rows_ = static_cast<std::uint32_t>(slice);
  chain_slots_ = slots_of(slice);
  // A key's rows may be in several slices; only after the last one it is known what has no match.
  if (slices() > 1) keeps_found_ |= gives_missing(input_.kind) || !input_.unique;
  return {};
}

/// At least one, also for an empty build side.
std::uint64_t JoinPlan::slices() const {
  const std::uint64_t rows = input_.build.count;
  return std::max<std::uint64_t>((rows + slice_rows_ - 1) / slice_rows_, 1);
}

/// Reserves only what the plan needs; sizes are exact.
/// Offset 0 is that of the totals; for any other memory it means that the plan does without.
void JoinPlan::divide() {
  MemoryParts parts;
  const std::uint64_t build = input_.build.count, probe = input_.probe.count;
  const std::uint64_t key = key_bytes_, row = sizeof(std::uint32_t);
  JoinMemory& to = memory_;
  to.totals = parts.add(sizeof(JoinTotals));
  std::uint64_t entries = probe;
  switch (input_.strategy) {
    case DeviceJoinAlgorithm::kDirect:
      to.structure = parts.add(row * places());
      break;
    case DeviceJoinAlgorithm::kTable:
      to.structure = parts.add(key_table_bytes(build, key_bytes_));
      break;
    case DeviceJoinAlgorithm::kRadix: {
      const std::uint64_t all = std::uint64_t{1} << (first_bits_ + second_bits_);
      const std::uint64_t groups = std::uint64_t{1} << first_bits_;
      const std::uint64_t build_entries = entries_of(build, all, run_rows_);
      const std::uint64_t probe_entries = entries_of(probe, all, run_rows_);
      if (keeps_by_part_) entries = probe_entries;
      to.build_hashes = parts.add(key * build_entries);
      to.build_rows = parts.add(row * build_entries);
      to.probe_hashes = parts.add(key * probe_entries);
      to.probe_rows = parts.add(row * probe_entries);
      std::uint64_t spare = input_.unique ? 0 : build_entries;
      if (second_bits_ > 0) spare = std::max(build_entries, probe_entries);
      to.spare_hashes = parts.add(key * spare);
      to.spare_rows = parts.add(row * spare);
      // Together, since they are cleared together.
      to.build_counts = parts.add(2 * row * all);
      to.probe_counts = to.build_counts + row * all;
      to.build_begins = parts.add(row * (all + 1));
      to.probe_begins = parts.add(row * (all + 1));
      to.fronts = parts.add(row * all);
      to.backs = parts.add(row * all);
      to.group_fronts = parts.add(row * groups);
      to.group_backs = parts.add(row * groups);
      to.group_begins = parts.add(row * groups);
      to.group_counts = parts.add(row * groups);
      to.group_tiles = parts.add(row * (groups + 1));
      to.item_begins = parts.add(row * (all + 1));
      break;
    }
    case DeviceJoinAlgorithm::kMerge:
      to.splits = parts.add(sizeof(std::uint64_t) * (tiles_of(probe) + 1));
      if (!leaves_rows_out()) break;
      to.taking_keys = parts.add(key * build);
      to.taking_rows = parts.add(row * build);
      to.taking_begins = parts.add(sizeof(std::uint64_t) * (tiles_of(build) + 1));
      break;
    case DeviceJoinAlgorithm::kChained:
      to.structure = parts.add(row * (std::uint64_t{chain_slots_} + build));
      break;
    case DeviceJoinAlgorithm::kChainedShared:
    case DeviceJoinAlgorithm::kChainedSplit:
      break;  // in shared memory
    case DeviceJoinAlgorithm::kAuto:
      break;  // make() has replaced it
  }
  if (needs_groups_) {
    to.leader = parts.add(row * build);
    to.further = parts.add(row * build);
    to.groups = parts.add(2 * row * build);
    to.group_list = parts.add(row * build);
    to.group_sums = parts.add(sizeof(std::uint64_t) * (tiles_of(build) + 1));
    to.long_count = parts.add(row);
    to.long_groups = parts.add(row * (build / kShortGroup + 1));
  }
  if (gives_unmatched(input_.kind)) {
    if (input_.d_matched == nullptr) to.matched = parts.add(build / 8 / row * row + row);
    to.unmatched_begins = parts.add(sizeof(std::uint64_t) * (tiles_of(build) + 1));
  }
  if (keeps_found_) {
    to.found = parts.add(row * entries);
    to.tile_begins = parts.add(sizeof(std::uint64_t) * (tiles_of(entries) + 1));
    to.piece_begins = parts.add(sizeof(std::uint64_t) * (tiles_of(entries) + 1));
  }
  to.bytes = parts.bytes();
}

}  // namespace presso::gpu
