// SPDX-License-Identifier: MIT
// kOpen (G21 of docs/sources.md): open addressing. A slot has a key and the first of its rows + 1
// (0: free); further rows of a key are linked, so that a key takes one slot however many rows it
// has. Rows are added from the last to the first, each as the new first one, so that links ascend.
// Built by one thread; fewer than 2^31 rows.
//
// Two layouts: slots of 12 bytes that are tried one after the other (linear probing), or buckets of
// four keys and four rows, compared together, after which the next bucket is tried. As a bucket is
// filled from its first slot on, both are the same search, once from any slot and once from a
// multiple of four. NOTES.md has what they take at several loads.
#include "format/cpu_loops.h"
#include "lab/join/collected_rows.h"
#include "lab/join/strategies.h"
#include "query/group/kernels.h"
#include "query/join/tuple.h"

namespace presso::query::join::lab {
namespace {

constexpr double kDefaultLoad = 0.75;
constexpr double kGreatestLoad = 0.95;  ///< some slots must be free, as they end a search
constexpr std::size_t kBatch = 512;
constexpr std::size_t kSlotsOfBucket = 4;

std::uint64_t slots_of(const Plan& plan, const JoinKeyFacts& facts) {
  const double load = plan.load > 0 ? std::min(plan.load, kGreatestLoad) : kDefaultLoad;
  return std::max<std::uint64_t>(2 * kSlotsOfBucket, slots_for(facts.keys, load));
}

/// Says where the key and the row of a slot are among the words of the table, and where a search
/// begins.
struct LinearSlots {
  static std::size_t key(std::size_t slot) { return 3 * slot; }
  static std::size_t row(std::size_t slot) { return 3 * slot + 2; }
  static std::size_t home(std::size_t slot) { return slot; }

  /// Returns the slot that has the key, or else the free one where it belongs.
  static std::size_t find(const std::uint32_t* words, std::size_t mask, std::uint64_t key_word,
                          std::size_t at) {
    while (words[row(at)] != 0 && load_key(words + key(at)) != key_word) at = (at + 1) & mask;
    return at;
  }
};

/// The layout in buckets: 4 keys of 2 words each, then 4 rows.
struct BucketSlots {
  static std::size_t key(std::size_t slot) { return slot / 4 * 12 + slot % 4 * 2; }
  static std::size_t row(std::size_t slot) { return slot / 4 * 12 + 8 + slot % 4; }
  static std::size_t home(std::size_t slot) { return slot & ~std::size_t{3}; }

  static std::size_t find(const std::uint32_t* words, std::size_t mask, std::uint64_t key_word,
                          std::size_t at) {
    for (;; at = (at + 4) & mask) {
      const std::uint32_t* const bucket = words + key(at);
      unsigned ends = 0;
      for (unsigned i = 0; i < 4; ++i) {
        const bool is_end = bucket[8 + i] == 0 || load_key(bucket + 2 * i) == key_word;
        ends |= (is_end ? 1u : 0u) << i;
      }
      if (ends != 0) return at + static_cast<unsigned>(__builtin_ctz(ends));
    }
  }
};

/// The table for one of the two layouts. `words_` has 3 words for each slot.
template <class Slots>
class OpenTable final : public LabTable {
 public:
  explicit OpenTable(const LabInput& input)
      : LabTable(Strategy::kOpen, input.facts),
        mask_(static_cast<std::size_t>(slots_of(input.plan, facts_) - 1)) {
    words_.extend(3 * (mask_ + 1));
  }

