// SPDX-License-Identifier: MIT
// Sizes, and what comes of which kind, on which kernels and the host's plan must agree. No CUDA.
#pragma once

#include <cstdint>

#include "format/host_device.h"
#include "presso/device_join.h"

namespace presso::gpu {

// What comes out, by kind: probe rows without a match, build rows without one, both rows of a
// match.
PRESSO_HD constexpr bool gives_missing(JoinKind kind) {
  return kind == JoinKind::kLeft || kind == JoinKind::kAnti || kind == JoinKind::kFull;
}
PRESSO_HD constexpr bool gives_unmatched(JoinKind kind) {
  return kind == JoinKind::kRight || kind == JoinKind::kFull;
}
PRESSO_HD constexpr bool gives_pairs(JoinKind kind) {
  return kind != JoinKind::kSemi && kind != JoinKind::kAnti;
}

// Tiles of rows (match_tile.cuh).
inline constexpr std::uint32_t kTileThreads = 256;
inline constexpr std::uint32_t kTileItems = 4;
inline constexpr std::uint32_t kTileRows = kTileThreads * kTileItems;

PRESSO_HD constexpr std::uint64_t tiles_of(std::uint64_t rows) {
  return (rows + kTileRows - 1) / kTileRows;
}

// The table of all keys (key_table.cuh).
inline constexpr std::uint32_t kUnitBytes = 16;

/// Units for `rows` keys, without the one behind: an even number.
PRESSO_HD constexpr std::uint64_t units_of(std::uint64_t rows, std::uint32_t key_bytes) {
  const std::uint64_t units = key_bytes == 8 ? 2 * rows : rows;
  return (units < 2 ? 2 : units) + units % 2;
}
PRESSO_HD constexpr std::uint64_t key_table_bytes(std::uint64_t rows, std::uint32_t key_bytes) {
  return (units_of(rows, key_bytes) + 1) * kUnitBytes;
}

// Parts (key_partition.cuh).
inline constexpr std::uint32_t kMoveThreads = 512;
inline constexpr std::uint32_t kMoveItems = 8;
inline constexpr std::uint32_t kMoveRows = kMoveThreads * kMoveItems;
inline constexpr std::uint32_t kMostLevelBits = 9;
inline constexpr std::uint32_t kMostSharedPartBits = 15;  ///< that are counted in shared memory

/// Entries for `rows` rows in `parts` parts that begin at multiples of `run` rows.
PRESSO_HD constexpr std::uint64_t entries_of(std::uint64_t rows, std::uint64_t parts,
                                             std::uint64_t run) {
  return (rows + parts * (run - 1) + run - 1) / run * run;
}

// Chains in shared memory (chained_slices.cuh).

/// Of the table of a slice: its keys, a link a row, slots.
PRESSO_HD constexpr std::uint64_t slice_bytes(std::uint64_t rows, std::uint64_t slots,
                                              std::uint32_t key_bytes) {
  return rows * (key_bytes + sizeof(std::uint32_t)) + slots * sizeof(std::uint32_t);
}

// Groups (row_groups.cuh).
inline constexpr std::uint32_t kShortGroup = 8;  ///< rows that a thread sorts

}  // namespace presso::gpu
