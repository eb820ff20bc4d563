// SPDX-License-Identifier: MIT
// ORDER BY, with and without LIMIT: rows go in from any thread in any order and come out sorted,
// with the same result for any number of threads, since rows with equal keys keep the order of the
// input. With a limit each thread keeps only the first rows (top-k). Otherwise all rows are sorted
// by normalised keys, in memory or, if memory does not suffice, as runs in a temporary file that
// are merged (external merge sort, Knuth 1973). Nulls come last unless the key says otherwise; NaN
// is the greatest number; strings are compared by bytes.
//
//   rows  -> kept by each thread    row_collector.h, row_chunks.h, row_threshold.h (limit)
//         -> keys as words          row_keys.h: a few packed words, or bytes
//         -> sorted entries         entry_sort.h, one part of the rows for each thread
//         -> one order              entry_merge.h in memory; run_file.h, run_merge.h in files
//         -> batches of rows        row_gather.h
//
// Cost for 6 M rows in memory with 8 bytes beside the key, in seconds of a core (order_rate 6 1):
// the first 10 by a number 0.007, the first 100,000 0.07; all rows by a number 0.31, by a date
// 0.37, by a date and a number 0.47, by strings of 25 bytes 0.95. What was tried is in NOTES.md.
// Tested by tests/unit/query/order/ordering_test.cpp and ordering_spill_test.cpp.
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

/// One key of ORDER BY; the first one counts most.
struct OrderKey {
  std::size_t column = 0;  ///< index in OrderingPlan::columns
  bool descending = false;
  bool nulls_first = false;
};

/// Everything that an ordering is made from.
struct OrderingPlan {
  std::vector<Physical> columns;  ///< forms of the columns: keys and whatever else rows have
  std::vector<OrderKey> keys;
  /// How many rows are wanted, including those that OFFSET skips.
  std::uint64_t limit = ~std::uint64_t{0};
  unsigned threads = 1;
  /// Memory for rows, keys and sorting; if it does not suffice, rows go to files.
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  std::string temporary_directory;
};

/// A sort in progress: add() by all threads at once, then next() by one.
class Ordering {
 public:
  /// kInvalidArgument for a plan without keys, or with a key that is no column.
  static Result<std::unique_ptr<Ordering>> make(const OrderingPlan& plan);
  virtual ~Ordering() = default;

  /// Adds `count` rows, at most kBatchRows. Any thread may call it, with its own `worker` <
  /// plan.threads. `numbers` are the places of the rows in the input, which break ties. kNoSpace
  /// and kIo name the folder of the temporary file.
  virtual Status add(unsigned worker, const RowNumbers& numbers,
                     std::span<const VectorView> columns, std::uint32_t count) = 0;
  Status add(unsigned worker, std::uint64_t first_row, const std::uint16_t* rows,
             std::span<const VectorView> columns, std::uint32_t count) {
    return add(worker, RowNumbers{first_row, rows, nullptr}, columns, count);
  }
  /// Called after the last row: returns the next rows in order, at most kBatchRows * 64, and none
  /// at the end. Views into them are valid until the next call.
  virtual Result<RowStore> next() = 0;
  /// The most memory that was held at a time.
  virtual std::uint64_t peak_bytes() const = 0;
  /// Bytes that were written to temporary files.
  virtual std::uint64_t spilled_bytes() const = 0;
  /// Returns a text for --explain: "the first 10 rows", "sorted in memory", "3 runs in temporary
  /// files".
  virtual std::string describe() const = 0;
};

}  // namespace presso::query
