// SPDX-License-Identifier: MIT
// Implements arrow_batch_reader.h. Columns are borrowed or converted (arrow_column.h), some rows at
// a time.
#include "compress/arrow/arrow_batch_reader.h"

#include <algorithm>
#include <string>

#include "format/columns/bit_copy.h"
#include "format/columns/schema.h"

namespace presso {
namespace {

/// A slice has at most this many rows, and at most about this many bytes of strings that are
/// copied, since the strings of dictionaries and views may be far larger than the batch.
constexpr std::uint64_t kSliceRows = 1u << 16;
constexpr std::uint64_t kSliceBytes = 32u << 20;

/// A batch that contradicts itself or the schema; its producer is at fault.
Error bad_batch(const char* what) {
  return make_error(ErrorCode::kInvalidArgument, std::string("batch of the Arrow stream: ") + what);
}

/// A struct may be null as a whole, for which tables have no place.
bool has_null_rows(const ArrowArray& batch) {
  if (batch.null_count == 0 || batch.n_buffers < 1 || batch.buffers == nullptr) return false;
  const auto* const bits = static_cast<const Byte*>(batch.buffers[0]);
  if (bits == nullptr) return false;
  for (std::int64_t row = 0; row < batch.length; ++row) {
    if (!bit_at(bits, static_cast<std::uint64_t>(batch.offset + row))) return true;
  }
  return false;
}

}  // namespace

Result<ArrowBatchReader> ArrowBatchReader::make(const ArrowSchema& schema) {
  if (schema.format == nullptr || std::string_view(schema.format) != "+s") {
    return make_error(ErrorCode::kUnsupported, "the Arrow schema is not a struct of columns");
  }
  ArrowBatchReader batches;
  for (std::int64_t i = 0; i < schema.n_children; ++i) {
    if (schema.children == nullptr || schema.children[i] == nullptr) {
      return make_error(ErrorCode::kInvalidArgument, "the Arrow schema has no columns");
    }
    PRESSO_ASSIGN(ArrowColumn column, ArrowColumn::make(*schema.children[i]));
    batches.columns_.push_back(std::move(column));
  }
  return batches;
}

TableSchema ArrowBatchReader::schema() const {
  TableSchema schema;
  std::size_t path_bytes = 0;
  for (const ArrowColumn& column : columns_) {
    schema.columns.push_back(column.schema());
    // Paths beyond the limit of a table are left out: their values have no type then.
    NestedFields& fields = schema.columns.back().fields;
    path_bytes += bytes_of_paths(fields);
    if (path_bytes > kMaxPathBytes) fields = {};
  }
  return schema;
}

Status ArrowBatchReader::keep_entries(const ArrowArray& batch) {
  PRESSO_TRY(check(batch));
  for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i].keep_entries(*batch.children[i]);
  return {};
}

/// What must be right before a column is looked at.
Status ArrowBatchReader::check(const ArrowArray& batch) const {
  if (batch.length < 0 || batch.offset < 0) return bad_batch("length or offset");
  if (batch.n_children != static_cast<std::int64_t>(columns_.size())) {
    return bad_batch("number of columns");
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (batch.children == nullptr || batch.children[i] == nullptr) return bad_batch("no columns");
  }
  return has_null_rows(batch) ? Status{bad_batch("a row is null as a whole")} : Status{};
}

/// Passes at most `most` rows from `first` on; returns how many. The column whose share of the
/// bytes is full after the fewest rows decides; those before it are cut to its number of rows.
Result<std::uint64_t> ArrowBatchReader::read_slice(const ArrowArray& batch, std::uint64_t first,
                                                   std::uint64_t most, const OnRows& on_rows) {
  const auto copying = static_cast<std::uint64_t>(
      std::count_if(columns_.begin(), columns_.end(),
                    [](const auto& column) { return column.copies_strings(); }));
  // Columns that copy strings share the limit.
  const std::uint64_t bytes = kSliceBytes / std::max<std::uint64_t>(copying, 1);
  std::vector<ColumnView> views;
  std::uint64_t rows = most;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    PRESSO_ASSIGN(const ColumnView view,
                  columns_[i].view(*batch.children[i],
                                   static_cast<std::uint64_t>(batch.offset) + first, rows, bytes));
    rows = view.rows;
    views.push_back(view);
  }
  // Views of earlier columns may be longer than the last.
  for (ColumnView& view : views) view.rows = rows;
  PRESSO_TRY(on_rows(views));
  return rows;
}

// After a slice that was cut short, the next one is at most twice as long.
Status ArrowBatchReader::read(const ArrowArray& batch, const OnRows& on_rows) {
  PRESSO_TRY(check(batch));
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    PRESSO_TRY(
        columns_[i].begin(*batch.children[i], before_ - static_cast<std::uint64_t>(batch.offset)));
  }
  const auto rows = static_cast<std::uint64_t>(batch.length);
  std::uint64_t row = 0;
  std::uint64_t most = kSliceRows;
  do {
    PRESSO_ASSIGN(const std::uint64_t taken,
                  read_slice(batch, row, std::min(most, rows - row), on_rows));
    row += taken;
    most = std::min(kSliceRows, 2 * taken);  // what was viewed in vain stays little
  } while (row < rows);
  before_ += rows;
  return {};
}

}  // namespace presso
