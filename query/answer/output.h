// SPDX-License-Identifier: MIT
// The way to the sink of an answer whose rows one thread has in order: groups, and sorted rows.
// Rows that many threads make in the order of the tables go through ordered_answer.h. Tested
// through tests/unit/query/answer/query_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "query/rows/batch_builder.h"
#include "query/run/execution.h"

namespace presso::query {

/// Takes rows of the answer in order, applies OFFSET and LIMIT, makes batches of them, has all
/// threads encode some batches at a time, and hands them to the sink. Waiting batches take an
/// eighth of the memory for groups and sorting, but at least 64 KiB and at most 8 MiB for each
/// thread, however wide rows are; their encoded form takes about as much again. Not thread-safe.
class Output {
 public:
  Output(const Execution& execution, ResultSink& sink);
  /// Appends `count` rows; `columns` are views of the result columns. Returns false once no more
  /// rows are wanted. Errors: those of encoding and of the sink.
  Result<bool> append(std::span<const VectorView> columns, std::uint32_t count);
  /// Writes the rows that still wait.
  Status finish();
  /// Rows that were written, after OFFSET and LIMIT.
  std::uint64_t rows() const { return written_; }

 private:
  void close_batch();
  Status write_batches();

  ResultSink& sink_;
  unsigned threads_;
  /// A batch is closed when it has this many bytes, or kMostBatchRows rows.
  std::uint64_t batch_bytes_;
  /// Rows still to skip by OFFSET, and rows still wanted by LIMIT.
  std::uint64_t skip_;
  std::uint64_t left_;
  std::uint64_t written_ = 0;
  bool open_ = true;
  BatchBuilder builder_;
  std::vector<ResultBatch> batches_;
};

}  // namespace presso::query
