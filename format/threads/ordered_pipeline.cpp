// SPDX-License-Identifier: MIT
// The threads of run_ordered(): one mutex guards the state of the run, another one the turn to make
// an item. Every thread makes an item, works on it and, where it is the next in order, consumes it,
// so no thread is set apart for a stage.
#include "presso/ordered_pipeline.h"

#include <sched.h>

#include <condition_variable>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace presso {
namespace {

/// One run of three stages on several threads.
class OrderedRun {
 public:
  OrderedRun(OrderedStages& stages, std::size_t slots) : stages_(stages), is_ready_(slots) {}

  Status run(unsigned threads) {
    try {
      helpers_.resize(threads - 1);
    } catch (const std::bad_alloc&) {  // the caller's thread does all the work
    }
    loop(0);
    // A helper's successor was started before the helper ended.
    for (std::thread& helper : helpers_) {
      if (helper.joinable()) helper.join();
    }
    if (error_) return std::move(*error_);
    return {};
  }

 private:
  std::size_t slot_of(std::uint64_t number) const { return number % is_ready_.size(); }

  /// A thread makes an item, works on it and puts it down. The thread that puts down the next item
  /// in order consumes it, and the following ones that are finished by then. So no thread has to be
  /// woken except one that waits for room.
  void loop(unsigned worker) {
    bool is_first = true;
    while (const std::optional<std::uint64_t> made = make()) {
      if (std::exchange(is_first, false)) start_after(worker);
      try {
        stages_.work(slot_of(*made), worker);
        std::unique_lock lock(mutex_);
        is_ready_[slot_of(*made)] = true;
        consume_ready(lock);
      } catch (const std::bad_alloc&) {
        const std::lock_guard lock(mutex_);
        fail(make_error(ErrorCode::kOutOfMemory));
      }
    }
  }

  /// Starts the next helper. Each thread does so when it has got its first item, so that a run of
  /// few items starts few threads: a query has many short runs, and a thread costs as much as many
  /// items do. If the system refuses a thread, the run goes on with fewer.
  void start_after(unsigned worker) {
    if (worker == helpers_.size()) return;
    try {
      helpers_[worker] = std::thread([this, worker] { loop(worker + 1); });
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
  }

  /// The number of the next item; nullopt where there is none or no more are wanted. Threads take
  /// turns, also in waiting for room: all others then work, or wait for their turn.
  std::optional<std::uint64_t> make() {
    const std::lock_guard turn(making_);
    {
      std::unique_lock lock(mutex_);
      room_.wait(lock, [this] {
        return stopped_ || exhausted_ || next_produced_ - next_consumed_ < is_ready_.size();
      });
      if (stopped_ || exhausted_) return std::nullopt;
    }
    Result<bool> made = without_bad_alloc([&] { return stages_.produce(slot_of(next_produced_)); });
    const std::lock_guard lock(mutex_);
    if (made.ok() && *made) return next_produced_++;
    exhausted_ = true;
    if (!made.ok()) produce_error_ = std::move(made.error());
    end_if_drained();
    return std::nullopt;
  }

  void consume_ready(std::unique_lock<std::mutex>& lock) {
    if (consuming_) return;  // the thread that consumes now comes to this item, too
    consuming_ = true;
    while (!stopped_ && is_ready_[slot_of(next_consumed_)]) {
      const std::size_t slot = slot_of(next_consumed_);
      is_ready_[slot] = false;
      lock.unlock();
      Result<bool> more = without_bad_alloc([&] { return stages_.consume(slot); });
      lock.lock();
      ++next_consumed_;
      if (!more.ok()) {
        fail(std::move(more.error()));
      } else if (!*more) {
        stop();
      } else {
        end_if_drained();
      }
      room_.notify_one();  // only one thread at a time waits
    }
    consuming_ = false;
  }

  void end_if_drained() {
    if (produce_error_ && next_consumed_ == next_produced_) fail(std::move(*produce_error_));
  }

  /// What happens after the end does not count, be that an error or that consume wants no more.
  void fail(Error error) {
    if (!stopped_) error_ = std::move(error);
    stop();
  }

  void stop() {
    stopped_ = true;
    room_.notify_one();
  }

  OrderedStages& stages_;
  std::vector<std::thread> helpers_;  ///< thread i writes helpers_[i] alone, which is thread i + 1
  std::mutex making_;  ///< held by the thread whose turn it is to make an item; before mutex_
  std::mutex mutex_;
  std::condition_variable room_;
  std::vector<bool> is_ready_;  ///< for each slot, whether its item was worked on and not consumed
  std::uint64_t next_produced_ = 0;  ///< changes only under both mutexes
  std::uint64_t next_consumed_ = 0;
  bool consuming_ = false;
  bool exhausted_ = false;
  bool stopped_ = false;
  std::optional<Error> produce_error_;  ///< reported once everything before it is consumed
  std::optional<Error> error_;
};

}  // namespace

unsigned default_thread_count() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    const int count = CPU_COUNT(&allowed);
    if (count > 0) return static_cast<unsigned>(count);
  }
  const unsigned count = std::thread::hardware_concurrency();
  return count != 0 ? count : 1;
}

Status run_stages(OrderedStages& stages, unsigned threads, std::size_t slots) {
  return OrderedRun(stages, slots).run(threads);
}

}  // namespace presso
