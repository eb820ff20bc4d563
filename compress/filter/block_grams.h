// SPDX-License-Identifier: MIT
// What the filter section (FORMAT.md 7.4) needs to know of a block: its cells of 3- and
// 4-grams, and a few of its strings, on which filters are tried. One pass over the plain bytes,
// done by the workers, each for its own blocks.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "format/block_filter.h"

namespace presso {

/// The n-gram lengths among which each group of blocks chooses.
constexpr std::array<std::uint32_t, 2> kGramChoices = {3, 4};

/// What one block contributes; merged in order by the FilterBuilder.
struct BlockGrams {
  std::array<std::vector<std::uint32_t>, kGramChoices.size()> cells;  ///< in no order
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
