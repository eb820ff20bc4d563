// SPDX-License-Identifier: MIT
// Directories and blocks of tables with constant columns.
#include "format/columns/arranged_file.h"

#include <algorithm>
#include <cstring>

#include "format/columns/column_block.h"
#include "format/columns/integer_layout.h"
#include "format/columns/value_text.h"
#include "format/columns/zones.h"
#include "format/raw_block.h"
#include "presso/checksum.h"

namespace presso {
namespace {

/// Appends a block of integers that are all `base`: each vector is packed to 0 bits.
std::uint32_t append_constant_integers(std::uint32_t number, Byte width_bytes, bool is_signed,
                                       std::uint32_t rows, std::uint64_t base, Buffer& to) {
  std::vector<VectorEntry> payload(vectors_of(rows));
  for (VectorEntry& entry : payload) entry.base = base;
  const Bytes bytes(reinterpret_cast<const Byte*>(payload.data()),
                    payload.size() * sizeof(VectorEntry));
  ColumnBlockHeader header;
  header.number = number;
  header.plain_bytes = integer_bytes(width_bytes, rows);
  header.payload_bytes = static_cast<std::uint32_t>(bytes.size());
  header.coding = Coding::kIntegers;
  header.width_bytes = width_bytes;
  header.is_signed = is_signed;
  header.count = rows;
  header.payload_checksum = checksum64(bytes);
  const std::size_t begin = to.size();
  const std::size_t stored = round_up(kBlockHeaderBytes + bytes.size(), kFrameAlignment);
  to.grow(begin + stored);
  Byte* const at = to.data() + begin;
  std::memset(at, 0, stored);
  write_column_block_header(header, at);
  std::memcpy(at + kBlockHeaderBytes, bytes.data(), bytes.size());
  return static_cast<std::uint32_t>(to.size() - begin);
}

}  // namespace

Result<std::shared_ptr<const ArrangedFile>> ArrangedFile::make(
    const RandomAccess& file, TableIndex index, std::vector<ArrangedColumn> columns) {
  std::shared_ptr<ArrangedFile> made(new ArrangedFile(file, std::move(index), std::move(columns)));
  PRESSO_TRY(made->set_constants());
  for (const GroupPlace& place : made->index_.groups()) {
    made->added_before_.push_back(made->added_);
    made->added_ += made->added_bytes(place.rows);
  }
  return std::shared_ptr<const ArrangedFile>(std::move(made));
}

/// Parses the values once, and takes the range of a single row.
Status ArrangedFile::set_constants() {
  constants_.resize(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    ArrangedColumn& column = columns_[i];
    Constant& constant = constants_[i];
    if (column.stored) {
      const std::string name = column.schema.name;
      column.schema = index_.schema().columns[*column.stored];
      column.schema.name = name;
    }
    if (column.stored || !column.value) continue;
    constant.is_null = false;
    const auto* const text = reinterpret_cast<const Byte*>(column.value->data());
    constant.string = {text, column.value->size()};
    std::int64_t offsets[2] = {0, static_cast<std::int64_t>(column.value->size())};
    Byte value[16] = {};
    ColumnView view;
    view.type = column.schema.type;
    view.rows = 1;
    view.values = is_string(view.type) ? text : value;
    view.offsets = offsets;
    if (!is_string(view.type)) {
      constant.width_bytes = static_cast<Byte>(value_bytes(view.type));
      const bool fits = constant.width_bytes != 0 && constant.width_bytes <= 8 &&
                        view.type != ColumnType::kFloat && view.type != ColumnType::kDouble;
      if (!fits || !parse_value(column.schema, constant.string, value)) {
        return make_error(ErrorCode::kInvalidArgument,
                          "'" + *column.value + "' is no " + type_name(column.schema));
      }
      constant.bits = load<std::uint64_t>(value);
      // The base of a vector has 64 bits also where its values are narrower.
      if (constant.width_bytes == 4 && is_signed(view.type)) {
        constant.bits = static_cast<std::uint64_t>(std::int64_t{load<std::int32_t>(value)});
      }
    }
    const Zone zone = zone_of_rows(view, 0, 1);
    constant.described.zone_flags = zone.flags;
    constant.described.least = zone.least;
    constant.described.most = zone.most;
    if (is_string(view.type)) {
      constant.described.presence = std::uint64_t{1} << (checksum64(constant.string) >> 58);
    }
  }
  return {};
}

/// The number of bytes depends on the rows alone.
std::uint64_t ArrangedFile::added_bytes(std::uint32_t rows) const {
  RowGroup group;
  group.rows = rows;
  Buffer blocks;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!columns_[i].stored) add_constant(i, group, blocks);
  }
  return blocks.size();
}

