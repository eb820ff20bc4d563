// SPDX-License-Identifier: MIT
// Package-merge, as the coin collector's problem: a symbol is a coin of each of the values 2^-1 to
// 2^-limit, at the price of its count; the cheapest coins worth symbols - 1 give the code, where a
// symbol's length is how many of its coins were taken.
//
// Row d holds, sorted by price, the coins of value 2^-(limit - d) and the packages of two
// neighbours of the row before. Only which items of a row are packages has to be kept: a package
// that is taken takes the next two items of the row before, and items are always taken from the
// front. So a row is a list of flags, and the way back counts them.
#include "compress/huffman_lengths.h"

#include <algorithm>
#include <vector>

namespace presso {
namespace {

struct Leaf {
  std::uint64_t price;
  std::uint32_t symbol;
};

std::vector<Leaf> sorted_leaves(std::span<const std::uint32_t> counts) {
  std::vector<Leaf> leaves;
  for (std::uint32_t symbol = 0; symbol < counts.size(); ++symbol) {
    if (counts[symbol] > 0) leaves.push_back({counts[symbol], symbol});
  }
  // Not stable_sort, whose buffer comes from where the tests' operator new does not look.
  std::sort(leaves.begin(), leaves.end(), [](const Leaf& a, const Leaf& b) {
    return a.price != b.price ? a.price < b.price : a.symbol < b.symbol;
  });
  return leaves;
}

/// Merges leaves and packages of `prices` (the row before) into `row`; returns which are packages.
std::vector<bool> merge_row(const std::vector<Leaf>& leaves,
                            const std::vector<std::uint64_t>& prices,
                            std::vector<std::uint64_t>& row) {
  const std::size_t packages = prices.size() / 2;
  std::vector<bool> is_package;
  is_package.reserve(leaves.size() + packages);
  row.clear();
  std::size_t leaf = 0;
  for (std::size_t package = 0; package < packages || leaf < leaves.size();) {
    const std::uint64_t price =
        package < packages ? prices[2 * package] + prices[2 * package + 1] : ~std::uint64_t{0};
    const bool take_leaf = leaf < leaves.size() && leaves[leaf].price <= price;
    row.push_back(take_leaf ? leaves[leaf].price : price);
    is_package.push_back(!take_leaf);
    take_leaf ? ++leaf : ++package;
  }
  return is_package;
}

}  // namespace

void limited_code_lengths(std::span<const std::uint32_t> counts, unsigned limit,
                          std::span<Byte> lengths) {
  std::fill(lengths.begin(), lengths.end(), Byte{0});
  const std::vector<Leaf> leaves = sorted_leaves(counts);
  if (leaves.size() == 1) lengths[leaves.front().symbol] = 1;
  if (leaves.size() < 2) return;
  std::vector<std::vector<bool>> rows;
  std::vector<std::uint64_t> prices;
  std::vector<std::uint64_t> merged;
  for (unsigned depth = 0; depth < limit; ++depth) {
    rows.push_back(merge_row(leaves, prices, merged));
    prices.swap(merged);
  }
  std::size_t taken = 2 * leaves.size() - 2;
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    const auto packages =
        static_cast<std::size_t>(std::count(row->begin(), row->begin() + taken, true));
    for (std::size_t leaf = 0; leaf < taken - packages; ++leaf) ++lengths[leaves[leaf].symbol];
    taken = 2 * packages;
  }
}

}  // namespace presso
