// SPDX-License-Identifier: MIT
// How large a slot is, and how many there are. A slot holds one batch on its way through the GPU:
//
//   pinned in    stored blocks | BlockSpan of each | table of dictionaries
//   device in    the same
//   device out   plain bytes | status of each block
//   pinned out   the same; only statuses where plain bytes do not come this way
//
// with the second part right after what is used of the first, so that each way takes one copy.
// PCIe reaches its rate with copies of 4 MiB (54 of 55 GB/s; 49 with 1 MiB), and pinning memory
// costs more than copying it. So slots grow with the work, by where its plain bytes go:
//
//   through the slot          a 64th of it, 8 to 64 MiB: they are pinned twice
//   to pinned memory, or none a 32nd, 8 to 64 MiB: less often a gap between two copies out
//   to device memory          what 32 MiB of stored bytes make, 64 to 512 MiB, at most a quarter of
//                             the work: a batch takes the copy in as long as its kernels, and where
//                             that cannot be (ratio above 8) it has blocks enough to fill a GPU
//
// Into device memory most blocks are decoded to their place, so that there the slot has room for 64
// MiB of plain bytes at most; what goes through it ends its batch there. Where batches are worked
// on in the slot (BatchConsumer), they are as large as for device memory, and the slot has room for
// all of their plain bytes. How much of a slot each batch uses: batch_sizes.h.
#pragma once

#include "decompress/gpu/batch/batch_decoder.h"
#include "decompress/gpu/runtime/memory.h"
#include "presso/decompress_gpu.h"

namespace presso::gpu {

/// What one batch may have at most, in bytes and blocks. The batch is full as soon as one of
/// the limits is reached.
struct SlotCapacity {
  std::uint64_t stored_bytes = 0;
  std::uint64_t plain_bytes = 0;   ///< the plain bytes of a batch
  std::uint64_t output_bytes = 0;  ///< how many of plain_bytes the slot itself has room for
  std::uint32_t blocks = 0;
  bool keeps_output = true;        ///< whether it has pinned memory for output_bytes, too
  std::uint64_t beside_bytes = 0;  ///< device memory that a BatchConsumer takes for each batch

  /// Sizes of the parts drawn above.
  std::uint64_t in_bytes() const;
  std::uint64_t out_bytes() const;
  std::uint64_t pinned_bytes() const;
  std::uint64_t device_bytes(BatchDecoder& decoder, const BatchOptions& options) const;
  friend bool operator==(const SlotCapacity&, const SlotCapacity&) = default;
};

/// The table of dictionaries goes by id, and id 0 is none.
constexpr std::uint32_t kTableDictionaries = kMaxDictionaries + 1;

/// What slots are planned for.
struct Work {
  WorkHint hint;
  bool into_device = false;  ///< plain bytes go to device memory of the caller's
  bool on_device = false;    ///< a BatchConsumer works on them in the slot
};

/// The capacity of a slot for batches of `plain_bytes`, if `ratio` plain bytes take one stored
/// byte.
SlotCapacity capacity_for(std::uint64_t plain_bytes, double ratio, const Work& work);

/// A capacity that has room for at least one more block of this size.
SlotCapacity grown_for(SlotCapacity capacity, std::uint64_t stored_bytes,
                       std::uint64_t plain_bytes);

/// Slots are all planned alike; BatchEngine may have to make some of them smaller.
struct SlotPlan {
  unsigned slots = 1;
  SlotCapacity capacity;
};

/// What a plan may use.
struct SlotBudget {
  const MemoryLimits& limits;
  std::uint64_t dictionary_bytes;  ///< device memory for dictionaries, beside the slots
  BatchDecoder& decoder;
};
/// Whether pinned and device memory for all slots stay within the limits, dictionaries
/// included.
bool fits(const SlotPlan& plan, const GpuOptions& options, const SlotBudget& budget);

/// The plan with the largest slots that fit within the limits, as many of them as the options ask
/// for and the work can use. If not even one small slot fits, the plan has that one slot.
SlotPlan plan_slots(const GpuOptions& options, const Work& work, const SlotBudget& budget);

/// covers(): whether the slots of `have` serve `wanted`, too. joined(): a plan whose slots serve
/// both.
bool covers(const SlotPlan& have, const SlotPlan& wanted);
SlotPlan joined(const SlotPlan& one, const SlotPlan& other);

/// Half the capacity, or nullopt below what is worth trying.
std::optional<SlotCapacity> halved(const SlotCapacity& capacity);

}  // namespace presso::gpu
