// SPDX-License-Identifier: MIT
// Sorted runs in temporary files, batch by batch. Not a file format: a batch is read by the process
// that wrote it, so that nothing but its size is checked. A batch is columns as vectors have them,
// behind each other, with strings' places counted from the batch's begin: reading it is one read,
// and strings are given their addresses.
// Tested by tests/unit/query/order/ordering_spill_test.cpp.
#pragma once

#include <memory>
#include <vector>

#include "format/temporary_file.h"
#include "query/order/row_gather.h"

namespace presso::query {

struct FileRun {
  std::shared_ptr<TemporaryFile> file;  ///< of several runs; given up with the last of them
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t largest_batch = 0;  ///< in bytes
};

/// Writes one run behind what the file holds.
class RunWriter {
 public:
  /// A batch has at most so many rows, and as few more bytes than `batch_bytes` as one row has.
  static constexpr std::uint32_t kMostRows = 4096;

  RunWriter(std::vector<Physical> columns, std::shared_ptr<TemporaryFile> file,
            std::uint64_t batch_bytes);
  Status add(std::span<const RowSource> sources, std::span<const SortEntry> rows);
  FileRun finish();
  std::uint64_t memory_bytes() const { return buffer_.size() + gather_.memory_bytes(); }

 private:
  std::size_t rows_of_batch(std::span<const RowSource> sources,
                            std::span<const SortEntry> rows) const;
  Status write_batch();
  void put_column(const VectorView& view);

  std::vector<Physical> physical_;
  std::uint64_t batch_bytes_;
  std::uint64_t fixed_bytes_ = 0;  ///< of a row, its strings' bytes aside
  RowGather gather_;
  Buffer buffer_;
  FileRun run_;
};

/// A batch that was read.
class RunBatch {
 public:
  explicit RunBatch(std::vector<Physical> columns) : physical_(std::move(columns)) {}
  /// From `at` on, which is moved behind it.
  Status read(const TemporaryFile& file, std::uint64_t& at);
  /// Views into this batch.
  RowSource source() const;
  std::uint64_t memory_bytes() const { return buffer_.size(); }

 private:
  std::vector<Physical> physical_;
  Buffer buffer_;
};

}  // namespace presso::query
