// SPDX-License-Identifier: MIT
// All matches worth knowing of every position of a block: for each length the nearest place where
// that many bytes are the same. Found in binary trees of the positions that begin with the same
// four bytes, sorted by what follows; looking a position up and inserting it are one walk from the
// root, at most `depth` steps. The cost does not grow with how much the block repeats, except
// through nice_length. A dictionary lies before the block in memory (window.h), and its trees are
// made once and copied for each block. Declines: matches of fewer than 4 bytes.
//
// Tested by tests/unit/compress/match_tree_test.cpp against looking at every place.
#pragma once

#include <span>
#include <vector>

#include "compress/parse/parser.h"
#include "compress/parse/window.h"
#include "presso/bytes.h"

namespace presso {

struct FoundMatch {
  std::uint32_t length;
  std::uint32_t distance;
};

class MatchTree {
 public:
  explicit MatchTree(const ParserParameters& parameters);

  /// Begins a block. Both must stay where they are; `dictionary` may be nullptr.
  void begin(Bytes plain, const DictionaryIndex* dictionary);

  /// Finds the matches of the positions from `begin` on up to `end`; positions come in order and
  /// once. Only those found last can be asked for.
  void find(std::uint32_t begin, std::uint32_t end);

  /// In the block and in the dictionary, in the order of lengths, the shortest first, each further
  /// away than the one before. Those of nice_length and more are one, as long as it can be.
  std::span<const FoundMatch> at(std::uint32_t position) const {
    const std::size_t i = position - first_;
    return {matches_.data() + begins_[i], matches_.data() + begins_[i + 1]};
  }

  /// The trees of the positions of `content` that have nice_length bytes, for `index.head` and
  /// `index.children`: what the others begin with is known only with a block.
  static void index_content(Bytes content, const ParserParameters& parameters,
                            DictionaryIndex& index);

 private:
  void find_at(std::uint32_t position);
  void add(std::uint32_t length, std::uint32_t distance);
  void add_nice(std::uint32_t position, std::uint32_t length, std::uint32_t most,
                std::uint32_t distance);

  ParserParameters parameters_;
  Window window_;
  // Positions below count from the dictionary's first byte.
  const Byte* base_ = nullptr;
  std::uint32_t begin_ = 0;  ///< of the block
  std::uint32_t end_ = 0;
  unsigned hash_bits_;
  std::vector<std::uint32_t> roots_;     ///< by hash: position + 1; 0: none
  std::vector<std::uint32_t> children_;  ///< two a position, likewise: what sorts before and after
  // Matches of a run of positions of the block.
  std::uint32_t first_ = 0;  ///< the first of these
  std::vector<std::uint32_t> begins_;
  std::vector<FoundMatch> matches_;
  FoundMatch nice_{0, 0};  ///< the last one
  std::uint32_t nice_end_ = 0;
};

}  // namespace presso
