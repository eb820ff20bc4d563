// SPDX-License-Identifier: MIT
// Computes how one piece of temporary device memory is divided into parts. Host code without CUDA.
#pragma once

#include <cstdint>

namespace presso::gpu {

/// Hands out parts one after another, each at a multiple of kAlignment, as Device::allocate aligns:
///
///   MemoryParts parts;
///   const std::uint64_t sums = parts.add(4 * tiles);   // offsets from the beginning
///   const std::uint64_t rows = parts.add(8 * lines);
///   allocate(parts.bytes());
class MemoryParts {
 public:
  static constexpr std::uint64_t kAlignment = 256;

  /// The offset of a new part of this size.
  constexpr std::uint64_t add(std::uint64_t bytes) {
    const std::uint64_t offset = bytes_;
    bytes_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return offset;
  }
  /// What all parts take together.
  constexpr std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t bytes_ = 0;
};

}  // namespace presso::gpu
