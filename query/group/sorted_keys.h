// SPDX-License-Identifier: MIT
// Keys that come in ascending order: a key that is greater than the last one is new, so nothing is
// looked up, and nothing needs a table or an array of places. Every grouping of words begins this
// way and leaves it at the first key that is less than one before (it then gives the keys to its
// table, or their states to its array). Tables are often clustered by the key of a group-by, and
// each thread takes parts of the input in ascending order.
//
// In the end the threads' lists overlap only where a group was cut by the end of a part: the lists
// are intersected by jumps (galloping), which costs a few steps for each part of the input.
// Tested by tests/unit/query/group/sorted_keys_test.cpp.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "query/group/group_output.h"

namespace presso::query::grouping {

class SortedKeys {
 public:
  std::uint32_t size() const { return static_cast<std::uint32_t>(keys_.size()); }
  const std::uint64_t* keys() const { return keys_.data(); }
  std::uint64_t bytes() const { return keys_.bytes(); }
  std::uint64_t growth_bytes(std::uint32_t more) const {
    return keys_.growth_bytes(size() + std::size_t{more});
  }
  /// The numbers of `count` keys, up to kBatchRows; false, and nothing is done, where one is less
  /// than one before. Throws std::bad_alloc.
  bool add(const std::uint64_t* keys, std::uint32_t count, std::uint32_t* ids);
  /// Gives its keys away and is empty.
  Column<std::uint64_t> take() { return std::move(keys_); }

 private:
  Column<std::uint64_t> keys_;
};

/// Groups of one thread, by ascending key.
struct SortedGroups {
  const SortedKeys* keys = nullptr;
  GroupStates* states = nullptr;
};

/// Each group's states are merged into those of the first thread that has it; those of others are
/// left out of their pieces. The pieces' codes are for the caller to fill in.
std::vector<GroupPiece<std::uint64_t>> merge_sorted(std::span<const SortedGroups> threads);

}  // namespace presso::query::grouping
