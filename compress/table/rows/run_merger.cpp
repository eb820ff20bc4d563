// SPDX-License-Identifier: MIT
// RunMerger: a k-way merge by a tree of losers (format/loser_tree.h). Batches are loaded when they
// are needed, so memory is one batch for each run. Keys are made again for each batch.
#include "compress/table/rows/run_merger.h"

#include <utility>

#include "compress/table/rows/row_batch.h"

namespace presso {

Result<RunMerger> RunMerger::open(const TableSchema& schema, const std::vector<SortColumn>& by,
                                  std::vector<std::unique_ptr<BatchSource>> runs) {
  RunMerger merger(schema);
  merger.columns_.resize(runs.size());
  for (std::unique_ptr<BatchSource>& source : runs) {
    merger.runs_.push_back({std::move(source), {}, SortKeys(by), 0, 0, {}});
  }
  for (std::uint32_t run = 0; run < runs.size(); ++run) PRESSO_TRY(merger.load(run));
  // All heads must be there before the first match of the tournament.
  merger.tree_.build(static_cast<std::uint32_t>(runs.size()),
                     [&](std::uint32_t a, std::uint32_t b) { return merger.comes_first(a, b); });
  return merger;
}

/// Loads the next batch of a run, and makes its keys.
Status RunMerger::load(std::uint32_t number) {
  Run& run = runs_[number];
  PRESSO_ASSIGN(const bool more, run.source->next(run.batch));
  run.row = 0;
  run.rows = 0;
  // An ended run has no rows, and frees its batch.
  if (!more) {
    run.batch = Buffer();
    return {};
  }
  columns_[number] = unpack_batch(*schema_, run.batch);
  run.rows = static_cast<std::uint32_t>(columns_[number].front().rows);
  run.keys.make(columns_[number]);
  run.head = SortHead(run.keys.key(0));
  return {};
}

/// Runs that have ended come last; ties are broken by the run's number, which keeps the sort
/// stable.
bool RunMerger::comes_first(std::uint32_t a, std::uint32_t b) const {
  const Run& left = runs_[a];
  const Run& right = runs_[b];
  if (left.rows == 0 || right.rows == 0) return right.rows == 0 && (left.rows != 0 || a < b);
  const int order = compare(left.head, right.head);
  return order != 0 ? order < 0 : a < b;
}

/// Picks rows in order, then copies them. It stops when a batch is used up, since its rows must be
/// copied before the run's next batch is loaded.
Result<std::vector<ColumnData>> RunMerger::next() {
  std::vector<ColumnData> rows = empty_columns(*schema_);
  std::vector<RowPick> picks;
  const auto first = [this](std::uint32_t a, std::uint32_t b) { return comes_first(a, b); };
  while (!tree_.empty() && picks.size() < kBatchRows) {
    const std::uint32_t number = tree_.winner();
    Run& run = runs_[number];
    if (run.rows == 0) break;
    picks.push_back({number, run.row});
    if (++run.row == run.rows) {
      append_rows(columns_, picks, rows);
      PRESSO_TRY(load(number));
      tree_.replay(first);
      return rows;
    }
    run.head = SortHead(run.keys.key(run.row));
    tree_.replay(first);
  }
  append_rows(columns_, picks, rows);
  return rows;
}

}  // namespace presso
