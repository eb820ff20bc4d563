// SPDX-License-Identifier: MIT
// The parallel driver: items are made in order by one caller at a time, worked on by all threads,
// and consumed in order. Compression, decompression, search and queries all run on it.
//
// The threads are the caller's own and `threads - 1` helpers for the duration of one call; with one
// thread everything runs on the caller's. At most `in_flight` items exist at a time (made but not
// yet consumed), whatever the speeds of the three stages are.
//
//   produce: Result<std::optional<Item>>()        nullopt ends the input; never called concurrently
//   work:    Outcome(Item&&, unsigned worker)     worker < threads: index of per-thread scratch
//   consume: Result<bool>(Outcome&&)              in order, never concurrently; false stops early
//
// A stage may throw nothing but std::bad_alloc, which ends the run with kOutOfMemory. Where the
// system refuses a helper thread, the threads that could be started do the work.
//
// The first error of produce or consume (in item order) ends the run and is returned; items that
// were in flight after it are dropped. An error of produce is dropped, too, if it comes after the
// item with which consume stopped the run, whichever happened first. produce and consume may run on
// different threads at different times, but there are never two produces nor two consumes at once.
// Tested by tests/unit/format/threads/ordered_pipeline_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "presso/error.h"

namespace presso {

/// How many threads work and how many items may exist at a time.
struct PipelineOptions {
  unsigned threads = 1;    ///< at least 1
  unsigned in_flight = 0;  ///< 0: three per thread
};

/// Returns the number of threads to use if the user named none: the CPUs that this process may run
/// on.
unsigned default_thread_count();

/// Returns `threads`, or default_thread_count() for 0.
inline unsigned threads_or_all(unsigned threads) {
  return threads != 0 ? threads : default_thread_count();
}

/// The three stages of a run without their types. An item stays in one slot from produce() to
/// consume(), and no other item uses that slot in the meantime.
class OrderedStages {
 public:
  virtual ~OrderedStages() = default;
  /// Makes an item. False: there are no more.
  virtual Result<bool> produce(std::size_t slot) = 0;
  virtual void work(std::size_t slot, unsigned worker) = 0;
  /// False: no more items are wanted.
  virtual Result<bool> consume(std::size_t slot) = 0;
};

/// Runs the stages to the end; slots are numbered from 0 to `slots - 1`.
Status run_stages(OrderedStages& stages, unsigned threads, std::size_t slots);

/// The stages of run_ordered(), and the slots for their items.
template <class Item, class Outcome, class Produce, class Work, class Consume>
class TypedStages final : public OrderedStages {
 public:
  TypedStages(std::size_t slots, Produce& produce, Work& work, Consume& consume)
      : slots_(slots), produce_(produce), work_(work), consume_(consume) {}

  Result<bool> produce(std::size_t slot) override {
    Result<std::optional<Item>> made = produce_();
    if (!made.ok()) return std::move(made.error());
    slots_[slot].item = std::move(*made);
    return slots_[slot].item.has_value();
  }

  void work(std::size_t slot, unsigned worker) override {
    Slot& at = slots_[slot];
    Item item = std::move(*at.item);
    at.item.reset();
    at.outcome.emplace(work_(std::move(item), worker));
  }

  Result<bool> consume(std::size_t slot) override {
    Outcome outcome = std::move(*slots_[slot].outcome);
    slots_[slot].outcome.reset();
    return consume_(std::move(outcome));
  }

 private:
  struct Slot {
    std::optional<Item> item;
    std::optional<Outcome> outcome;
  };

  std::vector<Slot> slots_;
  Produce& produce_;
  Work& work_;
  Consume& consume_;
};

/// Runs the three stages to the end and returns the first error. Item and Outcome are movable types
/// that the caller names: run_ordered<Chunk, Found>(options, produce, work, consume). The stages
/// are called by reference and must stay until it returns.
template <class Item, class Outcome, class Produce, class Work, class Consume>
Status run_ordered(PipelineOptions options, Produce&& produce, Work&& work, Consume&& consume) {
  const unsigned threads = options.threads != 0 ? options.threads : 1;
  const std::size_t slots = options.in_flight != 0 ? options.in_flight : 3 * std::size_t{threads};
  return without_bad_alloc([&]() -> Status {
    TypedStages<Item, Outcome, Produce, Work, Consume> stages(slots, produce, work, consume);
    return run_stages(stages, threads, slots);
  });
}

/// Runs `tasks`, callables without arguments, on up to `threads` threads, and returns when all have
/// ended. Error: kOutOfMemory.
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
