// SPDX-License-Identifier: MIT
// Implements slice_blocks.h, by arithmetic on the directory of a row group; nothing is read.
#include "query/gpu/table/slice_blocks.h"

#include <algorithm>

namespace presso::gpu {

bool overlaps(std::span<const LoadedSlice> slices, std::uint64_t first, std::uint64_t rows) {
  return std::any_of(slices.begin(), slices.end(), [=](const LoadedSlice& slice) {
    return slice.first < first + rows && first < slice.first + slice.rows;
  });
}

std::span<const LoadedSlice> slices_of(const LoadedTable& part, std::size_t group) {
  const auto less = [](const LoadedSlice& slice, std::size_t number) {
    return slice.group < number;
  };
  const auto begin = std::lower_bound(part.slices().begin(), part.slices().end(), group, less);
  const auto end = std::lower_bound(begin, part.slices().end(), group + 1, less);
  return {begin, end};
}

GroupReader::BlockCost cost_of(const GroupReader& group, std::size_t column,
                               std::span<const LoadedSlice> slices, BlocksOf of) {
  GroupReader::BlockCost cost;
  std::uint64_t rows = 0;
  for (const LoadedSlice& slice : slices) rows += slice.rows;
  const bool has_all = rows == group.rows();
  const ColumnChunk& chunk = group.chunk(column);
  for (std::uint32_t i = chunk.first_block; i < chunk.first_block + chunk.blocks; ++i) {
    const ColumnBlock& block = group.directory().blocks[i];
    const bool is_of_values = of == BlocksOf::kValues && block.stream >= ColumnStream::kValues;
    if (!is_of_values && block.stream != ColumnStream::kValidity) continue;
    if (!has_all && !overlaps(slices, group.begin_of(i), block.rows)) continue;
    cost.bytes += block.stored_bytes;
    ++cost.blocks;
  }
  return cost;
}

}  // namespace presso::gpu
