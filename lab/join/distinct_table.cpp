// SPDX-License-Identifier: MIT
// kDistinct: a hash table of the distinct keys (F9 of docs/sources.md), and the rows of all keys in
// one array, in which each slot has a range (F4; the compressed sparse row form of graphs). A key
// is stored at the first of up to sixteen candidate places that was free when it came: the places
// of three hashes, of the same three hashes of the key with some bits changed, and the ten slots
// after the last. A look-up tries the places in that order until it finds the key or a free slot.
// If all places of a key are taken the table is doubled and built again. A slot is free if it has
// no rows, so that every key is legal.
//
// Whatever slot a key gets, its rows are the same. One thread builds it.
#include "lab/join/strategies.h"
#include "query/values/hash.h"

namespace presso::query::join::lab {
namespace {

constexpr double kDefaultLoad = 0.25;  ///< at 0.5 a few of a million keys find no place
constexpr std::size_t kBatch = 512;
constexpr std::uint64_t kMostRows = std::uint64_t{1} << 26;  ///< slots are below 2^32
constexpr std::size_t kNoSlot = ~std::size_t{0};

std::uint64_t slots_of(const Plan& plan, const JoinKeyFacts& facts) {
  return slots_for(facts.keys, plan.load > 0 ? plan.load : kDefaultLoad) << plan.doublings;
}

/// The candidate places of a key, one after the other.
class Places {
 public:
  Places(std::uint64_t key, std::size_t mask) : key_(key), mask_(mask), at_(hashed(0)) {}

  std::size_t at() const { return at_; }
  /// Moves on to the next place; false if there is none.
  bool next() {
    ++step_;
    at_ = step_ < kHashes ? hashed(step_) : (at_ + 1) & mask_;
    return step_ < kHashes + kSteps;
  }

 private:
  static constexpr unsigned kHashes = 6;
  static constexpr unsigned kSteps = 10;

  std::size_t hashed(unsigned i) const {
    constexpr std::uint64_t kOtherBits = 0xD6E8FEB86659FD93u;
    constexpr std::uint64_t kHashKeys[3] = {kHashKey, 0xA0761D6478BD642Fu, 0xE7037ED1A0B428DBu};
    const std::uint64_t key = i < 3 ? key_ : key_ ^ kOtherBits;
    return static_cast<std::uint32_t>(hash_word(key, kHashKeys[i % 3])) & mask_;
  }

  const std::uint64_t key_;
  const std::size_t mask_;
  unsigned step_ = 0;
  std::size_t at_;
};

class DistinctTable final : public LabTable {
 public:
  explicit DistinctTable(const LabInput& input) : LabTable(Strategy::kDistinct, input.facts) {}

  Status fill(const LabInput& input, Plan& plan) {
    Column<std::uint32_t> slots;  // of rows that have a key
    slots.extend_unset(static_cast<std::size_t>(facts_.keys));
    for (;; ++plan.doublings) {
      PRESSO_TRY(check_memory(input.plan, predict_distinct(input.plan, facts_)));
      allocate(static_cast<std::size_t>(slots_of(input.plan, facts_)));
      if (insert_all(input.keys, slots.data())) break;
    }
    facts_.unique = counts_to_ends();
    rows_.extend_unset(static_cast<std::size_t>(facts_.keys));
    std::size_t next = slots.size();
    for_each_key_backwards(input.keys, [&](std::uint64_t, std::uint32_t row) {
      rows_[--begins_[slots[--next]]] = row;
    });
    return {};
  }
  std::uint64_t bytes() const override { return keys_.bytes() + begins_.bytes() + rows_.bytes(); }

 protected:
  void find_keys(std::span<const std::uint64_t> keys, Found& found) const override {
    for (std::size_t first = 0; first < keys.size(); first += kBatch) {
      const std::size_t end = std::min(keys.size(), first + kBatch);
      for (std::size_t i = first; i < end; ++i) {
        const std::size_t slot = Places(keys[i], mask_).at();
        __builtin_prefetch(keys_.data() + slot);
        __builtin_prefetch(begins_.data() + slot);
      }
      for (std::size_t i = first; i < end; ++i) {
        const std::size_t slot = slot_of(keys[i]);
        found.first[i] = slot == kNoSlot ? 0 : begins_[slot];
        found.count[i] = slot == kNoSlot ? 0 : begins_[slot + 1] - begins_[slot];
      }
    }
    found.rows = rows_.data();
  }
  std::string details() const override { return std::to_string(mask_ + 1) + " slots"; }

 private:
  /// Begins with an empty table of this size.
  void allocate(std::size_t slots) {
    mask_ = slots - 1;
    keys_ = Column<std::uint64_t>();
    keys_.extend_unset(slots);
    begins_ = Column<std::uint32_t>();
    begins_.extend(slots + 1);
  }

  /// Counts the rows of each slot, in begins_. Returns false if a key finds no place.
  bool insert_all(const BuildKeys& keys, std::uint32_t* slots) {
    bool all = true;
    for_each_key(keys, 0, keys.keys.size(), [&](std::uint64_t key, std::uint32_t) {
      if (!all) return;
      Places places(key, mask_);
      while (begins_[places.at()] != 0 && keys_[places.at()] != key) {
        if (!places.next()) {
          all = false;
          return;
        }
      }
      keys_[places.at()] = key;
      ++begins_[places.at()];
      *slots++ = static_cast<std::uint32_t>(places.at());
    });
    return all;
  }

  /// Turns the count of each slot into the end of its rows. Returns whether no count is above 1.
  bool counts_to_ends() {
    std::uint32_t next = 0, most = 0;
    for (std::size_t slot = 0; slot <= mask_; ++slot) {
      most = std::max(most, begins_[slot]);
      next += begins_[slot];
      begins_[slot] = next;
    }
    begins_[mask_ + 1] = next;
    return most <= 1;
  }

  /// The slot of a key, or kNoSlot.
  std::size_t slot_of(std::uint64_t key) const {
    Places places(key, mask_);
    for (;;) {
      const std::size_t at = places.at();
      if (begins_[at] == begins_[at + 1]) return kNoSlot;
      if (keys_[at] == key) return at;
      if (!places.next()) return kNoSlot;
    }
  }

  std::size_t mask_ = 0;
  Column<std::uint64_t> keys_;    ///< by slot
  Column<std::uint32_t> begins_;  ///< by slot, and the end of the last one
  Column<std::uint32_t> rows_;
};

}  // namespace

BuildResult build_distinct(const LabInput& input, Plan& plan) {
  if (input.facts.rows >= kMostRows) {
    return make_error(ErrorCode::kInvalidArgument,
                      "a table of the distinct keys of a join is for less than 2^26 rows");
  }
  PRESSO_TRY(check_memory(input.plan, predict_distinct(input.plan, input.facts)));
  auto table = std::make_unique<DistinctTable>(input);
  PRESSO_TRY(table->fill(input, plan));
  return std::unique_ptr<JoinTable>(std::move(table));
}

JoinMemory predict_distinct(const Plan& plan, const JoinKeyFacts& facts) {
  const std::uint64_t slots = slots_of(plan, facts);
  return JoinMemory{{{"keys", column_bytes<std::uint64_t>(slots)},
                     {"places of rows", column_bytes<std::uint32_t>(slots + 1)},
                     {"rows", column_bytes<std::uint32_t>(facts.keys)},
                     {"slots of rows", column_bytes<std::uint32_t>(facts.keys), false}}};
}

}  // namespace presso::query::join::lab
