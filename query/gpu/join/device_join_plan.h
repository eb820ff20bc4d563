// SPDX-License-Identifier: MIT
// The plan of a join of the library's DeviceJoiner: the algorithm, what has to be kept, and how
// temporary memory is divided. Joins of presso sql and presso join are planned elsewhere, by
// query/gpu/table/pipeline_joins.cpp and lookup.h. Host code without CUDA; making a plan touches no
// device memory. Tested by tests/simt/plan_test.cpp and
// join_suite.cpp.
#pragma once

#include <cstdint>

#include "presso/device_join.h"
#include "presso/error.h"

namespace presso::gpu {

/// Parameters of strategies. The defaults were measured on an H200 (query/join/NOTES.md); tests set
/// others, so that few rows go through every path.
struct JoinTuning {
  std::uint32_t part_rows = 3072;    ///< radix: the most build rows of a part, if bits suffice
  std::uint32_t one_level_bits = 8;  ///< radix: up to this number of bits in one pass
  std::uint32_t most_bits = 18;      ///< radix: the most bits of a part's number
  std::uint32_t run_rows = 1;        ///< radix: rows written at once; 1, 2, 4, 8 or 16
  std::uint32_t least_slots = 64;    ///< radix: slots of a part's table, at least; even
  std::uint32_t most_slots = 16384;  ///< radix: slots of a part's table, at most; even
  std::uint32_t item_rows = 0;  ///< radix: probe rows for a thread block; 0: chosen by their number
  std::uint32_t chain_load = 100;      ///< chained: build rows for each hundred slots, 1 to 10,000
  std::uint32_t slice_bytes = 196608;  ///< chained, shared memory: bytes of a thread block's table
  std::uint32_t split_blocks = 128;    ///< chained, split: the least number of slices
};

/// Returns the greatest key minus the least one. 2^64 - 1 stands for 2^64 - 1 and more.
std::uint64_t span_of(const JoinKeyRange& range, std::uint32_t key_bytes);

/// Known facts about a join when its strategy is chosen.
struct JoinFacts {
  std::uint64_t build_rows = 0;
  std::uint64_t probe_rows = 0;
  std::uint32_t key_bytes = 8;  ///< of the keys in a table or parts, after narrowing
  std::uint64_t range = 0;      ///< places from the least to the greatest build key; 0: unknown
  bool ascend = false;          ///< whether the keys of both sides ascend
  bool ordered = false;
};

/// Returns the fastest strategy that suits, by what was measured: the rule that
/// DeviceJoinAlgorithm::kAuto states. Never returns kAuto.
DeviceJoinAlgorithm choose_strategy(const JoinFacts& facts);

/// Offsets into one piece of temporary memory. Parts that a plan does not need have offset 0.
struct JoinMemory {
  std::uint64_t totals = 0;
  std::uint64_t structure = 0;  ///< table, array, or the slots and links of chains

  // Radix. "Entries" are the rows of all parts, including the gaps between parts.
  std::uint64_t build_hashes = 0, build_rows = 0;
  std::uint64_t probe_hashes = 0, probe_rows = 0;
  /// What level 1 of partitioning writes, of either side; used again for other things later.
  std::uint64_t spare_hashes = 0, spare_rows = 0;
  std::uint64_t build_counts = 0, build_begins = 0;
  std::uint64_t probe_counts = 0, probe_begins = 0;
  std::uint64_t fronts = 0, backs = 0;
  std::uint64_t group_fronts = 0, group_backs = 0;
  std::uint64_t group_begins = 0, group_counts = 0, group_tiles = 0;
  std::uint64_t item_begins = 0;

  // Merge.
  std::uint64_t taking_keys = 0, taking_rows = 0, taking_begins = 0, splits = 0;

  // Groups of build rows with equal keys (row_groups.cuh).
  std::uint64_t leader = 0, further = 0, groups = 0, group_list = 0;
  std::uint64_t group_sums = 0, long_groups = 0, long_count = 0;

  // Right and full joins: marks of build rows, unless the caller has a bitmap, and sums of tiles.
  std::uint64_t matched = 0, unmatched_begins = 0;

