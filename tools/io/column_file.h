// SPDX-License-Identifier: MIT
// A file that holds columns and no text: Parquet (tools/parquet), Arrow (tools/arrow).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "presso/column_data.h"
#include "presso/expression.h"
#include "presso/table_schema.h"

namespace presso::cli {

/// "a Parquet file" for "parquet", "an Arrow file" for "arrow".
constexpr std::string_view words_of_kind(std::string_view kind) {
  return kind == "arrow" ? "an Arrow file" : "a Parquet file";
}

/// What all wanted rows fulfil.
struct RowConditions {
  std::string alias;  ///< by which the conditions may qualify columns
  std::vector<Expression> conditions;
  /// Columns of the file that the conditions do not mean, because others take their place.
  std::vector<std::string> hidden;
};

/// An open file. Its schema is known, its rows are not read yet.
class ColumnFile {
 public:
  virtual ~ColumnFile() = default;

  /// The columns, in the order of the file, with names that differ.
  virtual const TableSchema& schema() const = 0;
  /// For people: columns that were renamed.
  virtual const std::vector<std::string>& notes() const = 0;
  /// "parquet" or "arrow".
  virtual std::string_view kind() const = 0;

  /// Lets read() leave out rows that do not fulfil all conditions; returns how many it will.
  virtual std::uint64_t leave_out(const RowConditions&) { return 0; }

  /// Adds the fields of columns whose values must be read for it. `schema` has the columns with
  /// these numbers.
  virtual Status find_fields(std::span<const std::size_t>, unsigned, TableSchema&) const {
    return {};
  }

  /// Takes some rows of the columns that were asked for. What it returns ends the reading.
  using OnRows = std::function<Status(std::span<const ColumnView>)>;
  /// Reads the rows of the columns with these numbers, which rise, on up to `threads` threads.
  virtual Status read(std::span<const std::size_t> columns, unsigned threads,
                      const OnRows& on_rows) const = 0;
};

}  // namespace presso::cli
