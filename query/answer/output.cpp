// SPDX-License-Identifier: MIT
// Implements output.h: batches are collected until there are kBatchesOfThread for each thread; then
// all threads encode them, and they are written in order. Tested through
// tests/unit/query/answer/query_test.cpp.
#include "query/answer/output.h"

#include <algorithm>
#include <utility>

#include "presso/ordered_pipeline.h"

namespace presso::query {
namespace {

/// Batches for each thread that are collected before any is written.
constexpr std::uint64_t kBatchesOfThread = 2;
/// Bounds on the size of a batch: smaller ones cost too much for each batch, larger ones too much
/// memory.
constexpr std::uint64_t kLeastBatchBytes = std::uint64_t{32} << 10;
constexpr std::uint64_t kMostBatchBytes = std::uint64_t{4} << 20;

}  // namespace

/// The memory for waiting batches is divided evenly among the batches that may wait.
Output::Output(const Execution& execution, ResultSink& sink)
    : sink_(sink),
      threads_(execution.threads),
      batch_bytes_(std::clamp(execution.memory_bytes / 8 / (kBatchesOfThread * execution.threads),
                              kLeastBatchBytes, kMostBatchBytes)),
      skip_(execution.query.offset),
      left_(execution.query.limit),
      builder_(execution.query.schema) {}

/// Ends the current batch.
void Output::close_batch() {
  if (builder_.rows() > 0) batches_.push_back(builder_.take());
}

/// Encodes the waiting batches on all threads and writes them in order.
Status Output::write_batches() {
  struct Encoded {
    ResultBatch batch;
    Result<Buffer> text = Buffer();
  };
  std::size_t next = 0;
  Status done = run_ordered<ResultBatch, Encoded>(
      {static_cast<unsigned>(std::min<std::size_t>(threads_, batches_.size())), 0},
      [&]() -> Result<std::optional<ResultBatch>> {
        if (next == batches_.size()) return std::optional<ResultBatch>();
        return std::optional(std::move(batches_[next++]));
      },
      [&](ResultBatch batch, unsigned) {
        Encoded encoded;
        encoded.text = sink_.encode(batch);
        encoded.batch = std::move(batch);
        return encoded;
      },
      [&](Encoded encoded) -> Result<bool> {
        if (!encoded.text.ok()) return std::move(encoded.text.error());
        written_ += rows_of(encoded.batch);
        PRESSO_ASSIGN(open_, sink_.write(std::move(encoded.batch), std::move(*encoded.text)));
        return open_;
      });
  batches_.clear();
  return done;
}

/// The common case appends directly; only a batch that OFFSET or LIMIT cuts is copied in part.
Result<bool> Output::append(std::span<const VectorView> columns, std::uint32_t count) {
  if (!open_ || left_ == 0) return false;
  if (skip_ == 0 && count <= left_) {
    builder_.append(columns, count);
    left_ -= count;
  } else {
    BatchBuilder part(builder_.schema());
    part.append(columns, count);
    // Cut rows are appended whole and then copied in part, which happens in at most two batches of
    // an answer, at its beginning and at its end.
    const std::uint64_t first = std::min<std::uint64_t>(skip_, count);
    const std::uint64_t rows = std::min<std::uint64_t>(count - first, left_);
    skip_ -= first;
    left_ -= rows;
    close_batch();
    if (rows > 0) batches_.push_back(part_of(part.take(), first, rows));
  }
  if (builder_.rows() >= kMostBatchRows || builder_.bytes() >= batch_bytes_) close_batch();
  if (batches_.size() >= kBatchesOfThread * threads_) {
    PRESSO_TRY(write_batches());
  }
  return open_ && left_ > 0;
}

/// Nothing is written after the sink has refused a batch.
Status Output::finish() {
  if (!open_) return {};
  close_batch();
  return batches_.empty() ? Status{} : write_batches();
}

}  // namespace presso::query
