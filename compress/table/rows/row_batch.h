// SPDX-License-Identifier: MIT
// Batches of rows between sorting (row_sorter.h) and merging (run_merger.h): the columns of a few
// rows in one piece of memory, so that they can wait there or in a temporary file and be released
// one by one. This is no file format: a batch is read by the process that wrote it, so nothing is
// checked.
// Tested by tests/unit/compress/table/row_sorter_test.cpp.
#pragma once

#include <functional>
#include <vector>

#include "compress/table/rows/row_gather.h"
#include "presso/column_data.h"

namespace presso {

/// Limits of a batch: this many rows, and bytes that are exceeded by less than one row.
constexpr std::uint32_t kBatchRows = 4096;
constexpr std::uint64_t kBatchBytes = std::uint64_t{256} << 10;

/// Makes a batch of all rows of `columns`. It begins with its own size in bytes.
Buffer pack_batch(std::span<const ColumnData> columns);
constexpr std::size_t kBatchSizeBytes = 8;
inline std::size_t batch_size(const Byte* batch) {
  return static_cast<std::size_t>(load<std::uint64_t>(batch));
}
/// Views of the columns, which point into `batch`.
std::vector<ColumnView> unpack_batch(const TableSchema& schema, const Buffer& batch);

/// Copies the rows of `columns` that `order` names into batches, in that order, and hands each
/// to `take`, whose error ends it.
Status pack_rows(const TableSchema& schema, std::vector<ColumnView> columns,
                 std::span<const std::uint32_t> order, const std::function<Status(Buffer)>& take);

}  // namespace presso
