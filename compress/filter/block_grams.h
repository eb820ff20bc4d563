// SPDX-License-Identifier: MIT
// What the filter section (FORMAT.md 7.4, format/block_filter.h) needs to know of a block: the
// cells (hashes) of its 3-grams and of its 4-grams, and a few of its strings, on which filters are
// tried. It takes one pass over the plain bytes, which each thread makes for its own blocks.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "format/block_filter.h"

namespace presso {

/// The n-gram lengths among which each group of blocks chooses.
constexpr std::array<std::uint32_t, 2> kGramChoices = {3, 4};

/// What one block contributes. FilterBuilder takes it in the order of blocks.
struct BlockGrams {
  /// For each of kGramChoices, in no particular order.
  std::array<std::vector<std::uint32_t>, kGramChoices.size()> cells;
  std::vector<std::string> samples;
  std::vector<Byte> head;  ///< the first bytes, for n-grams across the border to the block before
  std::vector<Byte> tail;  ///< the last bytes, for n-grams across the border to the next block
};

/// Tables of one thread, kept between blocks.
class GramCollector {
 public:
  BlockGrams collect(Bytes plain);

 private:
  /// Calls `take(part)` for parts of `text` that together have all its n-grams.
  template <class Take>
  void for_each_new_part(Bytes text, Take take);

  std::vector<std::uint32_t> places_;  ///< last position of eight bytes, by their hash
  std::array<std::vector<std::uint64_t>, kGramChoices.size()> seen_;  ///< a bit for each cell
};

/// Adds to `before` the cells of n-grams that begin in it and end after it, or begin less than
/// kFilterOverlap bytes after its end. The second block follows the first.
void add_border_cells(BlockGrams& before, const BlockGrams& behind);

}  // namespace presso
