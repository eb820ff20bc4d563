// SPDX-License-Identifier: MIT
// DeviceDictionaries: dictionaries are told apart by their address on the host. A place is taken
// over when no batch has leased it.
#include "decompress/gpu/pipeline/device_dictionaries.h"

#include <algorithm>

namespace presso::gpu {

/// An eighth of the memory is for dictionaries; the rest is for batches.
std::size_t DeviceDictionaries::places_under(std::uint64_t limit_bytes) {
  const std::uint64_t share = limit_bytes / 8 / kMaxDictionaryBytes;
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(share, 1, kMaxDictionaries));
}

// Always the largest size that a dictionary may have, so that any place serves any dictionary.
Status DeviceDictionaries::add_place() {
  PRESSO_ASSIGN(DeviceMemory memory, memory_.allocate(kMaxDictionaryBytes));
  places_.push_back({std::move(memory), nullptr});
  return {};
}

Status DeviceDictionaries::reserve() {
  return places_.empty() ? add_place() : Status();
}

/// A place that never held a dictionary is taken first.
Result<DeviceDictionaries::Place*> DeviceDictionaries::vacant_place() {
  const bool last_is_new = !places_.empty() && places_.back().dictionary == nullptr;
  if (places_.size() < most_ && !last_is_new) {
    Status added = add_place();
    if (!added.ok()) {
      if (added.error().code != ErrorCode::kDeviceMemory) return std::move(added.error());
      most_ = places_.size();
    }
  }
  if (!places_.empty() && places_.back().dictionary == nullptr) return &places_.back();
  const auto found = std::find_if(places_.begin(), places_.end(),
                                  [](const Place& place) { return place.is_free(); });
  return found == places_.end() ? nullptr : &*found;
}

// The copy is ordered before the batch's kernels by the stream. A place whose copy failed
// counts as empty.
Result<DeviceDictionaries::Place*> DeviceDictionaries::find_or_send(
    const std::shared_ptr<const Dictionary>& dictionary, Stream stream) {
  for (Place& place : places_) {
    if (place.dictionary == dictionary) return &place;
  }
  PRESSO_ASSIGN(Place* const place, vacant_place());
  if (place == nullptr) return place;
  place->dictionary = dictionary;
  const Bytes content = dictionary->content();
  if (!content.empty()) {
    Status sent =
        memory_.device().copy_in(place->memory.get(), content.data(), content.size(), stream);
    if (!sent.ok()) {
      place->dictionary = nullptr;
      return std::move(sent.error());
    }
  }
  return place;
}

// Leases taken so far are dropped again where a place is missing: a batch that waits holds
// none, so that two batches cannot wait for each other.
Result<std::optional<DeviceDictionaries::Lease>> DeviceDictionaries::provide(const SlotBatch& batch,
                                                                             DictionaryTable& table,
                                                                             Stream stream) {
  Lease lease;
  table = {};
  for (std::size_t id = 1; id < kTableDictionaries; ++id) {
    const auto& dictionary = batch.dictionaries()[id];
    if (dictionary == nullptr) continue;
    PRESSO_ASSIGN(Place* const place, find_or_send(dictionary, stream));
    if (place == nullptr) return std::optional<Lease>();
    lease.push_back(place->lease);
    table[id] = {place->memory.get(), static_cast<std::uint32_t>(dictionary->content().size())};
  }
  return std::optional(std::move(lease));
}

}  // namespace presso::gpu
