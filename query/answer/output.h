// SPDX-License-Identifier: MIT
// The way of an answer's rows to the sink, where one thread has them in order: groups, and rows
// that were sorted. Rows that threads make in the order of the tables are ordered_answer.h's.
// Tested through tests/unit/query/answer/query_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "query/rows/batch_builder.h"
#include "query/run/execution.h"

namespace presso::query {

/// Takes rows of the answer in order: leaves out and stops by offset and limit, makes batches of
/// them, has some batches at a time encoded by all threads, and hands them to the sink. Batches
/// that wait take an eighth of the memory that groups and sorting may have, and at most 8 MiB a
/// thread, however wide rows are; what is made of them takes as much again.
class Output {
 public:
  Output(const Execution& execution, ResultSink& sink);
  /// Views of the results' columns. False: nothing more is wanted.
  Result<bool> append(std::span<const VectorView> columns, std::uint32_t count);
  Status finish();
  std::uint64_t rows() const { return written_; }

 private:
  void close_batch();
  Status write_batches();

  ResultSink& sink_;
  unsigned threads_;
  std::uint64_t batch_bytes_;  ///< from which on a batch is closed
  std::uint64_t skip_;
  std::uint64_t left_;
  std::uint64_t written_ = 0;
  bool open_ = true;
  BatchBuilder builder_;
  std::vector<ResultBatch> batches_;
};

}  // namespace presso::query
