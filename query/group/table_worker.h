// SPDX-License-Identifier: MIT
// What one thread of a grouping by hash owns: its table, the states of its groups, and packs of
// groups from tables that were full. table_grouping.cpp, which uses it, says in which order they
// serve. Tested by tests/unit/query/group/grouping_threads_test.cpp.
#pragma once

#include <memory>
#include <vector>

#include "query/group/group_states.h"
#include "query/group/key_table.h"
#include "query/group/row_parts.h"
#include "query/group/sorted_keys.h"

namespace presso::query::grouping {

/// The groups of a table that was full, ordered by partition (partition_merge.h): keys[i] has the
/// states of group i, and partition p begins at starts[p]. `arena` owns the bytes of string keys;
/// the table it came from has a new one.
template <class Key>
struct Pack {
  explicit Pack(const GroupingPlan& plan) : states(plan.aggregates) {}
  Column<Key> keys;
  std::shared_ptr<StringArena> arena;
  GroupStates states;
  std::vector<std::uint32_t> starts;

  std::uint64_t bytes() const { return keys.bytes() + arena->bytes() + states.bytes(); }
};

/// One thread's data, with scratch for one vector.
template <class Key>
struct TableWorker {
  explicit TableWorker(const GroupingPlan& plan) : states(plan.aggregates) {}

  /// While keys ascend they are here and not in the table.
  SortedKeys sorted;
  bool is_sorted = std::is_same_v<Key, std::uint64_t>;
  KeyTable<Key> table;
  GroupStates states;
  /// Whether the table is emptied into a pack as soon as it has kRadixGroups groups (kRadix).
  bool is_radix = false;
  std::vector<std::unique_ptr<Pack<Key>>> packs;
  std::uint64_t pack_bytes = 0;
  SeenRows seen;
  std::uint64_t bytes = 0;
  // Scratch for one vector.
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
