// SPDX-License-Identifier: MIT
// Merges sorted runs in files with a tree of losers (Knuth 1973). For each run two batches are in
// memory: the one being read, and the one before, as its rows may be among those that were handed
// out last. Tested by tests/unit/query/order/ordering_spill_test.cpp.
//
// Why two batches: next() hands out places of rows, not copies. When a batch is used up in the
// middle of a call, the run's next batch is read into the other place; if that one is used up in
// the same call as well, next() returns early, since its caller may still need both.
#pragma once

#include <vector>

#include "format/loser_tree.h"
#include "query/order/row_order.h"
#include "query/order/run_file.h"

namespace presso::query {

/// One merge of some runs, used by one thread: open(), then next() until it gives no rows.
class RunMerge {
 public:
  RunMerge(std::vector<Physical> columns, KeyCoding coding)
      : columns_(std::move(columns)), coding_(std::move(coding)) {}

  /// Reads the first batch of each run.
  Status open(std::vector<FileRun> runs);

  /// Appends the next rows to `picks`, at most `most`. None at the end; fewer than `most` do not
  /// mean the end.
  Status next(std::size_t most, std::vector<SortEntry>& picks);
  /// The batches to which the picks of the last next() refer.
  std::span<const RowSource> sources() const { return sources_; }
  std::uint64_t memory_bytes() const;

 private:
  /// The state of one run.
  struct Run {
    EntryArray entries;  ///< of the current batch
    std::size_t at = 0;
    FileRun in_file;
    bool loaded = false;  ///< whether a batch was read since the last next()
    bool ended() const { return at == entries.size(); }
  };

  Status load(std::uint32_t run);
  Result<bool> advance();
  bool comes_first(std::uint32_t a, std::uint32_t b) const;

  std::vector<Physical> columns_;
  KeyCoding coding_;
  std::vector<Run> runs_;
  std::vector<SortEntry> heads_;    ///< the next entry of each run; unspecified for runs that ended
  std::vector<RowSource> sources_;  ///< two for each run
  std::vector<RowKeys> keys_;       ///< keys of the rows of each source
  std::vector<RunBatch> batches_;   ///< the batch that each source is a view of
  LoserTree tree_;
  bool waiting_ = false;  ///< the winner's next batch must be read before going on
};

}  // namespace presso::query
