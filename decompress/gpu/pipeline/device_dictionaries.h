// SPDX-License-Identifier: MIT
// Decoded dictionaries in device memory: sent there once, used by every batch that names them, and
// forgotten when another one needs the place. Each place holds a dictionary of any size.
#pragma once

#include <memory>
#include <vector>

#include "decompress/gpu/pipeline/slot_batch.h"

namespace presso::gpu {

/// The places for dictionaries on one device. One caller at a time; the end of a lease counts as a
/// call.
class DeviceDictionaries {
 public:
  /// Keeps the dictionaries of a batch where they are. The batch's slot holds it until the batch is
  /// decoded.
  using Lease = std::vector<std::shared_ptr<const void>>;

  DeviceDictionaries(Memory& memory, std::size_t most) : memory_(memory), most_(most) {}

  /// Allocates the first place, so that what is allocated later cannot leave none.
  Status reserve();
  /// How many places there may be if `limit_bytes` of device memory are allowed: as many as an
  /// eighth of them holds, from 1 to kMaxDictionaries.
  static std::size_t places_under(std::uint64_t limit_bytes);

  /// Fills `table` with the addresses of the dictionaries of `batch`, and sends on `stream` those
  /// that are not on the device yet. nullopt if all places are leased: the caller comes back when
  /// another lease has ended.
  Result<std::optional<Lease>> provide(const SlotBatch& batch, DictionaryTable& table,
                                       Stream stream);

 private:
  /// Device memory for one dictionary. It may be overwritten when no lease but its own is left.
  struct Place {
    DeviceMemory memory;
    std::shared_ptr<const Dictionary> dictionary;
    std::shared_ptr<const void> lease = std::make_shared<int>();

    bool is_free() const { return lease.use_count() == 1; }
  };

  /// The place that has this dictionary, found by its address on the host; nullptr where none
  /// is free.
  Result<Place*> find_or_send(const std::shared_ptr<const Dictionary>& dictionary, Stream stream);
  Status add_place();
  /// A place without lease, or a new one while there are fewer than `most`; else nullptr.
  Result<Place*> vacant_place();

  Memory& memory_;
  std::size_t most_;
  std::vector<Place> places_;
};

}  // namespace presso::gpu
