// SPDX-License-Identifier: MIT
// What a block tells the filter section (FORMAT.md 7.4): its cells of 3- and 4-grams, and a
// few strings of it by which the filters are tried out. One pass over the plain bytes; done by the
// workers, each for its own blocks.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "format/block_filter.h"

namespace presso {

/// The lengths among which a group's is chosen.
constexpr std::array<std::uint32_t, 2> kGramChoices = {3, 4};

struct BlockGrams {
  std::array<std::vector<std::uint32_t>, kGramChoices.size()> cells;  ///< in no order
  std::vector<std::string> samples;
  std::vector<Byte> head;  ///< for the border to the block before
  std::vector<Byte> tail;  ///< and to the one after
};

/// Scratch of one thread.
class GramCollector {
 public:
  BlockGrams collect(Bytes plain);

 private:
  /// Calls `take(part)` for parts of `text` that together have all of its n-grams.
  template <class Take>
  void for_each_new_part(Bytes text, Take take);

  std::vector<std::uint32_t> places_;                                 ///< of eight bytes, by hash
  std::array<std::vector<std::uint64_t>, kGramChoices.size()> seen_;  ///< a bit for each cell
};

/// Adds to `before` the cells of n-grams that begin in it and end after it, or begin less than
/// kFilterOverlap bytes after its end. `behind`: the block that follows.
void add_border_cells(BlockGrams& before, const BlockGrams& behind);

}  // namespace presso
