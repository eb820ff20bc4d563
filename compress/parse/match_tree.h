// SPDX-License-Identifier: MIT
// Finds all matches worth knowing at every position of a block, for the optimal parser: for each
// length the nearest place (earlier position) with that many equal bytes. They are found in binary
// trees of the positions that begin with the same four bytes, sorted by what follows (the "bt"
// match finder of LZMA, Pavlov). Looking a position up and inserting it are one walk from the root,
// of at most `depth` steps. The cost does not grow with how much the block repeats, except through
// nice_length. A dictionary lies before the block in memory (window.h); its trees are made once and
// copied for each block. Eight bytes of memory a position. Declines matches of fewer than 4 bytes.
//
// Tested by tests/unit/compress/match_tree_test.cpp against looking at every place.
#pragma once

#include <span>
#include <vector>

#include "compress/parse/block_window.h"
#include "compress/parse/parser.h"
#include "presso/bytes.h"

namespace presso {

/// A match of a position that the caller knows.
struct FoundMatch {
  std::uint32_t length;
  std::uint32_t distance;
};

/// The trees of one block, and of the dictionary before it. Not for several threads.
class MatchTree {
 public:
  explicit MatchTree(const ParserParameters& parameters);

  /// Begins a block. Both arguments must stay where they are until the next one; `dictionary`
  /// may be nullptr.
  void begin(Bytes plain, const DictionaryIndex* dictionary);

  /// Finds the matches of the positions from `begin` to before `end`. Positions come in order
  /// and once. Only those found last can be asked for.
  void find(std::uint32_t begin, std::uint32_t end);

  /// Matches in block and dictionary, the shortest first, each further away than the one
  /// before. Of those of nice_length and more there is one, as long as it can be.
  std::span<const FoundMatch> at(std::uint32_t position) const {
    const std::size_t i = position - first_;
    return {matches_.data() + begins_[i], matches_.data() + begins_[i + 1]};
  }

  /// Makes the trees of those positions of `content` that are followed by nice_length bytes,
  /// for `index.head` and `index.children`. How the others go on is known only with a block.
  static void index_content(Bytes content, const ParserParameters& parameters,
                            DictionaryIndex& index);

 private:
  void find_at(std::uint32_t position);
  void add(std::uint32_t length, std::uint32_t distance);
  void add_nice(std::uint32_t position, std::uint32_t length, std::uint32_t most,
                std::uint32_t distance);

  ParserParameters parameters_;
  BlockWindow window_;
  // Positions below count from the dictionary's first byte.
  const Byte* base_ = nullptr;
  std::uint32_t begin_ = 0;  ///< of the block
  std::uint32_t end_ = 0;
  unsigned hash_bits_;
  std::vector<std::uint32_t> roots_;  ///< root of each hash: position + 1; 0: none
  // Two for each position, as position + 1 (0: none): what sorts before it and what after it.
  std::vector<std::uint32_t> children_;
  // Matches of a run of positions of the block.
  std::uint32_t first_ = 0;  ///< the first of those positions
  std::vector<std::uint32_t> begins_;
  std::vector<FoundMatch> matches_;
  FoundMatch nice_{0, 0};  ///< the last match of nice_length or more
  std::uint32_t nice_end_ = 0;
};

}  // namespace presso
