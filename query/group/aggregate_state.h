// SPDX-License-Identifier: MIT
// The state of one aggregate for many groups: an array with one element (or several) for each
// group. Rows are added to it; states of other threads, and of tables that were emptied, are merged
// into it in any order with the same result; finally it writes values. make() picks the class for
// an aggregate. Tested by tests/unit/query/group/grouping_test.cpp.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "query/group/column.h"
#include "query/group/grouping.h"
#include "query/group/kernels.h"

namespace presso::query::grouping {

/// Up to kBatchRows rows whose groups have been found: either the group of each row, or the group
/// of each run of neighbours with equal keys, where runs are long enough to pay.
struct GroupedRows {
  std::uint32_t count = 0;
  std::uint32_t groups = 0;                 ///< all ids are below this
  std::uint32_t* ids = nullptr;             ///< the group of each row, see has_ids
  std::uint32_t runs = 0;                   ///< 0: runs were not looked for
  const std::uint32_t* run_ids = nullptr;   ///< the group of each run
  const std::uint32_t* run_ends = nullptr;  ///< the row after the last one of each run
  mutable bool has_ids = true;  ///< false: `ids` is memory that row_ids() has yet to fill

  /// Returns the group of each row, expanding the runs at the first call.
  const std::uint32_t* row_ids() const {
    for (std::uint32_t run = 0, row = 0; !has_ids && run < runs; ++run) {
      for (; row < run_ends[run]; ++row) ids[row] = run_ids[run];
    }
    has_ids = true;
    return ids;
  }
};

/// Numbers of some groups of a state. Beside it stands another array: the groups of another state
/// that they become, or the rows that they are written to.
struct GroupList {
  const std::uint32_t* at = nullptr;
  std::uint32_t count = 0;
};

/// A column of the answer with all its rows. Several threads write to it at once, hence the atomic
/// access to the bitmap.
struct ResultColumn {
  Byte* values = nullptr;
  std::uint64_t* validity = nullptr;

  void set_null(std::uint64_t row) const {
    __atomic_fetch_and(validity + row / 64, ~(std::uint64_t{1} << (row % 64)), __ATOMIC_RELAXED);
  }
};

/// Writes counts of groups as values of the answer.
inline void write_counts(const Column<std::uint64_t>& counts, const GroupList& groups,
                         const std::uint64_t* to, const ResultColumn& out) {
  for (std::uint32_t i = 0; i < groups.count; ++i) {
    store(out.values + 8 * to[i], counts[groups.at[i]]);
  }
}

/// The interface of all aggregates. Groups are numbers from 0 on, which the caller assigns. Not
/// thread-safe, except where merges_in_parallel() says so.
///
/// To add rows: extend() whenever there are new groups, then add(). To merge one state into
/// another: prepare_merge() of the source; then extend(), begin_merge() and merge() of the target.
/// write() comes last. A state that was cleared begins anew and keeps its memory.
class AggregateState {
 public:
  static std::unique_ptr<AggregateState> make(const AggregateSpec& spec);
  virtual ~AggregateState() = default;

  /// Sets the number of groups; new ones have no row. Throws std::bad_alloc, as do add() and
  /// merge(). growth_bytes() is what it will allocate, bytes() the memory that the state has.
  virtual void extend(std::uint32_t groups) = 0;
  virtual std::uint64_t growth_bytes(std::uint32_t groups) const = 0;
  virtual std::uint64_t bytes() const = 0;
  virtual void clear() = 0;

