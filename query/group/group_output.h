// SPDX-License-Identifier: MIT
// From groups that are found to rows of an answer, in the order of the groups' first rows. Where
// groups are in several pieces (partitions of a hash, ranges of places), threads take pieces in
// portions and write to the rows where their groups belong.
// Tested by tests/unit/query/group/grouping_test.cpp.
#pragma once

#include "format/threads/memory_budget.h"
#include "query/group/group_states.h"
#include "query/group/key_coder.h"

namespace presso::query::grouping {

/// Some groups, whose states it does not own.
template <class Key>
struct GroupPiece {
  const GroupStates* states = nullptr;
  Column<Key> codes;  ///< by group; empty: the group itself
  Column<std::uint32_t> groups;
  std::shared_ptr<const StringArena> arena;  ///< of the codes
};

/// In which order first rows stand. Where they are dense among all rows, it is a bitmap of them,
/// and the place of one the number of bits before its own; else they are sorted.
class RowRanks {
 public:
  /// All first rows are below `limit`.
  RowRanks(std::uint64_t limit, std::uint64_t groups);
  /// Of memory, up to finish().
  std::uint64_t bytes() const { return 2 * bits_.bytes() + 8 * std::uint64_t{sorted_.capacity()}; }
  void add(std::span<const std::uint64_t> first_rows);
  /// After the last add().
  void finish();
  /// The places of some of them.
  void rank(const std::uint64_t* first_rows, std::uint32_t count, std::uint64_t* out) const;

 private:
  Column<std::uint64_t> bits_;
  Column<std::uint64_t> before_;  ///< bits before each word
  std::vector<std::uint64_t> sorted_;
};

/// What a finished group takes, its strings aside: those of its keys and aggregates are kept.
std::uint64_t finished_bytes(const GroupingPlan& plan);

/// `row_limit`: more than every first row. kOutOfMemory where the budget does not suffice.
template <class Key>
Result<RowStore> write_groups(const GroupingPlan& plan, const KeyCoder& coder,
                              const std::vector<GroupPiece<Key>>& pieces, std::uint64_t row_limit,
                              MemoryBudget& budget, std::vector<std::uint64_t>* first_rows);

}  // namespace presso::query::grouping
