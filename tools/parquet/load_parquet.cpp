// SPDX-License-Identifier: MIT
// Columns pass from the reader to the writer without another copy.
#include "tools/parquet/load_parquet.h"

#include <numeric>

#include "presso/ordered_pipeline.h"

namespace presso::cli {

Result<TableWriterSummary> write_parquet_table(const ParquetReader& reader, ByteSink& sink,
                                               const TableWriterOptions& options, bool names_only) {
  PRESSO_ASSIGN(TableWriter writer, TableWriter::open(sink, reader.schema(), options));
  std::vector<std::size_t> columns(reader.schema().columns.size());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  if (!names_only) {
    const unsigned threads = threads_or_all(options.compress.threads);
    PRESSO_TRY(reader.read(columns, threads, [&writer](std::span<const ColumnView> views) {
      return writer.append(views);
    }));
  }
  return writer.close();
}

}  // namespace presso::cli
