// SPDX-License-Identifier: MIT
// A limit of memory that several threads share, and what they have of it: a counter, which
// allocates nothing itself. Users report what they allocate; those that could exceed the limit ask
// first. The main user is GROUP BY (query/group): keys, strings, states and slots while groups are
// found and merged, the lists of a merge, and the finished rows. Others are directories of row
// groups that are kept in memory, and the keys of a join.
//
// When an array grows, all of the new one is counted beforehand, together with what others have.
// The old array exists beside it for a moment, but then only that part of the new one has physical
// memory. GROUP BY does not count what does not grow with the groups (a few hundred kilobytes for
// each thread), nor lists of places of dense groups while they are merged (4 bytes each). Tested by
// tests/unit/query/group/group_memory_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>

#include "presso/error.h"

namespace presso {

/// Thread-safe, by atomic counters. Each user keeps a count of its own part, which it passes to
/// reserve() and update() to be changed.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t limit) : limit_(limit) {}

  std::uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  std::uint64_t peak() const { return peak_.load(std::memory_order_relaxed); }
  /// Returns kOutOfMemory, with an empty `what`, if `more` bytes would be too many.
  Status check(std::uint64_t more = 0) const {
    return fits(used(), more) ? Status() : make_error(ErrorCode::kOutOfMemory);
  }
  /// Counts `more` bytes for a user who is about to allocate them and will report the real number
  /// by update(); refused if that is too much, whatever other threads reserve at the same time.
  Status reserve(std::uint64_t& mine, std::uint64_t more) {
    std::uint64_t used_bytes = used();
    do {
      if (!fits(used_bytes, more)) return make_error(ErrorCode::kOutOfMemory);
    } while (more != 0 && !used_.compare_exchange_weak(used_bytes, used_bytes + more,
                                                       std::memory_order_relaxed));
    mine += more;
    return {};
  }
  /// A user's memory, including what was reserved, is now `after` bytes.
  void update(std::uint64_t& before, std::uint64_t after) {
    if (after == before) return;
    raise_peak(used_.fetch_add(after - before, std::memory_order_relaxed) + (after - before));
    before = after;
  }
  /// Counts `bytes` for the rest of the budget's life, or refuses with kOutOfMemory.
  Status take(std::uint64_t bytes) {
    std::uint64_t taken = 0;
    PRESSO_TRY(reserve(taken, bytes));
    raise_peak(used());
    return {};
  }

 private:
  /// Written so that no sum can overflow.
  bool fits(std::uint64_t used_bytes, std::uint64_t more) const {
    return used_bytes <= limit_ && more <= limit_ - used_bytes;
  }
  /// Another thread may raise it at the same time; the greater value stays.
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
