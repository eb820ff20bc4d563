// SPDX-License-Identifier: MIT
// The parallel driver: items made in order by one caller at a time, worked on by all threads,
// consumed in order. Compress, decompress, test and scan all run on it.
//
// Threads are the caller's own plus `threads - 1` helpers for the duration of one call; with one
// thread everything runs on the caller's. Memory: at most `in_flight` items exist at a time (made
// but not yet consumed), whatever the speeds of the three stages.
//
//   produce: Result<std::optional<Item>>()        nullopt ends the input; never called concurrently
//   work:    Outcome(Item&&, unsigned worker)     worker < threads: index of per-thread scratch
//   consume: Result<bool>(Outcome&&)              in order, never concurrently; false stops early
//
// A stage may throw nothing but std::bad_alloc, which ends the run with kOutOfMemory. Where the
// system refuses a helper thread, those there are do the work.
//
// The first error of produce or consume (in item order) ends the run and is returned; items that
// were in flight after it are dropped. So is an error of produce that comes after the item with
// which consume stopped the run, whichever happened first. produce and consume may run on different
// threads at different times, never two produces nor two consumes at once.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "presso/error.h"

namespace presso {

struct PipelineOptions {
  unsigned threads = 1;    ///< at least 1
  unsigned in_flight = 0;  ///< 0: three per thread
};

/// Threads to use where the user named none: those this process may run on.
unsigned default_thread_count();

/// `threads`, or for 0 as many as default_thread_count() says.
inline unsigned threads_or_all(unsigned threads) {
  return threads != 0 ? threads : default_thread_count();
}

template <class Item, class Outcome, class Produce, class Work, class Consume>
class OrderedPipeline {
 public:
  OrderedPipeline(PipelineOptions options, Produce& produce, Work& work, Consume& consume)
      : limit_(options.in_flight != 0 ? options.in_flight : 3 * options.threads),
        produce_(produce),
        work_(work),
        consume_(consume) {}

  Status run(unsigned threads) {
    std::vector<std::thread> helpers;
    try {
      helpers.reserve(threads - 1);
      for (unsigned worker = 1; worker < threads; ++worker) {
        helpers.emplace_back([this, worker] { loop(worker); });
      }
    } catch (const std::system_error&) {  // go on with fewer
    } catch (const std::bad_alloc&) {
    }
    loop(0);
    for (std::thread& helper : helpers) helper.join();
    if (error_) return std::move(*error_);
    return {};
  }

 private:
  struct Made {
    std::uint64_t ticket;
    Item item;
  };

  /// A thread makes an item, works on it and puts it down; whoever puts down the next one in order
  /// consumes it, and those after it that are there by then. So nobody has to be woken except who
  /// waits for room.
  void loop(unsigned worker) {
    while (std::optional<Made> made = make()) {
      try {
        Outcome outcome = work_(std::move(made->item), worker);
        std::unique_lock lock(mutex_);
        ready_.emplace(made->ticket, std::move(outcome));
        consume_ready(lock);
      } catch (const std::bad_alloc&) {
        const std::lock_guard lock(mutex_);
        fail(make_error(ErrorCode::kOutOfMemory));
      }
    }
  }

  /// The next item; nullopt where there is none or no more are wanted. Threads take turns, also in
  /// waiting for room: then all others work or have to wait likewise.
  std::optional<Made> make() {
    const std::lock_guard turn(making_);
    {
      std::unique_lock lock(mutex_);
      room_.wait(lock, [this] {
        return stopped_ || exhausted_ || next_produced_ - next_consumed_ < limit_;
      });
      if (stopped_ || exhausted_) return std::nullopt;
    }
    Result<std::optional<Item>> item = guarded(produce_);
    const std::lock_guard lock(mutex_);
    if (item.ok() && *item) return Made{next_produced_++, std::move(**item)};
    exhausted_ = true;
    if (!item.ok()) produce_error_ = std::move(item.error());
    end_if_drained();
    return std::nullopt;
  }

  void consume_ready(std::unique_lock<std::mutex>& lock) {
    if (consuming_) return;  // who does so comes to this one, too
    consuming_ = true;
    while (!stopped_ && !ready_.empty() && ready_.begin()->first == next_consumed_) {
      Outcome outcome = std::move(ready_.begin()->second);
      ready_.erase(ready_.begin());
      lock.unlock();
      Result<bool> more = guarded([&] { return consume_(std::move(outcome)); });
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

  /// The result of `stage`, or kOutOfMemory where it threw.
  template <class Stage>
  static auto guarded(Stage&& stage) -> decltype(stage()) {
    try {
      return stage();
    } catch (const std::bad_alloc&) {
      return make_error(ErrorCode::kOutOfMemory);
    }
  }

  /// Nothing counts that happens after the end, be that an error or that consume wants no more.
  void fail(Error error) {
    if (!stopped_) error_ = std::move(error);
    stop();
  }

  void stop() {
    stopped_ = true;
    room_.notify_one();
  }

  const std::uint64_t limit_;
  Produce& produce_;
  Work& work_;
  Consume& consume_;

  std::mutex making_;  ///< held by the thread whose turn it is to make an item; before mutex_
  std::mutex mutex_;
  std::condition_variable room_;
  std::map<std::uint64_t, Outcome> ready_;
  std::uint64_t next_produced_ = 0;
  std::uint64_t next_consumed_ = 0;
  bool consuming_ = false;
  bool exhausted_ = false;
  bool stopped_ = false;
  std::optional<Error> produce_error_;  ///< reported once everything before it is consumed
  std::optional<Error> error_;
};

/// Runs the three stages to the end. Item and Outcome are movable types named by the caller:
///   run_ordered<Chunk, Found>(options, produce, work, consume)
template <class Item, class Outcome, class Produce, class Work, class Consume>
Status run_ordered(PipelineOptions options, Produce&& produce, Work&& work, Consume&& consume) {
  if (options.threads == 0) options.threads = 1;
  OrderedPipeline<Item, Outcome, Produce, Work, Consume> pipeline(options, produce, work, consume);
  return pipeline.run(options.threads);
}

/// Runs `tasks`, callables without arguments, on up to `threads` threads. Error: kOutOfMemory.
template <class... Tasks>
Status run_together(unsigned threads, Tasks&&... tasks) {
  using Task = std::function<void()>;
  const Task all[] = {std::ref(tasks)...};
  const Task* next = all;
  return run_ordered<const Task*, bool>(
      {threads, 0},
      [&]() -> Result<std::optional<const Task*>> {
        return next == std::end(all) ? std::nullopt : std::optional(next++);
      },
      [](const Task* task, unsigned) {
        (*task)();
        return true;
      },
      [](bool) -> Result<bool> { return true; });
}

}  // namespace presso
