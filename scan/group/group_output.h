// SPDX-License-Identifier: MIT
// From groups that are found to rows of an answer, in the order of the groups' first rows. Where
// groups are in several pieces (partitions of a hash, ranges of places), threads take pieces in
// portions and write to the rows where their groups belong.
// Tested by tests/unit/scan/group/grouping_test.cpp.
#pragma once

#include <functional>

#include "scan/group/group_states.h"
#include "scan/group/key_coder.h"

namespace presso::query::grouping {

/// Some groups, whose keys and states it does not own.
template <class Key>
struct GroupPiece {
  const GroupStates* states = nullptr;
  const Key* codes = nullptr;  ///< by group; nullptr: first_code + group
  std::uint64_t first_code = 0;
  Column<std::uint32_t> groups;
  std::shared_ptr<const StringArena> arena;  ///< of the codes
};

/// Calls task(0) ... task(count - 1), on several threads. An error ends it.
Status for_each_on_threads(unsigned threads, std::size_t count,
                           const std::function<Status(std::size_t)>& task);

/// rows[i]: which row of the answer group i of all becomes, if its first row is first_rows[i].
Column<std::uint64_t> rows_by_first(const Column<std::uint64_t>& first_rows);

template <class Key>
Result<RowStore> write_groups(const GroupingPlan& plan, const KeyCoder& coder,
                              const std::vector<GroupPiece<Key>>& pieces,
                              std::vector<std::uint64_t>* first_rows);

}  // namespace presso::query::grouping
