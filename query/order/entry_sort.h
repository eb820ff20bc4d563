// SPDX-License-Identifier: MIT
// Sorts rows by their keys. An entry is the first 64-bit word of a row's key and where the row is.
// Entries are sorted by radix sort on their words: by digits of eight bits, of which only those are
// used that differ, and no more than are likely to tell rows apart. If words are equal and keys are
// longer, the next words take their place, group by group (as in MSD radix sort of strings), so
// that a common prefix is read once for each row. Stable: entries with equal keys keep their order.
// Tested by tests/unit/query/order/entry_sort_test.cpp.
//
// Example: a million entries whose words differ in bits 50 to 63 only, as in row_keys.h. They are
// more than fit into the cache, so they are divided by the bits 56 to 63 into up to 256 parts, each
// of which is sorted by the remaining bits with one more pass. A radix sort of whole words would
// need eight passes.
#pragma once

#include <span>

#include "presso/byte_stream.h"
#include "query/order/row_keys.h"

namespace presso::query {

/// 16 bytes, so that sorting moves little memory. The row is sources[source], row `row`.
struct SortEntry {
  std::uint64_t word;  ///< the first word of the key
  std::uint32_t source;
  std::uint32_t row;
};

/// An array of entries without values, in large pages where the system has them.
class EntryArray {
 public:
  EntryArray() = default;
  explicit EntryArray(std::size_t size) {
    buffer_.use_large_pages();
    resize(size);
  }
  /// Previous entries are lost.
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

/// Sorts `entries`. keys[source] are the keys of the rows of that source; `keys` is nullptr if keys
/// have only one word. `scratch` has the same size.
void sort_entries(std::span<SortEntry> entries, std::span<SortEntry> scratch, const RowKeys* keys);

/// Negative if `a` comes first, 0 for equal keys, positive otherwise.
int compare(const SortEntry& a, const SortEntry& b, const RowKeys* keys);

}  // namespace presso::query
