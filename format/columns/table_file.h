// SPDX-License-Identifier: MIT
// The container of a table (FORMAT.md 15): writing it in one pass, reading it front to back,
// and finding its row groups by the index. It knows nothing of codings: blocks are bytes here.
//
//   file header, metadata, schema, { directory of a row group, its blocks }*, index, trailer
//
// Row groups and their directories are explained in row_group.h. Tables with the same columns may
// be concatenated; each is a member then, and rows and bytes of text are counted through all
// members. Tested by tests/unit/format/columns/table_file_test.cpp.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "format/columns/row_group.h"
#include "presso/archive_reader.h"
#include "presso/byte_stream.h"
#include "presso/metadata.h"

namespace presso {

/// The payload of a member's index (table_index_layout.h), made from its directories.
/// TableFileWriter writes it, and TableStream compares a file's index with it. It takes as much
/// memory as it has bytes: 10 to 20 for a row group and about 10 for each of its columns.
class TableIndexPayload {
 public:
  TableIndexPayload() = default;
  /// `first_group_offset`: counted from the member's file header.
  TableIndexPayload(const TableSchema& schema, std::uint64_t first_group_offset);

  void set_first_group_offset(std::uint64_t offset) { first_group_offset_ = offset; }
  void add(const RowGroup& group, std::uint64_t directory_bytes);
  /// No more than this; the exact number only bytes() tells.
  std::size_t most_bytes() const;
  std::vector<Byte> bytes() const;

 private:
  std::uint64_t first_group_offset_ = 0;
  std::uint64_t groups_ = 0;
  std::uint64_t rows_ = 0;
  std::uint64_t text_bytes_ = 0;
  std::uint64_t text_lines_ = 0;
  std::size_t columns_ = 0;   ///< of the schema
  std::vector<Byte> places_;  ///< for each row group
  std::vector<Byte> zones_;   ///< for each row group and column
};

/// Writes one member. Calls in order: begin, add_row_group any number of times, finish. Not
/// thread-safe. It holds the index in memory. After an error of the sink the file is incomplete and
/// must be dropped.
class TableFileWriter {
 public:
  /// `sink` is kept by reference. With `codes_sections`, those that are a large part of the file
  /// are coded (coded_section.h).
  explicit TableFileWriter(ByteSink& sink, bool codes_sections = false)
      : sink_(sink), codes_sections_(codes_sections) {}

  /// Errors: kInvalidArgument where the schema is not valid, and those of the sink.
  Status begin(const TableSchema& schema, const Metadata& metadata);
  /// `blocks`: all of the row group's blocks as they are stored, in the order of its directory.
  Status add_row_group(const RowGroup& group, Bytes blocks);
  Status finish();

  std::uint64_t bytes_written() const { return written_; }

 private:
  Status write(Bytes bytes);
  Status write_section(FrameKind kind, std::uint32_t parameter, Bytes payload);
  Status write_columns_section(FrameKind kind, Bytes payload, std::uint64_t others);
  Status write_schema(std::uint64_t others);

  ByteSink& sink_;
  bool codes_sections_;
  std::uint64_t written_ = 0;
  std::vector<Byte> schema_;  ///< the payload, until the first row group is known
  TableIndexPayload index_;
};

/// The range of a column's values in one row group, by which scans skip row groups.
struct ColumnZone {
  // Images (zone_image.h) of the least and the greatest value.
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  std::uint32_t nulls = 0;
  Byte flags = 0;  ///< as ColumnBlock::zone_flags
};

/// Whether least and most mean something; otherwise they are 0, and not stored.
constexpr bool has_range(const ColumnZone& zone) {
  return (zone.flags & (kZoneKnown | kZoneNoValue)) == kZoneKnown;
}

/// Where a row group stands, and what is known without reading it.
struct GroupPlace {
  std::uint64_t file_offset = 0;      ///< of the section with its directory
  std::uint64_t directory_bytes = 0;  ///< bytes of that section, header and padding included
  std::uint64_t stored_bytes = 0;     ///< directory and blocks
  std::uint32_t rows = 0;
  std::uint64_t first_row = 0;  ///< counted through all members
  std::uint64_t text_bytes = 0;
  std::uint64_t text_lines = 0;
  /// Where its text begins, counted through all members, with the text before the first rows
  /// (TextForm::head) of exact members.
  std::uint64_t text_offset = 0;
  std::uint64_t first_line = 0;  ///< line feeds before it, through all members
  std::uint32_t member = 0;
  /// By how much `file_offset` is beyond the place in the file, in an arranged table.
  std::uint64_t added_bytes = 0;
};

/// One table of a file, as its schema and index describe it.
struct TableMember {
  Metadata metadata;
  TableSchema schema;
  std::uint64_t file_offset = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t first_group = 0;
  std::uint64_t groups = 0;
};

struct StoredRowGroup;
class ArrangedFile;

/// All row groups of a table, for readers with random access. Immutable after open(), so threads
/// may share it. Keeps `file` by reference. Memory: about 80 bytes a row group, and 24 for each of
/// its columns.
class TableIndex {
 public:
  /// Opens by the index of each member or, where one is damaged or missing, by reading the
  /// directories from front to back; a file that is cut off then opens if it has a whole row group.
  /// Errors: kContent for a file of bytes, and those of the frames, with offsets.
  static Result<TableIndex> open(const RandomAccess& file);

