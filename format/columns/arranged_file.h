// SPDX-License-Identifier: MIT
// A table seen with other columns, without copying it: columns in another order, and columns that
// have one value, or null, in all rows. Each row group's blocks are those of the file, and the
// blocks of the constant columns follow them at addresses that the file does not have. Those take
// about 1 KiB for 65,536 rows and are made when the row group's directory is read. Tested by
// tests/unit/decompress/table/arranged_table_test.cpp.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "format/columns/table_file.h"
#include "presso/byte_stream.h"

namespace presso {

/// The bytes of an arranged table, for readers of blocks, and its directories. Thread-safe.
class ArrangedFile final : public RandomAccess {
 public:
  /// `file` is kept by reference. Error: kInvalidArgument for a value that is not of its type.
  static Result<std::shared_ptr<const ArrangedFile>> make(const RandomAccess& file,
                                                          TableIndex index,
                                                          std::vector<ArrangedColumn> columns);

  std::uint64_t size() const override { return file_.size() + added_; }
  Status read_at(std::uint64_t offset, MutableBytes into) const override;

  const TableIndex& index() const { return index_; }
  const std::vector<ArrangedColumn>& columns() const { return columns_; }
  /// The bytes of the constant columns' blocks in row groups before this one.
  std::uint64_t added_before(std::uint64_t group) const { return added_before_[group]; }
  std::uint64_t added_bytes(std::uint32_t rows) const;
  Result<RowGroup> directory(std::uint64_t group) const;
  /// The range of a constant column in a row group.
  ColumnZone zone(std::size_t column, std::uint32_t rows) const;

 private:
  /// A constant in the forms in which blocks need it.
  struct Constant {
    bool is_null = true;
    Byte width_bytes = 0;    ///< of a number
    std::uint64_t bits = 0;  ///< of a number
    Bytes string;            ///< in columns_
    ColumnBlock described;   ///< the zone
  };

  ArrangedFile(const RandomAccess& file, TableIndex index, std::vector<ArrangedColumn> columns)
      : file_(file), index_(std::move(index)), columns_(std::move(columns)) {}
  Status set_constants();
  void add_constant(std::size_t column, RowGroup& group, Buffer& blocks) const;
  std::uint64_t blocks_offset(std::uint64_t group) const;

  const RandomAccess& file_;
  TableIndex index_;
  std::vector<ArrangedColumn> columns_;
  std::vector<Constant> constants_;  ///< by column
  std::vector<std::uint64_t> added_before_;
  std::uint64_t added_ = 0;
  mutable std::mutex mutex_;
  mutable std::map<std::uint64_t, std::shared_ptr<const Buffer>> blocks_;  ///< by row group
};

}  // namespace presso
