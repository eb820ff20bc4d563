// SPDX-License-Identifier: MIT
#include "query/answer/output.h"

#include <algorithm>
#include <utility>

#include "presso/ordered_pipeline.h"

namespace presso::query {
namespace {

constexpr std::uint64_t kBatchesOfThread = 2;  ///< that wait to be written
constexpr std::uint64_t kLeastBatchBytes = std::uint64_t{32} << 10;
constexpr std::uint64_t kMostBatchBytes = std::uint64_t{4} << 20;

}  // namespace

Output::Output(const Execution& execution, ResultSink& sink)
    : sink_(sink),
      threads_(execution.threads),
      batch_bytes_(std::clamp(execution.memory_bytes / 8 / (kBatchesOfThread * execution.threads),
                              kLeastBatchBytes, kMostBatchBytes)),
      skip_(execution.query.offset),
      left_(execution.query.limit),
      builder_(execution.query.schema) {}

void Output::close_batch() {
  if (builder_.rows() > 0) batches_.push_back(builder_.take());
}

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

Result<bool> Output::append(std::span<const VectorView> columns, std::uint32_t count) {
  if (!open_ || left_ == 0) return false;
  if (skip_ == 0 && count <= left_) {
    builder_.append(columns, count);
    left_ -= count;
  } else {
    BatchBuilder part(builder_.schema());
    part.append(columns, count);
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

Status Output::finish() {
  if (!open_) return {};
  close_batch();
  return batches_.empty() ? Status{} : write_batches();
}

}  // namespace presso::query
