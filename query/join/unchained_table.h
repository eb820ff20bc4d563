// SPDX-License-Identifier: MIT
// kUnchained: the general hash table of joins (Birler, Schmidt, Fent and Neumann 2024, "Simple,
// Efficient, and Robust Hash Tables for Join Processing"). It has a directory of slots, and the
// tuples of all slots one after the other. An entry of the directory has the end of the slot's
// tuples and a small Bloom filter of its keys (32 bits, of which each key sets three). A key that
// does not exist therefore mostly costs one cache miss, one that exists two. There are no chains:
// all rows of a key lie together, however many.
//
// Tuples are partitioned into parts that fit into the cache (key_partition.h). A part is a range of
// slots and of tuples, which one thread counts and fills. The tuples of a slot are sorted by key
// and row.
//
// If keys are unique the tuples stay as they are, 12 bytes each, so that the row is beside its key.
// Otherwise the same memory holds all keys and then all rows, because the rows of a key must lie
// together; it takes the place of the partitions, so neither form needs more memory.
//
// The laboratory's radix join (lab/join/radix_table.cpp) derives a table from this one. Rates are
// in NOTES.md. Tested by tests/unit/query/join/join_table_test.cpp.
#pragma once

#include "format/cpu_loops.h"
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

/// Returns the filter bits of a hash: three of 32, by 15 bits above those that choose the slot.
constexpr std::uint32_t tag_of(std::uint64_t hash) {
  return (1u << ((hash >> 32) & 31)) | (1u << ((hash >> 37) & 31)) | (1u << ((hash >> 42) & 31));
}

/// Returns the end of a slot's tuples, the upper half of its entry; the lower half is the filter.
constexpr std::uint64_t entry_end(std::uint64_t entry) {
  return entry >> 32;
}

/// directory_[s + 1] is the entry of slot s; directory_[0] only has the end 0, so that a slot
/// begins where the entry before it ends.
class UnchainedTable : public JoinTable {
  /// About how many tuples a part has; with their slots they take 160 KB.
  static constexpr std::uint64_t kTuplesOfPart = 8192;
  static constexpr std::uint64_t kSortedSlot = 16;  ///< slots of more tuples are searched by halves

 public:
  explicit UnchainedTable(const BuildInput& input)
      : JoinTable(JoinStrategy::kUnchained, input.facts),
        slot_bits_(bits_for(unchained_slots(input.facts))) {
    directory_.extend_unset(static_cast<std::size_t>(unchained_slots(facts_) + 1));
    words_.extend_unset(static_cast<std::size_t>(3 * facts_.keys));
  }

  /// Partitions the tuples, fills the parts in parallel and, if keys repeat, separates keys and
  /// rows.
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

  /// Writes the results of a batch in the order of its keys.
  struct OwnPlaces {
    std::uint32_t* first;
    std::uint32_t* count;
    std::uint32_t operator[](std::uint32_t i) const { return i; }
  };

  /// Three passes over a batch: prefetch the slots; read them, and prefetch the tuples of those
  /// whose filter may have the key; compare. `places` says where the result of each key goes.
  template <class Places>
  void find_batch(const std::uint64_t* keys, std::uint32_t count, const Places& places) const {
    std::uint64_t hashes[kUnchainedBatch];
    std::uint32_t maybe[kUnchainedBatch];
    std::uint64_t slots[kUnchainedBatch];
    loops_for<grouping::Kernels>().hash_words(keys, count, hashes);
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

  /// The highest bits of the lower half of a hash, so that parts are ranges of slots.
  std::uint64_t slot_of(std::uint64_t hash) const { return partition_of(hash, slot_bits_); }
  /// Where rows begin if keys repeat.
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
  std::vector<std::uint64_t> begins_;  ///< where each part begins among the tuples

 private:
  /// Fills the slots of one part by counting sort: counts become beginnings, and each tuple
  /// advances its slot, so that beginnings become ends. Returns whether some key occurs twice.
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

  /// Sorts each slot by key; it is stable, so rows of a key stay in order. Returns whether some key
  /// occurs twice.
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
  /// Small slots by insertion; slots are nearly always small unless keys repeat.
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

  /// Copies the tuples [begin, end) into the second form: all keys, then all rows.
  void separate(std::uint64_t begin, std::uint64_t end, std::uint32_t* to) const {
    const std::uint32_t* const from = words_.data();
    std::uint32_t* const rows = to + 2 * facts_.keys;
    for (std::uint64_t i = begin; i < end; ++i) {
      to[2 * i] = from[3 * i];
      to[2 * i + 1] = from[3 * i + 1];
      rows[i] = from[3 * i + 2];
    }
  }

  /// Returns the first tuple of [begin, end) whose key is not less; keys are kStride words apart.
  template <unsigned kStride>
  std::uint64_t lower_bound(std::uint64_t key, std::uint64_t begin, std::uint64_t end) const {
    while (end - begin > kSortedSlot) {
      const std::uint64_t middle = begin + (end - begin) / 2;
      (load_key(words_.data() + kStride * middle) < key ? begin : end) = middle;
    }
    while (begin != end && load_key(words_.data() + kStride * begin) < key) ++begin;
    return begin;
  }

  /// For unique keys: compares up to four tuples without a branch, as it cannot be predicted which
  /// one matches; few slots have more. Touches only tuples of the slot, which have been prefetched.
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

  /// For repeated keys: often the whole rest of the slot has the same key, which its last key
  /// tells.
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
  Column<std::uint64_t> directory_;  ///< entry of each slot, from index 1 on
};

}  // namespace presso::query::join
