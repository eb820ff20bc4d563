// SPDX-License-Identifier: MIT
// Package-merge (Larmore and Hirschberg, 1990) as the coin collector's problem: each symbol has a
// coin of each of the values 2^-1 to 2^-limit, at the price of its count. The cheapest coins that
// are worth symbols - 1 in sum give the code: a symbol's length is the number of its coins that
// were taken.
//
// Row d holds, sorted by price, the coins of value 2^-(limit - d) and the packages of two
// neighbours of the row before. Only which items of a row are packages has to be kept: a
// package that is taken takes the next two items of the row before, and items are always taken
// from the front. So a row is a list of running counts of packages, and the way back reads one
// of them a row.
#include "compress/encode/huffman_lengths.h"

#include <algorithm>
#include <vector>

namespace presso {
namespace {

/// A count in the high bits and its symbol in the low ones, sorted as one number.
using Leaf = std::uint64_t;
constexpr unsigned kSymbolBits = 16;
constexpr std::uint64_t kNever = std::uint64_t{1} << 62;  ///< above any price; twice it fits, too

/// The symbols that occur, the rarest first.
std::vector<Leaf> sorted_leaves(std::span<const std::uint32_t> counts) {
  std::vector<Leaf> leaves;
  leaves.reserve(counts.size());
  for (std::uint32_t symbol = 0; symbol < counts.size(); ++symbol) {
    if (counts[symbol] > 0) leaves.push_back(Leaf{counts[symbol]} << kSymbolBits | symbol);
  }
  // stable_sort() would take its buffer by a form of operator new that the tests do not watch.
  std::sort(leaves.begin(), leaves.end());
  return leaves;
}

/// Merges leaves and the packages of `below`, the row before, into `row`; all three have kNever
/// twice after their end. packages[i] becomes the number of packages among the first i items.
/// Which of the two comes next cannot be predicted, so there is no branch on it.
void merge_row(const std::vector<std::uint64_t>& leaves, const std::vector<std::uint64_t>& below,
               std::size_t items, std::vector<std::uint64_t>& row, std::uint16_t* packages) {
  row.resize(items + 2);
  std::size_t leaf = 0;
  std::size_t package = 0;
  for (std::size_t i = 0; i < items; ++i) {
    packages[i] = static_cast<std::uint16_t>(package);
    const std::uint64_t price = below[2 * package] + below[2 * package + 1];
    const bool take_leaf = leaves[leaf] <= price;
    row[i] = take_leaf ? leaves[leaf] : price;
    leaf += take_leaf ? 1 : 0;
    package += take_leaf ? 0 : 1;
  }
  packages[items] = static_cast<std::uint16_t>(package);
  row[items] = row[items + 1] = kNever;
}

}  // namespace

void limited_code_lengths(std::span<const std::uint32_t> counts, unsigned limit,
                          std::span<Byte> lengths) {
  std::fill(lengths.begin(), lengths.end(), Byte{0});
  const std::vector<Leaf> leaves = sorted_leaves(counts);
  const auto symbol_of = [&](std::size_t leaf) {
    return leaves[leaf] & ((Leaf{1} << kSymbolBits) - 1);
  };
  if (leaves.size() == 1) lengths[symbol_of(0)] = 1;
  if (leaves.size() < 2) return;
  std::vector<std::uint64_t> prices(leaves.size() + 2, kNever);
  std::transform(leaves.begin(), leaves.end(), prices.begin(),
                 [](Leaf leaf) { return leaf >> kSymbolBits; });
  const std::size_t stride = 2 * leaves.size() + 1;
  std::vector<std::uint16_t> packages(limit * stride);
  std::vector<std::uint64_t> row(2, kNever);
  std::vector<std::uint64_t> merged;
  std::size_t items = 0;
  for (unsigned depth = 0; depth < limit; ++depth) {
    items = leaves.size() + items / 2;
    merge_row(prices, row, items, merged, packages.data() + depth * stride);
    row.swap(merged);
  }
  std::size_t taken = 2 * leaves.size() - 2;
  for (unsigned depth = limit; depth-- > 0;) {
    const std::size_t among = packages[depth * stride + taken];
    for (std::size_t leaf = 0; leaf < taken - among; ++leaf) ++lengths[symbol_of(leaf)];
    taken = 2 * among;
  }
}

}  // namespace presso