  /// Adds rows with their argument's vector.
  virtual Status add(const GroupedRows& rows, const VectorView& argument) = 0;
  /// Called once for a state that others will merge from. Throws std::bad_alloc.
  virtual void prepare_merge() {}
  /// Makes room for what the groups of `from`, a state of the same class, bring. Called before
  /// merge().
  virtual void begin_merge(const AggregateState& from) = 0;
  /// Merges group from_groups.at[i] of `from` into group ids[i] of this state.
  virtual void merge(const AggregateState& from, const GroupList& from_groups,
                     const std::uint32_t* ids) = 0;
  /// Asks for the memory of groups that will soon be merged from this state.
  virtual void prefetch(std::uint32_t first, std::uint32_t count) const {
    static_cast<void>(first);
    static_cast<void>(count);
  }
  /// Whether several threads may call merge() at once, for different groups of both states.
  virtual bool merges_in_parallel() const { return true; }
  /// Whether merge_all() may take the place of all calls of merge().
  virtual bool merges_at_once() const { return false; }
  /// Merges all of `others`, which have the same groups and are not needed afterwards, on several
  /// threads. This state can then be written and nothing else. Error: kOutOfMemory.
  virtual Status merge_all(std::span<AggregateState* const> others, unsigned threads) {
    static_cast<void>(others);
    static_cast<void>(threads);
    return {};
  }

  /// Whether a value of the answer may be null.
  virtual bool has_nulls() const = 0;
  /// Writes the values of some groups of `data` (this state, or the one that it follows, see
  /// GroupStates) to the rows `to`. `row_counts` are the numbers of rows of these groups.
  /// Thread-safe.
  virtual Status write(const AggregateState& data, const GroupList& groups,
                       const std::uint64_t* row_counts, const std::uint64_t* to,
                       const ResultColumn& out) const = 0;
  /// The owner of the strings that written values refer to, if there are any.
  virtual std::shared_ptr<const StringArena> strings() const { return nullptr; }
};

/// The number of null arguments of each group; takes no memory before the first null.
class NullCounts {
 public:
  void extend(std::uint32_t groups) {
    groups_ = groups;
    if (!counts_.empty()) counts_.extend(groups);
  }
  void clear() { counts_.clear(); }
  std::uint64_t bytes() const { return counts_.bytes(); }
  std::uint64_t growth_bytes(std::uint32_t groups) const {
    return counts_.empty() ? 0 : counts_.growth_bytes(groups);
  }
  void add(const GroupedRows& rows, const std::uint64_t* validity);
  void begin_merge(const NullCounts& from) {
    if (from.any() && counts_.empty()) counts_.extend(groups_);
  }
  void merge(const NullCounts& from, const GroupList& groups, const std::uint32_t* ids);
  bool any() const { return !counts_.empty(); }
  /// The number of nulls of a group.
  std::uint64_t of(std::uint32_t group) const { return counts_.empty() ? 0 : counts_[group]; }

 private:
  std::uint32_t groups_ = 0;
  Column<std::uint64_t> counts_;
};

/// Room for a vector of 64-bit values.
using Int64Batch = std::array<std::int64_t, kBatchRows>;
/// Returns `values` with 0 in place of nulls; `values` itself if there is no bitmap, else `room`.
const std::int64_t* without_nulls(const std::int64_t* values, const std::uint64_t* validity,
                                  std::uint32_t rows, Int64Batch& room);

// The classes of states: one file each, except counts (aggregate_state.cpp).
std::unique_ptr<AggregateState> make_count_state(const AggregateSpec& spec);
std::unique_ptr<AggregateState> make_integer_sum_state(const AggregateSpec& spec);
std::unique_ptr<AggregateState> make_double_sum_state(const AggregateSpec& spec);
std::unique_ptr<AggregateState> make_extreme_state(const AggregateSpec& spec);
std::unique_ptr<AggregateState> make_distinct_state(const AggregateSpec& spec);
/// For integers of a known range and few groups (distinct_bits.cpp).
std::unique_ptr<AggregateState> make_distinct_bits(const AggregateSpec& spec);
/// Whether make_distinct_bits() can count if a group may have `group_bytes` bytes of bits.
bool counts_by_bits(const AggregateSpec& spec, std::uint64_t group_bytes);
// For partial answers that are added up (sum_states.cpp): states of sums and averages, and counts.
std::unique_ptr<AggregateState> make_state_of_sums(const AggregateSpec& spec);
std::unique_ptr<AggregateState> make_sum_of_counts();

}  // namespace presso::query::grouping
