// SPDX-License-Identifier: MIT
// Decoded dictionaries in device memory: sent there once, used by every batch that names them, and
// forgotten when another one needs the place. Each place holds a dictionary of any size.
#pragma once

#include <memory>
#include <vector>

#include "decompress/gpu/pipeline/slot_batch.h"

namespace presso::gpu {

/// One caller at a time, the end of leases included.
class DeviceDictionaries {
 public:
  /// While it lives, the dictionaries of a batch stay where they are: until the batch is decoded.
  using Lease = std::vector<std::shared_ptr<const void>>;

  DeviceDictionaries(Memory& memory, std::size_t most) : memory_(memory), most_(most) {}

  /// Allocates the first place, so that what is allocated later cannot leave none.
  Status reserve();
  /// How many places there may be under `limit_bytes` of device memory: at least one.
  static std::size_t places_under(std::uint64_t limit_bytes);

  /// Fills `table` with those of `batch`, sending on `stream` what is not there yet. nullopt where
  /// all places are leased: come back when another lease has ended.
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
