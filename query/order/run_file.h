// SPDX-License-Identifier: MIT
// Sorted runs of an ORDER BY that exceeds the memory, in temporary files, batch by batch
// (query/rows/part_file.h writes rows of joins in the same form). This is no file format: a batch
// is read only by the process that wrote it, so nothing but its size is checked. A batch is columns
// as vectors hold them, one after another, with the places of strings relative to the batch:
// reading it is one read, after which strings are given their addresses. Tested by
// tests/unit/query/order/ordering_spill_test.cpp.
#pragma once

#include <memory>
#include <vector>

#include "format/temporary_file.h"
#include "query/order/row_gather.h"

namespace presso::query {

/// One sorted run: bytes [begin, end) of a file.
struct FileRun {
  /// The file, which several runs may share. It is deleted with the last of them.
  std::shared_ptr<TemporaryFile> file;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t largest_batch = 0;  ///< bytes of the largest batch
};

/// Appends one run to a file.
class RunWriter {
 public:
  /// The most rows of a batch. A batch also ends when it has `batch_bytes`.
  static constexpr std::uint32_t kMostRows = 4096;

  RunWriter(std::vector<Physical> columns, std::shared_ptr<TemporaryFile> file,
            std::uint64_t batch_bytes);
  /// Appends rows, which must be in order.
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
  std::uint64_t fixed_bytes_ = 0;  ///< bytes of a row, without those of its strings
  RowGather gather_;
  Buffer buffer_;
  FileRun run_;
};

/// A batch that was read back, with its memory, which the next read uses again.
class RunBatch {
 public:
  explicit RunBatch(std::vector<Physical> columns) : physical_(std::move(columns)) {}
  /// Reads the batch at `at`, and moves `at` to the end of it.
  Status read(const TemporaryFile& file, std::uint64_t& at);
  /// Returns views into this batch.
  RowSource source() const;
  std::uint64_t memory_bytes() const { return buffer_.size(); }

 private:
  std::vector<Physical> physical_;
  Buffer buffer_;
};

}  // namespace presso::query
