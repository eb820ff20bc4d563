// SPDX-License-Identifier: MIT
// TableStream: reads a table front to back through a window, frame by frame. Order is checked
// strictly, since there is no salvage of tables. With check_index, the index at a member's end must
// be the very bytes that its directories give, which proves that no row group is missing. Tested by
// tests/unit/format/columns/table_file_test.cpp.
#include <algorithm>
#include <utility>

#include "format/columns/coded_section.h"
#include "format/columns/schema.h"
#include "format/columns/table_file.h"
#include "format/columns/table_index_layout.h"
#include "format/container_rules.h"
#include "presso/checksum.h"

namespace presso {

Result<TableFrame> TableStream::next() {
  Result<TableFrame> frame = next_frame();
  if (!frame.ok()) frame.error() = at_offset(std::move(frame.error()), frame_offset_);
  return frame;
}

// Sections that are unknown and optional are skipped, so the loop goes on until something is to
// be returned.
Result<TableFrame> TableStream::next_frame() {
  for (;;) {
    frame_offset_ = window_.offset();
    if (!inside_) {
      PRESSO_ASSIGN(const std::size_t got, window_.fill(kFileHeaderBytes));
      if (got == 0 && first_) return TableFrame(EndOfInput{});
      if (got < sizeof kFileMagic || !has_file_magic(window_.data())) {
        if (!first_) return make_error(ErrorCode::kNotPresso, got == 0 ? "empty file" : "");
        return make_error(ErrorCode::kLostSync, "trailing bytes after the file's end");
      }
      if (got < kFileHeaderBytes) return truncated(window_.offset() + got, "the file header");
      return begin_member();
    }
    PRESSO_TRY(window_.require(sizeof(std::uint32_t)));
    PRESSO_ASSIGN(const FrameKind kind, peek_frame_kind(window_.data()));
    if (kind == FrameKind::kRowGroup) return read_group();
    if (kind == FrameKind::kIndex) {
      PRESSO_TRY(end_member());
      continue;
    }
    // These kinds are known, but may not stand here.
    if (kind == FrameKind::kBlock || kind == FrameKind::kTrailer || kind == FrameKind::kSchema) {
      return make_error(ErrorCode::kBadHeader, "place of " + kind_name(kind));
    }
    PRESSO_ASSIGN(const StoredSection skipped, read_section(kind, 0));
    if (skipped.header.mandatory) {
      return make_error(ErrorCode::kUnknownMandatorySection, kind_name(kind));
    }
  }
}

/// Reads a section whose payload has up to `most_bytes` and checks its checksum; with 0 the payload
/// is skipped.
Result<StoredSection> TableStream::read_section(FrameKind expected, std::uint64_t most_bytes) {
  PRESSO_TRY(window_.require(kSectionHeaderBytes));
  StoredSection section;
  PRESSO_ASSIGN(section.header, parse_section_header(window_.data()));
  section.file_offset = window_.offset();
  if (section.header.kind != expected) {
    return make_error(ErrorCode::kBadHeader,
                      kind_name(section.header.kind) + " where " + kind_name(expected) + " is due");
  }
  if (most_bytes == 0) {
    PRESSO_TRY(window_.skip(section.header.stored_bytes()));
    return section;
  }
  if (section.header.payload_bytes > most_bytes) {
    return make_error(ErrorCode::kBadHeader, "section size");
  }
  const std::uint64_t payload_bytes = section.header.payload_bytes;
  window_.advance(kSectionHeaderBytes);
  PRESSO_TRY(read_bytes(payload_bytes, section.payload));
  PRESSO_TRY(window_.skip(section.header.stored_bytes() - kSectionHeaderBytes - payload_bytes));
  if (checksum64(section.payload.bytes()) != section.header.payload_checksum) {
    return at_offset(make_error(ErrorCode::kSectionChecksum, kind_name(expected)),
                     section.file_offset);
  }
  if (expected != FrameKind::kMetadata) PRESSO_TRY(decode_section(section, most_bytes));
  return section;
}

/// The buffer grows with what has been read, so that a header cannot ask for memory for bytes
/// that do not exist.
Status TableStream::read_bytes(std::uint64_t count, Buffer& into) {
  constexpr std::uint64_t kPiece = 1u << 20;
  while (count > 0) {
    const auto step = static_cast<std::size_t>(std::min(kPiece, count));
    PRESSO_TRY(window_.require(step));
    into.append({window_.data(), step});
    window_.advance(step);
    count -= step;
  }
  return {};
}

/// File header, optional metadata, schema. Unknown optional sections in between are passed
/// over.
Result<TableFrame> TableStream::begin_member() {
  TableBegin begin;
  begin.file_offset = member_offset_ = window_.offset();
  PRESSO_ASSIGN(const FileHeader header, parse_file_header(window_.data()));
  PRESSO_TRY(expect_content(header, Content::kTable));
  window_.advance(kFileHeaderBytes);
  for (;;) {
    frame_offset_ = window_.offset();
    PRESSO_TRY(window_.require(sizeof(std::uint32_t)));
    PRESSO_ASSIGN(const FrameKind kind, peek_frame_kind(window_.data()));
    if (kind == FrameKind::kSchema) break;
    if (kind == FrameKind::kBlock || kind == FrameKind::kRowGroup || kind == FrameKind::kIndex ||
        kind == FrameKind::kTrailer) {
      return make_error(ErrorCode::kBadHeader, "place of " + kind_name(kind));
    }
    PRESSO_ASSIGN(const StoredSection section,
                  read_section(kind, kind == FrameKind::kMetadata ? kMaxMetadataBytes : 0));
    if (kind == FrameKind::kMetadata) {
      PRESSO_ASSIGN(begin.metadata, parse_metadata(section.payload.bytes()));
    } else if (section.header.mandatory) {
      return make_error(ErrorCode::kUnknownMandatorySection, kind_name(kind));
    }
  }
  PRESSO_ASSIGN(const StoredSection section, read_section(FrameKind::kSchema, kMaxSchemaBytes));
  if (section.header.parameter != kPlainLayout) {
    return make_error(ErrorCode::kBadHeader, "section parameter");
  }
  PRESSO_ASSIGN(begin.schema, parse_schema(section.payload.bytes()));
  if (first_) {
    PRESSO_TRY(check_same_member(*first_, begin.schema));
  } else {
    first_ = begin.schema;
  }
  schema_ = begin.schema;
  index_ = TableIndexPayload(schema_, window_.offset() - member_offset_);
  inside_ = true;
  return TableFrame(std::move(begin));
}

Result<TableFrame> TableStream::read_group() {
  StoredRowGroup group;
  group.file_offset = window_.offset();
  PRESSO_ASSIGN(const StoredSection section,
                read_section(FrameKind::kRowGroup, kMaxRowGroupPayload));
  if (section.header.parameter != kPlainLayout) {
    return make_error(ErrorCode::kBadHeader, "section parameter");
  }
  PRESSO_ASSIGN(group.directory, parse_row_group(section.payload.bytes(), schema_));
  group.directory_bytes = section.header.stored_bytes();
  const std::uint64_t bytes = group.directory.stored_bytes();
  if (skip_blocks_) {
    PRESSO_TRY(window_.skip(bytes));
  } else {
    PRESSO_TRY(read_bytes(bytes, group.blocks));
  }
  if (check_index_) index_.add(group.directory, group.directory_bytes);
  return TableFrame(std::move(group));
}

Status TableStream::end_member() {
  in_tail_ = true;
  if (check_index_) {
    PRESSO_TRY(check_member_end());
  } else {
    PRESSO_TRY(read_section(FrameKind::kIndex, 0));
    PRESSO_TRY(window_.skip(kTrailerBytes));
  }
  inside_ = false;
  in_tail_ = false;
  return {};
}

/// Index and trailer must be exactly what the directories before them give, ranges of values
/// included.
Status TableStream::check_member_end() {
  const std::uint64_t index_offset = window_.offset();
  const auto read = read_section(FrameKind::kIndex, kMaxTableIndexBytes);
  if (!read.ok()) return ends_inside(read.error(), kTheIndex);
  const StoredSection& index = *read;
  const std::vector<Byte> expected = index_.bytes();
  const Bytes found = index.payload.bytes();
  if (index.header.parameter != kPlainLayout ||
      !std::equal(expected.begin(), expected.end(), found.begin(), found.end())) {
    return make_error(ErrorCode::kBadIndex, "does not match the row groups before it");
  }
  const Status whole = window_.require(kTrailerBytes);
  if (!whole.ok()) return ends_inside(whole.error(), kTheTrailer);
  PRESSO_ASSIGN(const Trailer trailer, parse_trailer(window_.data()));
  window_.advance(kTrailerBytes);
  if (trailer.index_offset != index_offset - member_offset_ ||
      trailer.file_bytes != window_.offset() - member_offset_) {
    return make_error(ErrorCode::kBadIndex, "the trailer contradicts the file");
  }
  return {};
}

}  // namespace presso
