// SPDX-License-Identifier: MIT
// Writes an answer as a Parquet file (tools/parquet/parquet_writer.h). The writer encodes on its
// own threads, so nothing is done on the query's. Tested by tests/cli/test_parquet.py.
#include <optional>

#include "tools/parquet/parquet_writer.h"
#include "tools/select/answer_sink.h"

namespace presso::cli {
namespace {

class ParquetAnswer final : public AnswerSink {
 public:
  ParquetAnswer(const AnswerOptions& options, ByteSink& to) : threads_(options.threads), to_(to) {}

  Status begin(const TableSchema& schema) override {
    PRESSO_ASSIGN(writer_, ParquetWriter::open(to_, schema, threads_));
    return {};
  }

  Result<bool> write(ResultBatch batch, Buffer) override {
    std::vector<ColumnView> views;
    for (const ColumnData& column : batch) views.push_back(column.view());
    PRESSO_TRY(writer_->append(views));
    return true;
  }

  /// Without the footer, which close() writes, there would be no file.
  Status finish(std::uint64_t) override { return writer_->close(); }

 private:
  unsigned threads_;
  ByteSink& to_;
  std::optional<ParquetWriter> writer_;
};

}  // namespace

std::unique_ptr<AnswerSink> make_parquet_answer(const AnswerOptions& options, ByteSink& to) {
  return std::make_unique<ParquetAnswer>(options, to);
}

}  // namespace presso::cli
