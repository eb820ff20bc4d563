// SPDX-License-Identifier: MIT
// A device with everything that batches need on their way through it: the shared streams, slots,
// dictionaries, and threads that read. Decompressor and GpuFile are built on it.
#pragma once

#include <memory>
#include <vector>

#include "decompress/gpu/pipeline/slot.h"
#include "decompress/gpu/runtime/team.h"

namespace presso::gpu {

/// Owns a device with its decoder and all memory of a pipeline, which is kept from run to run. A
/// Decompressor and its GpuFiles share one. One run at a time.
class BatchEngine {
 public:
  /// Makes the two shared streams and no slots yet: prepare() does that once the work is known.
  /// Errors: kDeviceLost, kOutOfMemory.
  static Result<std::unique_ptr<BatchEngine>> make(DecodingDevice device,
                                                   const GpuOptions& options);
  /// Waits for the work that is under way.
  ~BatchEngine();
  BatchEngine(const BatchEngine&) = delete;
  BatchEngine& operator=(const BatchEngine&) = delete;

  /// Makes slots for work of this kind; none may be in use. If memory does not suffice, smaller
  /// ones are tried, then fewer. Errors: kDeviceMemory, kOutOfMemory, kDeviceLost,
  /// kInvalidArgument.
  Status prepare(const Work& work);
  /// The number of slots: what the options ask for, or fewer if memory was short or the work is
  /// small.
  std::size_t slots() const { return slots_.size(); }
  /// How many plain bytes a batch of the prepared work may have; slots of earlier work may be
  /// larger.
  std::uint64_t batch_plain_bytes() const { return batch_plain_bytes_; }
  /// Whether slots have pinned memory for plain bytes (WorkHint::keeps_output).
  bool keeps_output() const { return plan_.capacity.keeps_output; }
  Slot& slot(std::size_t number) { return *slots_[number]; }

  /// Makes a slot that is not in use large enough for one more block of this size. If that fails it
  /// gets back the memory that it had, or none if even that fails.
  Status grow(Slot& slot, std::uint64_t stored_bytes, std::uint64_t plain_bytes);
  /// Slot::send() with the dictionaries that the batch needs. One caller at a time.
  Status send(Slot& slot, const SlotBatch& batch, const PlainTarget& target, bool verify);
  /// Waits until all streams are empty. Errors that show then are ignored.
  void settle();

  const GpuOptions& options() const { return options_; }
  Device& device() const { return *device_; }
  Memory& memory() { return memory_; }
  Team& readers() { return readers_; }
  /// How many dictionaries a batch may use: FeedOptions::most_dictionaries.
  std::size_t most_dictionaries() const { return most_dictionaries_; }

 private:
  BatchEngine(DecodingDevice device, const GpuOptions& options);
  /// Memory for a slot is always planned with `verify` set, the larger need.
  BatchOptions batch_options(bool verify) const { return {options_.strategy, verify}; }
  /// Adds a slot of this capacity, or of a half, a quarter and so on until it fits into memory.
  Status add_slot(SlotCapacity capacity);
  /// Frees all slots first, so that old and new memory never stand beside each other.
  Status make_slots(const SlotPlan& plan);
  Result<DeviceDictionaries::Lease> lease_dictionaries(const SlotBatch& batch,
                                                       DictionaryTable& table);

  // Declared in the order of use: slots and streams are destroyed before the memory and the device
  // that they came from.
  std::unique_ptr<Device> device_;
  std::unique_ptr<BatchDecoder> decoder_;
  GpuOptions options_;
  Memory memory_;
  std::size_t most_dictionaries_;
  DeviceDictionaries dictionaries_;
  OwnedStream in_, out_;
  std::vector<std::unique_ptr<Slot>> slots_;
  SlotPlan plan_{0, {}};
  std::uint64_t batch_plain_bytes_ = 0;
  Team readers_;
};

/// Threads that copy to and from pinned memory, where the user named none.
unsigned copying_threads(const GpuOptions& options);

}  // namespace presso::gpu
