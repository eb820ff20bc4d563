// SPDX-License-Identifier: MIT
// kChained (G5 of docs/sources.md): a hash table with chains. A slot holds the number of its first
// row, and each row that of the next row in its slot; 0 ends a chain, so rows count from 1. Keys
// are compared directly, without stored hashes, as they are no wider than a hash (G7). Rows are put
// in front of their chains from the last to the first, so that chains ascend. Each thread owns a
// range of slots and walks over all keys.
//
// Every row of a chain is a miss of its own, and a key with many rows is in the way of others: the
// unchained table is there because of both. NOTES.md compares them.
#include "format/cpu_loops.h"
#include "format/threads/parallel.h"
#include "lab/join/collected_rows.h"
#include "lab/join/strategies.h"
#include "query/group/kernels.h"

namespace presso::query::join::lab {
namespace {

constexpr double kDefaultLoad = 1;
constexpr std::size_t kBatch = 512;

std::uint64_t slots_of(const Plan& plan, const JoinKeyFacts& facts) {
  return slots_for(facts.keys, plan.load > 0 ? plan.load : kDefaultLoad);
}

class ChainedTable final : public LabTable {
 public:
  explicit ChainedTable(const LabInput& input)
      : LabTable(Strategy::kChained, input.facts), mask_(slots_of(input.plan, facts_) - 1) {
    slots_.extend_unset(static_cast<std::size_t>(mask_ + 1));
    links_.extend_unset(static_cast<std::size_t>(facts_.rows));
    keys_.extend_unset(static_cast<std::size_t>(facts_.rows));
    std::copy(input.keys.keys.begin(), input.keys.keys.end(), keys_.data());
  }

  Status fill(const LabInput& input) {
    constexpr std::uint64_t kSlotsForAThread = 16'384;
    const std::uint64_t slots = mask_ + 1;
    const auto parts = static_cast<std::size_t>(
        std::min<std::uint64_t>(input.plan.threads, slots / kSlotsForAThread + 1));
    std::vector<char> repeats(parts);
    PRESSO_TRY(for_each_in_parallel(parts, input.plan.threads, [&](std::size_t i, unsigned) {
      const std::uint64_t begin = part_begin(slots, i, parts);
      const std::uint64_t end = part_begin(slots, i + 1, parts);
      repeats[i] = fill_part(input.keys, begin, end) ? 1 : 0;
      return Status();
    }));
    facts_.unique = std::find(repeats.begin(), repeats.end(), 1) == repeats.end();
    return {};
  }
  std::uint64_t bytes() const override { return slots_.bytes() + links_.bytes() + keys_.bytes(); }

 protected:
  void find_keys(std::span<const std::uint64_t> keys, Found& found) const override {
    CollectedRows collected(found, keys.size());
    for (std::size_t first = 0; first < keys.size(); first += kBatch) {
      find_batch(keys, first, std::min(kBatch, keys.size() - first), found, collected);
    }
    if (!facts_.unique) collected.finish();
  }
  std::string details() const override { return std::to_string(mask_ + 1) + " slots"; }

 private:
  /// The lowest bits of the hash.
  std::size_t slot_of(std::uint64_t hash) const {
    return static_cast<std::size_t>(hash & 0xFFFFFFFFu & mask_);
  }

  /// Fills the slots in [begin, end). Returns whether some key occurs twice.
  bool fill_part(const BuildKeys& keys, std::uint64_t begin, std::uint64_t end) {
    std::fill(slots_.data() + begin, slots_.data() + end, 0u);
    bool repeats = false;
    for_each_key_backwards(keys, [&](std::uint64_t key, std::uint32_t row) {
      const std::size_t slot = slot_of(hash_word(key));
      if (slot < begin || slot >= end) return;
      const std::uint32_t head = slots_[slot];
      repeats = repeats || next_of_key(key, head) != 0;
      links_[row] = head;
      slots_[slot] = row + 1;
    });
    return repeats;
  }

  /// Follows a chain from row + 1 `at`, including it, to the first one with this key; 0 if there is
  /// none.
  std::uint32_t next_of_key(std::uint64_t key, std::uint32_t at) const {
    while (at != 0 && keys_[at - 1] != key) at = links_[at - 1];
    return at;
  }

  /// Slots are prefetched for the whole batch, then the first row of each chain.
  void find_batch(std::span<const std::uint64_t> keys, std::size_t first, std::size_t count,
                  Found& found, CollectedRows& collected) const {
    std::uint64_t hashes[kBatch];
    std::uint32_t heads[kBatch];
    loops_for<grouping::Kernels>().hash_words(keys.data() + first,
                                              static_cast<std::uint32_t>(count), hashes);
    for (std::size_t i = 0; i < count; ++i) __builtin_prefetch(slots_.data() + slot_of(hashes[i]));
    for (std::size_t i = 0; i < count; ++i) {
      heads[i] = slots_[slot_of(hashes[i])];
      const std::size_t row = heads[i] == 0 ? 0 : heads[i] - 1;
      __builtin_prefetch(keys_.data() + row);
      __builtin_prefetch(links_.data() + row);
    }
    for (std::size_t i = 0; i < count; ++i) {
      find_one(keys[first + i], heads[i], collected, found.first[first + i],
               found.count[first + i]);
    }
  }

  /// Unique keys need no collecting: the row itself is the answer.
  void find_one(std::uint64_t key, std::uint32_t head, CollectedRows& collected,
                std::uint32_t& first, std::uint32_t& count) const {
    const std::uint32_t row = next_of_key(key, head);
    count = row != 0 ? 1 : 0;
    first = row - 1;
    if (facts_.unique || row == 0) return;
    const std::uint32_t next = next_of_key(key, links_[row - 1]);
    if (next == 0) return collected.add_one(row - 1, first, count);
    const auto append = [&](std::vector<std::uint32_t>& rows) {
      rows.push_back(row - 1);
      for (std::uint32_t at = next; at != 0; at = next_of_key(key, links_[at - 1])) {
        rows.push_back(at - 1);
      }
    };
    collected.add(row - 1, append, first, count);
  }

  const std::uint64_t mask_;
  Column<std::uint32_t> slots_;
  Column<std::uint32_t> links_;  ///< by row: the next row + 1 of its chain
  Column<std::uint64_t> keys_;   ///< by row
};

}  // namespace

BuildResult build_chained(const LabInput& input) {
  PRESSO_TRY(check_chained_rows(input.facts));
  PRESSO_TRY(check_memory(input.plan, predict_chained(input.plan, input.facts)));
  auto table = std::make_unique<ChainedTable>(input);
  PRESSO_TRY(table->fill(input));
  return std::unique_ptr<JoinTable>(std::move(table));
}

JoinMemory predict_chained(const Plan& plan, const JoinKeyFacts& facts) {
  return JoinMemory{{{"slots", column_bytes<std::uint32_t>(slots_of(plan, facts))},
                     {"links", column_bytes<std::uint32_t>(facts.rows)},
                     {"keys", column_bytes<std::uint64_t>(facts.rows)}}};
}

}  // namespace presso::query::join::lab
