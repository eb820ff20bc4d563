// SPDX-License-Identifier: MIT
// What all threads of a grouping have allocated, how much they may, and the most that they had:
// keys, strings, states and slots of tables while groups are found and merged, what a merge lists
// them in, and the finished rows. Sources of a merge are given up before the rows are made. Where
// an array grows, all of the new one is counted before, beside what others have. The old one lies
// beside it for a moment, but then of the new one only as much is in use: the system gives memory
// to the rest when it is first written to.
//
// Not counted: what does not grow with the groups (a few hundred kilobytes for each thread), lists
// of places of dense groups while they are merged (4 bytes each).
// Tested by tests/unit/scan/group/group_memory_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>

#include "presso/error.h"

namespace presso::query::grouping {

class MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t limit) : limit_(limit) {}

  std::uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  std::uint64_t peak() const { return peak_.load(std::memory_order_relaxed); }
  /// Whether so many more bytes would be too many. `what` of the error stays empty.
  Status check(std::uint64_t more = 0) const {
    const std::uint64_t used_bytes = used();
    if (used_bytes > limit_ || more > limit_ - used_bytes) {
      return make_error(ErrorCode::kOutOfMemory);
    }
    return {};
  }
  /// What somebody uses has changed.
  void update(std::uint64_t& before, std::uint64_t after) {
    if (after == before) return;
    const std::uint64_t sum =
        used_.fetch_add(after - before, std::memory_order_relaxed) + (after - before);
    std::uint64_t peak = peak_.load(std::memory_order_relaxed);
    while (sum > peak && !peak_.compare_exchange_weak(peak, sum, std::memory_order_relaxed)) {
    }
    before = after;
  }
  /// Counts so many more bytes until the end, unless they are too many.
  Status take(std::uint64_t bytes) {
    PRESSO_TRY(check(bytes));
    std::uint64_t none = 0;
    update(none, bytes);
    return {};
  }

 private:
  const std::uint64_t limit_;
  std::atomic<std::uint64_t> used_{0};
  std::atomic<std::uint64_t> peak_{0};
};

}  // namespace presso::query::grouping
