// SPDX-License-Identifier: MIT
// Reads row groups whose columns are packed (FORMAT.md 19) as if they were stored as usual: the
// stream of packed rows is decoded once, and its columns become plain blocks in memory, which all
// readers of columns take. Cost: about as much as parsing the rows' text, and their values in
// memory. Tested by tests/unit/decompress/table/packed_group_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "decompress/table/block_reader.h"
#include "format/columns/row_group.h"

namespace presso {

/// A row group without packed columns, and all of its blocks.
struct UnpackedGroup {
  RowGroup directory;
  Buffer blocks;
};

/// `group` must have packed columns; `blocks` reads it. Errors: kBadRowGroup, and those of blocks.
Result<UnpackedGroup> unpack_group(const TableSchema& schema, const RowGroup& group,
                                   const BlockReader& blocks);

/// The stream of packed rows, which is the text of a row group that is_text().
Result<Buffer> read_text(const RowGroup& group, const BlockReader& blocks);

struct GroupDirectory;

/// The row groups of a table that were unpacked last, for readers that come back for further rows.
/// Thread-safe.
class UnpackedGroups {
 public:
  /// nullptr: it is not there any more.
  std::shared_ptr<const GroupDirectory> find(std::uint64_t group) const;
  void keep(std::uint64_t group, std::shared_ptr<const GroupDirectory> directory);

 private:
  struct Kept {
    std::uint64_t group = 0;
    std::shared_ptr<const GroupDirectory> directory;
  };
  static constexpr std::size_t kMost = 2;

  mutable std::mutex mutex_;
  std::vector<Kept> kept_;  ///< the last one first
};

}  // namespace presso
