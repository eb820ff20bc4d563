// SPDX-License-Identifier: MIT
// Rows in temporary files, divided by parts of their keys: what a join writes of a side that does
// not fit into memory, and of the rows that are joined to it (as in a Grace hash join, Kitsuregawa
// et al. 1983). Any number of threads write. The rows that one thread wrote to a part are read in
// the same order, batch by batch, as often as wanted. Rows wait in memory until there are enough to
// write them part by part. Tested by tests/unit/query/rows/part_file_test.cpp and
// tests/cli/test_join.py.
//
// Order: the rows of one thread and part keep the order in which they were added; the batches of
// different threads come one thread after another, whatever the rows' order in the input.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "query/order/run_file.h"
#include "query/values/row_store.h"

namespace presso::query {

/// How rows look and how much of them may wait in memory.
struct PartFilePlan {
  std::vector<Physical> columns;
  std::uint32_t parts = 1;
  std::uint64_t thread_bytes = 0;  ///< bytes of waiting rows for each thread that writes
  std::string temporary_directory;
};

/// First add() by any threads, then finish(), then reading.
class PartFile {
 public:
  /// Rows with this part are dropped.
  static constexpr std::uint32_t kNoPart = ~std::uint32_t{0};

  /// Rows of one part in a file, to be read with RunBatch; at most RunWriter::kMostRows.
  struct Batch {
    const TemporaryFile* file = nullptr;
    std::uint64_t at = 0;
    std::uint32_t rows = 0;
  };

  explicit PartFile(PartFilePlan plan);
  ~PartFile();

  /// Adds up to kBatchRows rows; parts[i] is the part of row i. Thread-safe. kNoSpace and kIo name
  /// the folder.
  Status add(std::span<const VectorView> columns, const std::uint32_t* parts, std::uint32_t count);
  /// Writes the rows that wait. Called after the last row, before anything is read.
  Status finish();

  std::uint32_t parts() const { return plan_.parts; }
  std::uint64_t rows() const;
  std::uint64_t rows(std::uint32_t part) const { return rows_[part]; }
  std::uint64_t file_bytes() const;
  /// Returns the batches of the parts [first, end), one part after another.
  std::vector<Batch> batches(std::uint32_t first, std::uint32_t end) const;
  const std::vector<Physical>& columns() const { return plan_.columns; }

 private:
  class Writer;
  Result<Writer*> take_writer();

  PartFilePlan plan_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Writer>> writers_;
  std::vector<Writer*> idle_;
  std::vector<std::vector<Batch>> batches_;  ///< indexed by part
  std::vector<std::uint64_t> rows_;          ///< indexed by part
};

/// Returns the values from row `first` on, which must be a multiple of 64.
VectorView view_from(const VectorView& view, std::uint32_t first);

}  // namespace presso::query
