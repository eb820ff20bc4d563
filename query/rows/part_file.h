// SPDX-License-Identifier: MIT
// Rows in temporary files, dealt out to parts of their keys: what a join writes of a side that does
// not fit into memory, and of the rows that are joined to it. Any number of threads write; what one
// of them writes of a part is read in the same order, batch by batch, as often as it is wanted.
// Rows wait in memory until there are enough of them to be written part by part.
// Tested by tests/unit/query/rows/part_file_test.cpp and tests/cli/test_join.py.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "query/order/run_file.h"
#include "query/values/row_store.h"

namespace presso::query {

struct PartFilePlan {
  std::vector<Physical> columns;
  std::uint32_t parts = 1;
  std::uint64_t thread_bytes = 0;  ///< of rows that wait, of each thread that writes
  std::string temporary_directory;
};

class PartFile {
 public:
  /// Rows with this part are left out.
  static constexpr std::uint32_t kNoPart = ~std::uint32_t{0};

  /// A batch of rows of one part: at most RunWriter::kMostRows.
  struct Batch {
    const TemporaryFile* file = nullptr;
    std::uint64_t at = 0;
    std::uint32_t rows = 0;
  };

  explicit PartFile(PartFilePlan plan);
  ~PartFile();

  /// Up to kBatchRows rows, and the part of each. By any thread. kNoSpace and kIo name the folder.
  Status add(std::span<const VectorView> columns, const std::uint32_t* parts, std::uint32_t count);
  /// After the last row, before anything is read.
  Status finish();

  std::uint32_t parts() const { return plan_.parts; }
  std::uint64_t rows() const;
  std::uint64_t rows(std::uint32_t part) const { return rows_[part]; }
  std::uint64_t file_bytes() const;
  /// Of the parts [first, end), one after another.
  std::vector<Batch> batches(std::uint32_t first, std::uint32_t end) const;
  const std::vector<Physical>& columns() const { return plan_.columns; }

 private:
  class Writer;
  Result<Writer*> take_writer();

  PartFilePlan plan_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Writer>> writers_;
  std::vector<Writer*> idle_;
  std::vector<std::vector<Batch>> batches_;  ///< by part
  std::vector<std::uint64_t> rows_;          ///< by part
};

/// Values from row `first` on, a multiple of 64.
VectorView view_from(const VectorView& view, std::uint32_t first);

}  // namespace presso::query
