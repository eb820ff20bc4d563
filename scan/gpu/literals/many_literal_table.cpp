// SPDX-License-Identifier: MIT
// lay_out_many_literals(): leaves out literals that others make superfluous, chooses grams and
// stride, and lays out filter and hash tables. Declines an empty list, an empty literal, one
// with a '\n', and literals of more than 2^26 bytes together (kInvalidArgument).
#include "scan/gpu/literals/many_literal_table.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "scan/bytes/byte_frequency.h"

namespace presso::gpu {
namespace {

using std::uint32_t;
using std::uint64_t;

constexpr uint32_t kMostGram = 8;
constexpr uint32_t kShort = 4;  // literals of fewer bytes are a group apart
constexpr uint32_t kMultipliers[2] = {0x9E3779B1, 0x85EBCA6B};
constexpr uint32_t kLeastFilter = 8 << 10, kMostFilter = 128 << 10;
constexpr uint32_t kBitsAGram = 512;  // of the filter: 2 in a thousand places pass by chance
constexpr double kMostSharing = 1.5;  // literals of a gram; each is a comparison
constexpr std::size_t kMostBytes = std::size_t{1} << 26;
constexpr uint32_t kCaseBit = 0x20;

bool is_letter(Byte byte) {
  return (byte | kCaseBit) >= 'a' && (byte | kCaseBit) <= 'z';
}

std::string lowered(std::string text) {
  for (char& letter : text) {
    if (is_letter(static_cast<Byte>(letter))) letter = static_cast<char>(letter | kCaseBit);
  }
  return text;
}

/// The literals that are needed, sorted by length: duplicates are left out, and so are those that
/// hold another one of up to eight bytes, since a line with them has that one too.
std::vector<std::string> reduced(const std::vector<std::string>& literals, bool ignore_case) {
  std::vector<std::string> sorted;
  for (const std::string& literal : literals) {
    sorted.push_back(ignore_case ? lowered(literal) : literal);
  }
  std::sort(sorted.begin(), sorted.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::unordered_set<std::string> known[kMostGram + 1];  // by length
  const auto holds_one = [&](const std::string& literal) {
    for (std::size_t length = 1; length <= kMostGram && length < literal.size(); ++length) {
      if (known[length].empty()) continue;
      for (std::size_t at = 0; at + length <= literal.size(); ++at) {
        if (known[length].contains(literal.substr(at, length))) return true;
      }
    }
    return false;
  };
  std::vector<std::string> kept;
  for (const std::string& literal : sorted) {
    if (holds_one(literal)) continue;
    if (literal.size() <= kMostGram) known[literal.size()].insert(literal);
    kept.push_back(literal);
  }
  return kept;
}

/// Up to eight bytes as a number, the first in the lowest bits.
uint64_t number_of(const char* from, uint32_t bytes) {
  uint64_t number = 0;
  for (uint32_t i = 0; i < bytes; ++i) number |= uint64_t{static_cast<Byte>(from[i])} << 8 * i;
  return number;
}

/// Chooses the grams of one group of literals and fills the group's filter and hash table. Choosing
/// takes three passes: count all grams, take for each literal the cheapest place, and collect which
/// literals use which gram.
class GroupBuilder {
 public:
  /// `literals` must be sorted by length and not empty: the first one's length sets that of grams.
  GroupBuilder(std::vector<std::string> literals, uint32_t stride, bool ignore_case)
      : literals_(std::move(literals)),
        stride_(stride),
        fold_(ignore_case ? 0x2020202020202020u : 0),
        gram_bytes_(std::min<uint32_t>(
            kMostGram, static_cast<uint32_t>(literals_.front().size()) - stride + 1)),
        mask_(gram_bytes_ == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * gram_bytes_) - 1) {
    count_grams();
    for (uint32_t literal = 0; literal < literals_.size(); ++literal) {
      const uint32_t best = best_offset(literals_[literal]);
      for (uint32_t i = 0; i < stride_; ++i) {
        uses_[gram_at(literals_[literal], best + i)].push_back({literal, best + i});
      }
    }
  }

  std::size_t grams() const { return uses_.size(); }
  /// How many literals share the gram that a literal is looked for by, on average over literals.
  /// Each of them is a comparison where the gram is found.
  double sharing() const {
    double squares = 0, sum = 0;
    for (const auto& [gram, uses] : uses_) {
      squares += static_cast<double>(uses.size()) * static_cast<double>(uses.size());
      sum += static_cast<double>(uses.size());
    }
    return squares / sum;
  }
  const std::vector<std::string>& literals() const { return literals_; }

  /// The group's constants, except for slots_at, which is known when the image is laid out.
  LiteralGroup shape(uint32_t filter_bytes) const {
    LiteralGroup group;
    for (uint32_t word = 0; word < 2; ++word) {
      group.masks[word] = static_cast<uint32_t>(mask_ >> 32 * word);  // allow(bare-32): bits
      const int missing = std::countl_zero(group.masks[word]);
      // A multiple of 2^missing: the top bytes of the word do not reach the product.
      group.multipliers[word] =
          group.masks[word] == 0 ? 0 : kMultipliers[word] << static_cast<unsigned>(missing);
    }
    const auto slots = static_cast<uint32_t>(std::bit_ceil(2 * uses_.size() + 2));
    group.slot_mask = slots - 1;
    group.slot_shift = static_cast<uint32_t>(std::countl_zero(slots) + 1);
    group.filter_shift = static_cast<uint32_t>(std::countl_zero(filter_bytes) + 1);
    return group;
  }

  /// Sets the bit of each gram's hash in the group's filter.
  void fill_filter(const LiteralGroup& group, Byte* filter) const {
    for (const auto& [gram, uses] : uses_) {
      const uint32_t hash = hash_of(group, gram);
      uint32_t word = 0;
      Byte* const at = filter + (hash >> group.filter_shift) / 4 * 4;
      std::memcpy(&word, at, sizeof word);
      word |= 1u << hash % 32;  // allow(bare-32): bits
      std::memcpy(at, &word, sizeof word);
    }
  }

  /// Fills the hash table and appends the entries of each gram. `places`: where each literal's
  /// bytes are in the image.
  void fill_slots(const LiteralGroup& group, const std::vector<uint32_t>& places,
                  std::vector<GramSlot>& slots, std::vector<GramEntry>& entries) const {
    slots.assign(std::size_t{group.slot_mask} + 1, {});
    for (const auto& [gram, uses] : uses_) {
      uint32_t at = hash_of(group, gram) >> group.slot_shift;
      while (slots[at].entries != 0) at = (at + 1) & group.slot_mask;
      GramSlot& slot = slots[at];
      slot.words[0] = static_cast<uint32_t>(gram);
      slot.words[1] = static_cast<uint32_t>(gram >> 32);  // allow(bare-32): bits
      slot.first_entry = static_cast<uint32_t>(entries.size());
      slot.entries = static_cast<uint32_t>(uses.size());
      for (const Use& use : uses) {
        const auto length = static_cast<uint32_t>(literals_[use.literal].size());
        entries.push_back({use.offset, length, places[use.literal], 0});
        // With folding two bytes may have become one.
        if (length == gram_bytes_ && fold_ == 0) slot.entries |= GramSlot::kWholeGram;
      }
    }
  }

 private:
  struct Use {
    uint32_t literal, offset;
  };

  uint64_t gram_at(const std::string& literal, uint32_t at) const {
    return (number_of(literal.data() + at, gram_bytes_) | fold_) & mask_;
  }
  static uint32_t hash_of(const LiteralGroup& group, uint64_t gram) {
    return static_cast<uint32_t>(gram) * group.multipliers[0] +
           static_cast<uint32_t>(gram >> 32) * group.multipliers[1];  // allow(bare-32): bits
  }

  void count_grams() {
    for (const std::string& literal : literals_) {
      for (uint32_t at = 0; at + gram_bytes_ <= literal.size(); ++at) {
        ++counts_[gram_at(literal, at)];
      }
    }
  }
  /// How costly it is to look for the literal by the gram at `at`: the frequency of its bytes in
  /// texts, and 64 for each doubling of the literals that have this gram as well.
  uint32_t cost_of(const std::string& literal, uint32_t at) const {
    uint32_t cost = 0;
    for (uint32_t i = 0; i < gram_bytes_; ++i) {
      cost += scan_detail::byte_frequency(static_cast<Byte>(literal[at + i]));
    }
    const uint32_t others = counts_.at(gram_at(literal, at)) - 1;
    return cost + 64 * static_cast<uint32_t>(std::bit_width(others));
  }
  /// Where the cheapest gram, or the cheapest row of `stride_` grams, begins.
  uint32_t best_offset(const std::string& literal) const {
    const auto last = static_cast<uint32_t>(literal.size()) - gram_bytes_ - stride_ + 1;
    uint32_t best = 0, best_cost = ~0u;
    for (uint32_t at = 0; at <= last; ++at) {
      uint32_t cost = 0;
      for (uint32_t i = 0; i < stride_; ++i) cost += cost_of(literal, at + i);
      if (cost < best_cost) best = at;
      best_cost = std::min(best_cost, cost);
    }
    return best;
  }

  std::vector<std::string> literals_;
  uint32_t stride_;
  uint64_t fold_;
  uint32_t gram_bytes_;
  uint64_t mask_;
  std::unordered_map<uint64_t, uint32_t> counts_;
  std::map<uint64_t, std::vector<Use>> uses_;  ///< ordered: the image is always the same
};

/// The stride for literals of this length at least. A larger one saves look-ups but leaves shorter
/// grams, which more places of a text have by chance; grams of six bytes pass few.
uint32_t stride_for(std::size_t shortest) {
  return shortest >= 9 ? 4 : shortest >= 7 ? 2 : 1;
}

// Lays out the whole image: the filters, the hash tables, the entries and the literals' bytes.
class TableBuilder {
 public:
  TableBuilder(const std::vector<std::string>& literals, bool ignore_case)
      : ignore_case_(ignore_case) {
    const std::vector<std::string> sorted = reduced(literals, ignore_case);
    auto middle = std::find_if(sorted.begin(), sorted.end(),
                               [](const std::string& a) { return a.size() >= kShort; });
    if (middle == sorted.end()) middle = sorted.begin();
    const std::vector<std::string> first(middle, sorted.end());
    add_first_group(first);
    if (middle != sorted.begin()) {
      builders_.emplace_back(std::vector<std::string>(sorted.begin(), middle), 1, ignore_case);
    }
  }

