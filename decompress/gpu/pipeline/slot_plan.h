// SPDX-License-Identifier: MIT
// How large a slot is, and how many there are. A slot holds one batch on its way through the GPU:
//
//   pinned in    stored blocks | BlockSpan of each | table of dictionaries
//   device in    the same
//   device out   plain bytes | status of each block
//   pinned out   the same; only statuses where plain bytes do not come this way
//
// with the second part right behind what is used of the first, so that each way takes one copy.
// PCIe reaches its rate with copies of 4 MiB (54 of 55 GB/s; 49 with 1 MiB), and pinning memory
// costs more than copying it, so slots grow with the work: a 64th of it, 8 to 64 MiB.
#pragma once

#include "decompress/gpu/pipeline/memory.h"
#include "presso/decompress_gpu.h"

namespace presso::gpu {

struct SlotCapacity {
  std::uint64_t stored_bytes = 0;
  std::uint64_t plain_bytes = 0;
  std::uint32_t blocks = 0;
  bool keeps_output = true;

  /// Sizes of the parts drawn above.
  std::uint64_t in_bytes() const;
  std::uint64_t out_bytes() const;
  std::uint64_t pinned_bytes() const;
  std::uint64_t device_bytes(Device& device, const BatchOptions& options) const;
  friend bool operator==(const SlotCapacity&, const SlotCapacity&) = default;
};

/// The table of dictionaries goes by id, and id 0 is none.
constexpr std::uint32_t kTableDictionaries = kMaxDictionaries + 1;

/// A slot for batches of `plain_bytes`, of which `ratio` plain bytes take one stored byte.
SlotCapacity capacity_for(std::uint64_t plain_bytes, double ratio, bool keeps_output);

/// Large enough for one more block of this size, at least.
SlotCapacity grown_for(SlotCapacity capacity, std::uint64_t stored_bytes,
                       std::uint64_t plain_bytes);

struct SlotPlan {
  unsigned slots = 1;
  SlotCapacity capacity;
};

/// The largest slots, and of them as many as asked for and useful, that fit the limits together
/// with `dictionary_bytes` on the device. Where not even one small slot does, that one.
SlotPlan plan_slots(const GpuOptions& options, const WorkHint& hint, const MemoryLimits& limits,
                    std::uint64_t dictionary_bytes, Device& device);

/// Half the capacity, or nullopt below what is worth trying.
std::optional<SlotCapacity> halved(const SlotCapacity& capacity);

}  // namespace presso::gpu
