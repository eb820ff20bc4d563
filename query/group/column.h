// SPDX-License-Identifier: MIT
// An array of plain values that grows: what groups, tables and join indexes consist of. In contrast
// to std::vector it does not touch memory before it is used (an array with a place for each of a
// million keys costs only what the keys that occur cost), lies in large pages if it is large, and
// can say what it will allocate, so that a memory limit can be kept. Tested by
// tests/unit/query/group/grouping_test.cpp, all of which runs through it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace presso::query::grouping {

/// Returns the bytes that allocate_zeroed() gives for a request of `bytes`. Throws std::bad_alloc
/// if that is too much.
std::size_t rounded_bytes(std::size_t bytes);
/// Returns zeroed memory that takes physical pages only when it is first touched. `bytes` must come
/// from rounded_bytes(). Throws std::bad_alloc.
void* allocate_zeroed(std::size_t bytes);
/// Gives back memory of allocate_zeroed(), with the same number of bytes.
void release(void* memory, std::size_t bytes);

/// Movable, not copyable. Values must be trivially copyable; new ones are zero unless said
/// otherwise.
/// Shrinking and growing again does not zero what was used before, unless the new values must be
/// zero: `used_` knows how far memory has been touched.
template <class T>
class Column {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Column() = default;
  Column(Column&& other) noexcept { swap(other); }
  Column& operator=(Column&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Column() { free_memory(); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::uint64_t bytes() const { return std::uint64_t{capacity_} * sizeof(T); }
  /// Returns what extend(size) will allocate in addition to bytes().
  std::uint64_t growth_bytes(std::size_t size) const {
    return std::uint64_t{capacity_for(size) - capacity_} * sizeof(T);
  }

  /// Grows or shrinks; values that are added are `neutral`. Throws std::bad_alloc.
  void extend(std::size_t size, T neutral = T{}) {
    const std::size_t first = size_;
    extend_unset(size);
    fill(first, size, neutral);
  }
  /// Grows or shrinks; values that are added are unspecified.
  void extend_unset(std::size_t size) {
    if (size > capacity_) allocate(capacity_for(size));
    used_ = std::max(used_, size_);
    size_ = size;
  }
  /// Removes all values but keeps the memory.
  void clear() { extend_unset(0); }
  /// Asks for the cache lines of some values.
  void prefetch(std::size_t first, std::size_t count) const {
    constexpr std::size_t kLineBytes = 64;
    const std::size_t end = (first + count) * sizeof(T);
    for (std::size_t at = first * sizeof(T); at < end; at += kLineBytes) {
      __builtin_prefetch(reinterpret_cast<const unsigned char*>(data_) + at);
    }
  }
  void swap(Column& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(used_, other.used_);
  }

 private:
  /// Doubles at least, so that appending costs amortised constant time.
  std::size_t capacity_for(std::size_t size) const {
    if (size <= capacity_) return capacity_;
    const std::size_t wanted = std::max(size, 2 * capacity_);
    if (wanted > ~std::size_t{0} / sizeof(T)) throw std::bad_alloc();
    return rounded_bytes(wanted * sizeof(T)) / sizeof(T);
  }

  /// Moves the values; the old memory is freed afterwards.
  void allocate(std::size_t capacity) {
    T* const grown = static_cast<T*>(allocate_zeroed(rounded_bytes(capacity * sizeof(T))));
    if (size_ != 0) std::memcpy(static_cast<void*>(grown), data_, size_ * sizeof(T));
    free_memory();
    data_ = grown;
    capacity_ = capacity;
    used_ = 0;
  }
  void free_memory() {
    if (data_ != nullptr) release(static_cast<void*>(data_), rounded_bytes(capacity_ * sizeof(T)));
  }

  /// Memory that was never used is zero already, and stays untouched if `neutral` is zero.
  void fill(std::size_t first, std::size_t last, const T& neutral) {
    static constexpr T kZero{};
    std::size_t end = last;
    if (std::memcmp(&neutral, &kZero, sizeof(T)) == 0) end = std::min(last, used_);
    for (std::size_t i = first; i < end; ++i) data_[i] = neutral;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;  ///< memory from here on is zero, or belongs to values in use
};

}  // namespace presso::query::grouping
