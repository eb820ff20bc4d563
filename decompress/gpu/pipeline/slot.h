// SPDX-License-Identifier: MIT
// A slot: memory, stream and events of one batch on its way through the GPU (slot_plan.h draws the
// memory). Copies in of all slots share a stream, and so do copies out of plain bytes, since each
// direction of PCIe is one resource; decoding has a stream a slot, so that the last blocks of one
// batch and the first of the next run beside each other. Plain bytes that stay on the device go by
// the slot's stream too, and so do their statuses: there they wait for no other batch.
//
//   shared in stream     copy in k+1 ......  copy in k+2 ......
//   slot's own stream    decode k ....       decode k+1 ....
//   shared out stream    copy out k-1 ...... copy out k ......
#pragma once

#include "decompress/gpu/pipeline/batch_consumer.h"
#include "decompress/gpu/pipeline/device_dictionaries.h"
#include "decompress/gpu/pipeline/slot_batch.h"
#include "decompress/gpu/runtime/team.h"

namespace presso::gpu {

/// A part of a slot's plain bytes and its place, `target_offset`, in the memory that it belongs to.
struct PlainPiece {
  std::uint64_t slot_offset = 0;
  std::uint64_t target_offset = 0;
  std::uint64_t bytes = 0;
};

/// Appends `piece`, or makes the last piece longer if it continues it.
void append_piece(std::vector<PlainPiece>& pieces, const PlainPiece& piece);

/// Where decoded bytes go. The statuses always come to the slot's pinned memory.
struct PlainTarget {
  enum class Kind {
    kNowhere,
    kSlot,    ///< the slot's pinned memory
    kHost,    ///< `pieces` to `base`, pinned
    kDevice,  ///< `pieces` to `base`, device memory
    kDirect,  ///< decoded to `base`, device memory, by the batch's own plain offsets
  };
  Kind kind = Kind::kSlot;
  Byte* base = nullptr;
  std::vector<PlainPiece> pieces = {};
  BatchConsumer* consumer = nullptr;  ///< with kNowhere: takes the bytes where they are
};

/// Decodes a batch on the CPU, on the threads of `team`: writes batch.codes() and returns the plain
/// bytes by their slot offsets.
Buffer decode_on_cpu(SlotBatch& batch, const DecodeOptions& options, Team& team);
/// Decodes again the blocks that the GPU has found damaged, so that their errors are in full those
/// of the CPU. kDeviceLost where one of them is not damaged; kOutOfMemory.
Status diagnose_on_cpu(SlotBatch& batch, const DecodeOptions& options, Team& team);

/// What the slots of a pipeline share: the device, the decoder, and the two streams for copies.
struct Lanes {
  Device& device;
  BatchDecoder& decoder;
  Stream in = nullptr;
  Stream out = nullptr;
};

/// The memory, stream and events for one batch at a time. An owner fills it (staging()), sends it,
/// waits, and reads codes and plain bytes.
class Slot {
 public:
  /// Makes slot number `number` with its stream and events, and without memory.
  static Result<std::unique_ptr<Slot>> make(Device& device, std::size_t number);
  std::size_t number() const { return number_; }

  /// Gives the slot memory for this capacity. It frees the old memory first, so after an error it
  /// has none. Errors: kDeviceMemory, kOutOfMemory, kDeviceLost.
  Status resize(Memory& memory, BatchDecoder& decoder, const SlotCapacity& capacity,
                const BatchOptions& options);
  const SlotCapacity& capacity() const { return capacity_; }
  /// Where stored blocks are to be put.
  Byte* staging() const { return in_.get(); }
  /// Pageable memory for stored blocks, for a batch that the CPU is to decode.
  Byte* stage_on_host(std::uint64_t stored_bytes);

  /// Enqueues copy in, decoding and copy out. What the target names, and pinned memory that the
  /// batch lies in, stay until wait() returns.
  Status send(const Lanes& lanes, const SlotBatch& batch, const DictionaryTable& table,
              const BatchOptions& options, const PlainTarget& target, Memory& memory);
  /// For a batch that stays in device memory (PlainTarget::Kind::kNowhere).
  SlotView view(const SlotBatch& batch, Memory& memory) const {
    return {batch, number_, d_out_.get(), stream_.get(), memory};
  }
  /// Waits until what was sent is done.
  Status wait(Device& device) const { return device.wait(done_.get()); }
  Stream stream() const { return stream_.get(); }
  /// After wait(): writes batch.codes(). kDeviceLost where they make no sense.
  Status read_codes(SlotBatch& batch) const;
  /// The batch's plain bytes by their slot offsets, after kSlot.
  const Byte* plain() const { return out_.get(); }

  /// The dictionaries of the batch under way; set by whoever sends it.
  DeviceDictionaries::Lease lease;

 private:
  Slot() = default;
  Status copy_in(const Lanes& lanes, const SlotBatch& batch, const DictionaryTable& table) const;
  Status decode(BatchDecoder& decoder, const SlotBatch& batch, const BatchOptions& options,
                const PlainTarget& target) const;
  Status copy_out(const Lanes& lanes, const SlotBatch& batch, const PlainTarget& target);
  Status copy_pieces(const Lanes& lanes, const PlainTarget& target) const;

  std::size_t number_ = 0;
  SlotCapacity capacity_;
  OwnedStream stream_;
  OwnedEvent arrived_, decoded_, copied_, done_;
  PinnedMemory in_, out_;
  DeviceMemory d_in_, d_out_, d_temporary_;
  Buffer host_;
  std::uint64_t status_at_ = 0;  ///< in out_
};

}  // namespace presso::gpu
