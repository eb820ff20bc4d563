// SPDX-License-Identifier: MIT
// The order of two rows in an ORDER BY: by their keys or, if these are equal, by their numbers in
// the input. No two rows are equal, so that any sort by it has one result, and merging and sorting
// need not be stable by themselves. Tested by tests/unit/query/order/entry_merge_test.cpp.
#pragma once

#include <span>

#include "query/order/row_gather.h"

namespace presso::query {

/// A comparison, cheap to copy.
class RowOrder {
 public:
  /// `keys` is that of sort_entries(). Both are kept by reference.
  RowOrder(std::span<const RowSource> sources, const RowKeys* keys)
      : sources_(sources), keys_(keys) {}

  /// Sets `equal_keys` if the two keys were equal.
  bool comes_first(const SortEntry& a, const SortEntry& b, bool& equal_keys) const {
    const int order = compare(a, b, keys_);
    if (order != 0) return order < 0;
    equal_keys = true;
    return sources_[a.source].number(a.row) < sources_[b.source].number(b.row);
  }
  bool operator()(const SortEntry& a, const SortEntry& b) const {
    bool equal_keys = false;
    return comes_first(a, b, equal_keys);
  }
  /// Prefetches the number of a row: rows with equal keys lie anywhere in memory, and comparing
  /// their numbers would wait.
  void fetch_number(const SortEntry& entry) const {
    const VectorView& numbers = sources_[entry.source].columns.back();
    __builtin_prefetch(numbers.as<std::int64_t>() + entry.row);
  }

 private:
  std::span<const RowSource> sources_;
  const RowKeys* keys_;
};

}  // namespace presso::query
