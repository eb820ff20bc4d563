// SPDX-License-Identifier: MIT
// Sorts rows by their keys. An entry is the first word of a row's key and where the row is; entries
// are sorted by their words alone, by digits of eight bits of which only those count that differ,
// and as many as are likely to tell the rows apart. Where words are equal and keys are longer, the
// next words take their place, group by group, so that a common begin is looked at once for each
// row. Stable: entries with equal keys stay in their order.
// Tested by tests/unit/query/order/entry_sort_test.cpp.
#pragma once

#include <span>

#include "presso/byte_stream.h"
#include "query/order/row_keys.h"

namespace presso::query {

struct SortEntry {
  std::uint64_t word;  ///< the first of the key
  std::uint32_t source;
  std::uint32_t row;
};

/// So many entries, of which none has a value yet, in large pages where the system has them.
class EntryArray {
 public:
  EntryArray() = default;
  explicit EntryArray(std::size_t size) {
    buffer_.use_large_pages();
    resize(size);
  }
  /// What was there is gone.
  void resize(std::size_t size) { buffer_.resize_discarding(size * sizeof(SortEntry)); }
  std::size_t size() const { return buffer_.size() / sizeof(SortEntry); }
  SortEntry* begin() { return reinterpret_cast<SortEntry*>(buffer_.data()); }
  SortEntry* end() { return begin() + size(); }
  const SortEntry* begin() const { return reinterpret_cast<const SortEntry*>(buffer_.data()); }
  const SortEntry* end() const { return begin() + size(); }
  std::span<SortEntry> entries() { return {begin(), size()}; }
  std::span<const SortEntry> entries() const { return {begin(), size()}; }
  SortEntry& operator[](std::size_t i) { return begin()[i]; }
  const SortEntry& operator[](std::size_t i) const { return begin()[i]; }

 private:
  Buffer buffer_;
};

/// `keys[source]` are the keys of the rows there; nullptr where the first words are all of them.
/// `scratch`: as many as entries.
void sort_entries(std::span<SortEntry> entries, std::span<SortEntry> scratch, const RowKeys* keys);

/// Below 0 where `a` comes first, 0 for equal keys.
int compare(const SortEntry& a, const SortEntry& b, const RowKeys* keys);

}  // namespace presso::query
