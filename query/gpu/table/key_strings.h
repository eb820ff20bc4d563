// SPDX-License-Identifier: MIT
// String keys of joins and groups, however row groups store them. The strings of a build side's
// column, or of a group key, are numbered row by row in device memory
// (query/gpu/kernels/string_index.h), and columns that are joined to it get the same numbers.
// Pipelines then join and group by numbers and need not read the strings. Costs 4 bytes for each
// row of device memory while the query runs; strings reach the device in their stored form. Tested
// by tests/queries/strings.txt.
#pragma once

#include <memory>
#include <vector>

#include "query/gpu/kernels/pipeline.h"
#include "query/gpu/kernels/string_index.h"
#include "query/gpu/table/numbered_column.h"
#include "query/gpu/table/run_space.h"
#include "query/run/execution.h"

namespace presso::gpu {

/// A number for each row of all tables together.
struct RowNumbers {
  RowArray array() const { return {memory.get(), static_cast<std::uint32_t>(rows), false}; }

  DeviceMemory memory;
  std::uint64_t rows = 0;
};

class KeyStrings {
 public:
  /// kDense: strings are numbered one after another, so that count() is about how many there are.
  /// kAny: a string may have the number of one of its rows, which is faster where nearly all are
  /// different; count() is then how many rows there are.
  enum class Numbering { kDense, kAny };

  /// Numbers the strings of a column; nulls get null_number(). `execution`: what is read counts for
  /// it. Both are kept by reference. Waits.
  ///
  /// Errors: kUnsupported, with the reason, where there may be too little device memory; those of
  /// TableParts::next() and of blocks, as a CPU reports them; kDeviceLost, kOutOfMemory.
  static Result<std::unique_ptr<KeyStrings>> make(const RunSpace& space,
                                                  query::Execution& execution,
                                                  const TableColumn& column, Numbering numbering);

  /// All numbers of strings are below: there are not more strings than rows, and mostly room for as
  /// many.
  std::uint32_t limit() const { return index_.most_strings; }
  /// The same, as it has turned out: of a dense numbering mostly far fewer than limit(), where
  /// strings repeat.
  std::uint32_t count() const { return count_; }
  /// Where the strings are.
  const StringIndex& index() const { return index_; }
  /// Of the column's own nulls.
  std::uint32_t null_number() const { return limit(); }
  /// Of strings of other columns that the column does not have, and of their nulls.
  std::uint32_t none() const { return limit() + 1; }
  const RowNumbers& own_rows() const { return own_rows_; }
  /// Of another column's rows. Waits. Errors: those of make().
  Result<RowNumbers> rows_of(const TableColumn& column) { return number(column, false); }

 private:
  KeyStrings(const RunSpace& space, query::Execution& execution)
      : space_(space), execution_(execution) {}
  Status make_index(const TableColumn& column, Numbering numbering);
  Status allocate_index(std::uint64_t strings, std::uint64_t bytes);
  Status check_room();
  Result<RowNumbers> number(const TableColumn& column, bool adds);

  const RunSpace& space_;
  query::Execution& execution_;
  DeviceMemory memory_;  ///< of the index, but for `rest`
  DeviceMemory rest_;
  StringIndex index_;
  std::uint32_t count_ = 0;
  RowNumbers own_rows_;
};

}  // namespace presso::gpu