  Status fill(const LabInput& input) {
    facts_.unique = true;
    Status status;
    for_each_key_backwards(input.keys, [&](std::uint64_t key, std::uint32_t row) {
      if (!status.ok()) return;
      const std::size_t slot = Slots::find(words_.data(), mask_, key, home_of(hash_word(key)));
      std::uint32_t& first = words_[Slots::row(slot)];
      if (first != 0) {
        if (facts_.unique) status = begin_links(input.plan);
        if (!status.ok()) return;
        links_[row] = first;
      }
      std::memcpy(words_.data() + Slots::key(slot), &key, sizeof(key));
      first = row + 1;
    });
    return status;
  }
  std::uint64_t bytes() const override { return words_.bytes() + links_.bytes(); }

 protected:
  void find_keys(std::span<const std::uint64_t> keys, Found& found) const override {
    CollectedRows collected(found, keys.size());
    std::uint64_t hashes[kBatch];
    for (std::size_t first = 0; first < keys.size(); first += kBatch) {
      const std::size_t count = std::min(kBatch, keys.size() - first);
      loops_for<grouping::Kernels>().hash_words(keys.data() + first,
                                                static_cast<std::uint32_t>(count), hashes);
      for (std::size_t i = 0; i < count; ++i) {
        __builtin_prefetch(words_.data() + Slots::key(home_of(hashes[i])));
      }
      for (std::size_t i = 0; i < count; ++i) {
        find_one(keys[first + i], home_of(hashes[i]), collected, found.first[first + i],
                 found.count[first + i]);
      }
    }
    if (!facts_.unique) collected.finish();
  }
  std::string details() const override {
    return std::to_string(mask_ + 1) + " slots" +
           (std::is_same_v<Slots, BucketSlots> ? " in buckets" : "");
  }

 private:
  /// Where the search for a hash begins.
  std::size_t home_of(std::uint64_t hash) const {
    return Slots::home(static_cast<std::uint32_t>(hash) & mask_);
  }

  Status begin_links(const Plan& plan) {
    facts_.unique = false;
    PRESSO_TRY(check_memory(plan, predict_open(plan, facts_)));
    links_.extend(static_cast<std::size_t>(facts_.rows));
    return {};
  }

  /// Unique keys need no collecting: the row itself is the answer.
  void find_one(std::uint64_t key, std::size_t home, CollectedRows& collected, std::uint32_t& first,
                std::uint32_t& count) const {
    const std::size_t slot = Slots::find(words_.data(), mask_, key, home);
    const std::uint32_t row = words_[Slots::row(slot)];
    count = row != 0 ? 1 : 0;
    first = row - 1;
    if (facts_.unique || row == 0) return;
    if (links_[row - 1] == 0) return collected.add_one(row - 1, first, count);
    const auto append = [&](std::vector<std::uint32_t>& rows) {
      for (std::uint32_t at = row; at != 0; at = links_[at - 1]) rows.push_back(at - 1);
    };
    collected.add(row - 1, append, first, count);
  }

  const std::size_t mask_;
  Column<std::uint32_t> words_;
  Column<std::uint32_t> links_;  ///< by row: the key's next row + 1; only if keys repeat
};

template <class Slots>
BuildResult build_with(const LabInput& input) {
  auto table = std::make_unique<OpenTable<Slots>>(input);
  PRESSO_TRY(table->fill(input));
  return std::unique_ptr<JoinTable>(std::move(table));
}

}  // namespace

BuildResult build_open(const LabInput& input) {
  PRESSO_TRY(check_chained_rows(input.facts));
  JoinKeyFacts unique = input.facts;
  unique.unique = true;
  PRESSO_TRY(check_memory(input.plan, predict_open(input.plan, unique)));
  return input.plan.buckets ? build_with<BucketSlots>(input) : build_with<LinearSlots>(input);
}

JoinMemory predict_open(const Plan& plan, const JoinKeyFacts& facts) {
  JoinMemory memory;
  memory.buffers.push_back({"slots", column_bytes<std::uint32_t>(3 * slots_of(plan, facts))});
  if (!facts.unique) memory.buffers.push_back({"links", column_bytes<std::uint32_t>(facts.rows)});
  return memory;
}

}  // namespace presso::query::join::lab
