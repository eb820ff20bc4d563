// SPDX-License-Identifier: MIT
// Writes a stream of Arrow's C interface as a table: its batches are shown as rows
// (arrow_batch_reader.h), which are appended to a TableWriter. The stream is released in any case.
// Tested by tests/unit/compress/arrow/compress_arrow_test.cpp.
#include "presso/compress_arrow.h"

#include <string>

#include "compress/arrow/arrow_batch_reader.h"

namespace presso {
namespace {

/// The producer's own words, if it has any.
Error stream_error(ArrowArrayStream& stream) {
  const char* const said = stream.get_last_error(&stream);
  return make_error(ErrorCode::kIo,
                    std::string("the Arrow stream: ") + (said == nullptr ? "failed" : said));
}

/// Releases every batch before it asks for the next, so at most one is held.
Result<TableWriterSummary> write_stream(ArrowArrayStream& stream, ByteSink& sink,
                                        const TableWriterOptions& options) {
  ArrowOwner<ArrowSchema> schema;
  if (stream.get_schema(&stream, schema.out()) != 0) return stream_error(stream);
  PRESSO_ASSIGN(ArrowBatchReader batches, ArrowBatchReader::make(*schema));
  ArrowOwner<ArrowArray> batch;
  if (stream.get_next(&stream, batch.out()) != 0) return stream_error(stream);
  if (!batch.empty()) PRESSO_TRY(batches.keep_entries(*batch));
  PRESSO_ASSIGN(TableWriter writer, TableWriter::open(sink, batches.schema(), options));
  const auto append = [&](std::span<const ColumnView> rows) { return writer.append(rows); };
  // A released batch is the stream's end, as the interface defines it.
  while (!batch.empty()) {
    PRESSO_TRY(batches.read(*batch, append));
    if (stream.get_next(&stream, batch.out()) != 0) return stream_error(stream);
  }
  return writer.close();
}

}  // namespace

/// Only looks at the schema, so that a caller can refuse a stream before reading it.
Result<TableSchema> schema_from_arrow(const ArrowSchema& schema) {
  return without_bad_alloc([&]() -> Result<TableSchema> {
    PRESSO_ASSIGN(const ArrowBatchReader batches, ArrowBatchReader::make(schema));
    return batches.schema();
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
