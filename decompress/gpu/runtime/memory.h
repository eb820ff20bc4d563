// SPDX-License-Identifier: MIT
// Device and pinned memory under two limits. Whatever the host side of GPU decoding allocates comes
// from here, so the limits hold for all of it together.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>

#include "decompress/gpu/runtime/device.h"

namespace presso::gpu {

/// Memory of the GPU, or page-locked memory of the host.
enum class MemoryKind { kDevice, kPinned };

class Memory;

/// Memory of one kind that returns to its Memory when it goes.
template <MemoryKind kKind>
class Held {
 public:
  Held() = default;
  Held(Memory& from, Byte* data, std::uint64_t bytes) : from_(&from), data_(data), bytes_(bytes) {}
  Held(Held&& other) noexcept { *this = std::move(other); }
  Held& operator=(Held&& other) noexcept {
    reset();
    from_ = other.from_;
    data_ = std::exchange(other.data_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
    return *this;
  }
  ~Held() { reset(); }

  void reset();
  Byte* get() const { return data_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  Memory* from_ = nullptr;
  Byte* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

using DeviceMemory = Held<MemoryKind::kDevice>;
using PinnedMemory = Held<MemoryKind::kPinned>;

/// How much memory may be in use at a time. There are no limits by default.
struct MemoryLimits {
  std::uint64_t device_bytes = ~std::uint64_t{0};
  std::uint64_t pinned_bytes = ~std::uint64_t{0};
};

/// Hands out device memory and pinned memory, and counts both against the limits. Thread-safe.
class Memory {
 public:
  /// `kept`: how many bytes of memory that comes back are kept and given out again. That costs
  /// nothing, while CUDA takes up to some milliseconds and waits for the device. It is only for
  /// callers whose work on the device is in the order of a single stream at a time, since work that
  /// was enqueued earlier may still use device memory that comes back; work on pinned memory must
  /// be done by then.
  Memory(Device& device, MemoryLimits limits, MemoryLimits kept = {0, 0})
      : device_(device), limits_(limits), most_kept_{kept.device_bytes, kept.pinned_bytes} {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();

  Device& device() const { return device_; }
  const MemoryLimits& limits() const { return limits_; }
  /// What the limit leaves of device memory; there may be less on the device.
  std::uint64_t device_bytes_left() const;

  /// At least `bytes` bytes. Errors: kDeviceMemory, also if the limit forbids it; kDeviceLost.
  Result<DeviceMemory> allocate(std::uint64_t bytes);
  /// kOutOfMemory, also where the limit does not allow it; kDeviceLost.
  Result<PinnedMemory> allocate_pinned(std::uint64_t bytes);

 private:
  template <MemoryKind kKind>
  friend class Held;

  /// What came back and was kept, which counts as used.
  struct Kept {
    std::multimap<std::uint64_t, Byte*> memory;  ///< by bytes
    std::uint64_t bytes = 0;
  };

  /// Takes back memory that a Held no longer needs: keeps it, or gives it back to the device.
  void release(MemoryKind kind, Byte* data, std::uint64_t bytes);
  /// Returns memory to the device; it no longer counts as used.
  void give_back(MemoryKind kind, Byte* data, std::uint64_t bytes);
  /// Allocates memory from the device without looking at what is kept.
  Result<DeviceMemory> allocate_new(std::uint64_t bytes);
  Result<PinnedMemory> allocate_new_pinned(std::uint64_t bytes);
  /// Kept memory that is not much larger than `bytes`; empty if there is none.
  template <MemoryKind kKind>
  Held<kKind> take_kept(std::uint64_t bytes);
  /// Keeps memory that comes back, if it may; returns whether it does.
  bool keep(MemoryKind kind, Byte* data, std::uint64_t bytes);
  /// Frees all kept memory of this kind; returns whether there was any.
  bool drop_kept(MemoryKind kind);

  Device& device_;
  MemoryLimits limits_;
  std::uint64_t most_kept_[2];  ///< by MemoryKind
  mutable std::mutex keeping_;
  Kept kept_[2];  ///< by MemoryKind
  std::atomic<std::uint64_t> device_bytes_{0};
  std::atomic<std::uint64_t> pinned_bytes_{0};
};

template <MemoryKind kKind>
void Held<kKind>::reset() {
  if (data_ != nullptr) from_->release(kKind, std::exchange(data_, nullptr), bytes_);
  bytes_ = 0;
}

/// Whether less memory might have worked.
inline bool is_out_of_memory(const Error& error) {
  return error.code == ErrorCode::kDeviceMemory || error.code == ErrorCode::kOutOfMemory;
}

}  // namespace presso::gpu
