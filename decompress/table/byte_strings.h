// SPDX-License-Identifier: MIT
// Strings that are stored as bytes, for the rows of a slice: all of them or those of a vector. Only
// blocks that hold some of their bytes are read; the last one is kept decoded, so that vectors that
// are asked for in turn decode each block once.
// Not thread-safe. Tested by tests/unit/decompress/table/column_slice_test.cpp,
// slice_layout_test.cpp and slice_damage_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "decompress/table/group_reader.h"
#include "decompress/table/slice_text.h"

namespace presso {

class ByteStrings {
 public:
  /// Rows [first, first + rows) of a column of bytes. `group` is kept by reference.
  void open(const GroupReader& group, std::size_t column, std::uint32_t first, std::uint32_t rows);

  Result<SliceText> text();
  /// Rows [first, first + rows) of those that were opened.
  Result<SliceText> text(std::uint32_t first, std::uint32_t rows);

 private:
  static constexpr std::uint32_t kNoBlock = ~0u;

  /// Text of rows of the row group, and the buffers that it lies in.
  struct Part {
    Buffer text;
    std::vector<std::int64_t> offsets;
    SliceText slice;
  };

  Status read(std::uint32_t first, std::uint32_t rows, Part& part);
  Status copy(std::uint32_t block, std::uint64_t from, std::uint64_t to, Byte* into);
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
  Buffer block_;  ///< the block decoded_, decoded
  std::uint32_t decoded_ = kNoBlock;
};

}  // namespace presso
