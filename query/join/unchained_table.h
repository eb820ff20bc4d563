// SPDX-License-Identifier: MIT
// kUnchained (Birler, Schmidt, Fent, Neumann 2024: "Simple, Efficient, and Robust Hash Tables for
// Join Processing"): a directory of slots, and the tuples of all slots one after the other. An
// entry of the directory has the slot's end and a small Bloom filter of its keys (32 bits, three
// set by each key), so that a key that is not there mostly costs one look; a key that is there
// costs two. No chains: all rows of a key lie side by side, however many.
//
// Tuples are dealt out to parts that fit into the cache (key_partition.h); a part is a range of
// slots and of tuples, which is then counted and filled by one thread. Tuples of a slot are sorted
// by key and row.
//
// Where keys are unique tuples stay as they are, 12 bytes each, so that the row is where the key
// is. Else the same memory holds all keys, then all rows, as the rows of a key have to be side by
// side; what tuples were dealt out into becomes this second form, so neither needs more.
//
// The laboratory's radix join (lab/join/radix_table.cpp) derives a table from this one.
#pragma once

#include "format/threads/parallel.h"
#include "query/group/kernels.h"
#include "query/join/key_partition.h"
#include "query/join/strategies.h"
#include "query/values/hash.h"

namespace presso::query::join {

constexpr std::uint32_t kUnchainedBatch = 128;  ///< keys whose slots are asked for at once

inline std::uint64_t unchained_slots(const JoinKeyFacts& facts) {
  return std::uint64_t{1} << bits_for(facts.keys);
}

/// Three bits of 32. The lowest 32 bits of a hash are the slot's, those above are asked here.
constexpr std::uint32_t tag_of(std::uint64_t hash) {
  return (1u << ((hash >> 32) & 31)) | (1u << ((hash >> 37) & 31)) | (1u << ((hash >> 42) & 31));
}

constexpr std::uint64_t entry_end(std::uint64_t entry) {
  return entry >> 32;
}

class UnchainedTable : public JoinTable {
  static constexpr std::uint64_t kTuplesOfPart = 8192;  ///< about, with their slots 160 KB
  static constexpr std::uint64_t kSortedSlot = 16;  ///< slots of more tuples are searched by halves

 public:
  explicit UnchainedTable(const BuildInput& input)
      : JoinTable(JoinStrategy::kUnchained, input.facts),
        slot_bits_(bits_for(unchained_slots(input.facts))) {
    directory_.extend_unset(static_cast<std::size_t>(unchained_slots(facts_) + 1));
    words_.extend_unset(static_cast<std::size_t>(3 * facts_.keys));
  }

  Status fill(const BuildInput& input) {
    Column<std::uint32_t> scratch;
    scratch.extend_unset(words_.size());
    PRESSO_TRY(partition(input, scratch));
    std::vector<char> repeats(begins_.size() - 1);
    directory_[0] = 0;
    PRESSO_TRY(
        for_each_in_parallel(repeats.size(), input.plan.threads, [&](std::size_t part, unsigned) {
          repeats[part] = fill_part(part, as_tuples(scratch)) ? 1 : 0;
          return Status();
        }));
    facts_.unique = std::find(repeats.begin(), repeats.end(), 1) == repeats.end();
    if (!facts_.unique) {
      PRESSO_TRY(
          for_each_in_parallel(repeats.size(), input.plan.threads, [&](std::size_t part, unsigned) {
            separate(begins_[part], begins_[part + 1], scratch.data());
            return Status();
          }));
      words_.swap(scratch);
    }
    return {};
  }

  std::uint64_t bytes() const override { return directory_.bytes() + words_.bytes(); }

 protected:
  void find_keys(std::span<const std::uint64_t> keys, Found& found) const override {
    for (std::size_t first = 0; first < keys.size(); first += kUnchainedBatch) {
      const auto count =
          static_cast<std::uint32_t>(std::min<std::size_t>(kUnchainedBatch, keys.size() - first));
      const OwnPlaces places{found.first.data() + first, found.count.data() + first};
      find_batch(keys.data() + first, count, places);
    }
    if (!facts_.unique) found.rows = rows();
  }
  std::string details() const override {
    return std::to_string(directory_.size() - 1) + " slots, " + std::to_string(begins_.size() - 1) +
           " parts";
  }

