// SPDX-License-Identifier: MIT
// What a thread of a grouping by hash has: its table, the states of its groups, and packs of groups
// of tables that were full. Used by table_grouping.cpp.
#pragma once

#include <memory>
#include <vector>

#include "query/group/group_states.h"
#include "query/group/key_table.h"
#include "query/group/row_parts.h"
#include "query/group/sorted_keys.h"

namespace presso::query::grouping {

/// Groups of a table that was full, in the order of partitions.
template <class Key>
struct Pack {
  explicit Pack(const GroupingPlan& plan) : states(plan.aggregates) {}
  Column<Key> keys;
  std::shared_ptr<StringArena> arena;
  GroupStates states;
  std::vector<std::uint32_t> starts;

  std::uint64_t bytes() const { return keys.bytes() + arena->bytes() + states.bytes(); }
};

template <class Key>
struct TableWorker {
  explicit TableWorker(const GroupingPlan& plan) : states(plan.aggregates) {}

  /// As long as keys ascend, they are here and not in the table.
  SortedKeys sorted;
  bool is_sorted = std::is_same_v<Key, std::uint64_t>;
  KeyTable<Key> table;
  GroupStates states;
  bool is_radix = false;  ///< the table is emptied when it has kRadixGroups
  std::vector<std::unique_ptr<Pack<Key>>> packs;
  std::uint64_t pack_bytes = 0;
  SeenRows seen;
  std::uint64_t bytes = 0;
  // Of one vector.
  KeyCodes codes;
  std::array<Key, kBatchRows> keys;
  std::array<std::uint64_t, kBatchRows> hashes;
  std::array<std::uint32_t, kBatchRows> ids;
  std::array<std::uint32_t, kBatchRows> run_ids;
  std::array<std::uint32_t, kBatchRows> run_ends;
  NewKeys added;
  RowParts parts;
};

}  // namespace presso::query::grouping
