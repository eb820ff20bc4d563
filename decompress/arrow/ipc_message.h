// SPDX-License-Identifier: MIT
// Messages of Arrow's IPC stream format, metadata version 5
// (https://arrow.apache.org/docs/format/Columnar.html, "Serialization and Interprocess
// Communication"):
//
//   ff ff ff ff, u32 size of the metadata, metadata (a FlatBuffer), body
//
// A stream is a message with the schema, one for each batch and for each dictionary before it, and
// ff ff ff ff 00 00 00 00. All parts are multiples of 8 bytes. Columns have the types of Arrow that
// they came from (ColumnSchema::arrow_type). tools/arrow reads such streams. Tested by
// tests/cli/test_table_arrow.py.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "presso/byte_stream.h"
#include "presso/column_data.h"
#include "presso/table_schema.h"

namespace presso {

/// The stream's first message.
Status append_ipc_schema(const TableSchema& schema, Buffer& to);
/// Appends one record batch, or several where a type of Arrow has too narrow offsets or codes, each
/// after its dictionaries. `columns` as to_arrow_layout() leaves them, at least one. Errors: those
/// of arrow_batches().
Status append_ipc_batch(const TableSchema& schema, std::vector<ColumnData> columns, Buffer& to);
void append_ipc_end(Buffer& to);

// A file is the magic, padded to 8 bytes, a stream, and a footer with the schema and the places of
// all batches.

/// The schema with which columns are written to a file, in which a dictionary cannot be replaced by
/// that of the next batch: values stand for themselves.
TableSchema ipc_file_schema(const TableSchema& schema);
/// Adds the places of messages, of which the first begins at `at` in the file: three numbers for
/// each one.
void append_ipc_blocks(Bytes messages, std::uint64_t at, std::vector<std::int64_t>& blocks);
/// Appends the footer and the magic after it.
Status append_ipc_footer(const TableSchema& schema, std::span<const std::int64_t> blocks,
                         Buffer& to);

}  // namespace presso
