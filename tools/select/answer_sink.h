// SPDX-License-Identifier: MIT
// The forms in which presso select writes an answer. All of them pass bytes on to one sink; work
// that can be done for a batch by itself is done on the query's threads (ResultSink::encode).
// Tested by tests/cli/test_select.py. A sink gets the batches in order on one thread (write), and
// may be asked on several threads at once to encode a batch before that (encode), which must
// therefore not change the sink.
#pragma once

#include <memory>

#include "presso/query.h"
#include "tools/select/select_settings.h"

namespace presso::cli {

/// An answer while it is written: begin(), write() for each batch in order, finish().
class AnswerSink : public ResultSink {
 public:
  /// Writes the end after the last batch; `rows` is the number of rows of the answer.
  virtual Status finish(std::uint64_t rows) = 0;
};

/// How a table for people is laid out. It applies to AnswerFormat::kTable only.
struct AlignedStyle {
  std::size_t width = 0;  ///< columns of the terminal; 0: nothing is cut
  bool colors = false;
  /// If there are more rows, as many as this are shown, half of them the first and half the last
  /// ones; 0: all rows are.
  std::size_t most_rows = 0;
  std::string_view shows_more = "a limit";  ///< what the last line says of the others
};

/// The form of an answer and its looks.
struct AnswerOptions {
  AnswerFormat format = AnswerFormat::kCsv;
  bool header = true;
  bool at_once = false;  ///< a reader waits at a terminal: nothing is gathered
  AlignedStyle aligned;
  // For AnswerFormat::kPresso: 0 means the usual level.
  int level = 0;  ///< kPresso
  unsigned threads = 0;
};

/// Make the sink for a form. `to` is kept by reference. make_answer_sink() chooses by the format;
/// the others ignore it.
std::unique_ptr<AnswerSink> make_answer_sink(const AnswerOptions& options, ByteSink& to);

std::unique_ptr<AnswerSink> make_text_answer(const AnswerOptions& options, ByteSink& to);
std::unique_ptr<AnswerSink> make_aligned_answer(const AnswerOptions& options, ByteSink& to);
std::unique_ptr<AnswerSink> make_arrow_answer(const AnswerOptions& options, ByteSink& to);
std::unique_ptr<AnswerSink> make_stored_answer(const AnswerOptions& options, ByteSink& to);
std::unique_ptr<AnswerSink> make_parquet_answer(const AnswerOptions& options, ByteSink& to);

}  // namespace presso::cli
