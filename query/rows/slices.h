// SPDX-License-Identifier: MIT
// The rows of tables as slices of up to 65,536 rows, handed out one after another; row groups are
// opened on the way.
#pragma once

#include <atomic>
#include <optional>
#include <vector>

#include "query/rows/row_group_cursor.h"
#include "query/rows/slice_reader.h"

namespace presso::query {

class SliceSource {
 public:
  /// All are kept by reference. `columns`: those that the query reads, for counting what there is.
  SliceSource(const std::vector<Table>& tables, const std::vector<std::size_t>& columns,
              ReadCounters& counters, const std::atomic<bool>* cancelled)
      : tables_(tables),
        columns_(columns),
        counters_(counters),
        cancelled_(cancelled),
        at_group_(tables) {}

  /// nullopt after the last one. Not thread-safe. Errors: kCancelled, those of the files.
  Result<std::optional<Slice>> next();

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
