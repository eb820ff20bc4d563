// SPDX-License-Identifier: MIT
// Order by, with and without limit: rows go in from any thread in any order and come out sorted,
// the same whatever the number of threads, since rows with equal keys stay in the order of the
// input. With a limit each thread keeps the first rows only (top-k); else all rows are sorted by
// normalised keys, in memory, or as runs in a temporary file that are merged, where memory does not
// suffice. Nulls come last unless the key says otherwise; NaN is the greatest number; strings
// bytewise.
//
// Cost, 6M rows in memory with 8 bytes beside the key, seconds of a core (order_rate 6 1): the
// first 10 by a number 0.007, the first 100,000 0.07; all rows by a number 0.31, by a date 0.37, by
// a date and a number 0.47, by strings of 25 bytes 0.95. What was tried: NOTES.md. Tested by
// tests/unit/query/order/ordering_test.cpp, ordering_spill_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "presso/error.h"
#include "query/values/row_store.h"
#include "query/values/vector.h"

namespace presso::query {

struct OrderKey {
  std::size_t column = 0;  ///< of those in OrderingPlan::columns
  bool descending = false;
  bool nulls_first = false;
};

struct OrderingPlan {
  std::vector<Physical> columns;  ///< of the rows: keys and whatever else goes with them
  std::vector<OrderKey> keys;
  std::uint64_t limit = ~std::uint64_t{0};  ///< rows that are wanted, those skipped included
  unsigned threads = 1;
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  std::string temporary_directory;
};

class Ordering {
 public:
  static Result<std::unique_ptr<Ordering>> make(const OrderingPlan& plan);
  virtual ~Ordering() = default;

  /// `count` rows, at most kBatchRows. By any thread with its own `worker` < plan.threads.
  /// kNoSpace and kIo name the folder of the temporary file.
  virtual Status add(unsigned worker, const RowNumbers& numbers,
                     std::span<const VectorView> columns, std::uint32_t count) = 0;
  Status add(unsigned worker, std::uint64_t first_row, const std::uint16_t* rows,
             std::span<const VectorView> columns, std::uint32_t count) {
    return add(worker, RowNumbers{first_row, rows, nullptr}, columns, count);
  }
  /// After the last row: the next rows in order, at most kBatchRows * 64; without rows at the end.
  /// Views into it are valid until the next call.
  virtual Result<RowStore> next() = 0;
  virtual std::uint64_t peak_bytes() const = 0;
  virtual std::uint64_t spilled_bytes() const = 0;
  /// "the first 10 rows", "sorted in memory", "3 runs in a temporary file", for --explain.
  virtual std::string describe() const = 0;
};

}  // namespace presso::query
