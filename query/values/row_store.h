// SPDX-License-Identifier: MIT
// Rows in memory, column by column, in physical form: groups, and rows that wait to be sorted.
// Bytes of strings are copied into chunks that do not move. Not thread-safe.
// Tested by tests/unit/query/values/row_store_test.cpp.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "presso/byte_stream.h"
#include "query/values/vector.h"

namespace presso::query {

/// Bytes that stay where they are until all are dropped.
class StringArena {
 public:
  /// Copies them; nothing is allocated for an empty string.
  StringRef add(Bytes bytes);
  std::uint64_t bytes() const { return bytes_; }  ///< of memory
  void clear();

 private:
  std::vector<std::unique_ptr<Byte[]>> chunks_;
  std::size_t free_ = 0;  ///< bytes of the newest chunk from at_ on
  Byte* at_ = nullptr;
  std::size_t chunk_bytes_ = 0;  ///< of the newest chunk that several strings share
  std::uint64_t bytes_ = 0;
};

class RowStore {
 public:
  RowStore() = default;
  explicit RowStore(std::vector<Physical> columns);

  const std::vector<Physical>& columns() const { return physical_; }
  std::uint64_t rows() const { return rows_; }
  std::uint64_t bytes() const;  ///< of memory

  /// Rows that the caller fills: whatever stands in `values`, no nulls. Only in an empty store.
  void resize_unset(std::uint64_t rows);
  Byte* values(std::size_t column) { return columns_[column].values.data(); }
  /// The bitmap of a column's nulls, which has memory from then on.
  std::uint64_t* validity(std::size_t column);
  /// Gives up bitmaps without a null.
  void drop_idle_validity();
  /// Keeps alive what strings of such rows point to.
  void keep(std::shared_ptr<const StringArena> strings) { kept_.push_back(std::move(strings)); }
  /// For stores of many rows, before the first: fewer page faults and misses (Buffer).
  void use_large_pages();
  /// Room for so many rows: what is appended up to there is not copied again.
  void reserve(std::uint64_t rows);
  /// A view for each column; any number of rows up to kBatchRows.
  void append(std::span<const VectorView> columns, std::uint32_t rows);
  /// The rows of some stores with the same columns, one store after another, whose memory is given
  /// up on the way.
  static RowStore concatenated(std::vector<Physical> columns, std::vector<RowStore> parts,
                               unsigned threads);
  /// Rows from `first` on, which must be a multiple of 64.
  VectorView view(std::size_t column, std::uint64_t first) const;
  bool is_null(std::size_t column, std::uint64_t row) const;
  template <class T>
  const T& at(std::size_t column, std::uint64_t row) const {
    return reinterpret_cast<const T*>(columns_[column].values.data())[row];
  }
  /// The rows in another order; a row may be left out, or come twice. Both stores share the bytes
  /// of strings, which live as long as either: only one of the two may be used by a thread at a
  /// time.
  RowStore picked(std::span<const std::uint64_t> rows) const;

 private:
  struct Column {
    Buffer values;  ///< its size is the room for rows, of which rows_ are used
    std::vector<std::uint64_t> validity;  ///< empty: no null so far
  };
  void take_values(std::size_t column, std::uint64_t first, const RowStore& part);
  void append_values(std::size_t column, const VectorView& from, std::uint32_t rows);
  void append_validity(Column& column, const VectorView& from, std::uint32_t rows) const;
  std::vector<Physical> physical_;
  std::vector<Column> columns_;
  std::uint64_t rows_ = 0;
  std::shared_ptr<StringArena> strings_ = std::make_shared<StringArena>();
  std::vector<std::shared_ptr<const StringArena>> kept_;  ///< more bytes of strings
};

}  // namespace presso::query
