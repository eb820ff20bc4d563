// SPDX-License-Identifier: MIT
// The memory of one join on one stream. Whatever has been enqueued is done before it goes.
#pragma once

#include <string>
#include <vector>

#include "query/gpu/join/join_workplace.h"

namespace presso::gpu {

inline constexpr std::uint64_t kBitsOfWord = 8 * sizeof(std::uint32_t);

class JoinScratch {
 public:
  JoinScratch(JoinWorkplace& place, Stream stream) : place_(place), stream_(stream) {}
  JoinScratch(const JoinScratch&) = delete;
  JoinScratch& operator=(const JoinScratch&) = delete;
  ~JoinScratch() {
    if (is_enqueued_) static_cast<void>(place_.device().wait(stream_));
  }

  /// Before anything is enqueued. Errors, of all: kDeviceMemory with what was wanted for `what`,
  /// kOutOfMemory, kDeviceLost.
  Status begin();
  /// Waits for all that is enqueued.
  Status finish();

  JoinWorkplace& place() { return place_; }
  Stream stream() const { return stream_; }

  /// Until this object goes.
  Result<Byte*> allocate(std::uint64_t bytes, const std::string& what);
  template <class T>
  Result<T*> allocate_values(std::uint64_t count, const std::string& what) {
    PRESSO_ASSIGN(Byte* const memory, allocate(count * sizeof(T), what));
    return reinterpret_cast<T*>(memory);
  }
  /// A bit a row, whole words.
  Result<std::uint32_t*> allocate_bits(std::uint64_t rows, const std::string& what) {
    return allocate_values<std::uint32_t>((rows + kBitsOfWord - 1) / kBitsOfWord, what);
  }
  /// For the answer, with at least one byte, since what has none needs an address all the same.
  Result<DeviceMemory> allocate_for(std::uint64_t bytes, const std::string& what);

  /// At most kBackBytes. Waits.
  Status read_back(void* to, const void* d_from, std::size_t bytes);

  static constexpr std::size_t kBackBytes = 64;  ///< for totals or ranges

 private:
  JoinWorkplace& place_;
  Stream stream_;
  PinnedMemory back_;
  std::vector<DeviceMemory> held_;
  bool is_enqueued_ = false;
};

}  // namespace presso::gpu
