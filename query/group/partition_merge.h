// SPDX-License-Identifier: MIT
// Merges the groups of several threads, or of packs (groups of a table that was full,
// table_worker.h): groups are listed by partitions of their keys' hashes, and each partition is
// merged by one thread in a table of its own, which stays in the cache. Costs three passes over the
// groups and a look-up for each. Tested by tests/unit/query/group/grouping_test.cpp and
// group_memory_test.cpp.
#pragma once

#include "format/cpu_loops.h"
#include "format/threads/memory_budget.h"
#include "format/threads/parallel.h"
#include "query/group/group_output.h"
#include "query/group/key_table.h"

namespace presso::query::grouping {

/// Returns the partition of a hash, from bits that tables of up to 2^32 slots do not use.
/// `partitions` is a power of two.
inline std::uint32_t partition_of(std::uint64_t hash, std::uint32_t partitions) {
  return static_cast<std::uint32_t>(hash >> 32) & (partitions - 1);
}

/// Hashes keys: words by the vector kernel, other keys one by one.
template <class Key>
void hash_keys(const Key* keys, std::uint32_t count, std::uint64_t* hashes) {
  if constexpr (std::is_same_v<Key, std::uint64_t>) {
    loops_for<Kernels>().hash_words(keys, count, hashes);
  } else {
    for (std::uint32_t i = 0; i < count; ++i) hashes[i] = hash_key(keys[i]);
  }
}

/// The groups of one thread or pack, listed partition by partition.
template <class Key>
struct MergeSource {
  const Key* keys = nullptr;
  const GroupStates* states = nullptr;
  const std::uint32_t* order = nullptr;  ///< numbers of groups, by partition
  std::vector<std::uint32_t> starts;     ///< where each partition begins in `order`, and the end
  bool is_in_order = false;              ///< whether `order` is 0, 1, 2, ...
};

/// Lists the groups of `keys` by partition in `order` and returns where partitions begin. A
/// counting sort: three passes over the groups; within a partition groups stay in the order of
/// their numbers.
template <class Key>
std::vector<std::uint32_t> partition(const Key* keys, std::uint32_t count, std::uint32_t partitions,
                                     Column<std::uint32_t>& order) {
  Column<std::uint32_t> partition_of_group;
  partition_of_group.extend_unset(count);
  std::vector<std::uint32_t> starts(partitions + std::size_t{1});
  std::array<std::uint64_t, kBatchRows> hashes;
  for (std::uint32_t first = 0; first < count; first += kBatchRows) {
    const std::uint32_t some = std::min(kBatchRows, count - first);
    hash_keys(keys + first, some, hashes.data());
    for (std::uint32_t i = 0; i < some; ++i) {
      const std::uint32_t number = partition_of(hashes[i], partitions);
      partition_of_group[first + i] = number;
      ++starts[number + std::size_t{1}];
    }
  }
  for (std::size_t i = 1; i <= partitions; ++i) starts[i] += starts[i - 1];
  std::vector<std::uint32_t> next(starts.begin(), starts.end() - 1);
  order.extend_unset(count);
  for (std::uint32_t i = 0; i < count; ++i) order[next[partition_of_group[i]]++] = i;
  return starts;
}

/// Makes a piece of the answer of groups that need no merging. The states are kept by reference.
template <class Key>
void add_piece(KeyList<Key> list, const GroupStates& states, std::vector<GroupPiece<Key>>& pieces) {
  GroupPiece<Key> piece;
  piece.states = &states;
  piece.groups.extend_unset(list.size());
  for (std::uint32_t i = 0; i < list.size(); ++i) piece.groups[i] = i;
  piece.codes = std::move(list.keys);
  piece.arena = std::move(list.arena);
  pieces.push_back(std::move(piece));
}

/// The groups of one partition after merging.
template <class Key>
struct Merged {
  explicit Merged(const GroupingPlan& plan) : states(plan.aggregates) {}
  KeyList<Key> keys;
  GroupStates states;
};

/// Merges partitions in parallel, and owns the result.
/// Partitions are independent: no two threads touch one key, one state or one table. The number of
/// partitions is a trade: more of them are smaller and stay in the cache, but each costs a visit to
/// every source.
template <class Key>
class PartitionMerge {
 public:
  /// Both are kept by reference.
  PartitionMerge(const GroupingPlan& plan, MemoryBudget& budget) : plan_(plan), budget_(budget) {}

