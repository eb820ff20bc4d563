// SPDX-License-Identifier: MIT
// Strings that are stored as bytes (neither in a dictionary nor as tokens), for the rows of a
// slice: all of them, or those of a vector of 1,024 rows. ColumnSlice uses it. Only blocks that
// hold some of their bytes are read. The last one is kept decoded, so that consecutive vectors
// decode each block once. Not thread-safe. Tested by
// tests/unit/decompress/table/column_slice_test.cpp, slice_layout_test.cpp and
// slice_damage_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "decompress/table/group_reader.h"
#include "decompress/table/slice_text.h"

namespace presso {

/// The reader of one thread for one column. The places of strings come from GroupReader, which
/// decodes them once for all threads.
class ByteStrings {
 public:
  /// Prepares rows [first, first + rows) of a column of bytes; reads nothing. Keeps `group` by
  /// reference.
  void open(const GroupReader& group, std::size_t column, std::uint32_t first, std::uint32_t rows);

  /// The text of all opened rows; decoded once.
  Result<SliceText> text();
  /// The text of rows [first, first + rows), counted from the first opened one.
  Result<SliceText> text(std::uint32_t first, std::uint32_t rows);

 private:
  static constexpr std::uint32_t kNoBlock = ~0u;

  /// The text of some rows, and the buffers that hold it.
  struct Part {
    Buffer text;
    std::vector<std::int64_t> offsets;
    SliceText slice;
  };

  /// Fills `part` with rows [first, first + rows) of the row group.
  Status read(std::uint32_t first, std::uint32_t rows, Part& part);
  /// Copies the bytes [from, to) of one block to `into`.
  Status copy(std::uint32_t block, std::uint64_t from, std::uint64_t to, Byte* into);
  /// Makes a block the one that is kept.
  Status decode(std::uint32_t block);

  const GroupReader* group_ = nullptr;
  std::uint64_t group_id_ = 0;
  std::size_t column_ = 0;
  std::uint32_t first_ = 0;
  std::uint32_t rows_ = 0;
  bool has_all_ = false;
  Part all_;
  Part part_;
  Buffer stored_;
  Buffer block_;  ///< the decoded block number decoded_
  std::uint32_t decoded_ = kNoBlock;
};

}  // namespace presso
