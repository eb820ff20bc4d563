// SPDX-License-Identifier: MIT
// Makes the filter section of a member (FORMAT.md 7.4) from what the blocks tell, in order. For
// each group of blocks it tries n-grams of several lengths and several ideas of which cells are
// common, and takes what leaves out most blocks for strings sampled from the group itself, within
// its budget: a share of what the group's blocks take in the file, which is known by then.
// scan/NOTES.md has the measurements. Tested by tests/unit/format/block_filter_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "compress/filter/block_grams.h"

namespace presso {

/// One group by itself: the best filter within `bits`.
struct OwnedGroup {
  FilterGroup group;
  std::vector<Byte> bits;
};
OwnedGroup choose_group(const std::vector<BlockGrams>& blocks, std::uint64_t bits);

class FilterBuilder {
 public:
  /// `permille`: the most that filters may take, in thousandths of the blocks' stored size.
  FilterBuilder(std::uint32_t block_bytes, std::uint32_t permille);

  /// The next block, which takes `stored_bytes` in the file.
  void add(BlockGrams grams, std::size_t stored_bytes);
  /// The section's payload; empty where there was no block.
  std::vector<Byte> finish();

 private:
  void finish_group();

  std::uint32_t group_blocks_;
  std::uint32_t permille_;
  std::vector<BlockGrams> waiting_;  ///< of the group; the last one still lacks its border
  std::uint64_t waiting_bytes_ = 0;  ///< stored
  std::uint64_t blocks_ = 0;
  std::vector<OwnedGroup> groups_;
};

}  // namespace presso
