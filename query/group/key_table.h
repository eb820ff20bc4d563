// SPDX-License-Identifier: MIT
// Keys and their numbers, 0, 1, 2, ... in the order in which they came: an open-addressing table
// with linear probing. A slot says itself whether it is in use (its number is not 0), so that every
// key is legal; beside the number it has 32 bits of the hash, by which slots find their places when
// the table grows, and 64 bits to compare: a word is its own, of other keys it is the hash.
//
// The laboratory derives a table from this one that looks vectors of keys up optimistically
// (lab/groups/optimistic_table.h).
// Tested by tests/unit/query/group/key_table_test.cpp.
#pragma once

#include <array>
#include <memory>

#include "query/group/column.h"
#include "query/group/key_coder.h"
#include "query/values/row_store.h"

namespace presso::query::grouping {

/// Numbers of rows of a vector whose keys were new: row rows[i] got number first + i.
struct NewKeys {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::array<std::uint16_t, kBatchRows> rows;
};

/// Keys by number, and the bytes that they point to.
template <class Key>
struct KeyList {
  Column<Key> keys;
  std::shared_ptr<StringArena> arena;

  std::uint32_t size() const { return static_cast<std::uint32_t>(keys.size()); }
  std::uint64_t bytes() const { return keys.bytes() + arena->bytes(); }
};

template <class Key>
class KeyTable {
 public:
  /// Numbers are below this, with room for a vector of new ones.
  static constexpr std::uint32_t kMostKeys = ~std::uint32_t{0} - 2 * kBatchRows;

  std::uint32_t size() const { return static_cast<std::uint32_t>(keys_.size()); }
  const Key* keys() const { return keys_.data(); }
  std::uint64_t bytes() const { return slots_.bytes() + keys_.bytes() + arena_->bytes(); }
  /// What reserve(more) is going to allocate.
  std::uint64_t slot_growth_bytes(std::uint64_t more) const {
    const std::size_t slots = slots_for(size() + more);
    return slots > slots_.size() ? rounded_bytes(slots * sizeof(Slot)) : 0;
  }
  /// The same with what so many keys are going to take, strings apart.
  std::uint64_t growth_bytes(std::uint32_t more) const {
    return keys_.growth_bytes(size() + std::size_t{more}) + slot_growth_bytes(more);
  }
  /// Room for so many new keys. Throws std::bad_alloc.
  void reserve(std::uint32_t more) {
    const std::size_t slots = slots_for(size() + std::uint64_t{more});
    if (slots > slots_.size()) rebuild(slots);
  }
  /// Keys that differ from each other, by number; the table must be empty.
  void adopt(Column<Key> keys) {
    keys_ = std::move(keys);
    rebuild(slots_for(keys_.size()));
    for (std::uint32_t i = 0; i < size(); ++i) {
      const std::uint64_t hash = hash_key(keys_[i]);
      std::size_t at = first_slot(hash);
      while (slots_[at].number_plus_1 != 0) at = (at + 1) & mask_;
      slots_[at] = {compared_of(keys_[i], hash), static_cast<std::uint32_t>(hash), i + 1};
    }
  }
  /// Gives its keys away and is empty; keeps the slots.
  KeyList<Key> take() {
    KeyList<Key> list{std::move(keys_), arena_};
    clear();
    return list;
  }
  /// Forgets all keys, keeps memory.
  void clear() {
    std::fill_n(slots_.data(), slots_.size(), Slot{});
    keys_.clear();
    arena_ = std::make_shared<StringArena>();
  }
  /// Keys that are added from then on point to bytes of the caller, who keeps them.
  void borrow_bytes() { borrows_ = true; }
  /// Copies the bytes of all keys.
  void own_bytes() {
    borrows_ = false;
    for (std::size_t i = 0; i < keys_.size(); ++i) keys_[i] = kept(keys_[i]);
  }
  /// Bytes that keys point to.
  std::shared_ptr<StringArena> arena() const { return arena_; }

