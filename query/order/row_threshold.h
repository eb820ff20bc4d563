// SPDX-License-Identifier: MIT
// The filter of a top-k sort: once k rows are known, no row after the last of them is wanted. For
// most rows one comparison of the first key's image with that row's is enough to drop them: 1 ns a
// row for a number, all included. The others are compared by their whole key. Tested by
// tests/unit/query/order/ordering_test.cpp.
//
// Example: ORDER BY price LIMIT 10. After 1,024 rows a thread keeps ten of them, whose greatest
// price is, say, 5.20. From then on a row with a greater price costs one comparison. In random
// order about one row in a hundred gets further, and fewer each time the collected rows are cut
// down to ten again.
#pragma once

#include <vector>

#include "query/order/row_gather.h"

namespace presso::query {

/// One thread's filter: set() names the last row that is wanted so far, before() gives the rows of
/// a batch that come before it.
class RowThreshold {
 public:
  RowThreshold(const std::vector<Physical>& columns, const std::vector<OrderKey>& keys)
      : physical_(columns), coding_(columns, keys), first_(keys.front()), gathered_(columns) {}

  bool set() const { return set_; }
  /// Sets the last row that is wanted.
  void set(const RowSource& source, std::uint32_t row);
  /// Returns the rows of a batch that come before the threshold. Their entries have no words.
  std::span<const SortEntry> before(const RowSource& batch);

 private:
  std::uint32_t find_candidates(const RowSource& batch);
  std::uint64_t flip() const { return first_.descending ? ~std::uint64_t{0} : 0; }

  std::vector<Physical> physical_;
  KeyCoding coding_;  ///< makes keys in the form of bytes
  OrderKey first_;
  bool set_ = false;
  bool null_ = false;  ///< whether the first key of the last wanted row is null
  std::uint64_t image_ = 0;
  std::vector<Byte> key_;
  std::int64_t number_ = 0;
  std::vector<SortEntry> rows_;
  RowGather gathered_;
  RowKeys keys_;
};

}  // namespace presso::query
