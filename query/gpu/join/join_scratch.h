// SPDX-License-Identifier: MIT
// The temporary memory of one join on one stream (DeviceJoiner::join()). Everything that has been
// enqueued is done before the memory is given back. Tested by tests/simt/device_joiner_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "query/gpu/join/join_workplace.h"

namespace presso::gpu {

inline constexpr std::uint64_t kBitsOfWord = 8 * sizeof(std::uint32_t);

/// Belongs to one call of DeviceJoiner::join(). The destructor waits for the stream.
class JoinScratch {
 public:
  JoinScratch(JoinWorkplace& place, Stream stream) : place_(place), stream_(stream) {}
  JoinScratch(const JoinScratch&) = delete;
  JoinScratch& operator=(const JoinScratch&) = delete;
  ~JoinScratch() {
    if (is_enqueued_) static_cast<void>(place_.device().wait(stream_));
  }

  /// Called before anything is enqueued. Errors of all functions: kDeviceMemory with what was
  /// wanted for `what`, kOutOfMemory, kDeviceLost.
  Status begin();
  /// Waits for everything that is enqueued.
  Status finish();

  JoinWorkplace& place() { return place_; }
  Stream stream() const { return stream_; }

  /// Returns device memory that lives as long as this object.
  Result<Byte*> allocate(std::uint64_t bytes, const std::string& what);
  /// As allocate(), for `count` values.
  template <class T>
  Result<T*> allocate_values(std::uint64_t count, const std::string& what) {
    PRESSO_ASSIGN(Byte* const memory, allocate(count * sizeof(T), what));
    return reinterpret_cast<T*>(memory);
  }
  /// As allocate(), for a bit for each row, in whole words.
  Result<std::uint32_t*> allocate_bits(std::uint64_t rows, const std::string& what) {
    return allocate_values<std::uint32_t>((rows + kBitsOfWord - 1) / kBitsOfWord, what);
  }
  /// Returns memory for the answer, which the caller owns; at least one byte, as even an empty
  /// answer needs an address.
  Result<DeviceMemory> allocate_for(std::uint64_t bytes, const std::string& what);

  /// Copies at most kBackBytes from the device, and waits.
  Status read_back(void* to, const void* d_from, std::size_t bytes);

  /// The most bytes of one read_back(): totals or ranges.
  static constexpr std::size_t kBackBytes = 64;

 private:
  JoinWorkplace& place_;
  Stream stream_;
  PinnedMemory back_;
  std::vector<DeviceMemory> held_;
  bool is_enqueued_ = false;
};

}  // namespace presso::gpu
