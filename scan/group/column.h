// SPDX-License-Identifier: MIT
// An array of plain values that grows: what groups consist of. Unlike std::vector it does not touch
// memory before it is used (an array with a place for each of a million keys costs what the keys
// that occur cost), grows large arrays by moving pages instead of bytes (realloc), and says what it
// is going to allocate, so that a limit can be kept.
// Tested by tests/unit/scan/group/grouping_test.cpp, which all of it passes through.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace presso::query::grouping {

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
  ~Column() { std::free(data_); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::uint64_t bytes() const { return std::uint64_t{capacity_} * sizeof(T); }
  /// What extend(size) is going to allocate beyond bytes().
  std::uint64_t growth_bytes(std::size_t size) const {
    return std::uint64_t{capacity_for(size) - capacity_} * sizeof(T);
  }

  /// Values that are added are `neutral`. Throws std::bad_alloc.
  void extend(std::size_t size, T neutral = T{}) {
    const std::size_t first = size_;
    extend_unset(size);
    fill(first, size, neutral);
  }
  /// Values that are added are anything.
  void extend_unset(std::size_t size) {
    if (size > capacity_) allocate(capacity_for(size));
    used_ = std::max(used_, size_);
    size_ = size;
  }
  /// Keeps the memory.
  void clear() { extend_unset(0); }
  void swap(Column& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(used_, other.used_);
  }

 private:
  std::size_t capacity_for(std::size_t size) const {
    return size <= capacity_ ? capacity_ : std::max(size, 2 * capacity_);
  }

  void allocate(std::size_t capacity) {
    if (capacity > ~std::size_t{0} / sizeof(T)) throw std::bad_alloc();
    const bool first = data_ == nullptr;
    void* grown = first ? std::calloc(capacity, sizeof(T))
                        : std::realloc(static_cast<void*>(data_), capacity * sizeof(T));
    if (grown == nullptr) throw std::bad_alloc();
    data_ = static_cast<T*>(grown);
    capacity_ = capacity;
    if (!first) used_ = capacity;
  }

  void fill(std::size_t first, std::size_t last, const T& neutral) {
    static constexpr T kZero{};
    std::size_t end = last;
    if (std::memcmp(&neutral, &kZero, sizeof(T)) == 0) end = std::min(last, used_);
    for (std::size_t i = first; i < end; ++i) data_[i] = neutral;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;  ///< from here on memory is zero, or belongs to values that are in use
};

}  // namespace presso::query::grouping
