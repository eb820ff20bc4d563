// SPDX-License-Identifier: MIT
// Tables from batches of any library that speaks Arrow's C stream interface (presso/arrow_abi.h):
// pyarrow, Polars, DuckDB, nanoarrow and others hand out an ArrowArrayStream. Columns are read
// where they lie and copied once, into the row group that is gathered. Values of dictionaries and
// views are looked up for some rows at a time, about 32 MiB of strings.
//
// Types: bool, integers, float, double, dates, timestamps, decimals of up to 38 digits, utf8 and
// binary with offsets of 32 or 64 bits or as views, dictionaries and runs of these, and lists,
// structs and maps of any of them. Decimals of up to 18 digits become kDecimal64, dictionaries and
// runs their values, nested values JSON; ColumnSchema::arrow_type keeps what they were. Other types
// are refused: kUnsupported, with the column and its format string.
#pragma once

#include "presso/arrow_abi.h"
#include "presso/table_writer.h"

namespace presso {

/// The schema of a table of these batches; `schema` must be a struct of columns.
Result<TableSchema> schema_from_arrow(const ArrowSchema& schema);

/// Makes one table of everything that `stream` gives. The stream is released in any case. Errors:
/// kUnsupported for a type; kInvalidArgument for arrays that contradict their schema, and where
/// TableWriter says so; kIo with the text of the stream's own error; those of the sink.
Result<TableWriterSummary> compress_arrow(ArrowArrayStream& stream, ByteSink& sink,
                                          const TableWriterOptions& options = {});

}  // namespace presso
