// SPDX-License-Identifier: MIT
// Writes an answer as a compressed table, whose text, which 'presso decompress' gives, is CSV. The
// level is that of -1 to -12. Tested by tests/cli/test_select.py. The writer compresses on its own
// threads, so that encoding on the query's threads has no gain.
#include <optional>

#include "presso/table_writer.h"
#include "tools/select/answer_sink.h"

namespace presso::cli {
namespace {

/// Writes one answer; rows come in order, on one thread.
class StoredAnswer final : public AnswerSink {
 public:
  StoredAnswer(const AnswerOptions& options, ByteSink& to) : to_(to) {
    options_.compress.level = options.level;
    options_.compress.threads = options.threads;
  }

  /// Opens a writer for the answer's columns. What text a table was made from does not hold for an
  /// answer, so that is left out.
  Status begin(const TableSchema& schema) override {
    TableSchema stored = schema;
    stored.text = {};
    stored.exact = false;
    PRESSO_ASSIGN(writer_, TableWriter::open(to_, stored, options_));
    return {};
  }

  /// Appends the batch in the order of the answer, on one thread.
  Result<bool> write(ResultBatch batch, Buffer) override {
    std::vector<ColumnView> views;
    for (const ColumnData& column : batch) views.push_back(column.view());
    PRESSO_TRY(writer_->append(views));
    return true;
  }

  /// Closing writes the index, without which the file could not be opened.
  Status finish(std::uint64_t) override {
    PRESSO_TRY(writer_->close());
    return {};
  }

 private:
  TableWriterOptions options_;
  ByteSink& to_;
  std::optional<TableWriter> writer_;
};

}  // namespace

std::unique_ptr<AnswerSink> make_stored_answer(const AnswerOptions& options, ByteSink& to) {
  return std::make_unique<StoredAnswer>(options, to);
}

}  // namespace presso::cli
