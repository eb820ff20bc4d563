// SPDX-License-Identifier: MIT
// Collects arrays that are copied to the device in one piece. Host code without CUDA.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "decompress/gpu/runtime/memory_parts.h"
#include "presso/bytes.h"

namespace presso::gpu {

class Upload {
 public:
  /// A number for at(). The array is kept by reference; what is in it may change until write().
  template <class T>
  std::size_t add(std::span<const T> values) {
    pieces_.push_back({reinterpret_cast<const Byte*>(values.data()), values.size() * sizeof(T),
                       parts_.add(values.size() * sizeof(T))});
    return pieces_.size() - 1;
  }
  template <class T>
  std::size_t add(const std::vector<T>& values) {
    return add(std::span<const T>(values));
  }
  std::uint64_t bytes() const { return parts_.bytes(); }
  void write(Byte* to) const {
    for (const Piece& piece : pieces_) {
      if (piece.bytes != 0) std::memcpy(to + piece.at, piece.data, piece.bytes);
    }
  }
  /// Where an array comes to lie. `there`: where all of them do.
  template <class T>
  const T* at(const Byte* there, std::size_t piece) const {
    return reinterpret_cast<const T*>(there + pieces_[piece].at);
  }

 private:
  struct Piece {
    const Byte* data;
    std::size_t bytes;
    std::uint64_t at;
  };
  std::vector<Piece> pieces_;
  MemoryParts parts_;
};

}  // namespace presso::gpu