  /// Where the results of a batch go: one after the other.
  struct OwnPlaces {
    std::uint32_t* first;
    std::uint32_t* count;
    std::uint32_t operator[](std::uint32_t i) const { return i; }
  };

  /// Three walks over a batch: ask for the slots; read them, and ask for the tuples of those that
  /// may have the key; compare.
  template <class Places>
  void find_batch(const std::uint64_t* keys, std::uint32_t count, const Places& places) const {
    std::uint64_t hashes[kUnchainedBatch];
    std::uint32_t maybe[kUnchainedBatch];
    std::uint64_t slots[kUnchainedBatch];
    grouping::kernels().hash_words(keys, count, hashes);
    for (std::uint32_t i = 0; i < count; ++i) {
      slots[i] = slot_of(hashes[i]);
      __builtin_prefetch(directory_.data() + slots[i] + 1);
    }
    std::uint32_t candidates = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t entry = directory_[slots[i] + 1];
      maybe[candidates] = i;
      places.count[places[i]] = 0;
      const std::uint32_t tag = tag_of(hashes[i]);
      const std::uint64_t begin = entry_end(directory_[slots[i]]);
      const unsigned stride = facts_.unique ? 3 : 2;
      const std::uint64_t end = entry_end(entry);
      __builtin_prefetch(words_.data() + stride * begin);
      __builtin_prefetch(words_.data() + stride * end - (end != 0 ? 1 : 0));
      candidates += (static_cast<std::uint32_t>(entry) & tag) == tag ? 1 : 0;
    }
    for (std::uint32_t c = 0; c < candidates; ++c) {
      const std::uint32_t i = maybe[c];
      const std::uint32_t at = places[i];
      const std::uint64_t begin = entry_end(directory_[slots[i]]);
      const std::uint64_t end = entry_end(directory_[slots[i] + 1]);
      if (facts_.unique) {
        find_one(keys[i], begin, end, places.first[at], places.count[at]);
      } else {
        find_rows(keys[i], begin, end, places.first[at], places.count[at]);
      }
    }
  }

  std::uint64_t slot_of(std::uint64_t hash) const { return partition_of(hash, slot_bits_); }
  const std::uint32_t* rows() const { return words_.data() + 2 * facts_.keys; }
  unsigned partition_bits() const { return bits_for(begins_.size() - 1); }
  static Tuple* as_tuples(Column<std::uint32_t>& words) {
    return reinterpret_cast<Tuple*>(words.data());
  }
  /// About how many bits tell parts apart that fit into the cache.
  unsigned wanted_bits() const {
    return bits_for((facts_.keys + kTuplesOfPart - 1) / kTuplesOfPart);
  }

  /// Deals all tuples out to parts: into `scratch`, and begins_ says where they lie.
  virtual Status partition(const BuildInput& input, Column<std::uint32_t>& scratch) {
    PRESSO_ASSIGN(begins_,
                  partition_keys(input.keys, input.plan.threads,
                                 std::min(wanted_bits(), kMostPartitionBits), as_tuples(scratch)));
    return {};
  }

  Column<std::uint32_t> words_;        ///< tuples, or keys and then rows
  std::vector<std::uint64_t> begins_;  ///< of parts

 private:
  /// Counts become ends of slots; true where a key comes twice.
  bool fill_part(std::size_t part, const Tuple* from) {
    const std::uint64_t slots = (directory_.size() - 1) / (begins_.size() - 1);
    std::uint64_t* const entries = directory_.data() + 1 + part * slots;
    std::fill(entries, entries + slots, std::uint64_t{0});
    const std::uint64_t begin = begins_[part], end = begins_[part + 1];
    const std::uint64_t first_slot = part * slots;
    constexpr std::uint64_t kOne = std::uint64_t{1} << 32;
    for (std::uint64_t i = begin; i < end; ++i) {
      const std::uint64_t hash = hash_word(key_of(from[i]));
      std::uint64_t& entry = entries[slot_of(hash) - first_slot];
      entry = (entry + kOne) | tag_of(hash);
    }
    std::uint64_t next = begin;
    for (std::uint64_t slot = 0; slot < slots; ++slot) {
      const std::uint64_t count = entry_end(entries[slot]);
      entries[slot] = (next << 32) | static_cast<std::uint32_t>(entries[slot]);
      next += count;
    }
    Tuple* const to = as_tuples(words_);
    for (std::uint64_t i = begin; i < end; ++i) {
      std::uint64_t& entry = entries[slot_of(hash_word(key_of(from[i]))) - first_slot];
      to[entry_end(entry)] = from[i];
      entry += kOne;
    }
    return sort_slots(entries, slots, begin, to);
  }

