// SPDX-License-Identifier: MIT
// The hash table of one part's keys in the shared memory of a thread block: hashes and rows apart,
// searched by pairs of slots. Hashes are bijections of keys (key_hash.cuh), so equal hashes are
// equal keys: a search reads hashes only, and no key is stored. The mark for "empty" is a hash of
// another part, so no key is forbidden. JoinPlan gives a part of mean size less than half of the
// slots; a larger part is joined in several rounds (part_join.cuh). Tested by
// tests/simt/joins_in_emulator_test.cpp.
#pragma once

#include "query/gpu/join/key_partition.cuh"

namespace presso::gpu {

/// Two slots that are read with one load.
template <class Hash>
struct alignas(2 * sizeof(Hash)) SlotPair {
  Hash a, b;
};

/// The table. All threads of the block use it together: insert() and insert_once() by any number of
/// them at once, find() after a barrier.
template <class Hash>
class PartTable {
 public:
  /// Bytes of shared memory; `slots` is even.
  PRESSO_HD static constexpr u32 bytes(u32 slots) {
    return slots * static_cast<u32>(sizeof(Hash) + sizeof(u32));
  }
  /// The most rows that may be inserted before the table is emptied: three quarters of the slots.
  /// find() ends at an empty slot, so the table must never be full.
  PRESSO_HD static constexpr u32 most_rows(u32 slots) { return slots - slots / 4; }

  PRESSO_DEVICE PartTable(Byte* shared, u32 slots, u32 bits)
      : hashes_(reinterpret_cast<Hash*>(shared)),
        rows_(reinterpret_cast<u32*>(hashes_ + slots)),
        slots_(slots),
        bits_(bits) {}

  /// Returns a hash whose first bits are not those of `part`, which marks empty slots.
  PRESSO_DEVICE Hash empty_mark(u32 part) const {
    const u32 other = ~part << (kWordBits - bits_);
    if constexpr (sizeof(Hash) == 8) return u64{other} << 32;
    return other;
  }

  /// Empties the table for a part. Called by all threads; barriers are the caller's business.
  PRESSO_DEVICE void clear(u32 part) {
    empty_ = empty_mark(part);
    for (u32 i = simt::thread_in_block(); i < slots_; i += simt::block_threads()) {
      hashes_[i] = empty_;
    }
  }

  PRESSO_DEVICE Hash empty() const { return empty_; }

  /// Inserts a key that is not in the table.
  PRESSO_DEVICE void insert(Hash hash, u32 row) {
    u32 slot = first_slot(hash);
    while (simt::atomic_cas(hashes_ + slot, empty_, hash) != empty_) slot = next_slot(slot);
    rows_[slot] = row;
  }

  /// The result of insert_once().
  struct Place {
    u32 slot = kNoRow;  ///< kNoRow if there was no room
    bool is_new = false;
  };
  /// Finds or makes the slot of a key, looking at no more than kMostSteps slots, so it may find no
  /// room. All rows of a key look at the same slots, and slots never become empty again: so either
  /// all rows of a key find a place in this round, or none does. The caller stores the row of a new
  /// slot by set_row().
  PRESSO_DEVICE Place insert_once(Hash hash) {
    u32 slot = first_slot(hash);
    for (u32 step = 0; step < kMostSteps; ++step) {
      Hash old = hashes_[slot];
      if (old == empty_) old = simt::atomic_cas(hashes_ + slot, empty_, hash);
      if (old == empty_) return {slot, true};
      if (old == hash) return {slot, false};
      slot = next_slot(slot);
    }
    return {};
  }
  PRESSO_DEVICE void set_row(u32 slot, u32 row) { rows_[slot] = row; }
  PRESSO_DEVICE u32 row_of(u32 slot) const { return rows_[slot]; }

  /// Returns the row of a key, or kNoRow.
  PRESSO_DEVICE u32 find(Hash hash) const {
    u32 slot = first_slot(hash);
    for (;;) {
      const auto pair = *reinterpret_cast<const SlotPair<Hash>*>(hashes_ + slot);
      if (pair.a == hash) return rows_[slot];
      if (pair.b == hash) return rows_[slot + 1];
      if (pair.a == empty_ || pair.b == empty_) return kNoRow;
      slot += 2;
      if (slot == slots_) slot = 0;
    }
  }

 private:
  static constexpr u32 kMostSteps = 128;

  PRESSO_DEVICE u32 first_slot(Hash hash) const {
    return 2 * simt::multiply_high(word_behind(hash, bits_), slots_ / 2);
  }
  PRESSO_DEVICE u32 next_slot(u32 slot) const { return slot + 1 == slots_ ? 0 : slot + 1; }

  Hash* hashes_;
  u32* rows_;
  u32 slots_;
  u32 bits_;
  Hash empty_ = 0;
};

}  // namespace presso::gpu
