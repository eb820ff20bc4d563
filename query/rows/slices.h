// SPDX-License-Identifier: MIT
// Hands out the rows of tables as slices of up to 65,536 rows, one after another, for threads to
// work on; row groups are opened on the way. Tested through tests/unit/query/answer/query_test.cpp.
#pragma once

#include <atomic>
#include <optional>
#include <vector>

#include "query/rows/row_group_cursor.h"
#include "query/rows/slice_reader.h"

namespace presso::query {

/// Gives a scan its work, one slice after another (run_ordered() of presso/ordered_pipeline.h calls
/// it). A slice never crosses a row group, so the last slice of each is shorter; the row group's
/// context is shared and lives as long as some thread works on one of its slices.
class SliceSource {
 public:
  /// All arguments are kept by reference. `columns` are those that the query reads; they only serve
  /// to count what could be read.
  SliceSource(const std::vector<Table>& tables, const std::vector<std::size_t>& columns,
              ReadCounters& counters, const std::atomic<bool>* cancelled)
      : tables_(tables),
        columns_(columns),
        counters_(counters),
        cancelled_(cancelled),
        at_group_(tables) {}

  /// Returns the next slice; nullopt after the last one. Not thread-safe. Errors: kCancelled, those
  /// of the files.
  Result<std::optional<Slice>> next();

  /// Stored bytes, and blocks, of the columns in all row groups so far, whether they are read or
  /// not.
  std::uint64_t stored_bytes() const { return stored_bytes_; }
  std::uint64_t blocks() const { return blocks_; }

 private:
  Status open_group();

  const std::vector<Table>& tables_;
  const std::vector<std::size_t>& columns_;
  ReadCounters& counters_;
  const std::atomic<bool>* cancelled_;
  RowGroupCursor at_group_;
  std::shared_ptr<GroupContext> context_;
  std::uint32_t at_ = 0;
  std::uint64_t stored_bytes_ = 0;
  std::uint64_t blocks_ = 0;
};

}  // namespace presso::query
