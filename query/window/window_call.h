// SPDX-License-Identifier: MIT
// What the parts of the window operator know of a call, and of the sorted rows that it runs over.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "query/values/row_store.h"
#include "query/window/window.h"

namespace presso::query {

/// The form of a column's values in memory.
Physical physical_of_type(ColumnType type);
/// The function's name in SQL.
std::string window_name(WindowKind kind);
/// Whether the function sees the rows of its frame as an aggregate does, with FILTER and DISTINCT.
bool is_aggregate(WindowKind kind);

/// Sorted rows of whole partitions. Places of rows count from 0 in the chunk.
struct WindowChunk {
  RowStore rows;            ///< the columns that calls need; the last is the row's number
  std::uint32_t count = 0;  ///< rows of whole partitions
  std::vector<std::uint32_t> partitions;  ///< where they begin, and the end
  /// Groups of rows of a partition that are equal in the order: where they begin, and the end.
  std::vector<std::uint32_t> groups;
  std::vector<std::uint32_t> group_of;  ///< by row

  std::uint32_t group_begin(std::uint32_t row) const { return groups[group_of[row]]; }
  std::uint32_t group_end(std::uint32_t row) const { return groups[group_of[row] + 1]; }
  std::int64_t number(std::uint32_t row) const {
    return rows.at<std::int64_t>(rows.columns().size() - 1, row);
  }
};

/// A column of the chunk.
struct WindowColumn {
  VectorView view;
  ColumnSchema schema;

  bool is_null(std::uint32_t row) const { return view.is_null(row); }
  template <class T>
  T at(std::uint32_t row) const {
    return view.as<T>()[row];
  }
  /// A number as a double. Precondition: it is a number.
  double real(std::uint32_t row) const;
  /// A whole number, date, timestamp or bool, or a decimal times 10^scale.
  Int128 integer(std::uint32_t row) const;
};

/// The results of a call for the rows of a chunk. Threads may set different rows at once.
class WindowResult {
 public:
  WindowResult(Physical physical, std::uint32_t rows);

  Physical physical() const { return physical_; }
  template <class T>
  void set(std::uint32_t row, const T& value) {
    store(values_.data() + std::size_t{row} * sizeof(T), value);
    valid_[row] = 1;
  }
  /// Sets the value of another column of this form, which may be null.
  void set_from(std::uint32_t row, const VectorView& view, std::uint32_t from);
  void copy(std::uint32_t from, std::uint32_t to);
  bool is_null(std::uint32_t row) const { return valid_[row] == 0; }
  const Byte* value(std::uint32_t row) const { return values_.data() + std::size_t{row} * width_; }

 private:
  Physical physical_;
  std::size_t width_;
  Buffer values_;
  std::vector<Byte> valid_;  ///< rows are null until they are set
};

/// A call with its columns of a chunk. Immutable, shared by threads.
struct WindowInput {
  const WindowCall* call = nullptr;
  const WindowChunk* chunk = nullptr;
  ColumnSchema schema;  ///< of the result
  std::vector<WindowColumn> arguments;
  std::optional<WindowColumn> filter;
  std::optional<WindowColumn> key;  ///< the first key of the order
  std::optional<WindowColumn> begin_offset;
  std::optional<WindowColumn> end_offset;

  /// Whether an aggregate sees the row: the filter is true, and no argument that must not be null
  /// is.
  bool sees(std::uint32_t row) const;
  bool sees_all = false;  ///< sees() is true for all rows
  /// Bytes of texts that the calls of a chunk may still make.
  std::shared_ptr<std::atomic<std::int64_t>> text_left;
};

/// The rows [begin, end) of a chunk.
struct RowRange32 {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// Computes row_number() to ntile() for a partition.
Status run_ranks(const WindowInput& input, RowRange32 partition, WindowResult& result);
/// Computes lag() and lead() for a partition.
Status run_shifts(const WindowInput& input, RowRange32 partition, WindowResult& result);

/// Runs a call over partitions, one after another. Each thread has its own.
class WindowRun {
 public:
  virtual ~WindowRun() = default;
  virtual Status run(RowRange32 partition, WindowResult& result) = 0;
};
/// `strings` takes the strings that are made, and must live as long as the results.
std::unique_ptr<WindowRun> make_window_run(const WindowInput& input, StringArena& strings);

}  // namespace presso::query
