// SPDX-License-Identifier: MIT
// With a limit of k rows: once k rows are known, no row behind the last of them is wanted, and most
// rows need no more than a comparison of the first key's image with the last row's to be passed
// over: for a number, with all else, 1 ns a row. What is left is compared by all of its key.
// Tested by tests/unit/query/order/ordering_test.cpp.
#pragma once

#include <vector>

#include "query/order/row_gather.h"

namespace presso::query {

class RowThreshold {
 public:
  RowThreshold(const std::vector<Physical>& columns, const std::vector<OrderKey>& keys)
      : physical_(columns), coding_(columns, keys), first_(keys.front()), gathered_(columns) {}

  bool set() const { return set_; }
  /// The last row that is wanted.
  void set(const RowSource& source, std::uint32_t row);
  /// The rows of a batch that come before it. Entries have no words.
  std::span<const SortEntry> before(const RowSource& batch);

 private:
  std::uint32_t find_candidates(const RowSource& batch);
  std::uint64_t flip() const { return first_.descending ? ~std::uint64_t{0} : 0; }

  std::vector<Physical> physical_;
  KeyCoding coding_;  ///< as bytes
  OrderKey first_;
  bool set_ = false;
  bool null_ = false;  ///< its first key is
  std::uint64_t image_ = 0;
  std::vector<Byte> key_;
  std::int64_t number_ = 0;
  std::vector<SortEntry> rows_;
  RowGather gathered_;
  RowKeys keys_;
};

}  // namespace presso::query