  /// Adds a piece for each partition that has groups. Afterwards the sources may be released.
  /// kOutOfMemory if the budget does not suffice.
  Status merge(const std::vector<MergeSource<Key>>& sources, std::uint32_t partitions,
               std::vector<GroupPiece<Key>>& pieces) {
    merged_.resize(partitions);
    std::vector<std::unique_ptr<KeyTable<Key>>> tables(std::max(plan_.threads, 1u));
    PRESSO_TRY(
        for_each_in_parallel(partitions, plan_.threads, [&](std::size_t number, unsigned worker) {
          if (tables[worker] == nullptr) tables[worker] = std::make_unique<KeyTable<Key>>();
          merged_[number] = std::make_unique<Merged<Key>>(plan_);
          return merge_partition(sources, number, *tables[worker], *merged_[number]);
        }));
    for (const auto& merged : merged_) {
      if (merged->keys.size() != 0) add_piece(std::move(merged->keys), merged->states, pieces);
    }
    return {};
  }

 private:
  /// Finds or adds the keys of each source, and merges the states.
  Status merge_partition(const std::vector<MergeSource<Key>>& sources, std::size_t number,
                         KeyTable<Key>& table, Merged<Key>& to) {
    std::array<Key, kBatchRows> keys;
    std::array<std::uint64_t, kBatchRows> hashes;
    std::array<std::uint32_t, kBatchRows> ids;
    NewKeys added;
    std::uint64_t counted = 0;
    PRESSO_TRY(budget_.reserve(counted, table.bytes()));
    for (const MergeSource<Key>& source : sources) {
      const std::uint32_t end = source.starts[number + 1];
      if (&source != &sources.back()) prefetch(*(&source + 1), number);
      for (std::uint32_t first = source.starts[number]; first < end; first += kBatchRows) {
        const std::uint32_t count = std::min(kBatchRows, end - first);
        const GroupList list{source.order + first, count};
        for (std::uint32_t i = 0; i < count; ++i) keys[i] = source.keys[list.at[i]];
        hash_keys(keys.data(), count, hashes.data());
        PRESSO_TRY(budget_.reserve(
            counted, table.growth_bytes(count) + to.states.growth_bytes(table.size() + count)));
        table.reserve(count);
        table.find_or_add(keys.data(), hashes.data(), count, ids.data(), added);
        to.states.extend(table.size());
        if (first == source.starts[number]) to.states.begin_merge(*source.states);
        to.states.merge(*source.states, list, ids.data());
        budget_.update(counted, table.bytes() + to.states.bytes());
      }
      PRESSO_TRY(budget_.check());
    }
    to.keys = table.take();
    budget_.update(counted, to.keys.bytes() + to.states.bytes());
    return {};
  }

  /// A source has a few hundred groups of the partition in each of several arrays, too few for the
  /// hardware's prefetcher.
  static void prefetch(const MergeSource<Key>& source, std::size_t number) {
    const std::uint32_t first = source.starts[number];
    const std::uint32_t count = source.starts[number + 1] - first;
    if (!source.is_in_order || count > kBatchRows) return;
    for (std::uint32_t i = first; i < first + count; i += 64 / sizeof(Key)) {
      __builtin_prefetch(source.keys + i);
    }
    source.states->prefetch(first, count);
  }

  const GroupingPlan& plan_;
  MemoryBudget& budget_;
  std::vector<std::unique_ptr<Merged<Key>>> merged_;  ///< by partition
};

}  // namespace presso::query::grouping
