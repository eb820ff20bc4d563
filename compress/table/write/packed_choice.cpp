// SPDX-License-Identifier: MIT
// pack_if_smaller(): the sizes that are compared are those of blocks, directory and index.
#include "compress/table/write/packed_choice.h"

#include <algorithm>
#include <limits>
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
/// Packed rows of many rows must be smaller than their text by a sample.
constexpr double kRowsMayWin = 0.97;
/// The size of a block with next to nothing in it.
constexpr double kLeastBlock = kBlockHeaderBytes + kFrameAlignment;
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
    if (fields_.empty() || text_.empty()) return;
    const double text = expected_text();
    const double total = total_bytes(stored_, schema_.columns.size());
    if (text > total * (text_.size() <= kSmallText ? kSmallMayWin : kMayWin)) return;
    if (std::optional<EncodedRowGroup> best = smallest(total * (1 - kMustSave), text)) {
      stored_ = std::move(*best);
    }
  }

  /// Makes the row group without columns that cannot be smaller.
  bool replace_columns() {
    if (fields_.empty() || text_.empty()) return false;
    const double text = expected_text();
    if (least_of_columns() < text) return false;
    std::optional<EncodedRowGroup> best = smallest(std::numeric_limits<double>::max(), text);
    if (best) stored_ = std::move(*best);
    return best.has_value();
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

  /// What the text takes, by a sample of it.
  double expected_text() {
    Buffer sample;
    if (text_.size() > kPieces * kPieceBytes) {
      for (std::size_t piece = 0; piece < kPieces; ++piece) {
        sample.append(text_.subspan(piece * (text_.size() / kPieces), kPieceBytes));
      }
    }
    const Bytes tried = sample.empty() ? text_ : sample.bytes();
    return coded_bytes(tried) * static_cast<double>(text_.size()) /
           static_cast<double>(tried.size());
  }

  /// What packed rows take, by a sample of rows; nullopt if there are none.
  std::optional<double> expected_rows() {
    Buffer sample;
    std::uint64_t sampled = 0;
    for (std::uint64_t piece = 0; piece < kPieces; ++piece) {
      const std::uint64_t end = (piece + 1) * rows_ / kPieces;
      const std::size_t full = sample.size() + kPieceBytes;
      for (std::uint64_t row = piece * rows_ / kPieces; row < end && sample.size() < full; ++row) {
        if (!append_packed_rows(fields_, {}, row, 1, sample)) return std::nullopt;
        ++sampled;
      }
    }
    return coded_bytes(sample.bytes()) * static_cast<double>(rows_) / static_cast<double>(sampled);
  }

  double coded_bytes(Bytes sample) {
    // A row may be longer than a block.
    const Bytes tried = sample.first(std::min<std::size_t>(sample.size(), encoders_.block_bytes));
    Buffer coded;
    encoders_.sample.encode(tried, 0, FrameKind::kBlock, {}, coded);
    return static_cast<double>(coded.size()) * static_cast<double>(sample.size()) /
           static_cast<double>(std::max<std::size_t>(tried.size(), 1));
  }

  /// What blocks of columns take even if their values take next to nothing.
  double least_of_columns() const {
    double least = 0;
    for (const PackedField& field : fields_) {
      least += is_string(field.schema.type) ? 2 * kLeastBlock : kLeastBlock;
    }
    return least;
  }

  /// The smaller one of packed rows and text that is below `most`. Of many rows a sample decides
  /// which of the two is made.
  std::optional<EncodedRowGroup> smallest(double most, double expected) {
    const bool is_small = text_.size() <= kPieces * kPieceBytes;
    std::optional<EncodedRowGroup> best;
    if (is_small || expected_rows().value_or(expected) < kRowsMayWin * expected) {
      best = packed();
      if (best && total_bytes(*best, schema_.columns.size()) > most) best.reset();
      if (best && !is_small) return best;
    }
    if (best) most = total_bytes(*best, schema_.columns.size());
    std::optional<EncodedRowGroup> text = as_text(most);
    return text ? std::move(text) : std::move(best);
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

bool pack_instead_of_columns(const TableSchema& schema, std::span<const ColumnView> columns,
                             const ExactLines& exact, Bytes text, TableEncoders& encoders,
                             EncodedRowGroup& encoded) {
  return Packer(schema, columns, exact, text, encoders, encoded).replace_columns();
}

}  // namespace presso
