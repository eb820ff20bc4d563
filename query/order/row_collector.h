// SPDX-License-Identifier: MIT
// Collects the rows that one thread gives to an ORDER BY. With a limit of k rows, whenever 2k are
// there (and at least 1,024) only the first k are kept, and rows that come after all of these are
// no longer taken in. If memory does not suffice, the rows are sorted and written to a file as a
// run. Tested by tests/unit/query/order/ordering_test.cpp and ordering_spill_test.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "query/order/memory_count.h"
#include "query/order/row_chunks.h"
#include "query/order/row_order.h"
#include "query/order/row_threshold.h"
#include "query/order/run_file.h"

namespace presso::query {

/// An OrderingPlan with its memory divided.
struct SortPlan {
  std::vector<Physical> columns;  ///< of the rows; the last one is the row's number
  std::vector<OrderKey> keys;
  std::uint64_t limit = ~std::uint64_t{0};
  std::uint64_t thread_bytes = 0;  ///< memory for one thread's rows and for sorting them
  std::uint64_t chunk_bytes = 0;   ///< bytes of a chunk of rows: small relative to thread_bytes
  std::uint64_t batch_bytes = 0;   ///< bytes of a batch in a run file
  std::string temporary_directory;
};

/// One thread's rows. Used by that thread until all rows have come; then one other thread may read
/// them.
class RowCollector {
 public:
  /// Both are kept by reference.
  RowCollector(const SortPlan& plan, MemoryCount& memory);

  /// As Ordering::add().
  Status add(const RowNumbers& numbers, std::span<const VectorView> columns, std::uint32_t count);
  const RowChunks& rows() const { return rows_; }
  /// Ranges of the keys of all rows that were taken in, including those in files.
  const KeyRanges& ranges() const { return ranges_; }
  bool spilled() const { return file_ != nullptr; }
  /// Sorts what is in memory and writes it to the file; the memory is given back.
  Status spill();
  std::vector<FileRun> take_runs() { return std::move(runs_); }
  std::uint64_t spilled_bytes() const { return spilled_bytes_; }

 private:
  RowSource with_numbers(const RowNumbers& numbers, std::span<const VectorView> columns,
                         std::uint32_t count);
  void append(const RowSource& batch);
  Status make_room();
  std::uint64_t needed_bytes() const;
  void prune();
  void keep(std::span<const RowSource> sources, std::span<const SortEntry> rows);

  const SortPlan& plan_;
  RowChunks rows_;
  KeyRanges ranges_;
  RowThreshold threshold_;
  RowGather gather_;
  std::vector<std::int64_t> numbers_;
  std::shared_ptr<TemporaryFile> file_;
  std::vector<FileRun> runs_;
  std::uint64_t spilled_bytes_ = 0;
  HeldMemory held_;
};

}  // namespace presso::query
