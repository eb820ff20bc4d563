// SPDX-License-Identifier: MIT
// Parquet's packed small integers: the hybrid of runs and bit-packed groups of eight, which levels,
// codes of dictionaries and truths are written in, and the old bit-packed levels, whose bits begin
// at the most significant one. Tested by tests/differential/parquet_oracle.py.
#pragma once

#include <algorithm>
#include <cstdint>

#include "presso/bytes.h"

namespace presso::cli {

/// Reads `width` bits (at most 32) from bit `at` on. Eight bytes from there are read, for which the
/// slack of a Buffer is meant.
inline std::uint32_t packed_bits(const Byte* from, std::uint64_t at, unsigned width) {
  const auto word = load<std::uint64_t>(from + at / 8) >> (at % 8);
  return static_cast<std::uint32_t>(word & ((std::uint64_t{1} << width) - 1));
}

/// Gives the integers in order. The bytes must have a Buffer's slack after them.
class HybridReader {
 public:
  HybridReader() = default;
  /// `width`: bits of an integer, 0 to 32.
  HybridReader(Bytes bytes, unsigned width) : bytes_(bytes), width_(width) {}

  /// Writes the next `count` integers; false if the bytes end before that.
  template <class T>
  bool read(T* to, std::size_t count) {
    while (count > 0) {
      if (left_ == 0 && !begin_run()) return false;
      const std::size_t taken = std::min<std::uint64_t>(left_, count);
      if (is_run_) {
        std::fill_n(to, taken, static_cast<T>(value_));
      } else {
        for (std::size_t i = 0; i < taken; ++i, bit_ += width_) {
          to[i] = static_cast<T>(packed_bits(bytes_.data(), bit_, width_));
        }
      }
      left_ -= taken;
      to += taken;
      count -= taken;
    }
    return true;
  }

 private:
  bool begin_run() {
    std::uint64_t head = 0;
    for (unsigned shift = 0;; shift += 7) {
      if (at_ >= bytes_.size() || shift > 28) return false;
      head |= std::uint64_t{bytes_[at_] & 0x7Fu} << shift;
      if ((bytes_[at_++] & 0x80) == 0) break;
    }
    is_run_ = (head & 1) == 0;
    return is_run_ ? begin_equal(head >> 1) : begin_packed(head >> 1);
  }

  bool begin_equal(std::uint64_t count) {
    const std::size_t bytes = (width_ + 7) / 8;
    if (bytes > bytes_.size() - at_) return false;
    value_ = 0;
    for (std::size_t i = 0; i < bytes; ++i) value_ |= std::uint32_t{bytes_[at_ + i]} << (8 * i);
    at_ += bytes;
    left_ = count;
    return true;
  }

  /// The last group may be cut short, if what is missing is not needed.
  bool begin_packed(std::uint64_t groups) {
    const std::uint64_t rest = bytes_.size() - at_;
    const std::uint64_t bytes = std::min(groups * width_, rest);
    left_ = width_ == 0 ? 8 * groups : std::min(8 * groups, 8 * bytes / width_);
    bit_ = 8 * std::uint64_t{at_};
    at_ += bytes;
    return left_ > 0 || groups == 0;
  }

  Bytes bytes_;
  unsigned width_ = 0;
  std::size_t at_ = 0;
  std::uint64_t left_ = 0;  ///< of the present run
  std::uint64_t bit_ = 0;
  std::uint32_t value_ = 0;
  bool is_run_ = false;
};

/// The levels of a page: in the hybrid form, in the old packed one, or all 0 if the highest is 0.
class LevelReader {
 public:
  LevelReader() = default;
  LevelReader(Bytes bytes, int most, bool old_packed)
      : bytes_(bytes), width_(bits_of(most)), old_packed_(old_packed), hybrid_(bytes, width_) {}

  static unsigned bits_of(int most) {
    unsigned bits = 0;
    while (most >> bits != 0) ++bits;
    return bits;
  }

  bool read(Byte* to, std::size_t count) {
    if (!old_packed_) return hybrid_.read(to, count);
    if ((at_ + count) * width_ > 8 * std::uint64_t{bytes_.size()}) return false;
    for (std::size_t i = 0; i < count; ++i, ++at_) {
      unsigned level = 0;
      for (std::uint64_t bit = at_ * width_; bit < (at_ + 1) * width_; ++bit) {
        level = level << 1 | (bytes_[bit / 8] >> (7 - bit % 8) & 1u);
      }
      to[i] = static_cast<Byte>(level);
    }
    return true;
  }

 private:
  Bytes bytes_;
  unsigned width_ = 0;
  bool old_packed_ = false;
  HybridReader hybrid_;
  std::uint64_t at_ = 0;
};

}  // namespace presso::cli
