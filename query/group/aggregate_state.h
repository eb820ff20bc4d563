// SPDX-License-Identifier: MIT
// What is known of one aggregate of many groups: an array with an element for each group, or
// several. Rows are added to it, states of other threads and of emptied tables are merged into it
// in any order with the same result, and in the end it writes values.
// Tested by tests/unit/query/group/grouping_test.cpp.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "query/group/column.h"
#include "query/group/grouping.h"
#include "query/group/kernels.h"

namespace presso::query::grouping {

/// Up to kBatchRows rows whose groups have been found, row by row, or once for each run of
/// neighbours of one group where that pays.
struct GroupedRows {
  std::uint32_t count = 0;
  std::uint32_t groups = 0;  ///< all ids are below it
  std::uint32_t* ids = nullptr;
  std::uint32_t runs = 0;  ///< 0: not looked for
  const std::uint32_t* run_ids = nullptr;
  const std::uint32_t* run_ends = nullptr;
  mutable bool has_ids = true;  ///< false: `ids` is room for them

  /// The group of each row.
  const std::uint32_t* row_ids() const {
    for (std::uint32_t run = 0, row = 0; !has_ids && run < runs; ++run) {
      for (; row < run_ends[run]; ++row) ids[row] = run_ids[run];
    }
    has_ids = true;
    return ids;
  }
};

/// Some groups of a state, and which groups of another, or which rows, they become.
struct GroupList {
  const std::uint32_t* at = nullptr;
  std::uint32_t count = 0;
};

/// A column of the answer, all rows of it. Its bitmap is set by several threads at once.
struct ResultColumn {
  Byte* values = nullptr;
  std::uint64_t* validity = nullptr;

  void set_null(std::uint64_t row) const {
    __atomic_fetch_and(validity + row / 64, ~(std::uint64_t{1} << (row % 64)), __ATOMIC_RELAXED);
  }
};

/// The counts of groups as values of the answer.
inline void write_counts(const Column<std::uint64_t>& counts, const GroupList& groups,
                         const std::uint64_t* to, const ResultColumn& out) {
  for (std::uint32_t i = 0; i < groups.count; ++i) {
    store(out.values + 8 * to[i], counts[groups.at[i]]);
  }
}

class AggregateState {
 public:
  static std::unique_ptr<AggregateState> make(const AggregateSpec& spec);
  virtual ~AggregateState() = default;

  /// As many groups, the new ones without a row. Throws std::bad_alloc, as add() and merge().
  virtual void extend(std::uint32_t groups) = 0;
  virtual std::uint64_t growth_bytes(std::uint32_t groups) const = 0;
  virtual std::uint64_t bytes() const = 0;
  virtual void clear() = 0;

  virtual Status add(const GroupedRows& rows, const VectorView& argument) = 0;
  /// Once for a state that others are going to merge from. Throws std::bad_alloc.
  virtual void prepare_merge() {}
  /// Makes room for what groups of `from`, which is of the same class, bring; before merge().
  virtual void begin_merge(const AggregateState& from) = 0;
  /// Group from_groups.at[i] of `from` goes to group ids[i].
  virtual void merge(const AggregateState& from, const GroupList& from_groups,
                     const std::uint32_t* ids) = 0;
  /// Asks for the memory of groups that are about to be merged from this state.
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

  /// Whether a value may be null.
  virtual bool has_nulls() const = 0;
  /// The values of some groups of `data`, which is this state or one that it follows (GroupStates),
  /// to the rows `to`. `row_counts`: how many rows these groups have.
  virtual Status write(const AggregateState& data, const GroupList& groups,
                       const std::uint64_t* row_counts, const std::uint64_t* to,
                       const ResultColumn& out) const = 0;
  /// Bytes of strings that written values refer to, where there are any.
  virtual std::shared_ptr<const StringArena> strings() const { return nullptr; }
};

/// How many values of a group are null: no memory until there is one.
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
  std::uint64_t of(std::uint32_t group) const { return counts_.empty() ? 0 : counts_[group]; }

 private:
  std::uint32_t groups_ = 0;
  Column<std::uint64_t> counts_;
};

/// One of `values`, with 0 where the bitmap says that there is none.
using Int64Batch = std::array<std::int64_t, kBatchRows>;
const std::int64_t* without_nulls(const std::int64_t* values, const std::uint64_t* validity,
                                  std::uint32_t rows, Int64Batch& room);

std::unique_ptr<AggregateState> make_count_state(const AggregateSpec& spec);
std::unique_ptr<AggregateState> make_integer_sum_state(const AggregateSpec& spec);
std::unique_ptr<AggregateState> make_double_sum_state(const AggregateSpec& spec);
std::unique_ptr<AggregateState> make_extreme_state(const AggregateSpec& spec);
std::unique_ptr<AggregateState> make_distinct_state(const AggregateSpec& spec);
/// For integers of a known range and few groups (distinct_bits.cpp).
std::unique_ptr<AggregateState> make_distinct_bits(const AggregateSpec& spec);
/// Whether it can do that with so many bytes for a group.
bool counts_by_bits(const AggregateSpec& spec, std::uint64_t group_bytes);
/// Of states of sums, and of counts (sum_states.cpp).
std::unique_ptr<AggregateState> make_state_of_sums(const AggregateSpec& spec);
std::unique_ptr<AggregateState> make_sum_of_counts();

}  // namespace presso::query::grouping
