// SPDX-License-Identifier: MIT
// Grouping of keys that come in ascending order: a key that is greater than the last one is new, so
// nothing is looked up and no table is needed. Every grouping of words begins this way and leaves
// it at the first key that is less than the one before (its keys then go to a table, or their
// states to an array). Tables are often clustered by the key of a group-by, and each thread takes
// slices of the input in ascending order.
//
// In the end the lists of the threads overlap only where the end of a slice has cut a group; they
// are intersected by galloping, which costs a few steps for each slice. NOTES.md has the gain.
// Tested by tests/unit/query/group/sorted_keys_test.cpp.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "query/group/group_output.h"

namespace presso::query::grouping {

/// The different keys of one thread so far, ascending. A group's number is its key's place.
class SortedKeys {
 public:
  std::uint32_t size() const { return static_cast<std::uint32_t>(keys_.size()); }
  const std::uint64_t* keys() const { return keys_.data(); }
  std::uint64_t bytes() const { return keys_.bytes(); }
  std::uint64_t growth_bytes(std::uint32_t more) const {
    return keys_.growth_bytes(size() + std::size_t{more});
  }
  /// Writes the groups of `count` keys, at most kBatchRows. Returns false, and does nothing, if one
  /// is less than the one before. Throws std::bad_alloc.
  bool add(const std::uint64_t* keys, std::uint32_t count, std::uint32_t* ids);
  /// Moves the keys out.
  Column<std::uint64_t> take() { return std::move(keys_); }

 private:
  Column<std::uint64_t> keys_;
};

/// The groups of one thread, by ascending key.
struct SortedGroups {
  const SortedKeys* keys = nullptr;
  GroupStates* states = nullptr;
};

/// Merges each group into that of the first thread that has it; other threads' pieces leave it out.
/// The caller fills in the codes of the pieces.
std::vector<GroupPiece<std::uint64_t>> merge_sorted(std::span<const SortedGroups> threads);

/// Merges the groups of workers that have `is_sorted`, `sorted` and `states`. Returns false, and
/// does nothing, unless the keys of all of them came in order.
template <class Workers>
bool merge_sorted_workers(const Workers& workers, std::vector<GroupPiece<std::uint64_t>>& pieces) {
  std::vector<SortedGroups> sorted;
  for (const auto& worker : workers) {
    if (!worker->is_sorted) return false;
    sorted.push_back({&worker->sorted, &worker->states});
  }
  pieces = merge_sorted(sorted);
  for (std::size_t i = 0; i < pieces.size(); ++i) pieces[i].codes = workers[i]->sorted.take();
  return true;
}

}  // namespace presso::query::grouping
