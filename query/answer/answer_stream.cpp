// SPDX-License-Identifier: MIT
// Implements answer_stream.h: a query's answer as an Arrow C stream. The producer thread, which
// starts at the first request for a batch, runs the query and writes batches into a bounded queue;
// the stream's reader takes them out. All members below mutex_ are guarded by it; cancelled_ is
// atomic since the query polls it.
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

/// How often a waiting reader checks `watched`. Nobody notifies the condition when the caller's
/// flag changes, so the wait must end now and then.
constexpr auto kWatchInterval = std::chrono::milliseconds(20);

/// Sink of the query and source of the Arrow stream at once. Owned by the stream; whoever releases
/// the stream destroys it.
class AnswerStream final : public ResultSink, public StreamSource {
 public:
  AnswerStream(const TableSchema& schema, std::vector<bool> coded, RunAnswer run,
               const std::atomic<bool>* watched, std::size_t queued_batches)
      : schema_(schema),
        coded_(std::move(coded)),
        run_(std::move(run)),
        watched_(watched),
        most_(queued_batches) {}

  /// Asks the query to stop, wakes it if it waits for room in the queue, and waits for its thread.
  ~AnswerStream() override {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    cancelled_ = true;
    room_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  /// Starts the query's thread at the first request for a batch, so that a stream of which only the
  /// schema is read costs nothing. If no thread can be started, the error is returned by next().
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

  /// Called on the query's thread, in order. Converts the batch to Arrow's layout and waits for
  /// room. Returns false once the reader has released the stream.
  Result<bool> write(ResultBatch batch, Buffer) override {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      PRESSO_TRY(to_arrow_layout(schema_.columns[i], batch[i]));
    }
    PRESSO_ASSIGN(ArrowBatches arrays, arrow_batches(schema_, std::move(batch)));
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return closed_ || batches_.size() < most_; });
    if (closed_) return false;
    for (auto& array : arrays) batches_.push_back(std::move(array));
    filled_.notify_one();
    return true;
  }

  Result<const TableSchema*> schema() override { return &schema_; }
  std::vector<bool> coded() const override { return coded_; }

  /// Returns the next batch, or the query's final status if it has ended; an array that is left
  /// released means the end, as in Arrow's C stream interface.
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
    std::swap(out, *batches_.front().get());
    batches_.pop_front();
    room_.notify_one();
    return {};
  }

 private:
  TableSchema schema_;
  std::vector<bool> coded_;
  RunAnswer run_;
  /// The caller's flag to stop; may be nullptr. Polled by next() only, since the query polls
  /// cancelled_.
  const std::atomic<bool>* watched_;
  /// The capacity of the queue in batches.
  const std::size_t most_;
  std::atomic<bool> cancelled_{false};
  bool started_ = false;
  std::thread thread_;

  std::mutex mutex_;
  /// filled_ is notified when a batch was added or the query ended, room_ when a batch was taken or
  /// the stream closed.
  std::condition_variable filled_;
  std::condition_variable room_;
  std::deque<ArrowOwner<ArrowArray>> batches_;
  /// The query's outcome, valid once ended_ is set.
  Status status_;
  bool ended_ = false;
  /// Set by the destructor: nobody will take batches any more.
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
