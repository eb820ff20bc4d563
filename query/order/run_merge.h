// SPDX-License-Identifier: MIT
// Merges sorted runs in files by a tree of losers. Of each run two batches are in memory: the one
// that is being read and the one before, whose rows may be among those that were handed out last.
// Tested by tests/unit/query/order/ordering_spill_test.cpp.
#pragma once

#include <vector>

#include "format/loser_tree.h"
#include "query/order/row_order.h"
#include "query/order/run_file.h"

namespace presso::query {

class RunMerge {
 public:
  RunMerge(std::vector<Physical> columns, KeyCoding coding)
      : columns_(std::move(columns)), coding_(std::move(coding)) {}

  Status open(std::vector<FileRun> runs);

  /// Adds the next rows to `picks`, at most `most`; none at the end. Fewer do not mean the end.
  Status next(std::size_t most, std::vector<SortEntry>& picks);
  /// Where the rows are that next() has added last.
  std::span<const RowSource> sources() const { return sources_; }
  std::uint64_t memory_bytes() const;

 private:
  struct Run {
    EntryArray entries;  ///< of the batch
    std::size_t at = 0;
    FileRun in_file;
    bool loaded = false;  ///< a batch since the last next()
    bool ended() const { return at == entries.size(); }
  };

  Status load(std::uint32_t run);
  Result<bool> advance();
  bool comes_first(std::uint32_t a, std::uint32_t b) const;

  std::vector<Physical> columns_;
  KeyCoding coding_;
  std::vector<Run> runs_;
  std::vector<SortEntry> heads_;    ///< of the runs; those that have ended: anything
  std::vector<RowSource> sources_;  ///< two for each run
  std::vector<RowKeys> keys_;       ///< of the sources
  std::vector<RunBatch> batches_;   ///< of the sources
  LoserTree tree_;
  bool waiting_ = false;  ///< the winner's next batch must be read first
};

}  // namespace presso::query
