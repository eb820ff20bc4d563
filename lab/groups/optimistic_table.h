// SPDX-License-Identifier: MIT
// Groups by optimistic build, validation and repair (sources: F5). A KeyTable that looks at every
// key's first slot only, without a branch. A key that is not there is stored to its first slot
// where that is free, without a look at other rows; a second look validates this, and only rows
// that fail again are inserted by probing. It wins up to a tenth where nearly every key is in its
// first slot and loses 20 to 30 % where slots collide or are far away (query/group/NOTES.md), so
// queries do not use it. Tested by lab/tests/optimistic_table_test.cpp.
#pragma once

#include "query/group/key_table.h"

namespace presso::query::grouping::lab {

template <class Key>
class OptimisticTable : public KeyTable<Key> {
  using Base = KeyTable<Key>;

 public:
  /// As find_or_add(): the numbers of up to kBatchRows keys, for which there is room. Numbers are
  /// in another order.
  void find_or_add_optimistic(const Key* keys, const std::uint64_t* hashes, std::uint32_t count,
                              std::uint32_t* ids, NewKeys& added) {
    this->begin(added);
    std::array<std::uint16_t, kBatchRows> failed;
    std::uint32_t failures = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (i + Base::kAhead < count) this->prefetch(hashes[i + Base::kAhead]);
      failed[failures] = static_cast<std::uint16_t>(i);
      failures += validate(keys[i], hashes[i], ids[i]) ? 0 : 1;
    }
    if (failures == 0) return;
    this->keys_.extend_unset(this->size() + std::size_t{failures});
    for (std::uint32_t i = 0; i < failures; ++i) store_unchecked(keys, hashes, failed[i], added);
    for (std::uint32_t i = 0; i < failures; ++i) {
      const std::uint32_t row = failed[i];
      if (!validate(keys[row], hashes[row], ids[row])) {
        ids[row] = this->find_or_add_one(keys[row], hashes[row], row, added);
      }
    }
    this->keys_.extend_unset(added.first + std::size_t{added.count});
  }

 private:
  bool validate(const Key& key, std::uint64_t hash, std::uint32_t& id) const {
    const typename Base::Slot& slot = this->slots_[this->first_slot(hash)];
    id = slot.number_plus_1 - 1;
    return slot.compared == this->compared_of(key, hash) && this->is_same(slot, key, hash);
  }

  /// Into the first slot where it is free: whether the same or another key is there is for the
  /// validation to find out.
  void store_unchecked(const Key* keys, const std::uint64_t* hashes, std::uint32_t row,
                       NewKeys& added) {
    typename Base::Slot& slot = this->slots_[this->first_slot(hashes[row])];
    if (slot.number_plus_1 == 0) this->insert(slot, keys[row], hashes[row], row, added);
  }
};

}  // namespace presso::query::grouping::lab