void ArrangedFile::add_constant(std::size_t column, RowGroup& group, Buffer& blocks) const {
  const Constant& constant = constants_[column];
  ColumnChunk chunk;
  chunk.first_block = static_cast<std::uint32_t>(group.blocks.size());
  const auto add = [&](ColumnStream stream, std::uint32_t rows, std::uint32_t plain,
                       std::uint32_t stored) {
    ColumnBlock block;
    if (stream == ColumnStream::kValues || stream == ColumnStream::kCodes) {
      block = constant.described;
    }
    block.stored_bytes = stored;
    block.plain_bytes = plain;
    block.rows = rows;
    block.stream = stream;
    group.blocks.push_back(block);
  };
  const auto add_integers = [&](ColumnStream stream, Byte width, bool is_signed, std::uint32_t rows,
                                std::uint64_t base) {
    for (std::uint32_t first = 0; first < rows; first += kMaxBlockRows) {
      const std::uint32_t count = std::min(rows - first, kMaxBlockRows);
      const auto number = static_cast<std::uint32_t>(group.blocks.size());
      add(stream, count, integer_bytes(width, count),
          append_constant_integers(number, width, is_signed, count, base, blocks));
    }
  };
  const ColumnType type = columns_[column].schema.type;
  if (constant.is_null) {
    chunk.nulls = group.rows;
  } else if (!is_string(type)) {
    chunk.representation = Representation::kPlain;
    add_integers(ColumnStream::kValues, constant.width_bytes, is_signed(type), group.rows,
                 constant.bits);
  } else {
    chunk.representation = Representation::kDictionary;
    chunk.entries = chunk.distinct = 1;
    chunk.value_bytes = std::uint64_t{group.rows} * constant.string.size();
    add_integers(ColumnStream::kEntryLengths, 4, false, 1, constant.string.size());
    if (!constant.string.empty()) {
      const std::size_t begin = blocks.size();
      append_raw_block(constant.string, static_cast<std::uint32_t>(group.blocks.size()),
                       FrameKind::kBlock, blocks);
      add(ColumnStream::kEntryBytes, 1, static_cast<std::uint32_t>(constant.string.size()),
          static_cast<std::uint32_t>(blocks.size() - begin));
    }
    add_integers(ColumnStream::kCodes, 4, false, group.rows, 0);
  }
  chunk.blocks = static_cast<std::uint32_t>(group.blocks.size()) - chunk.first_block;
  group.columns.push_back(chunk);
}

ColumnZone ArrangedFile::zone(std::size_t column, std::uint32_t rows) const {
  const Constant& constant = constants_[column];
  if (constant.is_null) return {0, 0, rows, kZoneKnown | kZoneHasNull | kZoneNoValue};
  return {constant.described.least, constant.described.most, 0, constant.described.zone_flags};
}

/// Stored blocks keep their numbers, which stand in their headers too; the others follow them.
Result<RowGroup> ArrangedFile::directory(std::uint64_t group) const {
  PRESSO_ASSIGN(RowGroup made, index_.read_directory(group));
  const std::vector<ColumnChunk> stored = std::move(made.columns);
  made.columns.clear();
  auto blocks = std::make_shared<Buffer>();
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].stored) {
      made.columns.push_back(stored[*columns_[i].stored]);
    } else {
      add_constant(i, made, *blocks);
    }
  }
  const std::lock_guard lock(mutex_);
  blocks_[group] = std::move(blocks);
  return made;
}

/// The address of a row group's first block.
std::uint64_t ArrangedFile::blocks_offset(std::uint64_t group) const {
  const GroupPlace& place = index_.groups()[group];
  return place.file_offset + place.directory_bytes + added_before_[group];
}

/// Reads blocks of row groups whose directory was read.
Status ArrangedFile::read_at(std::uint64_t offset, MutableBytes into) const {
  std::uint64_t low = 0;
  std::uint64_t high = index_.groups().size();
  while (high - low > 1) {
    const std::uint64_t middle = (low + high) / 2;
    (blocks_offset(middle) <= offset ? low : high) = middle;
  }
  if (high == 0 || offset < blocks_offset(low)) return make_error(ErrorCode::kTruncated);
  const GroupPlace& place = index_.groups()[low];
  const std::uint64_t stored = place.stored_bytes - place.directory_bytes;
  const std::uint64_t at = offset - blocks_offset(low);
  if (at < stored) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), stored - at));
    PRESSO_TRY(file_.read_at(offset - added_before_[low], into.first(count)));
    return count == into.size() ? Status() : read_at(offset + count, into.subspan(count));
  }
  std::unique_lock lock(mutex_);
  const auto found = blocks_.find(low);
  const std::shared_ptr<const Buffer> blocks = found == blocks_.end() ? nullptr : found->second;
  lock.unlock();
  if (blocks == nullptr || into.size() > blocks->size() - std::min(blocks->size(), at - stored)) {
    return make_error(ErrorCode::kTruncated);
  }
  std::memcpy(into.data(), blocks->data() + (at - stored), into.size());
  return {};
}

}  // namespace presso
