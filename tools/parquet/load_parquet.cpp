// SPDX-License-Identifier: MIT
// Columns pass from the reader to the writer without another copy.
#include "tools/parquet/load_parquet.h"

#include "format/columns/bit_copy.h"
#include "presso/ordered_pipeline.h"
#include "presso/table_writer.h"

namespace presso::cli {
namespace {

/// The numbers of the columns that are needed. If there are none, the narrowest tells the number of
/// rows.
std::vector<std::size_t> needed_columns(const TableSchema& schema, const ParquetLoad& load) {
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

TableSummary begun_summary(const ParquetReader& reader, std::span<const std::size_t> columns) {
  TableSummary summary;
  for (const std::size_t column : columns) {
    summary.schema.columns.push_back(reader.schema().columns[column]);
  }
  summary.findings.resize(columns.size());
  summary.notes = reader.notes();
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

}  // namespace

Result<TableSummary> write_parquet_table(const ParquetReader& reader, ByteSink& sink,
                                         const ParquetLoad& load) {
  const std::vector<std::size_t> columns = needed_columns(reader.schema(), load);
  TableSummary summary = begun_summary(reader, columns);
  TableWriterOptions options;
  options.compress = load.compress;
  options.quick = load.quick;
  PRESSO_ASSIGN(TableWriter writer, TableWriter::open(sink, summary.schema, options));
  if (!load.names_only) {
    const unsigned threads = threads_or_all(load.compress.threads);
    PRESSO_TRY(reader.read(columns, threads, [&](std::span<const ColumnView> views) {
      count(views, summary);
      return writer.append(views);
    }));
  }
  PRESSO_ASSIGN(const TableWriterSummary written, writer.close());
  summary.row_groups = written.row_groups;
  summary.compressed_bytes = written.compressed_bytes;
  return summary;
}

Result<TableSummary> describe_parquet(const ParquetReader& reader, unsigned threads) {
  const std::vector<std::size_t> columns = needed_columns(reader.schema(), {});
  TableSummary summary = begun_summary(reader, columns);
  PRESSO_TRY(reader.read(columns, threads_or_all(threads), [&](std::span<const ColumnView> views) {
    count(views, summary);
    return Status();
  }));
  return summary;
}

}  // namespace presso::cli
