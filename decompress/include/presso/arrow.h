// SPDX-License-Identifier: MIT
// Tables handed to other libraries as Apache Arrow: by the C data and C stream interfaces within a
// process (presso/arrow_abi.h), by the IPC stream format between processes. The reverse, tables
// from Arrow, is presso/compress_arrow.h.
//
// Values, bitmaps and offsets are handed over as they were decoded, without a copy; only decimals
// of 64 bits are copied, because they are widened to decimal128, and columns with a type of Arrow
// (ColumnSchema::arrow_type), which are made anew in it. Streams of a GPU have the latter as they
// are stored. Strings are large_utf8 (offsets of 64 bits; each string was checked to be UTF-8) or,
// where the table does not say that a column is UTF-8, large_binary. Tested by
// tests/unit/decompress/arrow/export_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "presso/arrow_abi.h"
#include "presso/column_data.h"
#include "presso/table.h"
#include "presso/table_schema.h"

namespace presso {

/// Fills `out` with a struct type whose children are the columns; the caller must release it.
/// `coded` says which columns are dictionaries with codes of 32 bits (ColumnData::dictionary);
/// empty: none.
Status export_schema(const TableSchema& schema, ArrowSchema& out,
                     const std::vector<bool>& coded = {});

/// Fills `out` with a batch. `columns` are those of the schema, in its order and of one length;
/// they belong to `out` afterwards, whose release frees them. Children may be moved out and then
/// live on. kInvalidArgument for columns that differ from the schema; kBadRowGroup for a string
/// that is not UTF-8 in a column that says so.
Status export_batch(const TableSchema& schema, std::vector<ColumnData> columns, ArrowArray& out);

/// Which rows and columns are handed over, and in what batches.
struct ArrowOptions {
  std::vector<std::size_t> columns = {};  ///< empty: all
  std::uint64_t first_row = 0;
  std::uint64_t rows = ~std::uint64_t{0};  ///< fewer at the table's end
  std::uint32_t batch_rows = 1u << 16;     ///< at most; a batch ends with its row group
  unsigned threads = 0;                    ///< 0: all
};

/// Fills `out` with a stream of batches of rows; each of the threads decodes one batch at a time.
/// The file that the table was opened from must live as long as the stream. Errors of this call:
/// kInvalidArgument for a column that the table does not have. get_next() returns EIO or ENOMEM,
/// and get_last_error() the text.
Status export_stream(const Table& table, const ArrowOptions& options, ArrowArrayStream& out);
/// Returns the error with which the last call of `stream` failed, of which readers otherwise see
/// only a number and a text; nullptr if it did not fail. Valid until the next call. Only for
/// streams that this library made.
const Error* stream_error(const ArrowArrayStream& stream);

/// Writes rows in Arrow's IPC stream format, version 5, as `pyarrow.ipc.open_stream` and others
/// read it: the schema, batches without compression, the end. Decodes on ArrowOptions::threads
/// threads.
Status write_arrow(const Table& table, const ArrowOptions& options, ByteSink& sink);

}  // namespace presso
