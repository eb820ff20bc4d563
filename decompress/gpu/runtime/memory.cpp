// SPDX-License-Identifier: MIT
#include "decompress/gpu/runtime/memory.h"

#include <string>

namespace presso::gpu {
namespace {

/// Counts `bytes` in, unless that would pass `limit`.
bool take(std::atomic<std::uint64_t>& used, std::uint64_t bytes, std::uint64_t limit) {
  std::uint64_t before = used;
  do {
    if (bytes > limit || before > limit - bytes) return false;
  } while (!used.compare_exchange_weak(before, before + bytes));
  return true;
}

Error over_limit(ErrorCode code, const char* kind, std::uint64_t bytes, std::uint64_t limit) {
  return make_error(code, std::to_string(bytes) + " more bytes of " + kind +
                              " memory would pass the limit of " + std::to_string(limit));
}

}  // namespace

Result<DeviceMemory> Memory::allocate(std::uint64_t bytes) {
  if (!take(device_bytes_, bytes, limits_.device_bytes)) {
    return over_limit(ErrorCode::kDeviceMemory, "device", bytes, limits_.device_bytes);
  }
  auto data = device_.allocate(static_cast<std::size_t>(bytes));
  if (data.ok()) return DeviceMemory(*this, *data, bytes);
  device_bytes_ -= bytes;
  return std::move(data.error());
}

Result<PinnedMemory> Memory::allocate_pinned(std::uint64_t bytes) {
  if (!take(pinned_bytes_, bytes, limits_.pinned_bytes)) {
    return over_limit(ErrorCode::kOutOfMemory, "pinned", bytes, limits_.pinned_bytes);
  }
  auto data = device_.allocate_pinned(static_cast<std::size_t>(bytes));
  if (data.ok()) return PinnedMemory(*this, *data, bytes);
  pinned_bytes_ -= bytes;
  return std::move(data.error());
}

void Memory::release(MemoryKind kind, Byte* data, std::uint64_t bytes) {
  if (kind == MemoryKind::kDevice) {
    device_.release(data);
    device_bytes_ -= bytes;
  } else {
    device_.release_pinned(data);
    pinned_bytes_ -= bytes;
  }
}

}  // namespace presso::gpu
