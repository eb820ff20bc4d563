// SPDX-License-Identifier: MIT
// The most rows that a sum may have without overflow, depending on how values are cut into the
// cells of a group (real_values.cuh). Tests: tests/queries/doubles.txt.
#pragma once

#include <cstdint>

namespace presso::gpu {

/// Cells have 64 bits and no carries. A sum takes the form with the fewest cells that holds as many
/// rows as may be expected; a query that turns out to have more runs again with the last form.
/// Tests lower the first two.
struct SumLimits {
  /// For integers in two cells: the lower 32 bits of each value, and what is above them.
  std::uint64_t halves = std::uint64_t{1} << 32;
  /// For doubles in limbs of 32 bits, whose counts of infinities share a cell.
  std::uint64_t limbs = (std::uint64_t{1} << 31) - 1;
  /// For both in pieces of 16 bits. A GPU takes hours for that many rows.
  std::uint64_t most = std::uint64_t{1} << 47;
};

}  // namespace presso::gpu
