// SPDX-License-Identifier: MIT
// The rows of one thread until all have come. With a limit of k rows, whenever 2k are there the
// first k are kept, and a row that comes behind them all is not taken in any more. Where memory
// does not suffice, the rows are sorted and written to a file, as a run. Tested by
// tests/unit/query/order/ordering_test.cpp.
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

struct SortPlan {
  std::vector<Physical> columns;  ///< of the rows; the last one is the row's number
  std::vector<OrderKey> keys;
  std::uint64_t limit = ~std::uint64_t{0};
  std::uint64_t thread_bytes = 0;  ///< for the rows of a thread and for sorting them
  std::uint64_t chunk_bytes = 0;   ///< of rows in memory: small beside thread_bytes
  std::uint64_t batch_bytes = 0;   ///< of runs in files
  std::string temporary_directory;
};

class RowCollector {
 public:
  /// Both are kept by reference.
  RowCollector(const SortPlan& plan, MemoryCount& memory);

  /// As Ordering::add().
  Status add(const RowNumbers& numbers, std::span<const VectorView> columns, std::uint32_t count);
  const RowChunks& rows() const { return rows_; }
  /// Of all rows that came and were not passed over, those in files too.
  const KeyRanges& ranges() const { return ranges_; }
  bool spilled() const { return file_ != nullptr; }
  /// Sorts what is in memory and writes it to the file; memory is given back.
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
