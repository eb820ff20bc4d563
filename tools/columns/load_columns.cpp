// SPDX-License-Identifier: MIT
// Columns pass from the reader to the writer without another copy.
#include "tools/columns/load_columns.h"

#include <algorithm>

#include "format/columns/bit_copy.h"
#include "presso/ordered_pipeline.h"
#include "presso/table_writer.h"
#include "tools/arrow/arrow_file.h"
#include "tools/parquet/parquet_reader.h"

namespace presso::cli {
namespace {

/// The numbers of the columns that are needed. If there are none, the narrowest tells the number of
/// rows.
std::vector<std::size_t> needed_columns(const TableSchema& schema, const ColumnLoad& load) {
  const auto cost = [&](std::size_t column) {
    const ColumnType type = schema.columns[column].type;
    return is_string(type) ? 32u : value_bytes(type);
  };
  std::vector<std::size_t> needed;
  std::size_t cheapest = 0;
  for (std::size_t column = 0; column < schema.columns.size(); ++column) {
    if (!load.needs || load.needs(schema.columns[column].name)) needed.push_back(column);
    if (cost(column) < cost(cheapest)) cheapest = column;
  }
  if (needed.empty()) needed.push_back(cheapest);
  return needed;
}

TableSummary begun_summary(const ColumnFile& file, std::span<const std::size_t> columns) {
  TableSummary summary;
  for (const std::size_t column : columns) {
    summary.schema.columns.push_back(file.schema().columns[column]);
  }
  summary.findings.resize(columns.size());
  summary.notes = file.notes();
  summary.file_kind = file.kind();
  return summary;
}

void count(std::span<const ColumnView> columns, TableSummary& summary) {
  summary.rows += columns.front().rows;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const ColumnView& column = columns[i];
    const std::uint64_t values =
        column.validity == nullptr ? column.rows : count_bits(column.validity, column.rows);
    summary.findings[i].values += values;
    summary.findings[i].nulls += column.rows - values;
    summary.plain_bytes += column.offsets != nullptr
                               ? static_cast<std::uint64_t>(column.offsets[column.rows])
                               : values * value_bytes(column.type);
  }
}

/// Endings of names that promise a file of columns, and how such a file begins.
struct Promise {
  std::string_view suffix;
  const char* text;
};
constexpr Promise kPromises[] = {
    {".parquet", "is no Parquet file, as its name says: it does not begin with PAR1"},
    {".ipc", "is no Arrow file, as its name says: it does not begin with ARROW1"},
    {".arrow", "is no Arrow file, as its name says: it does not begin with ARROW1"},
    {".feather",
     "is no Feather file of version 2, as its name says: it does not begin with ARROW1"},
    {".arrows", "is no Arrow stream, as its name says: it does not begin with a message"},
};

}  // namespace

bool begins_columns(Bytes begun) {
  return begins_parquet(begun) || begins_arrow(begun);
}

Result<std::unique_ptr<ColumnFile>> open_columns(const RandomAccess& file) {
  Byte begun[8] = {};
  PRESSO_TRY(file.read_at(0, MutableBytes(begun).first(std::min<std::uint64_t>(file.size(), 8))));
  std::unique_ptr<ColumnFile> opened;
  if (begins_parquet(begun)) {
    PRESSO_ASSIGN(opened, ParquetReader::open(file));
  } else {
    PRESSO_ASSIGN(opened, ArrowFile::open(file));
  }
  return opened;
}

std::string_view column_suffix(std::string_view name) {
  for (const Promise& promise : kPromises) {
    if (name.size() > promise.suffix.size() && name.ends_with(promise.suffix)) {
      return promise.suffix;
    }
  }
  return {};
}

Status check_promise(const std::string& name) {
  for (const Promise& promise : kPromises) {
    if (name.ends_with(promise.suffix)) {
      return make_error(ErrorCode::kInvalidArgument, promise.text);
    }
  }
  return {};
}

Result<TableSummary> write_column_table(const ColumnFile& file, ByteSink& sink,
                                        const ColumnLoad& load) {
  const std::vector<std::size_t> columns = needed_columns(file.schema(), load);
  TableSummary summary = begun_summary(file, columns);
  TableWriterOptions options;
  options.compress = load.compress;
  options.quick = load.quick;
  PRESSO_ASSIGN(TableWriter writer, TableWriter::open(sink, summary.schema, options));
  if (!load.names_only) {
    const unsigned threads = threads_or_all(load.compress.threads);
    PRESSO_TRY(file.read(columns, threads, [&](std::span<const ColumnView> views) {
      count(views, summary);
      return writer.append(views);
    }));
  }
  PRESSO_ASSIGN(const TableWriterSummary written, writer.close());
  summary.row_groups = written.row_groups;
  summary.compressed_bytes = written.compressed_bytes;
  return summary;
}

Result<TableSummary> describe_columns(const ColumnFile& file, unsigned threads) {
  const std::vector<std::size_t> columns = needed_columns(file.schema(), {});
  TableSummary summary = begun_summary(file, columns);
  PRESSO_TRY(file.read(columns, threads_or_all(threads), [&](std::span<const ColumnView> views) {
    count(views, summary);
    return Status();
  }));
  return summary;
}

}  // namespace presso::cli