  ManyLiteralTable build() {
    ManyLiteralTableView& view = table_.view;
    view.group_count = static_cast<uint32_t>(builders_.size());
    view.fold = ignore_case_ ? 0x20202020 : 0;
    std::size_t grams = 0;
    for (const GroupBuilder& builder : builders_) grams = std::max(grams, builder.grams());
    const uint32_t most = kMostFilter / view.group_count;
    const std::size_t wanted = std::bit_ceil(grams * kBitsAGram / 8);
    view.filter_bytes = static_cast<uint32_t>(std::clamp<std::size_t>(wanted, kLeastFilter, most));
    table_.image.assign(view.shared_bytes(), 0);
    std::vector<GramEntry> entries;
    for (uint32_t i = 0; i < builders_.size(); ++i) add_group(i, entries);
    view.entries_at = append(entries);
    // Entries hold places of what comes after them, which are known now.
    for (GramEntry& entry : entries) entry.at += entries_end();
    std::memcpy(table_.image.data() + view.entries_at, entries.data(),
                entries.size() * sizeof(GramEntry));
    table_.image.insert(table_.image.end(), texts_.begin(), texts_.end());
    view.image_bytes = static_cast<uint32_t>(table_.image.size());
    return std::move(table_);
  }

 private:
  /// Chooses the first group's stride. It is halved while literals share their grams: the smaller
  /// it is, the fewer grams of a literal have to be its own.
  void add_first_group(const std::vector<std::string>& literals) {
    uint32_t& stride = table_.view.stride;
    for (stride = stride_for(literals.front().size());; stride /= 2) {
      builders_.assign(1, GroupBuilder(literals, stride, ignore_case_));
      if (stride == 1 || builders_[0].sharing() <= kMostSharing) return;
    }
  }

