// SPDX-License-Identifier: MIT
#include "lab/placement/placement.h"

#include <algorithm>
#include <array>
#include <bit>

#include "lab/placement/bank_conflicts.h"

namespace presso::lab {
namespace {

constexpr std::uint32_t kMostSlots = 1u << 16;
constexpr std::uint32_t kNone = 0xFFFFFFFFu;

std::uint32_t bank_of(std::uint32_t slot) {
  return slot % kBanks;
}

/// The copies of every item, those that were used longest ago first.
class Copies {
 public:
  explicit Copies(std::uint32_t items) : oldest_(items, kNone), newest_(items, kNone) {
    for (std::uint32_t item = 0; item < items; ++item) add(item, item);
  }

  std::uint32_t oldest(std::uint32_t item) const { return oldest_[item]; }
  /// kNone behind the newest.
  std::uint32_t next(std::uint32_t slot) const { return links_[slot].next; }

  /// As the newest.
  void add(std::uint32_t item, std::uint32_t slot) {
    if (slot >= links_.size()) links_.resize(slot + 1);
    links_[slot] = {newest_[item], kNone};
    (newest_[item] == kNone ? oldest_[item] : links_[newest_[item]].next) = slot;
    newest_[item] = slot;
  }
  void make_newest(std::uint32_t item, std::uint32_t slot) {
    if (newest_[item] == slot) return;
    const Link link = links_[slot];
    (link.before == kNone ? oldest_[item] : links_[link.before].next) = link.next;
    links_[link.next].before = link.before;
    add(item, slot);
  }

 private:
  struct Link {
    std::uint32_t before = kNone, next = kNone;
  };
  std::vector<std::uint32_t> oldest_, newest_;  ///< of items
  std::vector<Link> links_;                     ///< of slots
};

class Placer {
 public:
  Placer(std::span<const std::uint16_t> codes, const PlacementOptions& options)
      : codes_(codes), options_(options), copies_(options.items), last_use_(options.items, kNever) {
    for (std::uint32_t item = 0; item < options.items; ++item) {
      result_.items_of.push_back(static_cast<std::uint16_t>(item));
    }
    for (std::uint32_t bank = 0; bank < kBanks; ++bank) {
      next_slot_[bank] = options.items + (bank + kBanks - bank_of(options.items)) % kBanks;
    }
    result_.copies = options.items;
    result_.slots.resize(codes.size());
  }

  Placement run() {
    for (std::size_t first = 0; first < codes_.size(); first += kChunkRows) {
      if (options_.range_rows != 0 && first % options_.range_rows == 0) begin_range();
      place_chunk(first, std::min<std::size_t>(kChunkRows, codes_.size() - first));
      ++chunk_;
    }
    return std::move(result_);
  }

 private:
  /// Chunks are counted from window_ + 1 on, so that slots that were never used are far away.
  static constexpr std::uint64_t kNever = 0;

  void begin_range() {
    std::fill(last_use_.begin(), last_use_.end(), kNever);
    chunk_ = std::uint64_t{options_.window} + 1;
  }

  std::uint32_t item(std::uint32_t row) const { return codes_[first_ + row]; }

  /// Whether a slot may be used in this chunk, by what was used before it.
  bool is_rested(std::uint32_t slot, std::uint32_t window) const {
    return window == 0 || chunk_ - last_use_[slot] > window;
  }

  void place_chunk(std::size_t first, std::size_t rows) {
    first_ = first;
    row_in_.fill(kNone);
    std::array<std::uint32_t, kChunkRows> left{};
    std::uint32_t left_count = 0;
    std::uint32_t same = 0;  // bits: rows that share the slot of an earlier one
    for (std::uint32_t row = 0; row < rows; ++row) {
      if (options_.for_reads && row_before(row) != kNone) {
        same |= 1u << row;
      } else if (!take_free(row)) {
        left[left_count++] = row;
      }
    }
    for (std::uint32_t i = 0; i < left_count; ++i) place_left(left[i]);
    for (; same != 0; same &= same - 1) {
      const auto row = static_cast<std::uint32_t>(std::countr_zero(same));
      slot_[row] = slot_[row_before(row)];
    }
    for (std::uint32_t row = 0; row < rows; ++row) {
      result_.slots[first + row] = static_cast<std::uint16_t>(slot_[row]);
      last_use_[slot_[row]] = chunk_;
      copies_.make_newest(item(row), slot_[row]);
    }
  }

