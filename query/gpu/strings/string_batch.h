// SPDX-License-Identifier: MIT
// Blocks of tokens (coding 5, FORMAT.md 17) whose rows are tested as they are stored, and how
// kernels report errors: as those of column_batch.h, by a fault a block, the earliest check first.
// Trivially copyable, host and device. Tests: tests/simt/string_suite.cpp.
#pragma once

#include <cstdint>

#include "decompress/columns/gpu/column_batch.h"
#include "query/gpu/strings/string_table.h"

namespace presso::gpu {

/// Rows that a warp takes at a time; a word of their bits for each of its lanes.
constexpr std::uint32_t kRowTile = 1024;

PRESSO_HD constexpr std::uint32_t row_tiles(std::uint32_t rows) {
  return rows / kRowTile + (rows % kRowTile == 0 ? 0 : 1);
}
/// Words of a bit for each row.
PRESSO_HD constexpr std::uint32_t row_words(std::uint32_t rows) {
  return rows / kLanes + (rows % kLanes == 0 ? 0 : 1);
}

/// All pointers are to device memory. Of what is stored only the payload is looked at.
struct StringBlock {
  ColumnPayload payload;
  StringTableView table;  ///< for the block's dictionary
  std::uint32_t codes = 0;
  std::uint32_t rows = 0;
  std::uint32_t first_tile = 0;           ///< row_tiles() of all blocks before this one
  const std::uint32_t* counts = nullptr;  ///< each row's codes
  std::uint32_t* tile_begins = nullptr;   ///< temporary: row_tiles(rows) words
  std::uint32_t* bits = nullptr;          ///< row_words(rows): bit i % 32 of word i / 32 is row i's
};

/// `status` has a word for each block, `matches` the number of its rows that match.
struct StringBatch {
  const StringBlock* blocks = nullptr;
  std::uint32_t* status = nullptr;
  std::uint32_t* matches = nullptr;
  std::uint32_t count = 0;
  std::uint32_t tiles = 0;        ///< of all blocks
  std::uint32_t table_bytes = 0;  ///< the most shared_bytes of their tables
};

}  // namespace presso::gpu
