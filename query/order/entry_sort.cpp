// SPDX-License-Identifier: MIT
// Implements entry_sort.h, a radix sort of rows by their keys. A few entries are sorted by
// insertion. Many entries (more than fit into a core's second-level cache) are first divided by
// their highest digit, so that the following passes, from the lowest digit to the highest, stay in
// the cache.
#include "query/order/entry_sort.h"

#include <algorithm>
#include <array>
#include <bit>

namespace presso::query {
namespace {

/// At most this many entries are sorted by insertion.
constexpr std::size_t kInsertionEntries = 24;
/// Entries that fit into the second-level cache, together with the scratch: 2 * 512 KiB.
constexpr std::size_t kCachedEntries = std::size_t{1} << 15;
constexpr unsigned kDigitBits = 8;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
/// Bits that are sorted beyond those that would number the entries, so that few groups of equal
/// digits are left.
constexpr unsigned kSpareBits = 4;
/// After this many words of equal keys entries are compared instead, which bounds the recursion.
constexpr std::size_t kMostDepth = 48;

using Counts = std::array<std::size_t, kDigits>;

/// The 8 bits of a word from bit `shift` on.
std::size_t digit(std::uint64_t word, unsigned shift) {
  return static_cast<std::size_t>(word >> shift) & (kDigits - 1);
}

/// Stable.
template <class Less>
void insertion_sort(std::span<SortEntry> entries, const Less& less) {
  for (std::size_t i = 1; i < entries.size(); ++i) {
    const SortEntry entry = entries[i];
    std::size_t to = i;
    for (; to > 0 && less(entry, entries[to - 1]); --to) entries[to] = entries[to - 1];
    entries[to] = entry;
  }
}

bool less_word(const SortEntry& a, const SortEntry& b) {
  return a.word < b.word;
}

/// Calls use(begin, count) for each stretch of two or more entries with equal `key`.
template <class Key, class Use>
void for_each_group(std::span<SortEntry> entries, const Key& key, const Use& use) {
  std::size_t begin = 0;
  for (std::size_t i = 1; i <= entries.size(); ++i) {
    if (i < entries.size() && key(entries[i]) == key(entries[begin])) continue;
    if (i - begin > 1) use(begin, i - begin);
    begin = i;
  }
}

/// The bits in which words differ, from `low` to `high`; nothing if the words are in order already.
struct Differing {
  bool in_order = true;
  unsigned low = 0;
  unsigned high = 0;
};

/// One pass, which also recognises sorted input.
Differing differing_bits(std::span<const SortEntry> entries) {
  std::uint64_t bits = 0;
  bool in_order = true;
  for (std::size_t i = 1; i < entries.size(); ++i) {
    bits |= entries[i].word ^ entries[i - 1].word;
    in_order &= entries[i - 1].word <= entries[i].word;
  }
  if (in_order) return {};
  return {false, static_cast<unsigned>(std::countr_zero(bits)),
          static_cast<unsigned>(std::bit_width(bits) - 1)};
}

/// Copies entries in the order of one digit, stably. Returns where each digit begins, and the end.
std::array<std::size_t, kDigits + 1> deal(std::span<const SortEntry> from, SortEntry* to,
                                          unsigned shift) {
  std::array<std::size_t, kDigits + 1> begins{};
  for (const SortEntry& entry : from) ++begins[digit(entry.word, shift) + 1];
  for (std::size_t i = 0; i < kDigits; ++i) begins[i + 1] += begins[i];
  Counts at{};
  std::copy_n(begins.begin(), kDigits, at.begin());
  for (const SortEntry& entry : from) to[at[digit(entry.word, shift)]++] = entry;
  return begins;
}

void sort_words(std::span<SortEntry> entries, std::span<SortEntry> scratch);

/// Divides by the highest digit, then sorts each part, which is copied back while it is in the
/// cache.
void sort_from_the_top(std::span<SortEntry> entries, std::span<SortEntry> scratch, unsigned high) {
  const unsigned shift = high + 1 > kDigitBits ? high + 1 - kDigitBits : 0;
  const auto begins = deal(entries, scratch.data(), shift);
  for (std::size_t i = 0; i < kDigits; ++i) {
    const std::size_t count = begins[i + 1] - begins[i];
    const std::span<SortEntry> part = scratch.subspan(begins[i], count);
    const std::span<SortEntry> home = entries.subspan(begins[i], count);
    if (shift != 0) sort_words(part, home);
    std::copy(part.begin(), part.end(), home.begin());
  }
}

/// LSD radix sort by the digits from bit `low` to bit `high`.
void sort_from_the_bottom(std::span<SortEntry> entries, std::span<SortEntry> scratch, unsigned low,
                          unsigned high) {
  SortEntry* from = entries.data();
  SortEntry* to = scratch.data();
  for (unsigned shift = low; shift <= high; shift += kDigitBits) {
    deal({from, entries.size()}, to, shift);
    std::swap(from, to);
  }
  if (from != entries.data()) std::copy(scratch.begin(), scratch.end(), entries.begin());
}

/// Sorts by words alone; stable. Only the highest bits that matter are sorted by digits; groups
/// that are still equal are sorted recursively.
void sort_words(std::span<SortEntry> entries, std::span<SortEntry> scratch) {
  if (entries.size() <= kInsertionEntries) return insertion_sort(entries, less_word);
  const Differing differing = differing_bits(entries);
  if (differing.in_order) return;
  if (entries.size() > kCachedEntries) {
    return sort_from_the_top(entries, scratch, differing.high);
  }
  const unsigned wanted = static_cast<unsigned>(std::bit_width(entries.size())) + kSpareBits;
  const unsigned bits = static_cast<unsigned>(round_up(wanted, kDigitBits));
  const unsigned first =
      std::max(differing.low, differing.high + 1 > bits ? differing.high + 1 - bits : 0);
  sort_from_the_bottom(entries, scratch, first, differing.high);
  if (first == differing.low) return;
  for_each_group(
      entries, [&](const SortEntry& entry) { return entry.word >> first; },
      [&](std::size_t begin, std::size_t count) {
        sort_words(entries.subspan(begin, count), scratch.subspan(begin, count));
      });
}

/// Sorts entries whose keys are equal before word `depth`, by word `depth`; restores the entries'
/// words.
void sort_deeper(std::span<SortEntry> entries, std::span<SortEntry> scratch, const RowKeys* keys,
                 std::size_t depth) {
  // No key is a prefix of another, so if one key ends here all do, and they are equal.
  if (keys[entries[0].source].ends_before(entries[0].row, depth)) return;
  const auto less = [&](const SortEntry& a, const SortEntry& b) {
    return keys[a.source].compare(a.row, keys[b.source], b.row, depth) < 0;
  };
  if (entries.size() <= kInsertionEntries) return insertion_sort(entries, less);
  if (depth > kMostDepth) return std::stable_sort(entries.begin(), entries.end(), less);
  const std::uint64_t word = entries[0].word;
  for (SortEntry& entry : entries) entry.word = keys[entry.source].word(entry.row, depth);
  sort_words(entries, scratch);
  for_each_group(
      entries, [](const SortEntry& entry) { return entry.word; },
      [&](std::size_t begin, std::size_t count) {
        sort_deeper(entries.subspan(begin, count), scratch.subspan(begin, count), keys, depth + 1);
      });
  for (SortEntry& entry : entries) entry.word = word;
}

}  // namespace

void sort_entries(std::span<SortEntry> entries, std::span<SortEntry> scratch, const RowKeys* keys) {
  sort_words(entries, scratch);
  if (keys == nullptr) return;
  for_each_group(
      entries, [](const SortEntry& entry) { return entry.word; },
      [&](std::size_t begin, std::size_t count) {
        sort_deeper(entries.subspan(begin, count), scratch.subspan(begin, count), keys, 1);
      });
}

int compare(const SortEntry& a, const SortEntry& b, const RowKeys* keys) {
  if (a.word != b.word) return a.word < b.word ? -1 : 1;
  return keys == nullptr ? 0 : keys[a.source].compare(a.row, keys[b.source], b.row, 1);
}

}  // namespace presso::query
