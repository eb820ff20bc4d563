// SPDX-License-Identifier: MIT
// A compressed table. Its text, which 'presso decompress' gives, is CSV.
#include <optional>

#include "presso/table_writer.h"
#include "tools/select/answer_sink.h"

namespace presso::cli {
namespace {

class StoredAnswer final : public AnswerSink {
 public:
  StoredAnswer(const AnswerOptions& options, ByteSink& to) : to_(to) {
    options_.compress.level = options.level;
    options_.compress.threads = options.threads;
  }

  Status begin(const TableSchema& schema) override {
    TableSchema stored = schema;
    stored.text = {};
    stored.exact = false;
    PRESSO_ASSIGN(writer_, TableWriter::open(to_, stored, options_));
    return {};
  }

  Result<bool> write(ResultBatch batch, Buffer) override {
    std::vector<ColumnView> views;
    for (const ColumnData& column : batch) views.push_back(column.view());
    PRESSO_TRY(writer_->append(views));
    return true;
  }

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
