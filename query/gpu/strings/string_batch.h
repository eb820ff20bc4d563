// SPDX-License-Identifier: MIT
// What kernels take: blocks of tokens (coding 5, FORMAT.md 17) whose rows are tested as they are
// stored, without decoding. Errors are reported as in column_batch.h: a status word for each block,
// of which the earliest check that fails wins. Trivially copyable, host and device. Tested by
// tests/simt/string_suite.cpp.
#pragma once

#include <cstdint>

#include "decompress/columns/gpu/column_batch.h"
#include "query/gpu/strings/string_table.h"

namespace presso::gpu {

/// Rows that a warp takes at a time: one word of bits for each of its lanes.
constexpr std::uint32_t kRowTile = 1024;

/// Tiles of a block, the last of which may be partial.
PRESSO_HD constexpr std::uint32_t row_tiles(std::uint32_t rows) {
  return rows / kRowTile + (rows % kRowTile == 0 ? 0 : 1);
}
/// Words that have a bit for each row.
PRESSO_HD constexpr std::uint32_t row_words(std::uint32_t rows) {
  return rows / kLanes + (rows % kLanes == 0 ? 0 : 1);
}

/// A block to be tested. All pointers are to device memory, which belongs to the caller. Of the
/// stored block only the payload is read.
struct StringBlock {
  ColumnPayload payload;
  StringTableView table;  ///< made for this block's dictionary
  std::uint32_t codes = 0;
  std::uint32_t rows = 0;
  std::uint32_t first_tile = 0;           ///< row_tiles() of all blocks before this one
  const std::uint32_t* counts = nullptr;  ///< the number of codes of each row
  /// temporary: row_tiles(rows) words, each the first code of a tile
  std::uint32_t* tile_begins = nullptr;
  std::uint32_t* bits = nullptr;  ///< row_words(rows): bit i % 32 of word i / 32 is row i's
  // In its row group, for left_rows.cuh:
  std::uint32_t first_row = 0;
  std::uint32_t first_code = 0;
};

/// Blocks that one launch tests. `status` has a word for each block, `matches` the number of
/// matching rows of each.
struct StringBatch {
  const StringBlock* blocks = nullptr;
  std::uint32_t* status = nullptr;
  std::uint32_t* matches = nullptr;
  std::uint32_t count = 0;
  std::uint32_t tiles = 0;        ///< of all blocks
  std::uint32_t table_bytes = 0;  ///< the largest shared_bytes of their tables
  /// Only rows that have a bit in StringBlock::bits are tested, and no more have one then.
  bool tests_left = false;
};

}  // namespace presso::gpu
