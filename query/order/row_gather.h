// SPDX-License-Identifier: MIT
// Rows from any places, copied together column by column: what is kept of a batch, what is written
// to a file, what comes out. Strings are not copied, only where they are.
// Tested by tests/unit/query/order/ordering_test.cpp.
#pragma once

#include <span>
#include <vector>

#include "presso/byte_stream.h"
#include "query/order/entry_sort.h"
#include "query/values/vector.h"

namespace presso::query {

/// Rows that lie together: a batch, a part of a RowStore. Their last column is the row's number in
/// the input.
struct RowSource {
  std::vector<VectorView> columns;
  std::uint32_t rows = 0;

  std::int64_t number(std::uint32_t row) const { return columns.back().as<std::int64_t>()[row]; }
};

class RowGather {
 public:
  explicit RowGather(std::vector<Physical> columns);

  /// The rows before are gone.
  void gather(std::span<const RowSource> sources, std::span<const SortEntry> picks);
  std::uint32_t rows() const { return rows_; }
  /// Of all rows.
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
