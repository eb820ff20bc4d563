// SPDX-License-Identifier: MIT
// All matches worth knowing of every position of a block: for each length the nearest place where
// that many bytes are the same. Found in binary trees of the positions that begin with the same
// four bytes, sorted by what follows; looking a position up and inserting it are one walk from the
// root, at most `depth` steps. The cost does not grow with how much the block repeats, except
// through nice_length. A dictionary has its own trees, made once and only read. Declines: matches
// of fewer than 4 bytes.
//
// Tested by tests/unit/compress/match_tree_test.cpp against looking at every place.
#pragma once

#include <span>
#include <vector>

#include "compress/parse/parser.h"
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

  /// In the order of lengths, the shortest first, each further away than the one before. Those of
  /// nice_length and more are one, as long as it can be.
  std::span<const FoundMatch> at(std::uint32_t position) const { return in_block_.at(position); }
  /// The same in the dictionary, all of them, and those of nice_length are one as well.
  std::span<const FoundMatch> in_dictionary(std::uint32_t position) const {
    return in_dictionary_.at(position);
  }

  /// The trees of all positions of `content`, for `index.head` and `index.children`.
  static void index_content(Bytes content, const ParserParameters& parameters,
                            DictionaryIndex& index);

 private:
  /// Matches of a run of positions, by position.
  struct Found {
    std::uint32_t first = 0;  ///< position of begins[0]
    std::vector<std::uint32_t> begins;
    std::vector<FoundMatch> matches;

    void restart(std::uint32_t position);
    void next() { begins.push_back(static_cast<std::uint32_t>(matches.size())); }
    std::span<const FoundMatch> at(std::uint32_t position) const {
      const std::size_t i = position - first;
      return {matches.data() + begins[i], matches.data() + begins[i + 1]};
    }
  };

  void find_at(std::uint32_t position);
  void add(std::uint32_t length, std::uint32_t distance);
  void add_nice(std::uint32_t position, std::uint32_t length, std::uint32_t most,
                std::uint32_t distance);
  void find_in_dictionary(std::uint32_t position);

  ParserParameters parameters_;
  const DictionaryIndex* dictionary_ = nullptr;
  const Byte* plain_ = nullptr;
  std::uint32_t size_ = 0;
  std::vector<std::uint32_t> roots_;     ///< by hash: position + 1; 0: none
  std::vector<std::uint32_t> children_;  ///< two a position, likewise: what sorts before and after
  Found in_block_;
  Found in_dictionary_;
  FoundMatch nice_{0, 0};  ///< the last one
  std::uint32_t nice_end_ = 0;
};

}  // namespace presso
