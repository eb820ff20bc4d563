// SPDX-License-Identifier: MIT
// unpack_group(): blocks that are stored already keep their numbers, and the plain ones of packed
// columns follow them.
#include "decompress/table/packed_group.h"

#include <algorithm>

#include "format/columns/packed_rows.h"
#include "format/columns/plain_row_group.h"
#include "format/columns/schema.h"

namespace presso {
namespace {

/// Decodes the stream of packed rows, or that of cuts.
Result<Buffer> read_stream(const RowGroup& group, const BlockReader& blocks, ColumnStream which) {
  Buffer stream;
  for (std::uint32_t i = 0; i < group.blocks.size(); ++i) {
    const ColumnBlock& block = group.blocks[i];
    if (block.stream != which) continue;
    const std::size_t begin = stream.size();
    // The limit keeps places of fields within 32 bits.
    if (begin + block.plain_bytes >= kMaxGroupTextBytes) {
      return make_error(ErrorCode::kBadRowGroup, "packed rows: more than 4 GiB");
    }
    stream.grow(begin + block.plain_bytes);
    PRESSO_TRY(blocks.decode_bytes(i, stream.data() + begin));
  }
  return stream;
}

bool holds_packed_rows(const ColumnBlock& block) {
  return block.stream == ColumnStream::kPackedRows || block.stream == ColumnStream::kTextCuts;
}

/// Finds the fields of the packed rows in their stream.
Result<PackedRows> find_fields(const TableSchema& schema, const RowGroup& group, Bytes stream,
                               const BlockReader& blocks) {
  if (!group.is_text()) return PackedRows::parse(stream, group.rows);
  PRESSO_ASSIGN(const Buffer cuts, read_stream(group, blocks, ColumnStream::kTextCuts));
  return PackedRows::cut(schema, stream, cuts.bytes(), group.rows);
}

/// Reads the blocks of the columns that are not packed. Those of packed rows are not read again,
/// but keep their place.
Result<Buffer> read_others(const RowGroup& group, const BlockReader& blocks) {
  Buffer all;
  all.resize_discarding(static_cast<std::size_t>(group.stored_bytes()));
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < group.blocks.size(); ++i) {
    const ColumnBlock& block = group.blocks[i];
    const MutableBytes into = all.mutable_bytes().subspan(at, block.stored_bytes);
    if (holds_packed_rows(block)) {
      std::fill(into.begin(), into.end(), Byte{0});
    } else {
      PRESSO_TRY(blocks.read(i, into));
    }
    at += block.stored_bytes;
  }
  return all;
}

/// The type of a stored column; those after the schema's hold strings.
const ColumnSchema& schema_of(const TableSchema& schema, std::size_t column) {
  static const ColumnSchema kStrings;
  return column < schema.columns.size() ? schema.columns[column] : kStrings;
}

}  // namespace

Result<Buffer> read_text(const RowGroup& group, const BlockReader& blocks) {
  return read_stream(group, blocks, ColumnStream::kPackedRows);
}

Result<UnpackedGroup> unpack_group(const TableSchema& schema, const RowGroup& group,
                                   const BlockReader& blocks) {
  PRESSO_ASSIGN(const Buffer stream, read_text(group, blocks));
  PRESSO_ASSIGN(const PackedRows rows, find_fields(schema, group, stream.bytes(), blocks));
  PRESSO_ASSIGN(Buffer stored, read_others(group, blocks));
  RowGroup begun = group;
  begun.columns.clear();
  const bool is_text = group.is_text();
  PlainRowGroup made(std::move(begun), std::move(stored));
  for (std::size_t i = 0; i < group.columns.size(); ++i) {
    const ColumnChunk& chunk = group.columns[i];
    if (chunk.representation != Representation::kPacked) {
      made.add_stored(chunk);
      continue;
    }
    const bool is_exact_lines = schema.exact && i == schema.columns.size();
    const std::size_t field = is_text ? i : chunk.entries - 1;
    PRESSO_ASSIGN(const ColumnData column,
                  rows.column(field, schema_of(schema, i), is_exact_lines));
    if (is_exact_lines) {
      made.add_exact_lines(column.view());
      continue;
    }
    made.add(column.view(), true);
    if (made.directory().columns.back().nulls != chunk.nulls) {
      return make_error(ErrorCode::kBadRowGroup, "packed rows: number of nulls");
    }
  }
  return UnpackedGroup{made.take_directory(), made.take_blocks()};
}

std::shared_ptr<const GroupDirectory> UnpackedGroups::find(std::uint64_t group) const {
  const std::lock_guard lock(mutex_);
  for (const Kept& kept : kept_) {
    if (kept.group == group) return kept.directory;
  }
  return nullptr;
}

void UnpackedGroups::keep(std::uint64_t group, std::shared_ptr<const GroupDirectory> directory) {
  const std::lock_guard lock(mutex_);
  if (kept_.size() == kMost) kept_.pop_back();
  kept_.insert(kept_.begin(), Kept{group, std::move(directory)});
}

}  // namespace presso
