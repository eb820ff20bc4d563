// SPDX-License-Identifier: MIT
// A hash table that numbers keys 0, 1, 2, ... in the order in which they come: open addressing with
// linear probing. A slot says itself whether it is in use (its number + 1 is not 0), so that every
// key is legal. It also has 32 bits of the hash, by which slots find their new places when the
// table grows, and 64 bits to compare: words are compared directly, other keys first by their hash.
//
// The laboratory derives a table from this one that looks vectors of keys up optimistically
// (lab/groups/optimistic_table.h). Tested by tests/unit/query/group/key_table_test.cpp.
#pragma once

#include <array>
#include <memory>

#include "query/group/column.h"
#include "query/group/key_coder.h"
#include "query/values/row_store.h"

namespace presso::query::grouping {

/// The rows of a vector whose keys were new: row rows[i] got the number first + i.
struct NewKeys {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::array<std::uint16_t, kBatchRows> rows;
};

/// Keys by number, and the owner of the bytes that they point to.
template <class Key>
struct KeyList {
  Column<Key> keys;
  std::shared_ptr<StringArena> arena;

  std::uint32_t size() const { return static_cast<std::uint32_t>(keys.size()); }
  std::uint64_t bytes() const { return keys.bytes() + arena->bytes(); }
};

/// Not thread-safe while keys are added; find() may then be called by any number of threads.
/// Memory: 16 bytes a slot, of which at most 5 in 8 are used, and the keys.
/// A vector's new keys are appended first to keys_, and a slot points to them by number; rebuilding
/// the slots never moves keys, so numbers stay valid for the states beside the table.
template <class Key>
class KeyTable {
 public:
  /// Numbers are below this, which leaves room for the new keys of one vector.
  static constexpr std::uint32_t kMostKeys = ~std::uint32_t{0} - 2 * kBatchRows;

  std::uint32_t size() const { return static_cast<std::uint32_t>(keys_.size()); }
  const Key* keys() const { return keys_.data(); }
  std::uint64_t bytes() const { return slots_.bytes() + keys_.bytes() + arena_->bytes(); }
  /// Returns what reserve(more) will allocate.
  std::uint64_t slot_growth_bytes(std::uint64_t more) const {
    const std::size_t slots = slots_for(size() + more);
    return slots > slots_.size() ? rounded_bytes(slots * sizeof(Slot)) : 0;
  }
  /// As slot_growth_bytes(), with the memory of `more` keys, apart from strings.
  std::uint64_t growth_bytes(std::uint32_t more) const {
    return keys_.growth_bytes(size() + std::size_t{more}) + slot_growth_bytes(more);
  }
  /// Makes room for `more` new keys. Throws std::bad_alloc.
  void reserve(std::uint32_t more) {
    const std::size_t slots = slots_for(size() + std::uint64_t{more});
    if (slots > slots_.size()) rebuild(slots);
  }
  /// Fills an empty table with different keys, which keep their numbers.
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
  /// Moves the keys out; the table is empty then, but keeps its slots.
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
  /// Keys of strings that are added from now on point to bytes that the caller keeps.
  void borrow_bytes() { borrows_ = true; }
  /// Copies the bytes of all keys.
  void own_bytes() {
    borrows_ = false;
    for (std::size_t i = 0; i < keys_.size(); ++i) keys_[i] = kept(keys_[i]);
  }
  /// Bytes that keys point to.
  std::shared_ptr<StringArena> arena() const { return arena_; }

  /// find() returns this for a key that is not there.
  static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};
  /// Returns the number of a key. Any number of threads may call this while no keys are added.
  std::uint32_t find(const Key& key, std::uint64_t hash) const {
    if (slots_.empty()) return kAbsent;
    const std::uint64_t compared = compared_of(key, hash);
    for (std::size_t at = first_slot(hash);; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.number_plus_1 == 0) return kAbsent;
      if (slot.compared == compared && is_same(slot, key, hash)) return slot.number_plus_1 - 1;
    }
  }
  /// Returns the first key with this hash, which is nearly always the one that find() returns,
  /// without comparing keys; kAbsent if there is none. Used to prefetch the key.
  std::uint32_t candidate(const Key& key, std::uint64_t hash) const {
    if (slots_.empty()) return kAbsent;
    const std::uint64_t compared = compared_of(key, hash);
    std::size_t at = first_slot(hash);
    while (slots_[at].number_plus_1 != 0 && slots_[at].compared != compared) at = (at + 1) & mask_;
    return slots_[at].number_plus_1 - 1;
  }
  /// Asks for the slot that find() looks at first.
  void prefetch(std::uint64_t hash) const {
    __builtin_prefetch(slots_.data() + (hash & mask_ & 0xFFFFFFFFu));
  }

  /// Writes the numbers of up to kBatchRows keys, for which reserve() has made room. New keys are
  /// copied.
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

  /// A power of two; at most 5 of 8 slots are in use, so that probes are short.
  static std::size_t slots_for(std::uint64_t keys) {
    std::size_t slots = kFewestSlots;
    while (slots / 8 * 5 < keys) slots *= 2;
    return slots;
  }

  /// The 64 bits of a slot that are compared: a word itself, or the hash of another key.
  static std::uint64_t compared_of(std::uint64_t key, std::uint64_t) { return key; }
  template <class Other>
  static std::uint64_t compared_of(const Other&, std::uint64_t hash) {
    return hash;
  }
  /// Whether a slot with equal compared bits has the key; only other keys than words need more.
  bool is_same(const Slot& slot, std::uint64_t, std::uint64_t) const {
    return slot.number_plus_1 != 0;
  }
  template <class Other>
  bool is_same(const Slot& slot, const Other& key, std::uint64_t) const {
    return slot.number_plus_1 != 0 && keys_[slot.number_plus_1 - 1] == key;
  }
  /// The key as the table stores it: strings are copied unless they are borrowed.
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

  /// Probes from the first slot on.
  std::uint32_t find_or_add_one(const Key& key, std::uint64_t hash, std::uint32_t row,
                                NewKeys& added) {
    const std::uint64_t compared = compared_of(key, hash);
    for (std::size_t at = first_slot(hash);; at = (at + 1) & mask_) {
      Slot& slot = slots_[at];
      if (slot.compared == compared && is_same(slot, key, hash)) return slot.number_plus_1 - 1;
      if (slot.number_plus_1 == 0) return insert(slot, key, hash, row, added);
    }
  }

  /// Moves all slots to a larger table by their hashes, without reading keys.
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
