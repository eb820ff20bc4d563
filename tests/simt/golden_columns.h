// SPDX-License-Identifier: MIT
// The row groups of all golden tables (tests/golden/tables), with their stored blocks.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "format/columns/table_file.h"
#include "presso/decompress.h"
#include "tests/simt/column_backend.h"
#include "tests/support/places.h"

namespace presso::gpu::test {

/// The case of a block of integers, by its header.
inline IntegerCase integers_of(const ColumnBlockHeader& header, Bytes payload) {
  const IntegerParameters parameters = integer_block(header, payload.data(), nullptr).parameters;
  return {parameters, {payload.begin(), payload.end()}, header.payload_checksum};
}

/// Calls take(group, stored blocks) for each row group.
template <class Take>
void for_each_golden_group(const Take& take) {
  for (const auto& entry :
       std::filesystem::directory_iterator(tests::tests_folder() / "golden" / "tables")) {
    if (entry.path().extension() != ".presso") continue;
    SCOPED_TRACE(entry.path().filename().string());
    std::ifstream stream(entry.path(), std::ios::binary);
    const std::vector<Byte> file{std::istreambuf_iterator<char>(stream),
                                 std::istreambuf_iterator<char>()};
    const MemoryRandomAccess access{Bytes(file)};
    const auto index = TableIndex::open(access);
    ASSERT_TRUE(index.ok()) << index.error().message();
    for (std::uint64_t number = 0; number < index->groups().size(); ++number) {
      const GroupPlace& place = index->groups()[number];
      const auto group = index->read_directory(number);
      ASSERT_TRUE(group.ok());
      std::vector<Bytes> stored;
      std::size_t at = static_cast<std::size_t>(place.file_offset + place.directory_bytes);
      for (const ColumnBlock& block : group->blocks) {
        stored.push_back(Bytes(file).subspan(at, block.stored_bytes));
        at += block.stored_bytes;
      }
      take(*group, stored);
    }
  }
}

}  // namespace presso::gpu::test
