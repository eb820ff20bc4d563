// SPDX-License-Identifier: MIT
// Atomic operations on cells that several threads share. Tests: tests/queries/one_table.txt.
#pragma once

#include <type_traits>

#include "decompress/gpu/simt/simt.h"

namespace presso::gpu {

using simt::kWordBits;
using simt::u32;
using simt::u64;

/// Of a group that others have rows of as well.
template <class Row>
PRESSO_DEVICE void lower_first_row(Row* cell, std::type_identity_t<Row> row) {
  // A stale value is greater than the cell's: at worst the atomic is asked for in vain.
  if (*static_cast<volatile Row*>(cell) > row) simt::atomic_min(cell, row);
}

/// Adds to a cell of 64 bits in shared memory, for which there is no atomic addition: its halves
/// are added to one after another, the upper one where there is something to add.
PRESSO_DEVICE void add_in_halves(u64* cell, u64 value) {
  auto* const halves = reinterpret_cast<u32*>(cell);
  const u32 low = static_cast<u32>(value);
  const u32 before = simt::atomic_add(halves, low);
  const u32 carry = before + low < before ? 1 : 0;
  const u32 high = static_cast<u32>(value >> kWordBits) + carry;
  if (high != 0) simt::atomic_add(halves + 1, high);
}

}  // namespace presso::gpu
