// SPDX-License-Identifier: MIT
// What all threads of a grouping have allocated, and how much they may.
#pragma once

#include <atomic>
#include <cstdint>

#include "presso/error.h"

namespace presso::query::grouping {

class MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t limit) : limit_(limit) {}

  std::uint64_t used() const { return used_.load(std::memory_order_relaxed); }
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
    if (after != before) used_.fetch_add(after - before, std::memory_order_relaxed);
    before = after;
  }

 private:
  const std::uint64_t limit_;
  std::atomic<std::uint64_t> used_{0};
};

}  // namespace presso::query::grouping
