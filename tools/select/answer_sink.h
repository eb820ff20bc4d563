// SPDX-License-Identifier: MIT
// The forms in which presso select writes an answer. All of them pass bytes on to one sink; what
// can be made of a batch by itself is made by the query's threads (ResultSink::encode). Tested by
// tests/cli/test_select.py.
#pragma once

#include <memory>

#include "presso/query.h"
#include "tools/select/select_settings.h"

namespace presso::cli {

class AnswerSink : public ResultSink {
 public:
  /// After the last batch: what stands at the end. `rows`: of the answer.
  virtual Status finish(std::uint64_t rows) = 0;
};

/// How a table for people is laid out.
struct AlignedStyle {
  std::size_t width = 0;  ///< columns of the terminal; 0: nothing is cut
  bool colors = false;
};

struct AnswerOptions {
  AnswerFormat format = AnswerFormat::kCsv;
  bool header = true;
  bool at_once = false;  ///< a reader waits at a terminal: nothing is gathered
  AlignedStyle aligned;
  int level = 0;  ///< kPresso
  unsigned threads = 0;
};

/// `to` is kept by reference.
std::unique_ptr<AnswerSink> make_answer_sink(const AnswerOptions& options, ByteSink& to);

std::unique_ptr<AnswerSink> make_text_answer(const AnswerOptions& options, ByteSink& to);
std::unique_ptr<AnswerSink> make_aligned_answer(const AnswerOptions& options, ByteSink& to);
std::unique_ptr<AnswerSink> make_arrow_answer(ByteSink& to);
std::unique_ptr<AnswerSink> make_stored_answer(const AnswerOptions& options, ByteSink& to);

}  // namespace presso::cli
