// SPDX-License-Identifier: MIT
// The interface for work on decoded batches in device memory, in place of writing them out: text
// searches (scan/gpu) are done so. Each batch goes through three calls, which come on different
// threads:
//
//   enqueue   while the batch is being sent, one call at a time: what is to run after its decoder
//   fetch     when that is done: brings results to the host; several batches at once
//   take      in order, one call at a time
//
// A batch that the CPU had to decode, since a block is damaged or no block for GPUs or since the
// GPU has failed, comes to take() with its plain bytes and has not been fetched. A batch of damaged
// places only, or of nothing, comes there without any bytes.
#pragma once

#include "decompress/gpu/pipeline/slot_batch.h"
#include "decompress/gpu/runtime/memory.h"

namespace presso::gpu {

/// A batch under way in its slot.
struct SlotView {
  const SlotBatch& batch;
  std::size_t slot = 0;  ///< its number, by which a consumer finds its own memory for this slot
  const Byte* d_plain = nullptr;  ///< by the batch's plain offsets, 256-byte aligned
  Stream stream = nullptr;
  Memory& memory;
};

/// Implemented by whoever works on batches; kept by reference in a DecodeJob. It must outlive
/// the job, and fetch() must be safe to call from several threads.
class BatchConsumer {
 public:
  virtual ~BatchConsumer() = default;

  /// Errors are the device's failure.
  virtual Status enqueue(const SlotView& view) = 0;
  /// Brings the results of enqueue() to the host. Every block's code is kOk, and no place is
  /// damaged. An error counts as a failure of the device.
  virtual Status fetch(const SlotView& view) = 0;
  /// `plain`: where the CPU has decoded the batch, by its plain offsets; else nullptr. An error, or
  /// false, ends the job; then its result is kCancelled.
  virtual Result<bool> take(const SlotBatch& batch, std::size_t slot, const Byte* plain) = 0;
};

}  // namespace presso::gpu
