// SPDX-License-Identifier: MIT
// Batches of Arrow columns shown as rows of ColumnViews, in slices, so that memory stays bounded
// whatever the size of a batch. Rows that are null as a whole, and types that can be stored in no
// way, are refused. Tested by tests/unit/compress/arrow/compress_arrow_test.cpp.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "compress/arrow/arrow_column.h"

namespace presso {

/// Reads the batches of one schema, one after another. Not for several threads.
class ArrowBatchReader {
 public:
  /// `schema` must be a struct of columns. Error: kUnsupported for a type that cannot be stored.
  static Result<ArrowBatchReader> make(const ArrowSchema& schema);

  /// Must be called with the first batch, if there is one, before schema() is used: the entries of
  /// its dictionaries are kept in the schema.
  Status keep_entries(const ArrowArray& batch);
  /// Names and types as Arrow tells them; tables have no other metadata of a schema.
  TableSchema schema() const;

  /// Takes some rows of all columns, which are valid during the call.
  using OnRows = std::function<Status(std::span<const ColumnView>)>;
  /// Passes all rows of a batch on, at least once. kInvalidArgument where the batch contradicts
  /// itself or the schema.
  Status read(const ArrowArray& batch, const OnRows& on_rows);

 private:
  Status check(const ArrowArray& batch) const;
  Result<std::uint64_t> read_slice(const ArrowArray& batch, std::uint64_t first, std::uint64_t most,
                                   const OnRows& on_rows);

  std::vector<ArrowColumn> columns_;
  std::uint64_t before_ = 0;  ///< rows of earlier batches
};

}  // namespace presso