  /// The first row of the chunk with the item of this one, where it is another one.
  std::uint32_t row_before(std::uint32_t row) const {
    for (std::uint32_t before = 0; before < row; ++before) {
      if (item(before) == item(row)) return before;
    }
    return kNone;
  }

  void sit(std::uint32_t row, std::uint32_t slot) {
    row_in_[bank_of(slot)] = row;
    slot_[row] = slot;
  }

  /// The copy that was used longest ago, of those whose banks are empty.
  bool take_free(std::uint32_t row) {
    std::uint32_t slot = copies_.oldest(item(row));
    while (slot != kNone && is_rested(slot, options_.window)) {
      if (row_in_[bank_of(slot)] == kNone) {
        sit(row, slot);
        return true;
      }
      slot = copies_.next(slot);
    }
    return false;
  }

  void place_left(std::uint32_t row) {
    if (make_room(row, options_.window) || add_copy(row)) return;
    if (options_.window != 0 && make_room(row, 0)) return;
    wait_for_second_round(row);
  }

  /// By moves of rows to other copies of their items.
  bool make_room(std::uint32_t row, std::uint32_t window) {
    std::array<std::uint32_t, kBanks> from{}, by{}, queue{};
    std::uint32_t seen = 0, head = 0, tail = 0;
    const auto reach = [&](std::uint32_t of_row, std::uint32_t from_bank) {
      std::uint32_t slot = copies_.oldest(item(of_row));
      for (; slot != kNone && ~seen != 0 && is_rested(slot, window); slot = copies_.next(slot)) {
        const std::uint32_t bank = bank_of(slot);
        if ((seen >> bank & 1) != 0) continue;
        seen |= 1u << bank;
        from[bank] = from_bank;
        by[bank] = slot;
        queue[tail++] = bank;
      }
    };
    reach(row, kNone);
    while (head < tail) {
      std::uint32_t bank = queue[head++];
      if (row_in_[bank] != kNone) {
        reach(row_in_[bank], bank);
        continue;
      }
      for (; from[bank] != kNone; bank = from[bank]) {
        sit(row_in_[from[bank]], by[bank]);
        ++result_.moved;
      }
      sit(row, by[bank]);
      return true;
    }
    return false;
  }

  /// In the empty bank with the fewest slots, so that few slots stay without an item.
  bool add_copy(std::uint32_t row) {
    std::uint32_t slot = kNone;
    for (std::uint32_t bank = 0; bank < kBanks; ++bank) {
      if (row_in_[bank] == kNone) slot = std::min(slot, next_slot_[bank]);
    }
    if (slot >= options_.most_slots) return false;
    next_slot_[bank_of(slot)] += kBanks;
    if (slot >= result_.items_of.size()) {
      result_.items_of.resize(slot + 1, kNoItem);
      last_use_.resize(slot + 1, kNever);
    }
    result_.items_of[slot] = static_cast<std::uint16_t>(item(row));
    copies_.add(item(row), slot);
    ++result_.copies;
    sit(row, slot);
    return true;
  }

  /// Beside another row of the same bank, which stays the one that may be moved.
  void wait_for_second_round(std::uint32_t row) {
    slot_[row] = copies_.oldest(item(row));
    ++result_.waiting;
  }

  std::span<const std::uint16_t> codes_;
  const PlacementOptions& options_;
  Placement result_;
  Copies copies_;
  std::vector<std::uint64_t> last_use_;            ///< of each slot: a chunk
  std::array<std::uint32_t, kBanks> next_slot_{};  ///< of each bank: behind all that are taken
  std::uint64_t chunk_ = std::uint64_t{options_.window} + 1;

  // Of the chunk.
  std::size_t first_ = 0;
  std::array<std::uint32_t, kBanks> row_in_{};  ///< of each bank
  std::array<std::uint32_t, kChunkRows> slot_{};
};

}  // namespace

Result<Placement> place_items(std::span<const std::uint16_t> codes,
                              const PlacementOptions& options) {
  if (options.items > options.most_slots || options.most_slots > kMostSlots ||
      options.items > kNoItem) {
    return make_error(ErrorCode::kInvalidArgument, "a table has no room for its items");
  }
  if (options.range_rows % kChunkRows != 0) {
    return make_error(ErrorCode::kInvalidArgument, "a range of rows does not end with a chunk");
  }
  const auto is_known = [&](std::uint16_t code) { return code < options.items; };
  if (!std::all_of(codes.begin(), codes.end(), is_known)) {
    return make_error(ErrorCode::kInvalidArgument, "a code is of no item");
  }
  return Placer(codes, options).run();
}

}  // namespace presso::lab
