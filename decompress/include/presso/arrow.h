// SPDX-License-Identifier: MIT
// Tables handed to other libraries as Apache Arrow: the C data and C stream interfaces within a
// process (presso/arrow_abi.h), the IPC stream format between processes. What makes tables from
// Arrow is in presso/compress_arrow.h.
//
// Values, bitmaps and offsets are handed over as they were decoded, without a copy. Strings are
// large_utf8 (offsets of 64 bits; each was checked to be UTF-8) or, where the table does not say
// that a column is UTF-8, large_binary; decimals of 18 digits are widened to decimal128.
#pragma once

#include <cstdint>
#include <vector>

#include "presso/arrow_abi.h"
#include "presso/column_data.h"
#include "presso/table.h"
#include "presso/table_schema.h"

namespace presso {

/// A struct whose children are the columns. `out` is the caller's to release. `coded`: which
/// columns are dictionaries with codes of 32 bits (ColumnData::dictionary); empty: none.
Status export_schema(const TableSchema& schema, ArrowSchema& out,
                     const std::vector<bool>& coded = {});

/// A batch: `columns` are those of the schema, in its order and of one length, and belong to `out`
/// afterwards, whose release frees them; children may be moved out and live on.
/// kInvalidArgument for columns that differ from the schema; kBadRowGroup for a string that is not
/// UTF-8 in a column that says so.
Status export_batch(const TableSchema& schema, std::vector<ColumnData> columns, ArrowArray& out);

struct ArrowOptions {
  std::vector<std::size_t> columns = {};  ///< empty: all
  std::uint64_t first_row = 0;
  std::uint64_t rows = ~std::uint64_t{0};  ///< fewer at the table's end
  std::uint32_t batch_rows = 1u << 16;     ///< at most; a batch ends with its row group
  unsigned threads = 0;                    ///< 0: all
};

/// Rows as a stream of batches; so many are decoded at once as there are threads. The file that the
/// table was opened from must live as long as the stream. Errors here: kInvalidArgument, a column
/// that the table has not. get_next() gives EIO, or ENOMEM, and get_last_error() its text.
Status export_stream(const Table& table, const ArrowOptions& options, ArrowArrayStream& out);
/// What the last call of a stream of this library has failed with, of which its reader sees a
/// number and a text alone; valid until the next call. nullptr where none has. Not for other
/// streams.
const Error* stream_error(const ArrowArrayStream& stream);

/// The same in Arrow's IPC stream format, version 5, as `pyarrow.ipc.open_stream` and others read
/// it: the schema, batches without compression, the end. Decoded on all threads.
Status write_arrow(const Table& table, const ArrowOptions& options, ByteSink& sink);

}  // namespace presso