  // The build row (or group) that was found for each probe row (match_list.cuh).
  std::uint64_t found = 0, tile_begins = 0, piece_begins = 0;

  std::uint64_t bytes = 0;
};

/// Immutable after make().
class JoinPlan {
 public:
  /// Replaces kAuto by a strategy. kInvalidArgument if the request contradicts itself, or memory is
  /// missing or misaligned.
  static Result<JoinPlan> make(const JoinInput& asked, const JoinTuning& tuning = {});

  /// kInvalidArgument if memory that a call of this plan gets is missing or misaligned.
  Status check(const void* d_temporary, const JoinPairs& pairs) const;

  const JoinInput& input() const { return input_; }
  const JoinMemory& memory() const { return memory_; }
  /// Bytes of temporary device memory that a join needs, at a multiple of 256.
  std::uint64_t temporary_bytes() const { return memory_.bytes; }

  /// Whether keys of 64 bits are worked with as numbers of 32: for a table or parts, if the range
  /// of the build keys is known and fits.
  bool narrows() const { return key_bytes_ != input_.key_bytes; }
  /// Bytes of the keys after narrowing: 4 or 8.
  std::uint32_t key_bytes() const { return key_bytes_; }

  /// Whether each probe row has at most one row of output.
  bool is_single() const { return is_single_; }
  /// Whether what is found is kept for each row, so that writing looks nothing up.
  bool keeps_found() const { return keeps_found_; }
  /// Whether build rows with equal keys are collected into groups.
  bool needs_groups() const { return needs_groups_; }
  /// A capacity that suffices without counting; 2^64 - 1 if there is no such bound.
  std::uint64_t most_pairs() const;
  /// Whether matched build rows are marked, for the caller or to find those without a match.
  bool marks_rows() const { return input_.d_matched != nullptr || memory_.matched != 0; }

  /// The number of places from the least to the greatest build key, if the range is known and is
  /// not all of 64 bits.
  std::uint64_t places() const;

  // Radix.
  std::uint32_t first_bits() const { return first_bits_; }
  std::uint32_t second_bits() const { return second_bits_; }
  std::uint32_t slots() const { return slots_; }
  std::uint32_t item_rows() const { return item_rows_; }
  std::uint32_t run_rows() const { return run_rows_; }
  /// Radix: whether found entries are in the order of parts, not of rows.
  bool keeps_by_part() const { return keeps_by_part_; }
  // Chained.
  std::uint32_t chain_slots() const { return chain_slots_; }  ///< of the table, or of a slice's
  std::uint32_t slice_rows() const { return slice_rows_; }    ///< shared memory: 1 or more
  std::uint64_t slices() const;                               ///< shared memory: 1 or more
  bool has_slices() const {
    return input_.strategy == DeviceJoinAlgorithm::kChainedShared ||
           input_.strategy == DeviceJoinAlgorithm::kChainedSplit;
  }

  /// Merge: whether bitmaps may leave build rows out.
  bool leaves_rows_out() const {
    return input_.build.d_valid != nullptr || input_.build.d_selected != nullptr;
  }
  /// Merge: the bit whose exclusive or with keys makes them ascend as unsigned numbers; 0 if they
  /// do.
  std::uint64_t sign_bit() const {
    return input_.is_signed ? std::uint64_t{1} << (8 * input_.key_bytes - 1) : 0;
  }

 private:
  // Each of these fills in what one strategy needs; divide() lays out the memory.
  void choose_parts(const JoinTuning& tuning);
  Status choose_chains(const JoinTuning& tuning);
  void divide();

  JoinInput input_;
  JoinMemory memory_;
  std::uint32_t key_bytes_ = 8;
  bool is_single_ = false;
  bool keeps_found_ = false;
  bool keeps_by_part_ = false;
  bool needs_groups_ = false;
  std::uint32_t first_bits_ = 0, second_bits_ = 0;
  std::uint32_t slots_ = 0, item_rows_ = 0, run_rows_ = 1;
  std::uint32_t chain_slots_ = 1, slice_rows_ = 1;
};

}  // namespace presso::gpu
