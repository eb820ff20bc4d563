// SPDX-License-Identifier: MIT
// Where a table's blocks are in its file, for tests that damage them.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "decompress/table/group_reader.h"

namespace presso::test {

/// The bytes of a stored block.
struct BlockPlace {
  std::size_t begin;
  std::size_t end;
  ColumnStream stream;
};

inline std::vector<BlockPlace> blocks_of(const Table& table, const char* column) {
  std::vector<BlockPlace> places;
  for (std::uint64_t group = 0; group < table.row_groups(); ++group) {
    const auto reader = GroupReader::open(table, group);
    EXPECT_TRUE(reader.ok());
    const GroupPlace& place = TableAccess::index(table).groups()[group];
    std::size_t at = place.file_offset + place.directory_bytes;
    const ColumnChunk& chunk = (*reader)->chunk(*table.find_column(column));
    const RowGroup& directory = (*reader)->directory();
    for (std::uint32_t block = 0; block < directory.blocks.size(); ++block) {
      const ColumnBlock& known = directory.blocks[block];
      if (block >= chunk.first_block && block < chunk.first_block + chunk.blocks) {
        places.push_back({at, at + known.stored_bytes, known.stream});
      }
      at += known.stored_bytes;
    }
  }
  return places;
}

}  // namespace presso::test
