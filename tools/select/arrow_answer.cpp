// SPDX-License-Identifier: MIT
// Writes an answer as a stream of Arrow's IPC format, as presso cat --format arrow does: each batch
// becomes a message on the thread that computed it. Tested by tests/cli/test_table_arrow.py. A
// batch costs one copy, as it is changed to Arrow's layout. Types without an equal in Arrow are
// refused by to_arrow_layout(), which names the column. The stream is Arrow's streaming format and
// not its file format, so it can be piped.
#include "decompress/arrow/arrow_rows.h"
#include "decompress/arrow/ipc_message.h"
#include "tools/select/answer_sink.h"

namespace presso::cli {
namespace {

/// A copy, since changing to Arrow's layout is done in place and the batch is not ours.
ColumnData copy_of(const ColumnData& column) {
  ColumnData copy;
  copy.type = column.type;
  copy.rows = column.rows;
  copy.values.append(column.values.bytes());
  copy.offsets = column.offsets;
  copy.validity = column.validity;
  return copy;
}

/// Writes an answer as a stream of Arrow's IPC format. Batches are laid out and encoded on the
/// query's threads; writing is in order, on one.
class ArrowAnswer final : public AnswerSink {
 public:
  explicit ArrowAnswer(ByteSink& to) : to_(to) {}

  Status begin(const TableSchema& schema) override {
    schema_ = schema;
    Buffer message;
    PRESSO_TRY(append_ipc_schema(schema_, message));
    return to_.write(message.bytes());
  }

  /// Runs on the query's threads, several at a time; it reads only the schema.
  Result<Buffer> encode(const ResultBatch& batch) override {
    std::vector<ColumnData> columns;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      columns.push_back(copy_of(batch[i]));
      PRESSO_TRY(to_arrow_layout(schema_.columns[i], columns.back()));
    }
    Buffer message;
    PRESSO_TRY(append_ipc_batch(schema_, std::move(columns), message));
    return message;
  }

  /// The batch has been encoded by now, so it is dropped.
  Result<bool> write(ResultBatch, Buffer encoded) override {
    PRESSO_TRY(to_.write(encoded.bytes()));
    return true;
  }

  /// Writes the mark that ends a stream, without which readers report a stream that was cut off.
  Status finish(std::uint64_t) override {
    Buffer message;
    append_ipc_end(message);
    return to_.write(message.bytes());
  }

 private:
  TableSchema schema_;
  ByteSink& to_;
};

}  // namespace

std::unique_ptr<AnswerSink> make_arrow_answer(ByteSink& to) {
  return std::make_unique<ArrowAnswer>(to);
}

}  // namespace presso::cli
