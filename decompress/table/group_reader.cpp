// SPDX-License-Identifier: MIT
// GroupReader, what threads share of a row group. Dictionaries and offsets are decoded once, by
// whichever thread asks first (std::call_once); others wait. Everything else is computed from the
// directory.
#include "decompress/table/group_reader.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "format/container_rules.h"

namespace presso {
namespace {

/// Row group readers are told apart by number, since an address may be used again.
std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

/// Reads a row group that is packed as a whole.
Result<std::shared_ptr<const GroupDirectory>> unpacked(const Table& table, std::uint64_t group,
                                                       const RowGroup& packed,
                                                       ReadCounters* counters) {
  const TableIndex& index = TableAccess::index(table);
  const GroupPlace& place = index.groups()[group];
  const BlockReader blocks(packed, TableAccess::file(table),
                           place.file_offset + place.directory_bytes, 0 - place.added_bytes,
                           TableAccess::options(table), counters);
  auto made = unpack_group(index.members()[place.member].schema, packed, blocks);
  if (!made.ok()) return at_offset(std::move(made.error()), place.file_offset);
  auto directory =
      std::make_shared<const GroupDirectory>(std::move(made->directory), std::move(made->blocks));
  TableAccess::unpacked(table).keep(group, directory);
  return directory;
}

}  // namespace

Result<std::shared_ptr<const GroupDirectory>> directory_of(const Table& table, std::uint64_t group,
                                                           ReadCounters* counters) {
  const std::shared_ptr<KeptDirectories>& kept = TableAccess::directories(table);
  std::shared_ptr<const GroupDirectory> directory;
  if (kept != nullptr) directory = kept->find(group);
  if (directory == nullptr) directory = TableAccess::unpacked(table).find(group);
  if (directory != nullptr) return directory;
  PRESSO_ASSIGN(RowGroup read, TableAccess::index(table).read_directory(group));
  if (read.is_packed()) {
    PRESSO_ASSIGN(directory, unpacked(table, group, read, counters));
  } else {
    directory = std::make_shared<const GroupDirectory>(std::move(read));
  }
  if (kept != nullptr) kept->keep(group, directory);
  return directory;
}

RowGroupDecoder decoder_of(const Table& table, std::uint64_t group, const GroupDirectory& directory,
                           ReadCounters* counters) {
  const TableIndex& index = TableAccess::index(table);
  const GroupPlace& place = index.groups()[group];
  const TableSchema& schema = index.members()[place.member].schema;
  const DecodeOptions& options = TableAccess::options(table);
  if (directory.is_in_memory()) {
    return {schema, directory.row_group, directory.memory, 0, place.file_offset, options};
  }
  return {schema,
          directory.row_group,
          TableAccess::file(table),
          place.file_offset + place.directory_bytes,
          0 - place.added_bytes,
          options,
          counters};
}

GroupReader::GroupReader(const Table& table, std::uint64_t group,
                         std::shared_ptr<const GroupDirectory> directory, ReadCounters* counters)
    : table_(table),
      group_(group),
      id_(next_id()),
      directory_(std::move(directory)),
      decoder_(decoder_of(table_, group, *directory_, counters)),
      shared_(std::make_unique<Shared[]>(this->directory().columns.size())) {}

Result<std::shared_ptr<const GroupReader>> GroupReader::open(const Table& table,
                                                             std::uint64_t group,
                                                             ReadCounters* counters) {
  if (group >= table.row_groups()) {
    return make_error(ErrorCode::kInvalidArgument, "there is no such row group");
  }
  return without_bad_alloc([&]() -> Result<std::shared_ptr<const GroupReader>> {
    PRESSO_ASSIGN(auto directory, directory_of(table, group, counters));
    return std::shared_ptr<const GroupReader>(
        new GroupReader(table, group, std::move(directory), counters));
  });
}

const TableSchema& GroupReader::schema() const {
  return TableAccess::index(table_).members()[place().member].schema;
}

GroupReader::BlockRange GroupReader::stream_blocks(std::size_t column, ColumnStream stream) const {
  const ColumnChunk& of = chunk(column);
  const auto begin = directory().blocks.begin() + of.first_block;
  const auto end = begin + of.blocks;
  // Blocks are sorted by stream within a column.
  const auto first = std::partition_point(
      begin, end, [=](const ColumnBlock& block) { return block.stream < stream; });
  const auto last = std::partition_point(
      first, end, [=](const ColumnBlock& block) { return block.stream == stream; });
  return {static_cast<std::uint32_t>(first - directory().blocks.begin()),
          static_cast<std::uint32_t>(last - directory().blocks.begin())};
}

// Empty where begin >= end, with `first` at the stream's beginning.
GroupReader::BlockRange GroupReader::blocks_of(std::size_t column, ColumnStream stream,
                                               std::uint64_t begin, std::uint64_t end) const {
  const BlockRange all = stream_blocks(column, stream);
  if (begin >= end) return {all.first, all.first};
  const auto from = directory_->begins.begin() + all.first;
  const auto to = directory_->begins.begin() + all.end;
  // The last block that begins at or before `begin` holds it, or there is none so late.
  auto first = std::upper_bound(from, to, begin);
  if (first != from) --first;
  const auto last = std::lower_bound(first, to, end);
  return {static_cast<std::uint32_t>(first - directory_->begins.begin()),
          static_cast<std::uint32_t>(last - directory_->begins.begin())};
}

/// Joins the ranges of the blocks that hold the rows: never too narrow, possibly too wide.
ColumnZone GroupReader::zone(std::size_t column, std::uint32_t first, std::uint32_t rows) const {
  const ColumnChunk& of = chunk(column);
  ColumnZone zone;
  zone.nulls = std::min(of.nulls, rows);
  if (zone.nulls > 0) zone.flags = kZoneHasNull;
  if (is_string(schema().columns[column].type)) return zone;
  if (of.representation == Representation::kNull) {
    zone.flags |= kZoneKnown | kZoneNoValue;
    return zone;
  }
  // Without a block nothing is known.
  const BlockRange range =
      blocks_of(column, ColumnStream::kValues, first, std::uint64_t{first} + rows);
  if (range.first == range.end) return zone;
  Byte nulls = 0;
  zone.flags = kZoneKnown | kZoneNoValue;
  // The empty range, which any block widens.
  zone.least = ~std::uint64_t{0};
  for (std::uint32_t i = range.first; i < range.end; ++i) {
    const ColumnBlock& block = directory().blocks[i];
    if ((block.zone_flags & kZoneKnown) == 0) {
      return {0, 0, zone.nulls, zone.nulls > 0 ? kZoneHasNull : Byte{0}};
    }
    zone.flags |= block.zone_flags & kZoneHasNan;
    nulls |= block.zone_flags & kZoneHasNull;
    if ((block.zone_flags & kZoneNoValue) != 0) continue;
    zone.flags &= static_cast<Byte>(~kZoneNoValue);
    zone.least = std::min(zone.least, block.least);
    zone.most = std::max(zone.most, block.most);
  }
  zone.flags |= nulls;
  // The blocks are more exact than the column's number of nulls.
  if (nulls == 0) zone.nulls = 0;
  if ((zone.flags & kZoneNoValue) != 0) zone.least = 0;
  return zone;
}

/// By the bits that the encoder has set for the strings of each block (ColumnBlock::presence).
bool GroupReader::may_hold(std::size_t column, std::uint32_t first, std::uint32_t rows,
                           std::uint64_t hash) const {
  if (chunk(column).representation != Representation::kDictionary) return true;
  const BlockRange range =
      blocks_of(column, ColumnStream::kCodes, first, std::uint64_t{first} + rows);
  for (std::uint32_t i = range.first; i < range.end; ++i) {
    const ColumnBlock& block = directory().blocks[i];
    const bool known = (block.zone_flags & kZoneKnown) != 0;
    if (!known || (block.presence >> (hash >> 58) & 1) != 0) return true;
  }
  return false;
}

/// Used by the planner to weigh columns; nothing is read.
GroupReader::BlockCost GroupReader::cost(std::size_t column, std::uint32_t first,
                                         std::uint32_t rows) const {
  BlockCost cost;
  if (rows == 0) return cost;
  const ColumnChunk& of = chunk(column);
  const std::uint64_t end = std::uint64_t{first} + rows;
  std::uint64_t bytes_row = 0;  // by what blocks of bytes say of how many strings begin in them
  for (std::uint32_t i = of.first_block; i < of.first_block + of.blocks; ++i) {
    const ColumnBlock& block = directory().blocks[i];
    bool is_needed = true;
    switch (block.stream) {
      case ColumnStream::kValidity:
      case ColumnStream::kValues:
      case ColumnStream::kCodes:
      case ColumnStream::kTokenCounts:
      case ColumnStream::kTokens:
        is_needed = directory_->begins[i] < end && directory_->begins[i] + block.rows > first;
        break;
      case ColumnStream::kBytes:
        is_needed = bytes_row < end && (bytes_row + block.rows > first || block.rows == 0);
        bytes_row += block.rows;
        break;
      default:
        break;
    }
    cost.bytes += is_needed ? block.stored_bytes : 0;
    cost.blocks += is_needed ? 1 : 0;
  }
  return cost;
}

/// Errors are kept like results, so that every caller gets the same one.
template <class T, class Make>
Result<const T*> GroupReader::once(std::size_t column, Representation representation,
                                   Once<T> Shared::*part, const Make& make) const {
  if (column >= schema().columns.size() || chunk(column).representation != representation) {
    return make_error(ErrorCode::kInvalidArgument, "another representation of the column");
  }
  Once<T>& shared = shared_[column].*part;
  std::call_once(shared.flag, [&] { shared.made.emplace(make()); });
  Result<T>& made = *shared.made;
  if (!made.ok()) return made.error();
  return static_cast<const T*>(&*made);
}

Result<const DictionaryEntries*> GroupReader::dictionary(std::size_t column) const {
  return once(column, Representation::kDictionary, &Shared::dictionary,
              [&] { return decoder_.dictionary(column); });
}

Result<const TokenDictionary*> GroupReader::tokens(std::size_t column) const {
  return once(column, Representation::kToken, &Shared::tokens,
              [&] { return decoder_.tokens(column); });
}

Result<const std::vector<std::int64_t>*> GroupReader::string_offsets(std::size_t column) const {
  return once(column, Representation::kBytes, &Shared::offsets,
              [&] { return decoder_.string_offsets(column); });
}

}  // namespace presso
