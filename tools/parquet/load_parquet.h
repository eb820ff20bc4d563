// SPDX-License-Identifier: MIT
// A table of presso from a Parquet file. Tested by tests/cli/test_parquet.py.
#pragma once

#include "presso/table_writer.h"
#include "tools/parquet/parquet_reader.h"

namespace presso::cli {

/// Writes all rows of the file, or with `names_only` none of them, as a table. Errors: those of
/// ParquetReader and TableWriter.
Result<TableWriterSummary> write_parquet_table(const ParquetReader& reader, ByteSink& sink,
                                               const TableWriterOptions& options,
                                               bool names_only = false);

}  // namespace presso::cli
