// SPDX-License-Identifier: MIT
// Everything that is known of some groups besides their keys: how many rows they have, the first of
// them, and the state of each aggregate. Groups are numbers.
// Tested by tests/unit/query/group/grouping_test.cpp.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "query/group/aggregate_state.h"

namespace presso::query::grouping {

inline std::uint64_t row_number(const RowNumbers& rows, std::uint32_t i) {
  return rows[i];
}

/// Whether rows come after all rows that came before, so that only groups without a row get a
/// first one.
enum class RowOrder { kAfterAll, kAny };

/// The numbers of rows that were added. Those of rows of a scan ascend; others come in any order.
class SeenRows {
 public:
  /// How `count` more rows come, one at least.
  RowOrder add(const RowNumbers& rows, std::uint32_t count);
  /// More than every number so far.
  std::uint64_t end() const { return end_; }

 private:
  std::uint64_t end_ = 0;
};

class GroupStates {
 public:
  /// `bit_bytes`: a group may have so much for the bits of a count of different values.
  explicit GroupStates(std::span<const AggregateSpec> aggregates, std::uint64_t bit_bytes = 0);

  std::uint32_t groups() const { return groups_; }
  std::uint64_t bytes() const;
  /// What extend(groups) is going to allocate.
  std::uint64_t growth_bytes(std::uint32_t groups) const;
  /// New groups have no row. Throws std::bad_alloc, as everything here that adds.
  void extend(std::uint32_t groups);
  /// Keeps the memory.
  void clear();

  /// `numbers`: of the rows, which may be the first ones of their groups.
  Status add(const GroupedRows& rows, std::span<const VectorView> arguments,
             const RowNumbers& numbers, RowOrder order);

  void prepare_merge();
  /// Before begin_merge() of several others: afterwards it shares no more than they do.
  void unshare_as(const GroupStates& from);
  /// Merges those aggregates of `others`, which have the same groups, for which that is done best
  /// for all at once, on several threads. Merging one after another then leaves these out.
  Status merge_at_once(std::span<GroupStates* const> others, unsigned threads);
  void begin_merge(const GroupStates& from);
  bool merges_in_parallel() const;
  /// Asks for the memory of groups that are about to be merged from here.
  void prefetch(std::uint32_t first, std::uint32_t count) const;
  void merge(const GroupStates& from, const GroupList& groups, const std::uint32_t* ids);

  bool has_rows(std::uint32_t group) const { return row_counts_[group] != 0; }
  void get_row_counts(const GroupList& groups, std::uint64_t* out) const;
  void get_first_rows(const GroupList& groups, std::uint64_t* out) const {
    for (std::uint32_t i = 0; i < groups.count; ++i) out[i] = first_rows_[groups.at[i]];
  }
  /// Whether an aggregate takes what another one has added up.
  bool follows(std::size_t aggregate) const { return leaders_[aggregate] != aggregate; }
  bool has_nulls(std::size_t aggregate) const { return aggregates_[aggregate]->has_nulls(); }
  std::shared_ptr<const StringArena> strings(std::size_t aggregate) const {
    return aggregates_[aggregate]->strings();
  }
  /// `row_counts`: as get_row_counts() gives them.
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
  /// Small, as every row reaches into them; before they can overflow, all but 1 of each is moved to
  /// the others, which have no memory until then.
  Column<std::uint32_t> row_counts_;
  Column<std::uint64_t> more_row_counts_;
  std::uint64_t most_counted_ = 0;    ///< no element of row_counts_ is greater
  Column<std::uint64_t> first_rows_;  ///< anything for groups without rows
  std::vector<AggregateSpec> specs_;
  std::vector<std::unique_ptr<AggregateState>> aggregates_;
  /// sum(x) and avg(x) need one sum. Which aggregates have the same argument is seen by the first
  /// vectors that are added: `leaders_` names the first of each such family, whose state stands for
  /// all. Should arguments differ later, a follower gets a copy of it.
  std::vector<std::size_t> leaders_;
  bool has_leaders_ = false;
  bool merged_at_once_ = false;  ///< merge_at_once() was called, for these states or with them
};

/// The form of an aggregate's values.
Physical result_of(const AggregateSpec& spec);

}  // namespace presso::query::grouping
