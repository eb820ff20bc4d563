// SPDX-License-Identifier: MIT
// Writes an answer as a stream of Arrow's IPC format, as presso cat --format arrow does: each batch
// becomes a message on the thread that computed it. Tested by tests/cli/test_table_arrow.py. A
// batch costs one copy, as it is changed to Arrow's layout. Types without an equal in Arrow are
// refused by to_arrow_layout(), which names the column. A file (-o x.arrow) has the same messages
// between its magic and its footer.
#include "decompress/arrow/arrow_rows.h"
#include "decompress/arrow/ipc_format.h"
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

/// Writes an answer as a stream or file of Arrow's IPC format. Batches are laid out and encoded on
/// the query's threads; writing is in order, on one.
class ArrowAnswer final : public AnswerSink {
 public:
  ArrowAnswer(bool is_file, ByteSink& to) : is_file_(is_file), to_(to) {}

  Status begin(const TableSchema& schema) override {
    schema_ = is_file_ ? ipc_file_schema(schema) : schema;
    Buffer message;
    std::vector<Byte> magic(kIpcMagic.begin(), kIpcMagic.end());
    magic.resize(round_up(magic.size(), kIpcAlignment));
    if (is_file_) message.append(magic);
    PRESSO_TRY(append_ipc_schema(schema_, message));
    return write_bytes(message);
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
    if (is_file_) append_ipc_blocks(encoded.bytes(), written_, blocks_);
    PRESSO_TRY(write_bytes(encoded));
    return true;
  }

  /// Writes the mark that ends a stream, without which readers report a stream that was cut off.
  Status finish(std::uint64_t) override {
    Buffer message;
    append_ipc_end(message);
    if (is_file_) PRESSO_TRY(append_ipc_footer(schema_, blocks_, message));
    return write_bytes(message);
  }

 private:
  Status write_bytes(const Buffer& bytes) {
    written_ += bytes.size();
    return to_.write(bytes.bytes());
  }

  TableSchema schema_;
  bool is_file_;
  std::uint64_t written_ = 0;
  std::vector<std::int64_t> blocks_;  ///< of a file: append_ipc_blocks()
  ByteSink& to_;
};

}  // namespace

std::unique_ptr<AnswerSink> make_arrow_answer(const AnswerOptions& options, ByteSink& to) {
  return std::make_unique<ArrowAnswer>(options.format == AnswerFormat::kArrowFile, to);
}

}  // namespace presso::cli
