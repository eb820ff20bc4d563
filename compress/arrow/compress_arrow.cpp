// SPDX-License-Identifier: MIT
// Writes a stream of Arrow's C interface as a table: columns are borrowed or converted
// (arrow_column.h) and appended to a TableWriter in slices, runs of a batch's rows, so that memory
// stays bounded whatever the size of a batch. Rows that are null as a whole, and types that can be
// stored in no way, are refused. The stream is released in any case. Tested by
// tests/unit/compress/arrow/compress_arrow_test.cpp.
#include "presso/compress_arrow.h"

#include <algorithm>
#include <string>
#include <vector>

#include "compress/arrow/arrow_column.h"
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

/// The producer's own words, if it has any.
Error stream_error(ArrowArrayStream& stream) {
  const char* const said = stream.get_last_error(&stream);
  return make_error(ErrorCode::kIo,
                    std::string("the Arrow stream: ") + (said == nullptr ? "failed" : said));
}

/// One column for each child of the struct that a stream of record batches must have.
Result<std::vector<ArrowColumn>> columns_of(const ArrowSchema& schema) {
  if (schema.format == nullptr || std::string_view(schema.format) != "+s") {
    return make_error(ErrorCode::kUnsupported, "the Arrow schema is not a struct of columns");
  }
  std::vector<ArrowColumn> columns;
  for (std::int64_t i = 0; i < schema.n_children; ++i) {
    if (schema.children == nullptr || schema.children[i] == nullptr) {
      return make_error(ErrorCode::kInvalidArgument, "the Arrow schema has no columns");
    }
    PRESSO_ASSIGN(ArrowColumn column, ArrowColumn::make(*schema.children[i]));
    columns.push_back(std::move(column));
  }
  return columns;
}

/// Names and types as Arrow tells them; tables have no other metadata of a schema.
TableSchema schema_of(const std::vector<ArrowColumn>& columns) {
  TableSchema schema;
  std::size_t path_bytes = 0;
  for (const ArrowColumn& column : columns) {
    schema.columns.push_back(column.schema());
    // Paths beyond the limit of a table are left out: their values have no type then.
    NestedFields& fields = schema.columns.back().fields;
    path_bytes += bytes_of_paths(fields);
    if (path_bytes > kMaxPathBytes) fields = {};
  }
  return schema;
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

/// Appends at most `most` rows from `first` on; returns how many. The column whose share of the
/// bytes is full after the fewest rows decides; those before it are cut to its number of rows.
Result<std::uint64_t> append_slice(const ArrowArray& batch, std::uint64_t first, std::uint64_t most,
                                   std::vector<ArrowColumn>& columns, TableWriter& writer) {
  const auto copying = static_cast<std::uint64_t>(std::count_if(
      columns.begin(), columns.end(), [](const auto& column) { return column.copies_strings(); }));
  // Columns that copy strings share the limit.
  const std::uint64_t bytes = kSliceBytes / std::max<std::uint64_t>(copying, 1);
  std::vector<ColumnView> views;
  std::uint64_t rows = most;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    PRESSO_ASSIGN(const ColumnView view,
                  columns[i].view(*batch.children[i],
                                  static_cast<std::uint64_t>(batch.offset) + first, rows, bytes));
    rows = view.rows;
    views.push_back(view);
  }
  // Views of earlier columns may be longer than the last.
  for (ColumnView& view : views) view.rows = rows;
  PRESSO_TRY(writer.append(views));
  return rows;
}

/// What must be right before a column is looked at.
Status check_batch(const ArrowArray& batch, const std::vector<ArrowColumn>& columns) {
  if (batch.length < 0 || batch.offset < 0) return bad_batch("length or offset");
  if (batch.n_children != static_cast<std::int64_t>(columns.size())) {
    return bad_batch("number of columns");
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (batch.children == nullptr || batch.children[i] == nullptr) return bad_batch("no columns");
  }
  return has_null_rows(batch) ? Status{bad_batch("a row is null as a whole")} : Status{};
}

// After a slice that was cut short, the next one is at most twice as long.
// `before` rows of the stream come before the batch.
Status append_batch(const ArrowArray& batch, std::uint64_t before,
                    std::vector<ArrowColumn>& columns, TableWriter& writer) {
  PRESSO_TRY(check_batch(batch, columns));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    PRESSO_TRY(
        columns[i].begin(*batch.children[i], before - static_cast<std::uint64_t>(batch.offset)));
  }
  const auto rows = static_cast<std::uint64_t>(batch.length);
  std::uint64_t row = 0;
  std::uint64_t most = kSliceRows;
  do {
    PRESSO_ASSIGN(const std::uint64_t taken,
                  append_slice(batch, row, std::min(most, rows - row), columns, writer));
    row += taken;
    most = std::min(kSliceRows, 2 * taken);  // what was viewed in vain stays little
  } while (row < rows);
  return {};
}

/// Releases every batch before it asks for the next, so at most one is held.
Result<TableWriterSummary> write_stream(ArrowArrayStream& stream, ByteSink& sink,
                                        const TableWriterOptions& options) {
  ArrowOwner<ArrowSchema> schema;
  if (stream.get_schema(&stream, schema.out()) != 0) return stream_error(stream);
  PRESSO_ASSIGN(std::vector<ArrowColumn> columns, columns_of(*schema));
  ArrowOwner<ArrowArray> batch;
  if (stream.get_next(&stream, batch.out()) != 0) return stream_error(stream);
  if (!batch.empty()) {
    PRESSO_TRY(check_batch(*batch, columns));
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].keep_entries(*batch->children[i]);
  }
  PRESSO_ASSIGN(TableWriter writer, TableWriter::open(sink, schema_of(columns), options));
  // A released batch is the stream's end, as the interface defines it.
  for (std::uint64_t before = 0; !batch.empty();) {
    PRESSO_TRY(append_batch(*batch, before, columns, writer));
    before += static_cast<std::uint64_t>(batch->length);
    if (stream.get_next(&stream, batch.out()) != 0) return stream_error(stream);
  }
  return writer.close();
}

}  // namespace

/// Only looks at the schema, so that a caller can refuse a stream before reading it.
Result<TableSchema> schema_from_arrow(const ArrowSchema& schema) {
  return without_bad_alloc([&]() -> Result<TableSchema> {
    PRESSO_ASSIGN(const std::vector<ArrowColumn> columns, columns_of(schema));
    return schema_of(columns);
  });
}

/// Takes the stream over: it is released on success and on errors.
Result<TableWriterSummary> compress_arrow(ArrowArrayStream& stream, ByteSink& sink,
                                          const TableWriterOptions& options) {
  ArrowOwner<ArrowArrayStream> owned(stream);
  if (owned.empty()) {
    return make_error(ErrorCode::kInvalidArgument, "the Arrow stream was released before");
  }
  return without_bad_alloc([&] { return write_stream(*owned.get(), sink, options); });
}

}  // namespace presso
