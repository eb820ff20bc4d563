// SPDX-License-Identifier: MIT
// pack_if_smaller(): the sizes that are compared are those of blocks, directory and index.
#include "compress/table/write/packed_choice.h"

#include <algorithm>
#include <vector>

#include "compress/table/write/block_appender.h"
#include "format/columns/packed_rows.h"
#include "format/columns/schema.h"
#include "format/columns/table_file.h"
#include "format/columns/wire_reader.h"

namespace presso {
namespace {

constexpr std::uint64_t kPieces = 4;  ///< of a sample
constexpr std::size_t kPieceBytes = 16 << 10;
constexpr std::size_t kMostPieceBytes = 64 << 10;
/// A piece is at most this part of the text.
constexpr std::uint64_t kPieceShare = 512;
constexpr std::uint64_t kPieceRows = 64;
/// A sample compresses less well than the whole, all the more of a small text.
constexpr double kMayWin = 1.1;
constexpr double kSmallMayWin = 1.3;
constexpr std::uint64_t kSmallText = 512 << 10;
/// Packed rows are read as a whole, so they must save something.
constexpr double kMustSave = 0.02;

/// What a row group takes in the index.
std::size_t index_bytes(const RowGroup& group, std::size_t columns) {
  std::vector<Byte> images;
  for (std::size_t i = 0; i < columns; ++i) {
    const ColumnZone zone = zone_of(group, i);
    if (!has_range(zone)) continue;
    append_image(images, zone.least);
    append_image(images, zone.most);
  }
  return images.size() + 2 * columns;
}

/// What blocks, directory and index take.
double total_bytes(const EncodedRowGroup& group, std::size_t columns) {
  return static_cast<double>(group.blocks.size() + serialise_row_group(group.directory).size() +
                             index_bytes(group.directory, columns));
}

/// Exact lines as strings of all rows and of what follows them, null where there is none.
ColumnData lines_of(const ExactLines& exact, std::uint64_t rows) {
  ColumnData lines;
  lines.rows = rows + 1;
  lines.validity.assign(lines.rows / 8 + 9, 0);
  lines.offsets.assign(1, 0);
  lines.values.append(exact.bytes);
  std::size_t next = 0;
  for (std::uint64_t row = 0; row < lines.rows; ++row) {
    if (next < exact.rows.size() && exact.rows[next] == row) {
      lines.validity[row / 8] |= static_cast<Byte>(1u << row % 8);
      ++next;
    }
    lines.offsets.push_back(exact.offsets[next]);
  }
  return lines;
}

/// Tries to pack one row group.
class Packer {
 public:
  Packer(const TableSchema& schema, std::span<const ColumnView> columns, const ExactLines& exact,
         TableEncoders& encoders, EncodedRowGroup& stored)
      : schema_(schema), encoders_(encoders), stored_(stored), rows_(columns.front().rows) {
    numbers_.resize(stored.directory.columns.size());
    add_fields(columns, exact);
  }

  /// Replaces the row group if packing saves enough.
  void run() {
    if (fields_.empty() || !may_win()) return;
    const std::optional<PackedMarks> marks = find_marks(fields_);
    if (!marks) return;
    Buffer stream;
    append_packed_head(*marks, fields_.size(), stream);
    // Another one for the text after the last row, which only exact lines have.
    if (!append_packed_rows(fields_, *marks, 0, rows_ + 1, stream)) return;
    EncodedRowGroup packed = encoded(stream.bytes());
    const double most = total_bytes(stored_, schema_.columns.size()) * (1 - kMustSave);
    if (total_bytes(packed, schema_.columns.size()) <= most) stored_ = std::move(packed);
  }

 private:
  /// Lists what is stored: exact lines first, so that the values that follow repeat them.
  void add_fields(std::span<const ColumnView> columns, const ExactLines& exact) {
    const std::size_t own = schema_.columns.size();
    if (!exact.rows.empty()) {
      lines_ = lines_of(exact, rows_);
      add_field(own, {}, lines_.view());
    }
    for (std::size_t i = 0; i < own; ++i) add_field(i, schema_.columns[i], columns[i]);
    for (std::size_t i = 0; i < exact.spellings.size(); ++i) {
      add_field(own + 1 + i, {}, exact.spellings[i].view());
    }
  }
  /// Columns that are null stay as they are.
  void add_field(std::size_t column, const ColumnSchema& schema, const ColumnView& view) {
    if (stored_.directory.columns[column].representation == Representation::kNull) return;
    fields_.push_back({bare_type(schema), view});
    numbers_[column] = static_cast<std::uint32_t>(fields_.size());
  }

  /// Judges by a sample of rows.
  bool may_win() {
    const std::uint64_t text = std::max<std::uint64_t>(stored_.directory.text_bytes, 1);
    const std::size_t piece_bytes =
        std::clamp<std::size_t>(text / kPieceShare, kPieceBytes, kMostPieceBytes);
    Buffer sample;
    std::uint64_t sampled = 0;
    for (std::uint64_t piece = 0; piece < kPieces; ++piece) {
      const std::uint64_t end = (piece + 1) * rows_ / kPieces;
      const std::size_t full = sample.size() + piece_bytes;
      for (std::uint64_t row = piece * rows_ / kPieces; row < end && sample.size() < full;) {
        const std::uint64_t rows = std::min(kPieceRows, end - row);
        if (!append_packed_rows(fields_, {}, row, rows, sample)) return false;
        sampled += rows;
        row += rows;
      }
    }
    if (sampled == 0) return true;
    // A row may be longer than a block.
    const Bytes tried =
        sample.bytes().first(std::min<std::size_t>(sample.size(), encoders_.block_bytes));
    Buffer coded;
    encoders_.strings.encode(tried, 0, FrameKind::kBlock, {}, coded);
    const double whole = static_cast<double>(sample.size()) * static_cast<double>(rows_) /
                         static_cast<double>(sampled);
    const double expected =
        static_cast<double>(coded.size()) * whole / static_cast<double>(tried.size());
    const double share = whole <= kSmallText ? kSmallMayWin : kMayWin;
    return expected <= share * total_bytes(stored_, schema_.columns.size());
  }

  EncodedRowGroup encoded(Bytes stream) {
    EncodedRowGroup packed;
    packed.directory = stored_.directory;
    packed.directory.columns.clear();
    packed.directory.blocks.clear();
    BlockAppender to(packed.directory, packed.blocks, encoders_);
    for (std::size_t i = 0; i < stored_.directory.columns.size(); ++i) {
      const ColumnChunk& was = stored_.directory.columns[i];
      to.begin_column(numbers_[i] == 0 ? was.representation : Representation::kPacked);
      to.chunk().nulls = was.nulls;
      if (numbers_[i] == 0) continue;
      to.chunk().entries = numbers_[i];
      to.packed_rows(stream);
      stream = {};
    }
    return packed;
  }

  const TableSchema& schema_;
  TableEncoders& encoders_;
  EncodedRowGroup& stored_;
  std::uint64_t rows_;
  ColumnData lines_;
  std::vector<std::uint32_t> numbers_;  ///< for each stored column its field from 1 on; 0: none
  std::vector<PackedField> fields_;
};

}  // namespace

void pack_if_smaller(const TableSchema& schema, std::span<const ColumnView> columns,
                     const ExactLines& exact, TableEncoders& encoders, EncodedRowGroup& encoded) {
  Packer(schema, columns, exact, encoders, encoded).run();
}

}  // namespace presso
