// SPDX-License-Identifier: MIT
// Memory for kernels under test: bytes at an address of a chosen remainder, with nothing behind
// them, so that the address sanitizer sees a read past their end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>

#include "presso/bytes.h"

namespace presso::test {

/// `size` bytes at an address that is `remainder` more than a multiple of 256, as device memory is
/// allocated. The bytes in front of it hold kCanary; intact() says whether they still do.
class PlacedBytes {
 public:
  static constexpr std::size_t kAlignment = 256;
  static constexpr Byte kCanary = 0xC5;

  PlacedBytes(std::size_t size, std::size_t remainder)
      : memory_(
            static_cast<Byte*>(::operator new (size + remainder, std::align_val_t{kAlignment}))),
        size_(size),
        remainder_(remainder) {
    std::fill_n(memory_, remainder, kCanary);
    std::fill_n(data(), size, Byte{0x5A});
  }
  PlacedBytes(Bytes bytes, std::size_t remainder) : PlacedBytes(bytes.size(), remainder) {
    std::copy(bytes.begin(), bytes.end(), data());
  }
  PlacedBytes(const PlacedBytes&) = delete;
  PlacedBytes& operator=(const PlacedBytes&) = delete;
  ~PlacedBytes() { ::operator delete (memory_, std::align_val_t{kAlignment}); }

  Byte* data() { return memory_ + remainder_; }
  const Byte* data() const { return memory_ + remainder_; }
  std::size_t size() const { return size_; }
  Bytes bytes() const { return {data(), size_}; }
  bool intact() const {
    return std::all_of(memory_, memory_ + remainder_, [](Byte byte) { return byte == kCanary; });
  }

 private:
  Byte* memory_;
  std::size_t size_;
  std::size_t remainder_;
};

}  // namespace presso::test
