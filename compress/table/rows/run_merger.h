// SPDX-License-Identifier: MIT
// Merges sorted runs of rows, each with one batch in memory at a time. A tree of losers finds
// the next row; most comparisons are of two numbers, the first eight bytes of keys. Rows with
// equal keys come in the order of their runs. Tested by
// tests/unit/compress/table/row_sorter_test.cpp.
#pragma once

#include <memory>
#include <vector>

#include "compress/table/rows/row_gather.h"
#include "format/columns/sort_key.h"
#include "format/loser_tree.h"

namespace presso {

/// Gives the batches of one run, one after another, each as pack_batch() made it (row_batch.h) and
/// with at least one row, since a batch without rows would be taken for the run's end.
class BatchSource {
 public:
  virtual ~BatchSource() = default;
  /// Puts the next batch into `into`; at the end returns false and leaves `into` as it is.
  virtual Result<bool> next(Buffer& into) = 0;
};

/// Gives the rows of all runs in order. Not for several threads.
class RunMerger {
 public:
  /// `by`: the columns to sort by; the rows of each run must be in that order already. Keeps
  /// `schema` by reference, takes the runs, and loads the first batch of each. Errors: those of the
  /// runs' sources.
  static Result<RunMerger> open(const TableSchema& schema, const std::vector<SortColumn>& by,
                                std::vector<std::unique_ptr<BatchSource>> runs);

  /// The next rows, at most kBatchRows and often fewer, since it stops where a run's batch is used
  /// up. Columns without rows mean the end. Errors: those of the runs' sources.
  Result<std::vector<ColumnData>> next();

 private:
  struct Run {
    std::unique_ptr<BatchSource> source;
    Buffer batch;
    SortKeys keys;
    std::uint32_t row = 0;
    std::uint32_t rows = 0;  ///< rows of the batch; 0: the run has ended
    SortHead head;           ///< the key of `row`
  };

  explicit RunMerger(const TableSchema& schema) : schema_(&schema) {}
  Status load(std::uint32_t run);
  bool comes_first(std::uint32_t a, std::uint32_t b) const;

  const TableSchema* schema_;
  std::vector<Run> runs_;
  std::vector<std::vector<ColumnView>> columns_;  ///< columns of the runs' batches
  LoserTree tree_;
};

}  // namespace presso