  /// What find() says of a key that is not there.
  static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};
  /// The number of a key. By any number of threads as long as no keys are added.
  std::uint32_t find(const Key& key, std::uint64_t hash) const {
    if (slots_.empty()) return kAbsent;
    const std::uint64_t compared = compared_of(key, hash);
    for (std::size_t at = first_slot(hash);; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.number_plus_1 == 0) return kAbsent;
      if (slot.compared == compared && is_same(slot, key, hash)) return slot.number_plus_1 - 1;
    }
  }
  /// The first key with this hash, which is nearly always what find() gives; kAbsent: there is
  /// none.
  std::uint32_t candidate(const Key& key, std::uint64_t hash) const {
    if (slots_.empty()) return kAbsent;
    const std::uint64_t compared = compared_of(key, hash);
    std::size_t at = first_slot(hash);
    while (slots_[at].number_plus_1 != 0 && slots_[at].compared != compared) at = (at + 1) & mask_;
    return slots_[at].number_plus_1 - 1;
  }
  /// Asks for the memory that find() looks at first.
  void prefetch(std::uint64_t hash) const {
    __builtin_prefetch(slots_.data() + (hash & mask_ & 0xFFFFFFFFu));
  }

  /// The numbers of up to kBatchRows keys, for which there is room; keys are copied where new.
  void find_or_add(const Key* keys, const std::uint64_t* hashes, std::uint32_t count,
                   std::uint32_t* ids, NewKeys& added) {
    begin(added);
    keys_.extend_unset(size() + std::size_t{count});
    for (std::uint32_t i = 0; i < count; ++i) {
      if (i + kAhead < count) prefetch(hashes[i + kAhead]);
      ids[i] = find_or_add_one(keys[i], hashes[i], i, added);
    }
    keys_.extend_unset(added.first + std::size_t{added.count});
  }

 protected:
  struct Slot {
    std::uint64_t compared = 0;
    std::uint32_t hash = 0;
    std::uint32_t number_plus_1 = 0;  ///< 0: free
  };
  static constexpr std::uint32_t kAhead = 16;
  static constexpr std::size_t kFewestSlots = 256;

  /// At most 5 of 8 slots are in use.
  static std::size_t slots_for(std::uint64_t keys) {
    std::size_t slots = kFewestSlots;
    while (slots / 8 * 5 < keys) slots *= 2;
    return slots;
  }

  static std::uint64_t compared_of(std::uint64_t key, std::uint64_t) { return key; }
  template <class Other>
  static std::uint64_t compared_of(const Other&, std::uint64_t hash) {
    return hash;
  }
  bool is_same(const Slot& slot, std::uint64_t, std::uint64_t) const {
    return slot.number_plus_1 != 0;
  }
  template <class Other>
  bool is_same(const Slot& slot, const Other& key, std::uint64_t) const {
    return slot.number_plus_1 != 0 && keys_[slot.number_plus_1 - 1] == key;
  }
  std::uint64_t kept(std::uint64_t key) { return key; }
  WordPair kept(const WordPair& key) { return key; }
  StringRef kept(const StringRef& key) { return borrows_ ? key : arena_->add(key.bytes()); }

  void begin(NewKeys& added) const {
    added.first = size();
    added.count = 0;
  }
  std::size_t first_slot(std::uint64_t hash) const {
    return static_cast<std::uint32_t>(hash) & mask_;
  }

  /// Fills a free slot; the caller has made room in keys_.
  std::uint32_t insert(Slot& slot, const Key& key, std::uint64_t hash, std::uint32_t row,
                       NewKeys& added) {
    const std::uint32_t number = added.first + added.count;
    keys_[number] = kept(key);
    slot = {compared_of(key, hash), static_cast<std::uint32_t>(hash), number + 1};
    added.rows[added.count++] = static_cast<std::uint16_t>(row);
    return number;
  }

  std::uint32_t find_or_add_one(const Key& key, std::uint64_t hash, std::uint32_t row,
                                NewKeys& added) {
    const std::uint64_t compared = compared_of(key, hash);
    for (std::size_t at = first_slot(hash);; at = (at + 1) & mask_) {
      Slot& slot = slots_[at];
      if (slot.compared == compared && is_same(slot, key, hash)) return slot.number_plus_1 - 1;
      if (slot.number_plus_1 == 0) return insert(slot, key, hash, row, added);
    }
  }

  void rebuild(std::size_t count) {
    Column<Slot> grown;
    grown.extend(count);
    const std::size_t mask = count - 1;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].number_plus_1 == 0) continue;
      std::size_t at = slots_[i].hash & mask;
      while (grown[at].number_plus_1 != 0) at = (at + 1) & mask;
      grown[at] = slots_[i];
    }
    slots_.swap(grown);
    mask_ = mask;
  }

  Column<Slot> slots_;
  std::size_t mask_ = 0;
  Column<Key> keys_;  ///< by number
  std::shared_ptr<StringArena> arena_ = std::make_shared<StringArena>();
  bool borrows_ = false;
};

}  // namespace presso::query::grouping
