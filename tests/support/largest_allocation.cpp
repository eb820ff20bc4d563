// SPDX-License-Identifier: MIT
// Replaces the global operator new: remembers the largest request and can be told to fail.
#include "tests/support/largest_allocation.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> largest{0};
std::atomic<std::size_t> until_failure{~std::size_t{0}};

void* allocate(std::size_t size) {
  std::size_t seen = largest.load(std::memory_order_relaxed);
  while (size > seen && !largest.compare_exchange_weak(seen, size)) {
  }
  if (until_failure.load(std::memory_order_relaxed) != ~std::size_t{0} &&
      until_failure.fetch_sub(1) == 0) {
    throw std::bad_alloc();
  }
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) {
  return allocate(size);
}
void* operator new[](std::size_t size) {
  return allocate(size);
}
// Those of std::stable_sort, which a sanitizer would otherwise see as its own.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return allocate(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void* operator new[](std::size_t size, const std::nothrow_t& nothrow) noexcept {
  return operator new(size, nothrow);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace presso::test {

std::size_t largest_allocation() {
  return largest;
}
void reset_largest_allocation() {
  largest = 0;
}
void fail_allocation_after(std::size_t count) {
  until_failure = count;
}

}  // namespace presso::test