  /// Appends one group's tables to the image.
  void add_group(uint32_t number, std::vector<GramEntry>& entries) {
    const GroupBuilder& builder = builders_[number];
    LiteralGroup& group = table_.view.groups[number];
    group = builder.shape(table_.view.filter_bytes);
    builder.fill_filter(group, table_.image.data() + number * table_.view.filter_bytes);
    std::vector<uint32_t> places;
    for (const std::string& literal : builder.literals()) places.push_back(add_text(literal));
    std::vector<GramSlot> slots;
    builder.fill_slots(group, places, slots, entries);
    group.slots_at = append(slots);
  }

  uint32_t entries_end() const { return static_cast<uint32_t>(table_.image.size()); }

  template <class T>
  uint32_t append(const std::vector<T>& items) {
    const std::size_t at = table_.image.size();
    table_.image.resize(at + items.size() * sizeof(T));
    std::memcpy(table_.image.data() + at, items.data(), items.size() * sizeof(T));
    return static_cast<uint32_t>(at);
  }

  /// Appends a literal's bytes and masks, in words of four as kernels compare them; returns where.
  uint32_t add_text(const std::string& literal) {
    const std::size_t at = texts_.size();
    texts_.resize(at + (literal.size() + 7) / 8 * 16);
    for (std::size_t i = 0; i < literal.size(); ++i) {
      const auto byte = static_cast<Byte>(literal[i]);
      const Byte mask = ignore_case_ && is_letter(byte) ? Byte{0xFF - kCaseBit} : Byte{0xFF};
      const std::size_t to = at + i / 4 * 8 + i % 4;
      texts_[to] = byte & mask;
      texts_[to + 4] = mask;
    }
    return static_cast<uint32_t>(at);
  }

  bool ignore_case_;
  std::vector<GroupBuilder> builders_;
  ManyLiteralTable table_;
  std::vector<Byte> texts_;
};

}  // namespace

Result<ManyLiteralTable> lay_out_many_literals(const std::vector<std::string>& literals,
                                               bool ignore_ascii_case) {
  std::size_t bytes = 0;
  for (const std::string& literal : literals) {
    bytes += literal.size();
    if (literal.empty() || literal.find('\n') != std::string::npos) {
      return make_error(ErrorCode::kInvalidArgument, "a literal is empty or has a line's end");
    }
  }
  if (literals.empty() || bytes > kMostBytes) {
    return make_error(ErrorCode::kInvalidArgument, "too many literals, or none");
  }
  return TableBuilder(literals, ignore_ascii_case).build();
}

}  // namespace presso::gpu
