// SPDX-License-Identifier: MIT
// Counts the memory that all threads of an Ordering hold, and the most that they have held. Tested
// by tests/unit/query/order/ordering_spill_test.cpp.
//
// Memory is counted by those who hold it, from the sizes of their arrays; the counter is no limit.
// What happens when memory is short is decided by RowCollector, by its own share.
#pragma once

#include <atomic>
#include <cstdint>

namespace presso::query {

/// The sum of all holders. Thread-safe.
class MemoryCount {
 public:
  void add(std::uint64_t bytes) {
    const std::uint64_t sum = now_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    std::uint64_t peak = peak_.load(std::memory_order_relaxed);
    while (sum > peak && !peak_.compare_exchange_weak(peak, sum, std::memory_order_relaxed)) {
    }
  }
  void remove(std::uint64_t bytes) { now_.fetch_sub(bytes, std::memory_order_relaxed); }
  std::uint64_t peak() const { return peak_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> now_ = 0;
  std::atomic<std::uint64_t> peak_ = 0;
};

/// What one holder has; it is removed from the sum when the holder is destroyed.
class HeldMemory {
 public:
  explicit HeldMemory(MemoryCount& count) : count_(count) {}
  HeldMemory(const HeldMemory&) = delete;
  HeldMemory& operator=(const HeldMemory&) = delete;
  ~HeldMemory() { count_.remove(bytes_); }

  /// The holder now has `bytes`.
  void set(std::uint64_t bytes) {
    if (bytes > bytes_) count_.add(bytes - bytes_);
    if (bytes < bytes_) count_.remove(bytes_ - bytes);
    bytes_ = bytes;
  }

 private:
  MemoryCount& count_;
  std::uint64_t bytes_ = 0;
};

}  // namespace presso::query
