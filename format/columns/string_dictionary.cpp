// SPDX-License-Identifier: MIT
// Builds a dictionary by a hash table with open addressing over whole strings, hashed by XXH3. It
// is at most a quarter full, and never grows.
#include "format/columns/string_dictionary.h"

#include <algorithm>
#include <cstring>

#include "format/columns/row_group.h"
#include "presso/checksum.h"

namespace presso {
namespace {

constexpr std::size_t kSlots = 4 * std::size_t{kMaxDictionaryEntries};
constexpr std::uint32_t kFree = ~std::uint32_t{0};  ///< a slot without an entry
/// Gives up if more than half of the first kFirstRows rows were new.
constexpr std::uint64_t kFirstRows = 16384;

/// The hash table and the dictionary that grows with it.
class Builder {
 public:
  explicit Builder(std::uint64_t rows) {
    // Small columns get small tables, which are never more than a quarter full, too.
    std::size_t slots = 256;
    while (slots < kSlots && slots < 4 * rows) slots *= 2;
    slots_.assign(slots, kFree);
    offsets_.push_back(0);
    dictionary_.codes.reserve(rows);
  }

  /// Adds a row's string; false if the dictionary is full.
  bool add(Bytes text) {
    // The lower bits choose a slot, the upper six a bit of the presence mask.
    const std::uint64_t hash = checksum64(text);
    std::size_t slot = hash & (slots_.size() - 1);
    for (; slots_[slot] != kFree; slot = (slot + 1) & (slots_.size() - 1)) {
      if (is_entry(slots_[slot], hash, text)) return use(slots_[slot]);
    }
    // A new string: the next code, if there is still room.
    const auto code = static_cast<std::uint32_t>(hashes_.size());
    if (code == kMaxDictionaryEntries ||
        dictionary_.entries.size() + text.size() > kMaxEntryBytes) {
      return false;
    }
    slots_[slot] = code;
    hashes_.push_back(hash);
    dictionary_.entries.insert(dictionary_.entries.end(), text.begin(), text.end());
    dictionary_.entry_lengths.push_back(static_cast<std::uint32_t>(text.size()));
    dictionary_.presence_bits.push_back(std::uint64_t{1} << (hash >> 58));
    offsets_.push_back(dictionary_.entries.size());
    return use(code);
  }
  /// A null gets the code before it, which costs least.
  void repeat() { use(dictionary_.codes.empty() ? 0 : dictionary_.codes.back()); }
  std::size_t entries() const { return hashes_.size(); }
  StringDictionary take() && { return std::move(dictionary_); }

 private:
  /// Notes a row's code; true, so that add() can return it.
  bool use(std::uint32_t code) {
    dictionary_.codes.push_back(code);
    return true;
  }
  /// Compares hashes first, then the text.
  bool is_entry(std::uint32_t code, std::uint64_t hash, Bytes text) const {
    return hashes_[code] == hash && dictionary_.entry_lengths[code] == text.size() &&
           std::equal(text.begin(), text.end(), dictionary_.entries.data() + offsets_[code]);
  }

  StringDictionary dictionary_;
  std::vector<std::uint32_t> slots_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::size_t> offsets_;
};

}  // namespace

/// One pass over the column; it stops as soon as the dictionary cannot pay.
std::optional<StringDictionary> build_dictionary(const ColumnView& strings) {
  Builder builder(strings.rows);
  for (std::uint64_t row = 0; row < strings.rows; ++row) {
    if (strings.is_null(row)) {
      builder.repeat();
    } else if (!builder.add(strings.string(row))) {
      return std::nullopt;
    }
    // Mostly new strings so far: the rest would be, too.
    if (row == kFirstRows && builder.entries() > kFirstRows / 2) return std::nullopt;
  }
  return std::move(builder).take();
}

}  // namespace presso