  const std::vector<TableMember>& members() const { return members_; }
  /// The schema of the first member; the others have the same columns.
  const TableSchema& schema() const { return members_.front().schema; }
  const std::vector<GroupPlace>& groups() const { return groups_; }
  /// `column` is its number in the schema.
  const ColumnZone& zone(std::uint64_t group, std::size_t column) const {
    return zones_[group * schema().columns.size() + column];
  }
  std::uint64_t rows() const;
  std::uint64_t text_bytes() const;
  std::uint64_t text_lines() const;
  /// An index of the row groups from `first` to `end` - 1 only. What is counted through all
  /// members, as GroupPlace::first_row, stays as it is.
  TableIndex part(std::uint64_t first, std::uint64_t end) const;
  /// An index of the same row groups with other columns, whose blocks are read from `file`.
  static TableIndex arranged(std::shared_ptr<const ArrangedFile> file);
  /// The file that blocks are read from, where it is not the one that was opened; or nullptr.
  const std::shared_ptr<const ArrangedFile>& arranged_file() const { return arranged_; }
  /// Whether an index was damaged or missing.
  bool rebuilt() const { return rebuilt_; }
  /// Whether the file ends too early, so that row groups are missing.
  bool cut_off() const { return cut_off_; }

  /// Reads the directory of a row group and compares it with the index. Errors have the offset.
  Result<RowGroup> read_directory(std::uint64_t group) const;

 private:
  explicit TableIndex(const RandomAccess& file) : file_(&file) {}
  Status open_by_trailers();
  Status read_member(std::uint64_t begin, std::uint64_t end, std::uint64_t index_at);
  Status take_index(Bytes payload, std::uint64_t first_group, std::uint64_t index_at);
  Status open_by_reading();
  void add_group(const StoredRowGroup& group);
  bool is_last_index(std::uint64_t offset) const;
  Status number_groups();

  const RandomAccess* file_;
  std::vector<TableMember> members_;
  std::vector<GroupPlace> groups_;
  std::vector<ColumnZone> zones_;
  std::shared_ptr<const ArrangedFile> arranged_;
  std::uint64_t first_group_ = 0;  ///< the number of the first row group in `arranged_`
  bool rebuilt_ = false;
  bool cut_off_ = false;
};

/// A row group as TableStream reads it.
struct StoredRowGroup {
  RowGroup directory;
  std::uint64_t file_offset = 0;      ///< of the section with its directory
  std::uint64_t directory_bytes = 0;  ///< bytes of that section
  Buffer blocks;                      ///< empty where they were skipped
};

/// The beginning of a member.
struct TableBegin {
  Metadata metadata;
  TableSchema schema;
  std::uint64_t file_offset = 0;
};

using TableFrame = std::variant<EndOfInput, TableBegin, StoredRowGroup>;

/// Reads a table from a pipe or file, front to back. It holds one row group at a time and, if
/// `check_index`, what the member's index must be. It does not decode blocks nor check their
/// content. Not thread-safe.
class TableStream {
 public:
  /// Keeps `source` by reference. With `skip_blocks`, StoredRowGroup::blocks stays empty. Without
  /// `check_index`, indexes and trailers are passed over.
  explicit TableStream(ByteSource& source, bool skip_blocks = false, bool check_index = true)
      : window_(source), skip_blocks_(skip_blocks), check_index_(check_index) {}

  /// The next frame that callers want, or EndOfInput. Errors have the offset of the bad frame.
  Result<TableFrame> next();
  std::uint64_t offset() const { return window_.offset(); }
  /// After an error: whether it is one of a member's index or trailer, so that all row groups
  /// before it were read.
  bool in_tail() const { return in_tail_; }

 private:
  Result<TableFrame> next_frame();
  Result<TableFrame> begin_member();
  Result<StoredSection> read_section(FrameKind expected, std::uint64_t most_bytes);
  Status read_bytes(std::uint64_t count, Buffer& into);
  Result<TableFrame> read_group();
  Status end_member();
  Status check_member_end();

  FrameWindow window_;
  bool skip_blocks_;
  bool check_index_;
  bool inside_ = false;
  bool in_tail_ = false;
  std::uint64_t frame_offset_ = 0;  ///< where the frame begins that is being read
  std::uint64_t member_offset_ = 0;
  TableIndexPayload index_;  ///< what the member's index must be, if it is checked
  std::optional<TableSchema> first_;
  TableSchema schema_;
};

/// The range of a column's values in a row group, from the ranges of its blocks.
ColumnZone zone_of(const RowGroup& group, std::size_t column);

}  // namespace presso
