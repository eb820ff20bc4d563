// SPDX-License-Identifier: MIT
// pack_if_smaller(): the sizes that are compared are those of blocks, directory and index.
#include "compress/table/write/packed_choice.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "compress/table/write/block_appender.h"
#include "compress/table/write/text_plans.h"
#include "format/columns/packed_rows.h"
#include "format/columns/schema.h"
#include "format/columns/table_file.h"
#include "format/columns/wire_reader.h"

namespace presso {
namespace {

constexpr std::size_t kPieces = 4;  ///< of a sample
constexpr std::size_t kPieceBytes = 64 << 10;
/// A sample compresses less well than the whole, all the more of a small text.
constexpr double kMayWin = 1.4;
constexpr double kSmallMayWin = 2;
constexpr std::size_t kSmallText = 1 << 20;
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
         Bytes text, TableEncoders& encoders, EncodedRowGroup& stored)
      : schema_(schema),
        columns_(columns),
        exact_(exact),
        text_(text),
        encoders_(encoders),
        stored_(stored),
        rows_(columns.front().rows) {
    numbers_.resize(stored.directory.columns.size());
    add_fields(columns, exact);
  }

  /// Replaces the row group if packing, or its text, saves enough.
  void run() {
    if (fields_.empty() || text_.empty() || !may_win()) return;
    const double most = total_bytes(stored_, schema_.columns.size()) * (1 - kMustSave);
    std::optional<EncodedRowGroup> best = packed();
    if (best && total_bytes(*best, schema_.columns.size()) > most) best.reset();
    std::optional<EncodedRowGroup> text =
        as_text(best ? total_bytes(*best, schema_.columns.size()) : most);
    if (text) best = std::move(text);
    if (best) stored_ = std::move(*best);
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

  /// Judges by a sample of the text.
  bool may_win() {
    Buffer sample;
    if (text_.size() > kPieces * kPieceBytes) {
      for (std::size_t piece = 0; piece < kPieces; ++piece) {
        sample.append(text_.subspan(piece * (text_.size() / kPieces), kPieceBytes));
      }
    }
    const Bytes tried = sample.empty() ? text_ : sample.bytes();
    Buffer coded;
    encoders_.sample.encode(tried, 0, FrameKind::kBlock, {}, coded);
    const double expected = static_cast<double>(coded.size()) * static_cast<double>(text_.size()) /
                            static_cast<double>(tried.size());
    const double share = text_.size() <= kSmallText ? kSmallMayWin : kMayWin;
    return expected <= share * total_bytes(stored_, schema_.columns.size());
  }

  /// The row group with packed rows; nullopt if there are none.
  std::optional<EncodedRowGroup> packed() {
    const std::optional<PackedMarks> marks = find_marks(fields_);
    if (!marks) return std::nullopt;
    Buffer stream;
    append_packed_head(*marks, fields_.size(), stream);
    // Another one for the text after the last row, which only exact lines have.
    if (!append_packed_rows(fields_, *marks, 0, rows_ + 1, stream)) return std::nullopt;
    EncodedRowGroup packed = begin();
    BlockAppender to(packed.directory, packed.blocks, encoders_);
    Bytes left = stream.bytes();
    for (std::size_t i = 0; i < stored_.directory.columns.size(); ++i) {
      const ColumnChunk& was = stored_.directory.columns[i];
      to.begin_column(numbers_[i] == 0 ? was.representation : Representation::kPacked);
      to.chunk().nulls = was.nulls;
      if (numbers_[i] == 0) continue;
      to.chunk().entries = numbers_[i];
      to.packed_rows(ColumnStream::kPackedRows, left);
      left = {};
    }
    return packed;
  }

  /// The row group as its text; nullopt if it is not smaller than `most`.
  std::optional<EncodedRowGroup> as_text(double most) {
    EncodedRowGroup made = begin();
    BlockAppender to(made.directory, made.blocks, encoders_);
    const std::size_t own = schema_.columns.size();
    bool is_first = true;
    for (std::size_t i = 0; i < stored_.directory.columns.size(); ++i) {
      const ColumnChunk& was = stored_.directory.columns[i];
      const bool is_text = i < own && was.representation != Representation::kNull;
      to.begin_column(is_text    ? Representation::kPacked
                      : i == own ? Representation::kExactLines
                                 : Representation::kNull);
      to.chunk().nulls = i < own ? was.nulls : i == own ? 0 : static_cast<std::uint32_t>(rows_);
      if (!is_text || !is_first) continue;
      is_first = false;
      to.packed_rows(ColumnStream::kPackedRows, text_);
      // Cuts are only looked for where the text alone is small enough.
      if (static_cast<double>(made.blocks.size()) > most) return std::nullopt;
      const std::optional<Buffer> cuts = find_cuts(schema_, text_, columns_, exact_);
      if (!cuts) return std::nullopt;
      to.packed_rows(ColumnStream::kTextCuts, cuts->bytes());
    }
    if (is_first || total_bytes(made, own) > most) return std::nullopt;
    return made;
  }

  /// The row group without columns.
  EncodedRowGroup begin() const {
    EncodedRowGroup begun;
    begun.directory = stored_.directory;
    begun.directory.columns.clear();
    begun.directory.blocks.clear();
    return begun;
  }

  const TableSchema& schema_;
  std::span<const ColumnView> columns_;
  const ExactLines& exact_;
  Bytes text_;
  TableEncoders& encoders_;
  EncodedRowGroup& stored_;
  std::uint64_t rows_;
  ColumnData lines_;
  std::vector<std::uint32_t> numbers_;  ///< for each stored column its field from 1 on; 0: none
  std::vector<PackedField> fields_;
};

}  // namespace

void pack_if_smaller(const TableSchema& schema, std::span<const ColumnView> columns,
                     const ExactLines& exact, Bytes text, TableEncoders& encoders,
                     EncodedRowGroup& encoded) {
  Packer(schema, columns, exact, text, encoders, encoded).run();
}

}  // namespace presso
