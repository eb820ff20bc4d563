// SPDX-License-Identifier: MIT
// ByteStrings reads only the blocks that hold bytes of the wanted rows. A block that lies entirely
// within them is decoded into its place; another is decoded aside and kept for the next call.
#include "decompress/table/byte_strings.h"

#include <algorithm>
#include <cstring>

namespace presso {

/// A block that is kept from an earlier slice stays valid as long as group and column are the
/// same.
void ByteStrings::open(const GroupReader& group, std::size_t column, std::uint32_t first,
                       std::uint32_t rows) {
  // Until decoding has succeeded, block_ holds nothing.
  if (group.id() != group_id_ || column != column_) decoded_ = kNoBlock;
  group_id_ = group.id();
  group_ = &group;
  column_ = column;
  first_ = first;
  rows_ = rows;
  has_all_ = false;
}

Result<SliceText> ByteStrings::text() {
  return without_bad_alloc([&]() -> Result<SliceText> {
    if (!has_all_) PRESSO_TRY(read(first_, rows_, all_));
    has_all_ = true;
    return all_.slice;
  });
}

Result<SliceText> ByteStrings::text(std::uint32_t first, std::uint32_t rows) {
  return without_bad_alloc([&]() -> Result<SliceText> {
    PRESSO_TRY(read(first_ + first, rows, part_));
    return part_.slice;
  });
}

/// Offsets in the result begin with 0.
Status ByteStrings::read(std::uint32_t first, std::uint32_t rows, Part& part) {
  PRESSO_ASSIGN(const std::vector<std::int64_t>* all, group_->string_offsets(column_));
  // Offsets into all of the column's bytes, from which the blocks are found.
  const std::int64_t* const offsets = all->data() + first;
  const auto begin = static_cast<std::uint64_t>(offsets[0]);
  const auto end = static_cast<std::uint64_t>(offsets[rows]);
  part.text.resize_discarding(static_cast<std::size_t>(end - begin));
  part.offsets.resize(std::size_t{rows} + 1);
  for (std::uint32_t i = 0; i <= rows; ++i) part.offsets[i] = offsets[i] - offsets[0];
  const GroupReader::BlockRange range =
      group_->blocks_of(column_, ColumnStream::kBytes, begin, end);
  for (std::uint32_t block = range.first; block < range.end; ++block) {
    const std::uint64_t at = group_->begin_of(block);
    const std::uint64_t from = std::max(at, begin);
    const std::uint64_t to = std::min(at + group_->directory().blocks[block].plain_bytes, end);
    if (from < to) PRESSO_TRY(copy(block, from - at, to - at, part.text.data() + (from - begin)));
  }
  part.slice = {part.text.bytes(), part.offsets.data(), rows};
  return {};
}

/// Copies the bytes [from, to) of a block; a whole block is decoded into its place.
Status ByteStrings::copy(std::uint32_t block, std::uint64_t from, std::uint64_t to, Byte* into) {
  const std::uint32_t plain = group_->directory().blocks[block].plain_bytes;
  if (from == 0 && to == plain && block != decoded_) {
    PRESSO_TRY(group_->blocks().read(block, stored_));
    return group_->blocks().decode_bytes(block, stored_, into);
  }
  PRESSO_TRY(decode(block));
  std::memcpy(into, block_.data() + from, static_cast<std::size_t>(to - from));
  return {};
}

// Decodes into block_, unless it is there already.
Status ByteStrings::decode(std::uint32_t block) {
  if (block == decoded_) return {};
  decoded_ = kNoBlock;
  PRESSO_TRY(group_->blocks().read(block, stored_));
  block_.resize_discarding(group_->directory().blocks[block].plain_bytes);
  PRESSO_TRY(group_->blocks().decode_bytes(block, stored_, block_.data()));
  decoded_ = block;
  return {};
}

}  // namespace presso
