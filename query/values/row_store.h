// SPDX-License-Identifier: MIT
// Rows in memory, column by column, in physical form (vector.h): groups, build sides of joins, and
// rows that wait to be sorted. Strings are copied into chunks that do not move, so that references
// to them stay valid. Not thread-safe. Tested by tests/unit/query/values/row_store_test.cpp.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "presso/byte_stream.h"
#include "query/values/vector.h"

namespace presso::query {

/// Owns bytes of strings, which stay in place until all are dropped by clear(). Memory is taken in
/// chunks that double from 4 KiB to 1 MiB.
class StringArena {
 public:
  /// Copies the bytes and returns where they are. Nothing is allocated for an empty string.
  StringRef add(Bytes bytes);
  std::uint64_t bytes() const { return bytes_; }  ///< the memory that all chunks take
  void clear();

 private:
  std::vector<std::unique_ptr<Byte[]>> chunks_;
  std::size_t free_ = 0;  ///< bytes of the newest chunk from at_ on
  Byte* at_ = nullptr;
  std::size_t chunk_bytes_ = 0;  ///< size of the newest chunk that several strings share
  std::uint64_t bytes_ = 0;
};

/// Columns of one length. Movable; an empty store has no columns.
class RowStore {
 public:
  RowStore() = default;
  explicit RowStore(std::vector<Physical> columns);

  const std::vector<Physical>& columns() const { return physical_; }
  std::uint64_t rows() const { return rows_; }
  std::uint64_t bytes() const;  ///< the memory that the columns and their strings take

  /// Makes an empty store have `rows` rows, which the caller fills: values are unspecified, none is
  /// null.
  void resize_unset(std::uint64_t rows);
  Byte* values(std::size_t column) { return columns_[column].values.data(); }
  /// Returns the bitmap of a column's nulls, allocating it (without nulls) if there is none.
  std::uint64_t* validity(std::size_t column);
  /// Frees bitmaps without a null, so that readers need not look at them.
  void drop_idle_validity();
  /// Keeps an arena alive that strings of filled rows point into.
  void keep(std::shared_ptr<const StringArena> strings) { kept_.push_back(std::move(strings)); }
  /// For stores of many rows, before the first row: fewer page faults and TLB misses (see Buffer).
  void use_large_pages();
  /// Makes room for `rows` rows; up to there, appending does not move what is stored.
  void reserve(std::uint64_t rows);
  /// Appends rows, given as a view for each column; at most kBatchRows rows. Strings are copied.
  void append(std::span<const VectorView> columns, std::uint32_t rows);
  /// Returns the rows of several stores with the same columns, one store after another, copied by
  /// `threads` threads. The memory of each part is freed on the way. Throws std::bad_alloc.
  static RowStore concatenated(std::vector<Physical> columns, std::vector<RowStore> parts,
                               unsigned threads);
  /// Returns a view of the rows from `first` on, which must be a multiple of 64, as validity is in
  /// words.
  VectorView view(std::size_t column, std::uint64_t first) const;
  bool is_null(std::size_t column, std::uint64_t row) const;
  template <class T>
  const T& at(std::size_t column, std::uint64_t row) const {
    return reinterpret_cast<const T*>(columns_[column].values.data())[row];
  }
  /// Returns the rows with these numbers in this order; a row may be left out or occur twice. Both
  /// stores share the bytes of strings, which live as long as either. Only one of the two may then
  /// be used at a time by threads that append.
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
