// SPDX-License-Identifier: MIT
// Memory: two counters, a limit for each, and kept pieces by size.
#include "decompress/gpu/runtime/memory.h"

#include <algorithm>
#include <new>
#include <string>

namespace presso::gpu {
namespace {

/// Adds `bytes` to `used` unless that would exceed `limit`; returns whether it did.
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

Memory::~Memory() {
  drop_kept(MemoryKind::kDevice);
  drop_kept(MemoryKind::kPinned);
}

// Kept memory first, then new memory; where that fails all kept memory is freed and the device
// asked once more.
Result<DeviceMemory> Memory::allocate(std::uint64_t bytes) {
  DeviceMemory kept = take_kept<MemoryKind::kDevice>(bytes);
  if (kept.get() != nullptr) return kept;
  auto made = allocate_new(bytes);
  if (made.ok() || !is_out_of_memory(made.error()) || !drop_kept(MemoryKind::kDevice)) return made;
  return allocate_new(bytes);
}

Result<PinnedMemory> Memory::allocate_pinned(std::uint64_t bytes) {
  PinnedMemory kept = take_kept<MemoryKind::kPinned>(bytes);
  if (kept.get() != nullptr) return kept;
  auto made = allocate_new_pinned(bytes);
  if (made.ok() || !is_out_of_memory(made.error()) || !drop_kept(MemoryKind::kPinned)) return made;
  return allocate_new_pinned(bytes);
}

// Counted before it is allocated, so that threads cannot pass the limit together.
Result<DeviceMemory> Memory::allocate_new(std::uint64_t bytes) {
  if (!take(device_bytes_, bytes, limits_.device_bytes)) {
    return over_limit(ErrorCode::kDeviceMemory, "device", bytes, limits_.device_bytes);
  }
  auto data = device_.allocate(static_cast<std::size_t>(bytes));
  if (data.ok()) return DeviceMemory(*this, *data, bytes);
  device_bytes_ -= bytes;
  return std::move(data.error());
}

Result<PinnedMemory> Memory::allocate_new_pinned(std::uint64_t bytes) {
  if (!take(pinned_bytes_, bytes, limits_.pinned_bytes)) {
    return over_limit(ErrorCode::kOutOfMemory, "pinned", bytes, limits_.pinned_bytes);
  }
  auto data = device_.allocate_pinned(static_cast<std::size_t>(bytes));
  if (data.ok()) return PinnedMemory(*this, *data, bytes);
  pinned_bytes_ -= bytes;
  return std::move(data.error());
}

std::uint64_t Memory::device_bytes_left() const {
  const std::lock_guard lock(keeping_);
  return limits_.device_bytes - device_bytes_ + kept_[static_cast<int>(MemoryKind::kDevice)].bytes;
}

/// At most a quarter larger than asked for, or 64 KiB, so that small requests do not use up
/// large pieces.
template <MemoryKind kKind>
Held<kKind> Memory::take_kept(std::uint64_t bytes) {
  constexpr std::uint64_t kSmall = std::uint64_t{1} << 16;
  const std::lock_guard lock(keeping_);
  Kept& kept = kept_[static_cast<int>(kKind)];
  const auto found = kept.memory.lower_bound(bytes);
  const bool fits =
      found != kept.memory.end() && found->first <= std::max(bytes + bytes / 4, kSmall);
  if (!fits) return {};
  const auto [size, data] = *found;
  kept.memory.erase(found);
  kept.bytes -= size;
  return {*this, data, size};
}

bool Memory::keep(MemoryKind kind, Byte* data, std::uint64_t bytes) {
  const std::lock_guard lock(keeping_);
  Kept& kept = kept_[static_cast<int>(kind)];
  const std::uint64_t most = most_kept_[static_cast<int>(kind)];
  if (most == 0 || bytes > most - kept.bytes) return false;
  try {
    kept.memory.emplace(bytes, data);
  } catch (const std::bad_alloc&) {
    return false;  // it comes back while something is destroyed, where nothing may be thrown
  }
  kept.bytes += bytes;
  return true;
}

// Called where memory is short, and at the end.
bool Memory::drop_kept(MemoryKind kind) {
  const std::lock_guard lock(keeping_);
  Kept& kept = kept_[static_cast<int>(kind)];
  const bool has_some = !kept.memory.empty();
  for (const auto& [bytes, data] : kept.memory) give_back(kind, data, bytes);
  kept = {};
  return has_some;
}

void Memory::release(MemoryKind kind, Byte* data, std::uint64_t bytes) {
  if (!keep(kind, data, bytes)) give_back(kind, data, bytes);
}

void Memory::give_back(MemoryKind kind, Byte* data, std::uint64_t bytes) {
  if (kind == MemoryKind::kDevice) {
    device_.release(data);
    device_bytes_ -= bytes;
  } else {
    device_.release_pinned(data);
    pinned_bytes_ -= bytes;
  }
}

}  // namespace presso::gpu