  /// By key, then row; slots are sorted by row already. True where a key comes twice.
  static bool sort_slots(const std::uint64_t* entries, std::uint64_t slots, std::uint64_t begin,
                         Tuple* tuples) {
    bool repeats = false;
    for (std::uint64_t slot = 0; slot < slots; ++slot) {
      const std::uint64_t end = entry_end(entries[slot]);
      if (end - begin > 1) repeats = sort_slot(tuples + begin, tuples + end) || repeats;
      begin = end;
    }
    return repeats;
  }
  static bool sort_slot(Tuple* begin, Tuple* end) {
    const auto by_key = [](const Tuple& a, const Tuple& b) { return key_of(a) < key_of(b); };
    if (end - begin > static_cast<std::ptrdiff_t>(kSortedSlot)) {
      std::stable_sort(begin, end, by_key);
    } else {
      for (Tuple* at = begin + 1; at != end; ++at) {
        const Tuple tuple = *at;
        Tuple* to = at;
        for (; to != begin && key_of(to[-1]) > key_of(tuple); --to) *to = to[-1];
        *to = tuple;
      }
    }
    bool repeats = false;
    for (Tuple* at = begin + 1; at != end; ++at) repeats |= key_of(at[-1]) == key_of(*at);
    return repeats;
  }

  /// All keys, then all rows.
  void separate(std::uint64_t begin, std::uint64_t end, std::uint32_t* to) const {
    const std::uint32_t* const from = words_.data();
    std::uint32_t* const rows = to + 2 * facts_.keys;
    for (std::uint64_t i = begin; i < end; ++i) {
      to[2 * i] = from[3 * i];
      to[2 * i + 1] = from[3 * i + 1];
      rows[i] = from[3 * i + 2];
    }
  }

  /// The first tuple from `begin` on whose key is not less; keys are kStride words apart.
  template <unsigned kStride>
  std::uint64_t lower_bound(std::uint64_t key, std::uint64_t begin, std::uint64_t end) const {
    while (end - begin > kSortedSlot) {
      const std::uint64_t middle = begin + (end - begin) / 2;
      (load_key(words_.data() + kStride * middle) < key ? begin : end) = middle;
    }
    while (begin != end && load_key(words_.data() + kStride * begin) < key) ++begin;
    return begin;
  }

  /// Up to four tuples without a branch, as nobody can guess which; few slots have more. Only
  /// tuples of the slot are touched, whose memory has been asked for.
  void find_one(std::uint64_t key, std::uint64_t begin, std::uint64_t end, std::uint32_t& first,
                std::uint32_t& count) const {
    const std::uint32_t* const words = words_.data();
    const std::uint64_t last = end - 1;
    std::uint64_t at = begin;
    if (end - begin > 4) {
      at = std::min(lower_bound<3>(key, begin, end), last);
    } else {
      at += load_key(words + 3 * begin) < key ? 1 : 0;
      at += load_key(words + 3 * std::min(begin + 1, last)) < key ? 1 : 0;
      at += load_key(words + 3 * std::min(begin + 2, last)) < key ? 1 : 0;
      at = std::min(at, last);
    }
    first = words[3 * at + 2];
    count = load_key(words + 3 * at) == key ? 1 : 0;
  }

  /// Mostly the slot's last key is the same one.
  void find_rows(std::uint64_t key, std::uint64_t begin, std::uint64_t end, std::uint32_t& first,
                 std::uint32_t& count) const {
    const std::uint64_t from = lower_bound<2>(key, begin, end);
    first = static_cast<std::uint32_t>(from);
    if (from == end || load_key(words_.data() + 2 * from) != key) return;
    std::uint64_t to = end;
    if (load_key(words_.data() + 2 * (end - 1)) != key) to = lower_bound<2>(key + 1, from, end);
    count = static_cast<std::uint32_t>(to - from);
  }

  const unsigned slot_bits_;
  Column<std::uint64_t> directory_;  ///< before the first slot, then of each slot
};

}  // namespace presso::query::join
