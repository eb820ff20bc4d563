// SPDX-License-Identifier: MIT
// The last step of a grouping: groups become rows of the answer, in the order of their first rows.
// Groups come in several pieces, one for each partition of a hash (partition_merge.h), range of
// places (dense_grouping.cpp) or thread (sorted_keys.h); threads take portions of pieces and write
// them to the rows where they belong. Costs a pass over all groups for each column. Tested by
// tests/unit/query/group/grouping_test.cpp.
#pragma once

#include "format/threads/memory_budget.h"
#include "query/group/group_states.h"
#include "query/group/key_coder.h"

namespace presso::query::grouping {

/// Some groups of a set of states, which somebody else owns.
template <class Key>
struct GroupPiece {
  const GroupStates* states = nullptr;
  Column<Key> codes;  ///< the code of each group's keys; empty if the group's number is its code
  Column<std::uint32_t> groups;              ///< numbers of the groups that the answer has
  std::shared_ptr<const StringArena> arena;  ///< owner of the bytes of codes
};

/// Finds the place of each group in the answer, which is the rank of its first row. If first rows
/// are dense among all rows, they are bits of a bitmap, and a rank is the number of bits before;
/// otherwise they are sorted.
/// Example: first rows 7, 3 and 40 of a table of 64 rows are bits 3, 7 and 40 of one word; the rank
/// of 40 is the number of bits below, 2, so this group is the third row of the answer.
class RowRanks {
 public:
  /// All first rows are below `limit`; there are `groups` of them.
  RowRanks(std::uint64_t limit, std::uint64_t groups);
  /// Returns the memory that this takes at most, up to the end of finish().
  std::uint64_t bytes() const { return 2 * bits_.bytes() + 8 * std::uint64_t{sorted_.capacity()}; }
  void add(std::span<const std::uint64_t> first_rows);
  /// Called after the last add().
  void finish();
  /// Writes the ranks of some first rows.
  void rank(const std::uint64_t* first_rows, std::uint32_t count, std::uint64_t* out) const;

 private:
  Column<std::uint64_t> bits_;
  Column<std::uint64_t> before_;  ///< bits before each word
  std::vector<std::uint64_t> sorted_;
};

/// Returns the bytes that a group takes in the answer. The bytes of strings do not count, as those
/// of keys and aggregates stay where they are.
std::uint64_t finished_bytes(const GroupingPlan& plan);

/// Writes all groups. `row_limit` is greater than every first row. kOutOfMemory if the budget does
/// not suffice.
template <class Key>
Result<RowStore> write_groups(const GroupingPlan& plan, const KeyCoder& coder,
                              const std::vector<GroupPiece<Key>>& pieces, std::uint64_t row_limit,
                              MemoryBudget& budget, std::vector<std::uint64_t>* first_rows);

}  // namespace presso::query::grouping
