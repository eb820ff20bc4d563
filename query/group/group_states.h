// SPDX-License-Identifier: MIT
// Everything that is known of some groups besides their keys: the number of their rows, the first
// of these, and a state for each aggregate. Groups are numbers, which a KeyTable, SortedKeys or an
// array of places assigns. Tested by tests/unit/query/group/grouping_test.cpp.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "query/group/aggregate_state.h"

namespace presso::query::grouping {

/// The number of row i of a vector in the input.
inline std::uint64_t row_number(const RowNumbers& rows, std::uint32_t i) {
  return rows[i];
}

/// kAfterAll: these rows come after all rows before, so that a group's first row is set only once.
/// kAny: a first row may have to be lowered.
enum class RowOrder { kAfterAll, kAny };

/// Follows the numbers of the rows that were added. Those of a scan ascend; others, from joins or
/// parts, come in any order.
/// The answer's order needs the first row of each group. For rows in order it is the row at which
/// the group appeared; otherwise every row is compared with it.
class SeenRows {
 public:
  /// Returns how `count` more rows come; there is at least one.
  RowOrder add(const RowNumbers& rows, std::uint32_t count);
  /// A number greater than every row's so far.
  std::uint64_t end() const { return end_; }

 private:
  std::uint64_t end_ = 0;
};

/// The states of all aggregates for groups 0 to groups() - 1. Each thread has one; in the end they
/// are merged. Everything that adds may throw std::bad_alloc.
class GroupStates {
 public:
  /// `bit_bytes` is how many bytes a group may take for the bits of one count(distinct x)
  /// (distinct_bits.cpp); 0: such counts use a hash table.
  explicit GroupStates(std::span<const AggregateSpec> aggregates, std::uint64_t bit_bytes = 0);

  std::uint32_t groups() const { return groups_; }
  std::uint64_t bytes() const;
  /// Returns what extend(groups) will allocate.
  std::uint64_t growth_bytes(std::uint32_t groups) const;
  /// New groups have no row.
  void extend(std::uint32_t groups);
  /// Removes all groups but keeps the memory.
  void clear();

  /// Adds rows to their groups. `numbers` are those of the rows in the input.
  Status add(const GroupedRows& rows, std::span<const VectorView> arguments,
             const RowNumbers& numbers, RowOrder order);

  /// Called once before others merge from here.
  void prepare_merge();
  /// Called before begin_merge() of several others: afterwards this shares no more states among
  /// aggregates than they do.
  void unshare_as(const GroupStates& from);
  /// Merges those aggregates of `others`, which have the same groups, that are merged best all at
  /// once on several threads (merges_at_once()). Merging states one after another then leaves these
  /// out.
  Status merge_at_once(std::span<GroupStates* const> others, unsigned threads);
  /// Makes room for the rows of `from`.
  void begin_merge(const GroupStates& from);
  bool merges_in_parallel() const;
  /// Asks for the memory of groups that will soon be merged from here.
  void prefetch(std::uint32_t first, std::uint32_t count) const;
  /// Merges group groups.at[i] of `from` into group ids[i].
  void merge(const GroupStates& from, const GroupList& groups, const std::uint32_t* ids);

  bool has_rows(std::uint32_t group) const { return row_counts_[group] != 0; }
  /// Writes the number of rows of each group in the list.
  void get_row_counts(const GroupList& groups, std::uint64_t* out) const;
  void get_first_rows(const GroupList& groups, std::uint64_t* out) const {
    for (std::uint32_t i = 0; i < groups.count; ++i) out[i] = first_rows_[groups.at[i]];
  }
  /// Whether an aggregate uses the state of another one (see `leaders_`).
  bool follows(std::size_t aggregate) const { return leaders_[aggregate] != aggregate; }
  bool has_nulls(std::size_t aggregate) const { return aggregates_[aggregate]->has_nulls(); }
  std::shared_ptr<const StringArena> strings(std::size_t aggregate) const {
    return aggregates_[aggregate]->strings();
  }
  /// Writes one aggregate of some groups; `row_counts` are those of get_row_counts().
  Status write(std::size_t aggregate, const GroupList& groups, const std::uint64_t* row_counts,
               const std::uint64_t* to, const ResultColumn& out) const {
    return aggregates_[aggregate]->write(*aggregates_[leaders_[aggregate]], groups, row_counts, to,
                                         out);
  }

 private:
  void count(const GroupedRows& rows, const RowNumbers& numbers);
  void find_leaders(std::span<const VectorView> arguments);
  void stop_following(std::size_t aggregate);
  void make_room_for_rows(std::uint64_t rows);
  bool is_merged(const AggregateState& state) const {
    return merged_at_once_ && state.merges_at_once();
  }
  void lower_first_rows(const GroupedRows& rows, const RowNumbers& numbers);

  std::uint32_t groups_ = 0;
  /// Counts have 32 bits, because every row reaches into them. Before they can overflow, all but 1
  /// of each is moved to the 64-bit counts, which take no memory until then.
  Column<std::uint32_t> row_counts_;
  Column<std::uint64_t> more_row_counts_;
  std::uint64_t most_counted_ = 0;    ///< no element of row_counts_ is greater
  bool merges_to_more_ = false;       ///< counts of others go to the 64-bit counts
  Column<std::uint64_t> first_rows_;  ///< unspecified for groups without rows
  std::vector<AggregateSpec> specs_;
  std::vector<std::unique_ptr<AggregateState>> aggregates_;
  /// sum(x) and avg(x) need only one sum. Which aggregates have the same argument is seen at the
  /// first vectors: leaders_[i] is the first aggregate with that argument, whose state serves them
  /// all. If the arguments differ later, a follower gets a copy of the state.
  std::vector<std::size_t> leaders_;
  bool has_leaders_ = false;
  bool merged_at_once_ = false;  ///< merge_at_once() was called, for these states or with them
};

/// Returns the physical form of an aggregate's values.
Physical result_of(const AggregateSpec& spec);

}  // namespace presso::query::grouping
