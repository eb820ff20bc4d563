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
// Tested by tests/unit/query/group/group_memory_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>

#include "presso/error.h"

namespace presso {

class MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t limit) : limit_(limit) {}

  std::uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  std::uint64_t peak() const { return peak_.load(std::memory_order_relaxed); }
  /// Whether so many more bytes would be too many. `what` of the error stays empty.
  Status check(std::uint64_t more = 0) const {
    return fits(used(), more) ? Status() : make_error(ErrorCode::kOutOfMemory);
  }
  /// Counts so many more bytes for somebody, who is about to allocate them and tells by update()
  /// what it was; unless they are too many, whatever other threads reserve meanwhile.
  Status reserve(std::uint64_t& mine, std::uint64_t more) {
    std::uint64_t used_bytes = used();
    do {
      if (!fits(used_bytes, more)) return make_error(ErrorCode::kOutOfMemory);
    } while (more != 0 && !used_.compare_exchange_weak(used_bytes, used_bytes + more,
                                                       std::memory_order_relaxed));
    mine += more;
    return {};
  }
  /// What somebody uses, and has reserved, has become another number.
  void update(std::uint64_t& before, std::uint64_t after) {
    if (after == before) return;
    raise_peak(used_.fetch_add(after - before, std::memory_order_relaxed) + (after - before));
    before = after;
  }
  /// Counts so many more bytes until the end, unless they are too many.
  Status take(std::uint64_t bytes) {
    std::uint64_t taken = 0;
    PRESSO_TRY(reserve(taken, bytes));
    raise_peak(used());
    return {};
  }

 private:
  bool fits(std::uint64_t used_bytes, std::uint64_t more) const {
    return used_bytes <= limit_ && more <= limit_ - used_bytes;
  }
  void raise_peak(std::uint64_t sum) {
    std::uint64_t peak = peak_.load(std::memory_order_relaxed);
    while (sum > peak && !peak_.compare_exchange_weak(peak, sum, std::memory_order_relaxed)) {
    }
  }

  const std::uint64_t limit_;
  std::atomic<std::uint64_t> used_{0};
  std::atomic<std::uint64_t> peak_{0};
};

}  // namespace presso
