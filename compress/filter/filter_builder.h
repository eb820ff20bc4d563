// SPDX-License-Identifier: MIT
// Makes the filter section of a member (FORMAT.md 7.4; format/block_filter.h explains cells, rows
// and groups) from the blocks' n-grams, in order. For each group of 16 to 128 blocks it tries
// several n-gram lengths and several thresholds for common cells, and takes the filter that skips
// most blocks for strings sampled from the group itself. The budget is a share of the stored size
// of the group's blocks, which is known by then. Measured in scan/NOTES.md. Tested by
// tests/unit/format/block_filter_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "compress/filter/block_grams.h"

namespace presso {

/// A group's filter, together with the memory of its bits.
struct OwnedGroup {
  FilterGroup group;
  std::vector<Byte> bits;
};
/// The best filter for these blocks within `bits` bits.
OwnedGroup choose_group(const std::vector<BlockGrams>& blocks, std::uint64_t bits);

/// Not for several threads. Memory: the cells of one group's blocks, and the finished groups.
class FilterBuilder {
 public:
  /// `permille`: the most bytes that filters may take, in thousandths of the blocks' stored
  /// size.
  FilterBuilder(std::uint32_t block_bytes, std::uint32_t permille);

  /// Adds the next block, which takes `stored_bytes` in the file.
  void add(BlockGrams grams, std::size_t stored_bytes);
  /// Returns the section's payload; empty if there was no block.
  std::vector<Byte> finish();

 private:
  void finish_group();

  std::uint32_t group_blocks_;
  std::uint32_t permille_;
  // The blocks of the open group; the last one still lacks the n-grams that reach into the next.
  std::vector<BlockGrams> waiting_;
  std::uint64_t waiting_bytes_ = 0;  ///< their stored size
  std::uint64_t blocks_ = 0;
  std::vector<OwnedGroup> groups_;
};

}  // namespace presso
