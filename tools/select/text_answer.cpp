// SPDX-License-Identifier: MIT
// Writes an answer as CSV, TSV or JSON lines. Values are written as their columns' text has them in
// the input (a date that was 31.12.2024 there stays so here), and fields are quoted only if that is
// needed. Rows become text on the query's threads. Tested by tests/cli/test_select.py. Text that is
// not UTF-8 is replaced in JSON, which cannot hold it; CSV and TSV keep the bytes.
#include "format/columns/header_line.h"
#include "format/columns/row_text.h"
#include "tools/select/answer_sink.h"
#include "tools/select/gathered_sink.h"

namespace presso::cli {
namespace {

/// The form of text for a format: CSV, TSV or JSON lines.
TextForm form_of(AnswerFormat format) {
  TextForm form;
  form.kind = format == AnswerFormat::kJsonLines ? TextKind::kJsonLines : TextKind::kDelimited;
  if (format == AnswerFormat::kTsv) form.delimiter = '\t';
  return form;
}

/// Writes one answer.
class TextAnswer final : public AnswerSink {
 public:
  TextAnswer(const AnswerOptions& options, ByteSink& to)
      : form_(form_of(options.format)),
        header_(options.header && form_.kind == TextKind::kDelimited),
        at_once_(options.at_once),
        to_(to) {}

  /// Writes the header, where the format has one. Quotes are used only where a value needs them.
  Status begin(const TableSchema& schema) override {
    schema_ = schema;
    schema_.text = form_;
    schema_.exact = false;
    for (ColumnSchema& column : schema_.columns) column.quoting = Quoting::kNeeded;
    if (!header_) return {};
    const std::string names = header_line(schema_);
    return to_.write({reinterpret_cast<const Byte*>(names.data()), names.size()});
  }

  /// Prints a batch on one of the query's threads; write() puts the texts in order. It reads only
  /// the schema, so several threads may call it.
  Result<Buffer> encode(const ResultBatch& batch) override {
    std::vector<ColumnView> views;
    for (const ColumnData& column : batch) views.push_back(column.view());
    Buffer text;
    const RowPrinter printer(schema_, views, nullptr, JsonBytes::kReplaced);
    PRESSO_TRY(printer.print(0, batch.front().rows, text));
    return text;
  }

  /// At a terminal each batch is shown at once, otherwise 64 KiB are gathered.
  Result<bool> write(ResultBatch, Buffer encoded) override {
    PRESSO_TRY(to_.write(encoded.bytes()));
    if (at_once_) PRESSO_TRY(to_.flush());
    return true;
  }

  Status finish(std::uint64_t) override { return to_.flush(); }

 private:
  TextForm form_;
  bool header_;
  bool at_once_;
  TableSchema schema_;
  GatheredSink to_;
};

}  // namespace

std::unique_ptr<AnswerSink> make_text_answer(const AnswerOptions& options, ByteSink& to) {
  return std::make_unique<TextAnswer>(options, to);
}

}  // namespace presso::cli
