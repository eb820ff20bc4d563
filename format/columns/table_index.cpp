// SPDX-License-Identifier: MIT
// TableIndex: opens a table by its trailers and indexes, or by reading all directories where that
// fails. Nothing that an index says is believed beyond the file's size; read_directory() compares
// each directory with what the index told of it. Tested by
// tests/unit/format/columns/table_file_test.cpp.
#include <algorithm>
#include <utility>

#include "format/columns/arranged_file.h"
#include "format/columns/coded_section.h"
#include "format/columns/schema.h"
#include "format/columns/table_file.h"
#include "format/columns/table_index_layout.h"
#include "format/columns/wire_reader.h"
#include "format/container_rules.h"
#include "presso/checksum.h"

namespace presso {
namespace {

std::uint64_t line_feeds(const std::string& text) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

/// Reads the section at `at`, which must be of this kind and have at most `most_bytes` of
/// payload.
Result<StoredSection> read_section_at(const RandomAccess& file, std::uint64_t at, FrameKind kind,
                                      std::uint64_t most_bytes) {
  Byte head[kSectionHeaderBytes];
  if (at > file.size() || file.size() - at < sizeof head)
    return truncated(file.size(), "a section");
  PRESSO_TRY(file.read_at(at, head));
  StoredSection section;
  PRESSO_ASSIGN(section.header, parse_section_header(head));
  section.file_offset = at;
  const std::uint64_t left = file.size() - at - sizeof head;
  if (section.header.kind != kind || section.header.payload_bytes > most_bytes) {
    return make_error(ErrorCode::kBadHeader, "section " + kind_name(section.header.kind));
  }
  if (section.header.payload_bytes > left) return truncated(file.size(), "a section");
  section.payload.resize_discarding(static_cast<std::size_t>(section.header.payload_bytes));
  PRESSO_TRY(file.read_at(at + sizeof head, section.payload.mutable_bytes()));
  if (checksum64(section.payload.bytes()) != section.header.payload_checksum) {
    return at_offset(make_error(ErrorCode::kSectionChecksum, kind_name(kind)), at);
  }
  PRESSO_TRY(decode_section(section, most_bytes));
  return section;
}

}  // namespace

// Only damage leads to the slow way; other errors, such as those of reading, are returned. A file
// of bytes is no damaged table.
Result<TableIndex> TableIndex::open(const RandomAccess& file) {
  TableIndex index(file);
  const Status by_trailers = index.open_by_trailers();
  if (!by_trailers.ok()) {
    const Error& error = by_trailers.error();
    if (error.code == ErrorCode::kContent || !is_damage(error.code)) return error;
    index = TableIndex(file);
    index.rebuilt_ = true;
    PRESSO_TRY(index.open_by_reading());
  }
  PRESSO_TRY(index.number_groups());
  return index;
}

/// Finds members from the last one back, then reads them from the first one on, because schemas
/// are compared with the first.
Status TableIndex::open_by_trailers() {
  struct Place {
    std::uint64_t begin, end, index_at;
  };
  std::vector<Place> places;
  for (std::uint64_t end = file_->size(); end > 0;) {
    Byte bytes[kTrailerBytes];
    // Each trailer tells its member's size.
    if (end < kFileHeaderBytes + sizeof bytes) return make_error(ErrorCode::kBadIndex);
    PRESSO_TRY(file_->read_at(end - sizeof bytes, bytes));
    PRESSO_ASSIGN(const Trailer trailer, parse_trailer(bytes));
    if (trailer.file_bytes > end || trailer.file_bytes < kFileHeaderBytes + sizeof bytes) {
      return make_error(ErrorCode::kBadIndex);
    }
    const std::uint64_t begin = end - trailer.file_bytes;
    places.push_back({begin, end, begin + trailer.index_offset});
    end = begin;
  }
  if (places.empty()) return make_error(ErrorCode::kNotPresso, "empty file");
  std::reverse(places.begin(), places.end());
  for (const Place& place : places) {
    PRESSO_TRY(read_member(place.begin, place.end, place.index_at));
  }
  return {};
}

/// `begin` and `end`: the member's place in the file.
Status TableIndex::read_member(std::uint64_t begin, std::uint64_t end, std::uint64_t index_at) {
  RangeSource front(*file_, begin, end);
  TableStream stream(front, true);
  auto frame = stream.next();
  if (!frame.ok()) {
    frame.error().byte_offset += begin;
    return std::move(frame.error());
  }
  auto& start = std::get<TableBegin>(*frame);
  // Members are one table only if their columns agree.
  if (!members_.empty()) PRESSO_TRY(check_same_member(schema(), start.schema));
  members_.push_back(
      {std::move(start.metadata), std::move(start.schema), begin, end - begin, groups_.size(), 0});
  PRESSO_ASSIGN(const StoredSection index,
                read_section_at(*file_, index_at, FrameKind::kIndex, kMaxTableIndexBytes));
  if (index.header.parameter != kPlainLayout ||
      index_at + index.header.stored_bytes() + kTrailerBytes != end) {
    return make_error(ErrorCode::kBadIndex);
  }
  return take_index(index.payload.bytes(), begin + stream.offset(), index_at);
}

/// Every row group must begin where the one before it ends, and all before the index.
Status TableIndex::take_index(Bytes payload, std::uint64_t first_group, std::uint64_t index_at) {
  TableMember& member = members_.back();
  const std::size_t columns = member.schema.columns.size();
  if (first_group > index_at) return make_error(ErrorCode::kBadIndex);
  WireReader from(payload);
  member.groups = from.varint();
  for (int total = 0; total < 3; ++total) from.varint();  // what the row groups add up to
  if (from.varint() != first_group - member.file_offset || from.overran()) {
    return make_error(ErrorCode::kBadIndex);
  }
  // Row groups follow each other without gaps, so sizes give all places.
  std::uint64_t at = first_group;
  for (std::uint64_t i = 0; i < member.groups; ++i) {
    GroupPlace place;
    place.file_offset = at;
    place.stored_bytes = from.varint();
    place.directory_bytes = from.varint();
    const std::uint64_t rows = from.varint();
    place.text_bytes = from.varint();
    place.text_lines = from.varint();
    place.member = static_cast<std::uint32_t>(members_.size() - 1);
    // Rows of 0 are what is read beyond the end.
    if (rows == 0 || rows > kMaxGroupRows || place.text_bytes > kMaxGroupTextBytes ||
        place.text_lines > place.text_bytes || place.directory_bytes > place.stored_bytes ||
        place.stored_bytes > index_at - at) {
      return make_error(ErrorCode::kBadIndex);
    }
    place.rows = static_cast<std::uint32_t>(rows);
    at += place.stored_bytes;
    groups_.push_back(place);
  }
  if (at > index_at) return make_error(ErrorCode::kBadIndex);
  // Ranges: row group after row group, each with all columns.
  for (std::uint64_t i = 0; i < member.groups * columns; ++i) {
    ColumnZone zone;
    zone.flags = from.value<Byte>();
    const std::uint64_t nulls = from.varint();
    if (zone.flags > kAllZoneFlags || nulls > kMaxGroupRows || from.overran()) {
      return make_error(ErrorCode::kBadIndex);
    }
    zone.nulls = static_cast<std::uint32_t>(nulls);
    if (has_range(zone)) {
      zone.least = from.image();
      zone.most = from.image();
    }
    zones_.push_back(zone);
  }
  return from.ended_exactly() ? Status{} : make_error(ErrorCode::kBadIndex);
}

/// A file that is cut off still opens if it has a whole row group; cut_off() tells.
Status TableIndex::open_by_reading() {
  RangeSource source(*file_, 0, file_->size());
  TableStream stream(source, true, false);
  for (;;) {
    auto frame = stream.next();
    if (!frame.ok()) {
      // What stands before a file's cut-off end can be read.
      const Error& error = frame.error();
      const bool cut_off = error.code == ErrorCode::kTruncated && !groups_.empty();
      cut_off_ = error.code == ErrorCode::kTruncated;
      if (cut_off || is_last_index(error.byte_offset)) return {};
      return std::move(frame.error());
    }
    if (std::holds_alternative<EndOfInput>(*frame)) return {};
    if (auto* begin = std::get_if<TableBegin>(&*frame)) {
      members_.push_back({std::move(begin->metadata), std::move(begin->schema), begin->file_offset,
                          0, groups_.size(), 0});
    } else {
      add_group(std::get<StoredRowGroup>(*frame));
    }
  }
}

// Takes from the directory what the index would have told.
void TableIndex::add_group(const StoredRowGroup& group) {
  const RowGroup& directory = group.directory;
  groups_.push_back({.file_offset = group.file_offset,
                     .directory_bytes = group.directory_bytes,
                     .stored_bytes = group.directory_bytes + directory.stored_bytes(),
                     .rows = directory.rows,
                     .text_bytes = directory.text_bytes,
                     .text_lines = directory.text_lines,
                     .member = static_cast<std::uint32_t>(members_.size() - 1)});
  for (std::size_t i = 0; i < schema().columns.size(); ++i) {
    zones_.push_back(zone_of(directory, i));
  }
  ++members_.back().groups;
}

/// Whether the file's trailer says that the frame that cannot be read at `offset` is its index:
/// then all row groups were read, and only the index is damaged.
bool TableIndex::is_last_index(std::uint64_t offset) const {
  Byte bytes[kTrailerBytes];
  if (members_.empty() || file_->size() < sizeof bytes) return false;
  if (!file_->read_at(file_->size() - sizeof bytes, bytes).ok()) return false;
  const auto trailer = parse_trailer(bytes);
  return trailer.ok() && trailer->file_bytes <= file_->size() &&
         file_->size() - trailer->file_bytes + trailer->index_offset == offset;
}

/// Sums up rows, text and lines through all members.
Status TableIndex::number_groups() {
  std::uint64_t row = 0;
  std::uint64_t text = 0;
  std::uint64_t lines = 0;
  std::uint64_t group = 0;
  for (const TableMember& member : members_) {
    if (member.schema.exact) {
      text += member.schema.text.head.size();
      lines += line_feeds(member.schema.text.head);
    }
    for (std::uint64_t i = 0; i < member.groups; ++i, ++group) {
      GroupPlace& place = groups_[group];
      place.first_row = row;
      place.text_offset = text;
      place.first_line = lines;
      row += place.rows;
      text += place.text_bytes;
      lines += place.text_lines;
    }
  }
  return {};
}

// The first row group of what part() gives need not begin with row 0.
std::uint64_t TableIndex::rows() const {
  if (groups_.empty()) return 0;
  return groups_.back().first_row + groups_.back().rows - groups_.front().first_row;
}

// Members are copied whole, since row groups name them by number.
TableIndex TableIndex::part(std::uint64_t first, std::uint64_t end) const {
  TableIndex made(*file_);
  made.members_ = members_;
  made.arranged_ = arranged_;
  made.first_group_ = first_group_ + first;
  made.rebuilt_ = rebuilt_;
  made.cut_off_ = cut_off_;
  const auto some_of = [&](const auto& all, std::size_t for_each) {
    const auto place = [&](std::uint64_t group) {
      return all.begin() + static_cast<std::ptrdiff_t>(group * for_each);
    };
    return std::remove_cvref_t<decltype(all)>(place(first), place(end));
  };
  made.groups_ = some_of(groups_, 1);
  made.zones_ = some_of(zones_, schema().columns.size());
  return made;
}

/// The text of such a table cannot be given back.
TableIndex TableIndex::arranged(std::shared_ptr<const ArrangedFile> file) {
  const TableIndex& stored = file->index();
  TableIndex made(*file);
  made.members_ = stored.members_;
  made.groups_ = stored.groups_;
  made.rebuilt_ = stored.rebuilt_;
  made.cut_off_ = stored.cut_off_;
  for (TableMember& member : made.members_) {
    TableSchema schema;
    for (const ArrangedColumn& column : file->columns()) schema.columns.push_back(column.schema);
    for (ColumnSchema& column : schema.columns) {
      column.nullable = true;
      column.spelled = false;
    }
    member.schema = std::move(schema);
  }
  for (std::uint64_t group = 0; group < made.groups_.size(); ++group) {
    GroupPlace& place = made.groups_[group];
    place.added_bytes = file->added_before(group);
    place.file_offset += place.added_bytes;
    place.stored_bytes += file->added_bytes(place.rows);
    for (std::size_t i = 0; i < file->columns().size(); ++i) {
      const ArrangedColumn& column = file->columns()[i];
      made.zones_.push_back(column.stored ? stored.zone(group, *column.stored)
                                          : file->zone(i, place.rows));
    }
  }
  made.arranged_ = std::move(file);
  return made;
}

// The heads of exact members count; a table without exact text has 0 bytes of text.
std::uint64_t TableIndex::text_bytes() const {
  std::uint64_t total = 0;
  for (const TableMember& member : members_) {
    if (member.schema.exact) total += member.schema.text.head.size();
  }
  for (const GroupPlace& place : groups_) total += place.text_bytes;
  return total;
}

std::uint64_t TableIndex::text_lines() const {
  std::uint64_t total = 0;
  for (const TableMember& member : members_) {
    if (member.schema.exact) total += line_feeds(member.schema.text.head);
  }
  for (const GroupPlace& place : groups_) total += place.text_lines;
  return total;
}

/// The schema of the row group's own member is used: members may differ in nullability and
/// text.
Result<RowGroup> TableIndex::read_directory(std::uint64_t group) const {
  if (arranged_ != nullptr) return arranged_->directory(first_group_ + group);
  const GroupPlace& place = groups_[group];
  auto section =
      read_section_at(*file_, place.file_offset, FrameKind::kRowGroup, kMaxRowGroupPayload);
  if (!section.ok()) return at_offset(std::move(section.error()), place.file_offset);
  if (section->header.parameter != kPlainLayout) {
    return at_offset(make_error(ErrorCode::kBadHeader, "section parameter"), place.file_offset);
  }
  auto directory = parse_row_group(section->payload.bytes(), members_[place.member].schema);
  if (!directory.ok()) return at_offset(std::move(directory.error()), place.file_offset);
  const std::uint64_t directory_bytes = section->header.stored_bytes();
  if (directory->rows != place.rows || directory->text_bytes != place.text_bytes ||
      directory->text_lines != place.text_lines || directory_bytes != place.directory_bytes ||
      directory_bytes + directory->stored_bytes() != place.stored_bytes) {
    return at_offset(make_error(ErrorCode::kBadIndex, "a row group differs from it"),
                     place.file_offset);
  }
  return directory;
}

}  // namespace presso
