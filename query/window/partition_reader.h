// SPDX-License-Identifier: MIT
// Reads columns of kept rows sorted by partition and order, in chunks of whole partitions. Sorting
// is the engine's own (query/order/ordering.h) and uses files beyond its memory; without partition
// and order nothing is sorted. Tested through tests/unit/query/window/window_test.cpp.
#pragma once

#include <memory>

#include "query/order/ordering.h"
#include "query/window/window_call.h"

namespace presso::query {

class PartitionReader {
 public:
  /// `columns`: those of the table that chunks have. `partition` and `order` are numbers of columns
  /// of the table that are among them.
  PartitionReader(const Table& table, std::vector<std::size_t> columns,
                  const std::vector<std::size_t>& partition, const std::vector<WindowOrder>& order,
                  const QueryOptions& options);
  /// Reads and sorts. Errors: those of files, kCancelled.
  Status open();
  /// Returns the next chunk, nullptr at the end. Errors: kOutOfMemory for a partition that is
  /// larger than the memory; kCancelled; those of files.
  Result<std::unique_ptr<WindowChunk>> next();

 private:
  template <class Take>
  Status read_group(std::uint64_t group, const Take& take) const;
  Result<RowStore> next_rows();
  bool has_room(const WindowChunk& chunk) const;
  Status append_waiting(WindowChunk& chunk);
  void note_partitions(WindowChunk& chunk, std::uint64_t first) const;
  void find_groups(WindowChunk& chunk) const;
  Status check_cancelled() const;

  const Table& table_;
  const std::vector<std::size_t> columns_;
  std::vector<Physical> physical_;      ///< of the columns and of the row's number
  std::vector<std::size_t> partition_;  ///< numbers in a chunk
  std::vector<std::size_t> order_;
  std::vector<OrderKey> keys_;
  const QueryOptions& options_;
  const unsigned threads_;
  const std::uint64_t memory_bytes_;    ///< for sorting, and for a chunk
  std::unique_ptr<Ordering> ordering_;  ///< nullptr: the rows' own order
  std::uint64_t next_group_ = 0;
  RowStore rest_;     ///< the beginning of the next chunk
  RowStore waiting_;  ///< the rows after it
};

}  // namespace presso::query
