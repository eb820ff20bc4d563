// SPDX-License-Identifier: MIT
// Writes a table as an Arrow IPC stream. Batches are decoded and made into messages by all
// threads, and written in order. Tested by tests/cli/test_table_arrow.py.
#include "decompress/arrow/arrow_rows.h"
#include "decompress/arrow/ipc_message.h"
#include "presso/ordered_pipeline.h"

namespace presso {
namespace {

Result<Buffer> batch_message(const ArrowRows& rows, const ArrowRows::Batch& batch) {
  PRESSO_ASSIGN(std::vector<ColumnData> columns, rows.read(batch));
  Buffer message;
  PRESSO_TRY(append_ipc_batch(rows.schema(), std::move(columns), message));
  return message;
}

Status write_stream(ArrowRows rows, unsigned threads, ByteSink& sink) {
  Buffer message;
  PRESSO_TRY(append_ipc_schema(rows.schema(), message));
  PRESSO_TRY(sink.write(message.bytes()));
  const auto write = [&](Result<Buffer> batch) -> Result<bool> {
    if (!batch.ok()) return std::move(batch.error());
    PRESSO_TRY(sink.write(batch->bytes()));
    return true;
  };
  PRESSO_TRY((run_ordered<ArrowRows::Batch, Result<Buffer>>(
      {threads, threads + 1},
      [&]() -> Result<std::optional<ArrowRows::Batch>> { return rows.next(); },
      [&](const ArrowRows::Batch& batch, unsigned) { return batch_message(rows, batch); }, write)));
  message.clear();
  append_ipc_end(message);
  return sink.write(message.bytes());
}

}  // namespace

Status write_arrow(const Table& table, const ArrowOptions& options, ByteSink& sink) {
  return without_bad_alloc([&]() -> Status {
    PRESSO_ASSIGN(ArrowRows rows, ArrowRows::make(table, options));
    return write_stream(std::move(rows), threads_or_all(options.threads), sink);
  });
}

}  // namespace presso
