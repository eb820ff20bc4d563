// SPDX-License-Identifier: MIT
// Chooses the writer of an answer by its format. CSV, TSV and JSON lines share one. Tested by
// tests/cli/test_select.py.
#include "tools/select/answer_sink.h"

namespace presso::cli {

/// The sink for the format; `to` is kept by reference.
std::unique_ptr<AnswerSink> make_answer_sink(const AnswerOptions& options, ByteSink& to) {
  switch (options.format) {
    case AnswerFormat::kTable:
      return make_aligned_answer(options, to);
    case AnswerFormat::kArrow:
    case AnswerFormat::kArrowFile:
      return make_arrow_answer(options, to);
    case AnswerFormat::kPresso:
      return make_stored_answer(options, to);
    case AnswerFormat::kParquet:
      return make_parquet_answer(options, to);
    default:
      return make_text_answer(options, to);
  }
}

}  // namespace presso::cli
