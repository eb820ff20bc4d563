// SPDX-License-Identifier: MIT
// Sizes, and rules about kinds of joins, on which the kernels and the host's plan must agree. Needs
// no CUDA. Tested by tests/simt/plan_test.cpp.
#pragma once

#include <cstdint>

#include "format/host_device.h"
#include "presso/device_join.h"

namespace presso::gpu {

// What a kind of join gives: gives_missing() tells whether probe rows without a match come out,
// gives_unmatched() whether build rows without one do, and gives_pairs() whether both rows of a
// match come out, rather than the probe row alone.
PRESSO_HD constexpr bool gives_missing(JoinKind kind) {
  return kind == JoinKind::kLeft || kind == JoinKind::kAnti || kind == JoinKind::kFull;
}
PRESSO_HD constexpr bool gives_unmatched(JoinKind kind) {
  return kind == JoinKind::kRight || kind == JoinKind::kFull;
}
PRESSO_HD constexpr bool gives_pairs(JoinKind kind) {
  return kind != JoinKind::kSemi && kind != JoinKind::kAnti;
}

// Tiles of rows (match_tile.cuh): the threads of a block, and the rows of each thread.
inline constexpr std::uint32_t kTileThreads = 256;
inline constexpr std::uint32_t kTileItems = 4;
inline constexpr std::uint32_t kTileRows = kTileThreads * kTileItems;

/// The number of tiles for `rows` rows.
PRESSO_HD constexpr std::uint64_t tiles_of(std::uint64_t rows) {
  return (rows + kTileRows - 1) / kTileRows;
}

// The table of all keys (key_table.cuh).
inline constexpr std::uint32_t kUnitBytes = 16;

/// Units of a table for `rows` keys, an even number, without the extra one at the end.
PRESSO_HD constexpr std::uint64_t units_of(std::uint64_t rows, std::uint32_t key_bytes) {
  const std::uint64_t units = key_bytes == 8 ? 2 * rows : rows;
  return (units < 2 ? 2 : units) + units % 2;
}
/// Bytes of a table for `rows` keys, with the extra unit.
PRESSO_HD constexpr std::uint64_t key_table_bytes(std::uint64_t rows, std::uint32_t key_bytes) {
  return (units_of(rows, key_bytes) + 1) * kUnitBytes;
}

// Partitioning (key_partition.cuh): threads, rows of a thread, rows of a tile, bits of a level.
inline constexpr std::uint32_t kMoveThreads = 512;
inline constexpr std::uint32_t kMoveItems = 8;
inline constexpr std::uint32_t kMoveRows = kMoveThreads * kMoveItems;
inline constexpr std::uint32_t kMostLevelBits = 9;
/// Up to 2^15 parts are counted in shared memory.
inline constexpr std::uint32_t kMostSharedPartBits = 15;

/// Entries for `rows` rows in `parts` parts that each begin at a multiple of `run` rows.
PRESSO_HD constexpr std::uint64_t entries_of(std::uint64_t rows, std::uint64_t parts,
                                             std::uint64_t run) {
  return (rows + parts * (run - 1) + run - 1) / run * run;
}

// Chains in shared memory (chained_slices.cuh).

/// Bytes of the table of a slice: its keys, a link for each row, and its slots.
PRESSO_HD constexpr std::uint64_t slice_bytes(std::uint64_t rows, std::uint64_t slots,
                                              std::uint32_t key_bytes) {
  return rows * (key_bytes + sizeof(std::uint32_t)) + slots * sizeof(std::uint32_t);
}

// Groups (row_groups.cuh).
inline constexpr std::uint32_t kShortGroup = 8;  ///< rows of a group that one thread sorts

}  // namespace presso::gpu
