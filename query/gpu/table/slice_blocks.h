// SPDX-License-Identifier: MIT
// Which stored blocks contain rows of the slices of a loaded table, and how much memory they take.
#pragma once

#include <span>

#include "query/gpu/table/loaded_table.h"

namespace presso::gpu {

/// Whether some of these rows of a row group, `rows` from `first` on, are in one of the slices.
bool overlaps(std::span<const LoadedSlice> slices, std::uint64_t first, std::uint64_t rows);

/// The slices of a part's row group, which come one behind another.
std::span<const LoadedSlice> slices_of(const LoadedTable& part, std::size_t group);

enum class BlocksOf { kValues, kValidity };

/// The blocks of a column that hold rows of some slices of a row group. `of`: those that say which
/// rows are null alone, or these and the values'.
GroupReader::BlockCost cost_of(const GroupReader& group, std::size_t column,
                               std::span<const LoadedSlice> slices,
                               BlocksOf of = BlocksOf::kValues);

}  // namespace presso::gpu
