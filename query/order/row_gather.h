// SPDX-License-Identifier: MIT
// Copies rows from any places into columns that lie together: the rows kept of a batch, rows that
// are written to a file, rows that come out. References to strings are copied, their bytes are not.
// Tested by tests/unit/query/order/ordering_test.cpp.
#pragma once

#include <span>
#include <vector>

#include "presso/byte_stream.h"
#include "query/order/entry_sort.h"
#include "query/values/vector.h"

namespace presso::query {

/// Rows that lie together: a batch, or a part of a RowStore. The last column is the row's number in
/// the input.
struct RowSource {
  std::vector<VectorView> columns;
  std::uint32_t rows = 0;

  std::int64_t number(std::uint32_t row) const { return columns.back().as<std::int64_t>()[row]; }
};

/// Owns the columns of the rows gathered last, and uses their memory again.
class RowGather {
 public:
  explicit RowGather(std::vector<Physical> columns);

  /// Gathers the rows that `picks` name; previous rows are lost.
  void gather(std::span<const RowSource> sources, std::span<const SortEntry> picks);
  std::uint32_t rows() const { return rows_; }
  /// A view of all gathered rows for each column.
  std::span<const VectorView> views() const { return views_; }
  std::uint64_t memory_bytes() const;

 private:
  void gather_nulls(std::size_t column, std::span<const RowSource> sources,
                    std::span<const SortEntry> picks);

  std::vector<Physical> physical_;
  std::vector<Buffer> values_;
  std::vector<std::vector<std::uint64_t>> validity_;
  std::vector<VectorView> views_;
  std::uint32_t rows_ = 0;
};

}  // namespace presso::query
