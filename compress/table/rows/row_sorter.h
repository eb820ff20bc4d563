// SPDX-License-Identifier: MIT
// Sorts any number of rows in bounded memory. Each piece of the text (whole rows of about 32 MiB)
// is sorted by the thread that has loaded it and becomes a run, a list of batches (row_batch.h).
// Runs stay in memory while all of them fit. Beyond that all go to a temporary file, level 0; where
// a level has too many runs, they are merged into one run of the next level, which has a file of
// its own. So 128 pieces of 32 MiB are read once more, 512 GiB of text twice, 64 TiB three times.
// Memory: SorterLimits::memory_bytes, or while merging one batch for each run, at most 128 runs a
// level.
// Tested by tests/unit/compress/table/row_sorter_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compress/table/rows/run_merger.h"
#include "format/columns/sort_key.h"
#include "format/temporary_file.h"

namespace presso {

/// How much memory waiting rows may take, and where the others go.
struct SorterLimits {
  std::uint64_t memory_bytes = 0;  ///< of runs that wait for the merge
  std::string temporary_directory;
};

/// Takes sorted runs and gives a merger of all of them.
class RowSorter {
 public:
  /// With this number of runs a level is merged, or with fewer whose batches take half the memory.
  static constexpr std::size_t kMostRuns = 128;

  /// The sorted rows of one piece; made by any thread, added in order.
  struct SortedRun {
    std::vector<Buffer> batches;
    std::uint64_t bytes = 0;
    std::uint64_t largest_batch = 0;
  };

  /// Keeps `schema` by reference.
  RowSorter(const TableSchema& schema, std::vector<SortColumn> by, SorterLimits limits)
      : schema_(schema), by_(std::move(by)), limits_(std::move(limits)) {}

  /// Sorts the rows of `columns`, at least one. Threads may call it at once.
  SortedRun sort(std::span<const ColumnView> columns) const;
  /// Adds the runs in the order of the text, so that rows with equal keys keep their order. Not
  /// thread-safe.
  Status add(SortedRun run);
  /// Returns a merger of all runs. To be called once, after the last run; the sorter must outlive
  /// the merger.
  Result<RunMerger> merge();
  /// Bytes written to temporary files, on all levels together.
  std::uint64_t spilled_bytes() const { return spilled_bytes_; }

 private:
  struct FileRun {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  struct Level {
    TemporaryFile file;
    std::vector<FileRun> runs;
    std::uint64_t batch_bytes = 0;  ///< sum of each run's largest batch
  };

  Result<Level*> level(std::size_t number);
  Status spill(const SortedRun& run);
  Status append(Level& level, const Buffer& batch);
  bool is_full(const Level& level) const;
  Status settle(std::size_t number);
  Status merge_level(std::size_t number);
  static void add_sources(const Level& level, std::vector<std::unique_ptr<BatchSource>>& to);

  const TableSchema& schema_;
  const std::vector<SortColumn> by_;
  const SorterLimits limits_;
  std::vector<SortedRun> held_;
  std::uint64_t held_bytes_ = 0;
  std::vector<std::unique_ptr<Level>> levels_;  ///< empty: all runs are held
  std::uint64_t spilled_bytes_ = 0;
};

}  // namespace presso
