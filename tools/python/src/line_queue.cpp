// SPDX-License-Identifier: MIT
#include "tools/python/src/line_queue.h"

#include <new>
#include <system_error>
#include <utility>

namespace presso::python {

LineQueue::~LineQueue() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  cancelled_ = true;
  room_.notify_all();
  if (thread_.joinable()) thread_.join();
}

LineQueue::State LineQueue::next(Batch& to, std::chrono::milliseconds wait) {
  if (!started_) {
    started_ = true;
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error& problem) {
      ended_ = true;
      failure_ = {
          0, make_error(ErrorCode::kIo, std::string("cannot start a thread: ") + problem.what())};
    }
  }
  std::unique_lock lock(mutex_);
  if (!filled_.wait_for(lock, wait, [this] { return ended_ || !batches_.empty(); })) {
    return State::kWaiting;
  }
  if (batches_.empty()) return failure_ ? State::kFailed : State::kEnd;
  to = std::move(batches_.front());
  batches_.pop_front();
  room_.notify_one();
  return State::kBatch;
}

void LineQueue::run() {
  std::optional<FileFailure> failure;
  try {
    failure = scan_all();
  } catch (const std::bad_alloc&) {
    failure = {0, make_error(ErrorCode::kOutOfMemory)};
  }
  const std::lock_guard lock(mutex_);
  failure_ = std::move(failure);
  ended_ = true;
  filled_.notify_all();
}

std::optional<FileFailure> LineQueue::scan_all() {
  std::uint64_t lines_left = job_->options.max_lines;
  for (std::size_t i = 0; i < job_->files.size() && lines_left > 0 && !cancelled_; ++i) {
    const Status done = scan_file(i, lines_left);
    if (!done.ok()) return FileFailure{i, done.error()};
  }
  return std::nullopt;
}

Status LineQueue::scan_file(std::size_t number, std::uint64_t& lines_left) {
  ScanOptions options = job_->options;
  options.max_lines = lines_left;
  options.cancelled = &cancelled_;
  options.on_damage = [&](const DamagedBlock& block) { damage_.push_back({number, block}); };
  PRESSO_ASSIGN(ScannedFile file, ScannedFile::open(*job_->files[number].access));
  LineBatch batch;
  const auto take = [&](const MatchedLine& line) {
    const std::size_t begin = batch.text.size();
    batch.text.insert(batch.text.end(), line.text.begin(), line.text.end());
    batch.lines.push_back({line.offset, line.number, begin, line.text.size(), batch.matches.size(),
                           line.matches.size(), line.kind});
    batch.matches.insert(batch.matches.end(), line.matches.begin(), line.matches.end());
    return batch.text.size() < Scanner::kBatchBytes || put(number, batch);
  };
  PRESSO_ASSIGN(const ScanSummary found, scan(file, job_->pattern, options, take));
  if (!batch.lines.empty()) put(number, batch);
  lines_left -= std::min(lines_left, found.lines);
  totals_.lines += found.lines;
  totals_.matches += found.matches;
  totals_.plain_bytes += found.plain_bytes;
  totals_.blocks += found.blocks;
  totals_.blocks_read += found.blocks_read;
  totals_.blocks_skipped += found.blocks_skipped;
  totals_.bytes_read += found.bytes_read;
  return {};
}

/// False: nobody wants more. `lines` is empty afterwards.
bool LineQueue::put(std::size_t file, LineBatch& lines) {
  std::unique_lock lock(mutex_);
  room_.wait(lock, [this] { return closed_ || batches_.size() < kMostBatches; });
  if (closed_) return false;
  batches_.push_back({file, std::exchange(lines, {})});
  filled_.notify_one();
  return true;
}

}  // namespace presso::python
