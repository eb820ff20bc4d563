// SPDX-License-Identifier: MIT
// Writes bits into bytes, the lowest first (FORMAT.md 13.2), for the encoder of the Bit coding.
#pragma once

#include <cstdint>

#include "presso/byte_stream.h"

namespace presso {

/// Collects bits in a 64-bit word and stores 32 at a time; makes room as it goes.
class BitWriter {
 public:
  /// Writes after what `to` holds; its size is right after finish().
  explicit BitWriter(Buffer& to) : to_(to), begin_(to.size()), at_(begin_) { make_room(); }

  /// Writes `count` bits (at most 32) of `value`, which is below 2^count.
  void put(std::uint64_t value, unsigned count) {
    waiting_ |= value << count_;
    count_ += count;
    if (count_ >= 32) flush();
  }

  std::uint64_t bits() const { return 8 * std::uint64_t{at_ - begin_} + count_; }

  /// Adds zeros up to a whole byte and sets the buffer's size.
  void finish() {
    store<std::uint64_t>(to_.data() + at_, waiting_);
    to_.grow(at_ + (count_ + 7) / 8);
  }

 private:
  static constexpr std::size_t kStep = 4096;

  void flush() {
    store<std::uint32_t>(to_.data() + at_, static_cast<std::uint32_t>(waiting_));
    at_ += 4;
    waiting_ >>= 32;
    count_ -= 32;
    if (at_ + 8 > to_.size()) make_room();
  }
  void make_room() { to_.grow(at_ + at_ / 2 + kStep); }

  Buffer& to_;
  std::size_t begin_;
  std::size_t at_;
  std::uint64_t waiting_ = 0;
  unsigned count_ = 0;
};

/// Like BitWriter, into memory that is large enough: it never tests for room, and the caller
/// says when to store.
class WideBitWriter {
 public:
  /// Up to eight bytes after the last needed one may be written.
  explicit WideBitWriter(Byte* to) : begin_(to), at_(to) {}

  /// Writes `count` bits of `value`, which is below 2^count. There may be at most 57 bits between
  /// two calls of store_bytes().
  void put(std::uint64_t value, unsigned count) {
    waiting_ |= value << count_;
    count_ += count;
  }

  /// Stores the whole bytes that were written; up to 7 bits go on waiting.
  void store_bytes() {
    store<std::uint64_t>(at_, waiting_);
    at_ += count_ / 8;
    waiting_ >>= count_ & ~7u;
    count_ %= 8;
  }

  std::uint64_t bits() const { return 8 * static_cast<std::uint64_t>(at_ - begin_) + count_; }

 private:
  Byte* begin_;
  Byte* at_;
  std::uint64_t waiting_ = 0;
  unsigned count_ = 0;
};

}  // namespace presso
