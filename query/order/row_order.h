// SPDX-License-Identifier: MIT
// Which of two rows comes first: by their keys, and where these are equal, by their numbers in the
// input. So no two rows are equal.
// Tested by tests/unit/query/order/entry_merge_test.cpp.
#pragma once

#include <span>

#include "query/order/row_gather.h"

namespace presso::query {

class RowOrder {
 public:
  /// `keys`: as for sort_entries(). Both are kept by reference.
  RowOrder(std::span<const RowSource> sources, const RowKeys* keys)
      : sources_(sources), keys_(keys) {}

  /// Notes in `equal_keys` that there were such.
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
  /// Rows of one key lie anywhere in memory: who is going to compare their numbers would wait.
  void fetch_number(const SortEntry& entry) const {
    const VectorView& numbers = sources_[entry.source].columns.back();
    __builtin_prefetch(numbers.as<std::int64_t>() + entry.row);
  }

 private:
  std::span<const RowSource> sources_;
  const RowKeys* keys_;
};

}  // namespace presso::query
