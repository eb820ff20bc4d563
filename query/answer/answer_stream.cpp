// SPDX-License-Identifier: MIT
#include "query/answer/answer_stream.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>

#include "decompress/arrow/arrow_export.h"
#include "decompress/arrow/arrow_rows.h"
#include "decompress/arrow/stream_frame.h"

namespace presso::query {
namespace {

/// How often a reader that waits looks whether it is to stop.
constexpr auto kWatchInterval = std::chrono::milliseconds(20);

class AnswerStream final : public ResultSink, public StreamSource {
 public:
  AnswerStream(const TableSchema& schema, std::vector<bool> coded, RunAnswer run,
               const std::atomic<bool>* watched, std::size_t queued_batches)
      : schema_(schema),
        coded_(std::move(coded)),
        run_(std::move(run)),
        watched_(watched),
        most_(queued_batches) {}

  ~AnswerStream() override {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    cancelled_ = true;
    room_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  /// The thread begins with the first batch that is asked for.
  Status start() {
    if (started_) return {};
    started_ = true;
    try {
      thread_ = std::thread([this] {
        Status done = run_(*this, cancelled_);
        const std::lock_guard lock(mutex_);
        status_ = std::move(done);
        ended_ = true;
        filled_.notify_all();
      });
    } catch (const std::system_error& problem) {
      ended_ = true;
      status_ = make_error(ErrorCode::kIo, std::string("cannot start a thread: ") + problem.what());
    }
    return {};
  }

  Result<bool> write(ResultBatch batch, Buffer) override {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      PRESSO_TRY(to_arrow_layout(schema_.columns[i], batch[i]));
    }
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return closed_ || batches_.size() < most_; });
    if (closed_) return false;
    batches_.push_back(std::move(batch));
    filled_.notify_one();
    return true;
  }

  Result<const TableSchema*> schema() override { return &schema_; }
  std::vector<bool> coded() const override { return coded_; }

  /// A released array is the end.
  Status next(ArrowArray& out) override {
    PRESSO_TRY(start());
    std::unique_lock lock(mutex_);
    while (batches_.empty() && !ended_) {
      filled_.wait_for(lock, kWatchInterval);
      if (watched_ == nullptr || !watched_->load(std::memory_order_relaxed)) continue;
      cancelled_ = true;
      return make_error(ErrorCode::kCancelled);
    }
    if (batches_.empty()) return status_;
    ResultBatch batch = std::move(batches_.front());
    batches_.pop_front();
    room_.notify_one();
    lock.unlock();
    hand_over(std::move(batch), out);
    return {};
  }

 private:
  TableSchema schema_;
  std::vector<bool> coded_;
  RunAnswer run_;
  const std::atomic<bool>* watched_;
  const std::size_t most_;
  std::atomic<bool> cancelled_{false};
  bool started_ = false;
  std::thread thread_;

  std::mutex mutex_;
  std::condition_variable filled_;
  std::condition_variable room_;
  std::deque<ResultBatch> batches_;
  Status status_;
  bool ended_ = false;
  bool closed_ = false;
};

}  // namespace

Status stream_answer(const TableSchema& schema, std::vector<bool> coded, RunAnswer run,
                     const std::atomic<bool>* watched, std::size_t queued_batches,
                     ArrowArrayStream& out) {
  return without_bad_alloc([&]() -> Status {
    open_stream(std::make_unique<AnswerStream>(schema, std::move(coded), std::move(run), watched,
                                               queued_batches),
                out);
    return {};
  });
}

}  // namespace presso::query
