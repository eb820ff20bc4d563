// SPDX-License-Identifier: MIT
// MatchTree: binary search trees over the texts that begin at earlier positions, one tree for each
// hash of four bytes. The comment of find_at() says why one walk both searches and inserts. Tested
// by tests/unit/compress/match_tree_test.cpp.
#include "compress/parse/match_tree.h"

#include <algorithm>

#include "compress/parse/match.h"

namespace presso {
namespace {

constexpr std::uint32_t kKeyBytes = 4;
constexpr std::uint32_t kTailBytes = 8;  ///< no search this close to the end

}  // namespace

MatchTree::MatchTree(const ParserParameters& parameters)
    : parameters_(parameters), hash_bits_(parameters.hash_bits) {}

/// A dictionary's trees are copied, which is much faster than inserting its positions again for
/// each block.
void MatchTree::begin(Bytes plain, const DictionaryIndex* dictionary) {
  base_ = window_.place(plain, dictionary);
  begin_ = static_cast<std::uint32_t>(dictionary != nullptr ? dictionary->content.size() : 0);
  end_ = begin_ + static_cast<std::uint32_t>(plain.size());
  children_.resize(2 * std::size_t{end_});
  if (dictionary != nullptr) {
    hash_bits_ = dictionary->hash_bits;
    roots_ = dictionary->head;
    std::copy(dictionary->children.begin(), dictionary->children.end(), children_.begin());
  } else {
    hash_bits_ = parameters_.hash_bits;
    roots_.assign(std::size_t{1} << hash_bits_, 0);
  }
  nice_end_ = 0;
}

void MatchTree::find(std::uint32_t begin, std::uint32_t end) {
  first_ = begin;
  begins_.clear();
  matches_.clear();
  for (std::uint32_t position = begin_ + begin; position < begin_ + end; ++position) {
    begins_.push_back(static_cast<std::uint32_t>(matches_.size()));
    if (position + kTailBytes < end_) find_at(position);
  }
  begins_.push_back(static_cast<std::uint32_t>(matches_.size()));
}

void MatchTree::index_content(Bytes content, const ParserParameters& parameters,
                              DictionaryIndex& index) {
  constexpr std::uint32_t kStep = 64u << 10;  // matches are found as well, and dropped
  ParserParameters whole = parameters;
  whole.hash_bits = index.hash_bits;
  whole.window = kMaxDictionaryBytes;
  MatchTree tree(whole);
  tree.begin(content, nullptr);
  const auto size = static_cast<std::uint32_t>(content.size());
  const std::uint32_t end = size - std::min(size, parameters.nice_length);
  for (std::uint32_t at = 0; at < end; at += kStep) tree.find(at, std::min(end, at + kStep));
  index.head = std::move(tree.roots_);
  index.children = std::move(tree.children_);
}

/// Matches shorter than the minimum are not kept.
void MatchTree::add(std::uint32_t length, std::uint32_t distance) {
  if (length >= parameters_.min_match) matches_.push_back({length, distance});
}

/// Adds a match that goes on after `length` bytes; `most` is its limit. If the match before had
/// the same distance and was compared to its end, it is not compared again; otherwise a long
/// repetition would take the square of its length.
void MatchTree::add_nice(std::uint32_t position, std::uint32_t length, std::uint32_t most,
                         std::uint32_t distance) {
  const bool goes_on = distance == nice_.distance && position + length <= nice_end_;
  if (goes_on) length = std::min(nice_end_ - position, most);
  const Byte* const here = base_ + position;
  length += common_length(here + length - distance, here + length, most - length);
  nice_ = {length, distance};
  nice_end_ = position + length;
  add(length, distance);
}

/// The tree of a key is sorted by the bytes that follow each position, and a newer position is
/// above older ones. So the new one becomes the root, and the walk down to where it would have
/// been divides the tree into what sorts before it and what sorts after it; two pointers mark the
/// links where the next part of either side belongs. Every position that is met shares
/// at least as many bytes with the new one as the closer of the two sides did, so comparing
/// goes on from there.
void MatchTree::find_at(std::uint32_t position) {
  const Byte* const here = base_ + position;
  const std::uint32_t most = std::min(end_ - position, parameters_.lookahead);
  const std::uint32_t limit = std::min(most, parameters_.nice_length);
  // So close to the end an older place goes on further, which a dictionary's blocks may need.
  const bool cut = limit == end_ - position;
  std::uint32_t& root = roots_[hash4(here, hash_bits_)];
  std::uint32_t candidate = root;
  root = position + 1;
  std::uint32_t* before = &children_[2 * std::size_t{position}];
  std::uint32_t* behind = before + 1;
  std::uint32_t shared_before = 0;
  std::uint32_t shared_behind = 0;
  std::uint32_t longest = kKeyBytes - 1;
  for (std::uint32_t depth = parameters_.depth; candidate != 0 && depth > 0; --depth) {
    const std::uint32_t from = candidate - 1;
    if (position - from > parameters_.window) break;
    std::uint32_t* const children = &children_[2 * std::size_t{from}];
    std::uint32_t length = std::min(shared_before, shared_behind);
    length += common_length(base_ + from + length, here + length, limit - length);
    if (length == limit && !cut) {
      // A match does not go on from the dictionary into the block.
      add_nice(position, length, from < begin_ ? std::min(most, begin_ - from) : most,
               position - from);
      *before = children[0];  // equal as far as the tree looks: the new one takes its place
      *behind = children[1];
      return;
    }
    if (length > longest) {
      longest = length;
      add(length, position - from);
    }
    if (length < limit && base_[from + length] < here[length]) {
      *before = candidate;
      before = &children[1];
      shared_before = length;
      candidate = *before;
    } else {
      *behind = candidate;
      behind = &children[0];
      shared_behind = length;
      candidate = *behind;
    }
  }
  *before = 0;
  *behind = 0;
}

}  // namespace presso
