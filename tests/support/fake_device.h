// SPDX-License-Identifier: MIT
// A GPU for tests of the host side: streams are threads, device memory is host memory, blocks are
// decoded by the CPU decoder. It counts memory, refuses pointers of the wrong kind, and fails where
// it is told to. Work of a stream happens at its own pace and never before what it has to wait for.
#pragma once

#include <atomic>
#include <memory>

#include "decompress/gpu/batch/batch_decoder.h"

namespace presso::test {

constexpr std::size_t kNever = ~std::size_t{0};

/// Which call fails, each kind counted from 0.
struct FakeFaults {
  bool no_device = false;                  ///< the first stream is refused with kNoDevice
  std::size_t allocation = kNever;         ///< this one and all later
  std::size_t pinned_allocation = kNever;  ///< likewise
  std::size_t copy = kNever;               ///< the call itself: kDeviceLost, then all fail
  std::size_t decode = kNever;             ///< likewise
  /// As a kernel's fault: the decode is accepted, but the device is lost when it comes to it.
  std::size_t decode_later = kNever;
  /// As a decoder's fault: one block of that decode keeps a status that is none.
  std::size_t odd_status = kNever;
  /// Likewise, but the status says that the block, which is sound, fails its checksum.
  std::size_t false_damage = kNever;
  std::uint64_t device_memory = ~std::uint64_t{0};
  std::uint64_t pinned_memory = ~std::uint64_t{0};
};

/// What the device was asked for. Outlives the device.
struct FakeCounts {
  std::atomic<std::uint64_t> device_bytes{0}, most_device_bytes{0};
  std::atomic<std::uint64_t> pinned_bytes{0}, most_pinned_bytes{0};
  std::atomic<std::uint64_t> live_handles{0};  ///< streams and events
  std::atomic<std::uint64_t> allocations{0}, pinned_allocations{0};
  std::atomic<std::uint64_t> copies{0}, decodes{0}, blocks{0}, largest_batch_bytes{0};
  std::atomic<std::uint64_t> bytes_in{0}, bytes_out{0}, bytes_within{0};
  std::atomic<std::uint64_t> slow_blocks{0};   ///< at addresses that a GPU's fast decoders decline
  std::atomic<std::uint64_t> bit_batches = 0;  ///< decoded with room for Bit blocks
  std::atomic<std::uint64_t> misuses{0};       ///< pointers of the wrong kind, too little memory
};

gpu::DecodingDevice make_fake_device(std::shared_ptr<FakeCounts> counts,
                                     const FakeFaults& faults = {});

}  // namespace presso::test
