// SPDX-License-Identifier: MIT
// TableFileWriter and TableIndexPayload: write a table in one pass (FORMAT.md 15). Limits are
// checked here, so that no file is written that readers refuse.
#include <array>
#include <limits>
#include <utility>

#include "format/columns/coded_section.h"
#include "format/columns/schema.h"
#include "format/columns/table_file.h"
#include "format/columns/table_index_layout.h"
#include "format/columns/wire_reader.h"
#include "presso/checksum.h"

namespace presso {
namespace {

void append_zone(const ColumnZone& zone, std::vector<Byte>& to) {
  to.push_back(zone.flags);
  append_varint(to, zone.nulls);
  if (!has_range(zone)) return;
  append_image(to, zone.least);
  append_image(to, zone.most);
}

}  // namespace

/// The text before the first row counts as text of the table.
TableIndexPayload::TableIndexPayload(const TableSchema& schema, std::uint64_t first_group_offset)
    : first_group_offset_(first_group_offset), columns_(schema.columns.size()) {
  if (!schema.exact) return;
  text_bytes_ = schema.text.head.size();
  for (const char byte : schema.text.head) text_lines_ += byte == '\n' ? 1 : 0;
}

// Exact lines and spellings, which follow the columns of the schema, have no range.
void TableIndexPayload::add(const RowGroup& group, std::uint64_t directory_bytes) {
  ++groups_;
  rows_ += group.rows;
  text_bytes_ += group.text_bytes;
  text_lines_ += group.text_lines;
  const std::uint64_t stored_bytes = directory_bytes + group.stored_bytes();
  for (const std::uint64_t value : {stored_bytes, directory_bytes, std::uint64_t{group.rows},
                                    group.text_bytes, group.text_lines}) {
    append_varint(places_, value);
  }
  for (std::size_t i = 0; i < columns_; ++i) {
    append_zone(zone_of(group, i), zones_);
  }
}

std::size_t TableIndexPayload::most_bytes() const {
  return kMostIndexPrefixBytes + places_.size() + zones_.size();
}

// The payload has totals, then the places of all row groups, then the ranges of all columns.
std::vector<Byte> TableIndexPayload::bytes() const {
  std::vector<Byte> payload;
  payload.reserve(most_bytes());
  for (const std::uint64_t value :
       {groups_, rows_, text_bytes_, text_lines_, first_group_offset_}) {
    append_varint(payload, value);
  }
  payload.insert(payload.end(), places_.begin(), places_.end());
  payload.insert(payload.end(), zones_.begin(), zones_.end());
  return payload;
}

// A schema or metadata that readers would refuse is kInvalidArgument.
Status TableFileWriter::begin(const TableSchema& schema, const Metadata& metadata) {
  PRESSO_TRY(check_schema(schema));
  std::array<Byte, kFileHeaderBytes> bytes;
  write_file_header({kTableFormatVersion, kMaxBlockBytes, Content::kTable}, bytes.data());
  PRESSO_TRY(write(bytes));
  const std::vector<Byte> entries = serialise_metadata(metadata);
  if (entries.size() > kMaxMetadataBytes) {
    return make_error(ErrorCode::kInvalidArgument, "metadata is larger than 1 MiB");
  }
  if (!entries.empty()) PRESSO_TRY(write_section(FrameKind::kMetadata, 0, entries));
  schema_ = serialise_schema(schema);
  if (schema_.size() > kMaxSchemaBytes) {
    return make_error(ErrorCode::kInvalidArgument, "the schema is larger than 64 MiB");
  }
  index_ = TableIndexPayload(schema, 0);
  return {};
}

/// Writes the schema once. Only the first row group tells whether it is a large part of the file.
Status TableFileWriter::write_schema(std::uint64_t others) {
  const std::vector<Byte> schema = std::exchange(schema_, {});
  if (schema.empty()) return {};
  PRESSO_TRY(write_columns_section(FrameKind::kSchema, schema, written_ + others));
  index_.set_first_group_offset(written_);
  return {};
}

/// The blocks are written as they are; only their number of bytes is known here.
Status TableFileWriter::add_row_group(const RowGroup& group, Bytes blocks) {
  if (group.rows == 0 || group.rows > most_group_rows(group.columns.size())) {
    return make_error(ErrorCode::kInvalidArgument,
                      "a row group has 1 to 2^24 rows, and 2^26 values at most");
  }
  if (index_.most_bytes() + kMostPlaceBytes + group.columns.size() * kMostZoneBytes >
      kMaxTableIndexBytes) {
    return make_error(ErrorCode::kInvalidArgument,
                      "the index is larger than 2 GiB; larger row groups make it smaller");
  }
  PRESSO_TRY(write_schema(blocks.size()));
  const std::uint64_t begin = written_;
  const std::vector<Byte> directory = serialise_row_group(group);
  if (directory.size() > kMaxRowGroupPayload) {
    return make_error(ErrorCode::kInvalidArgument, "a row group of too many blocks");
  }
  PRESSO_TRY(write_columns_section(FrameKind::kRowGroup, directory, written_ + blocks.size()));
  const std::uint64_t directory_bytes = written_ - begin;
  PRESSO_TRY(write(blocks));
  index_.add(group, directory_bytes);
  return {};
}

// The trailer comes last, so that a file without one is known to be cut off.
Status TableFileWriter::finish() {
  PRESSO_TRY(write_schema(0));
  Trailer trailer;
  trailer.index_offset = written_;
  PRESSO_TRY(write_columns_section(FrameKind::kIndex, index_.bytes(), written_));
  trailer.file_bytes = written_ + kTrailerBytes;
  std::array<Byte, kTrailerBytes> bytes;
  write_trailer(trailer, bytes.data());
  return write(bytes);
}

// All output passes here, so offsets are right.
Status TableFileWriter::write(Bytes bytes) {
  PRESSO_TRY(sink_.write(bytes));
  written_ += bytes.size();
  return {};
}

/// A section that is a large part of the file is coded, if that saves anything. Where it is a
/// small part, decoding it would take a query longer than reading it does. `others`: bytes of the
/// file so far, and of the blocks that follow.
Status TableFileWriter::write_columns_section(FrameKind kind, Bytes payload, std::uint64_t others) {
  constexpr std::uint64_t kCodedShare = 25;
  if (codes_sections_ && payload.size() <= kMostCodedPayload &&
      payload.size() * kCodedShare >= others) {
    const std::vector<Byte> coded = code_payload(payload);
    if (round_up(coded.size(), kFrameAlignment) < round_up(payload.size(), kFrameAlignment)) {
      return write_section(kind, kCodedLayout, coded);
    }
  }
  return write_section(kind, kPlainLayout, payload);
}

// Only metadata may be skipped by readers that do not know it.
Status TableFileWriter::write_section(FrameKind kind, std::uint32_t parameter, Bytes payload) {
  SectionHeader header;
  header.kind = kind;
  header.mandatory = kind != FrameKind::kMetadata;
  header.payload_bytes = payload.size();
  header.payload_checksum = checksum64(payload);
  header.parameter = parameter;
  std::array<Byte, kSectionHeaderBytes> bytes;
  write_section_header(header, bytes.data());
  PRESSO_TRY(write(bytes));
  PRESSO_TRY(write(payload));
  constexpr std::array<Byte, kFrameAlignment> kPadding{};
  return write(Bytes(kPadding).first(header.stored_bytes() - kSectionHeaderBytes - payload.size()));
}

/// A range is known only if every block that carries ranges knows its own. Columns without a
/// value have the range 0 to 0 and kZoneNoValue. Nothing is known of packed columns.
ColumnZone zone_of(const RowGroup& group, std::size_t column) {
  const ColumnChunk& chunk = group.columns[column];
  ColumnZone zone;
  zone.nulls = chunk.nulls;
  if (chunk.representation == Representation::kPacked) {
    zone.flags = chunk.nulls > 0 ? kZoneHasNull : Byte{0};
    return zone;
  }
  zone.least = std::numeric_limits<std::uint64_t>::max();
  bool known = chunk.representation != Representation::kNull;
  bool any = false;
  for (std::uint32_t i = 0; i < chunk.blocks; ++i) {
    const ColumnBlock& block = group.blocks[chunk.first_block + i];
    if (!holds_zones(block.stream)) continue;
    known &= (block.zone_flags & kZoneKnown) != 0;
    zone.flags |= block.zone_flags & (kZoneHasNan | kZoneHasNull);
    if ((block.zone_flags & kZoneNoValue) != 0) continue;
    any = true;
    zone.least = std::min(zone.least, block.least);
    zone.most = std::max(zone.most, block.most);
  }
  if (chunk.nulls > 0) zone.flags |= kZoneHasNull;
  if (!any) zone.flags |= kZoneNoValue;
  if (known) zone.flags |= kZoneKnown;
  if (!any || !known) zone.least = zone.most = 0;
  return zone;
}

}  // namespace presso
