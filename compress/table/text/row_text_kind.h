// SPDX-License-Identifier: MIT
// One interface for the two kinds of text that have rows, delimited fields (delimited_kind.cpp) and
// JSON (json_kind.cpp): where rows end, which columns they have, and how they are loaded.
// Reading, cutting and encoding (compress_table.cpp) know nothing more of the form.
#pragma once

#include <memory>
#include <vector>

#include "compress/table/text/csv_loader.h"
#include "compress/table/text/json_inference.h"
#include "compress/table/text/type_inference.h"
#include "presso/table_schema.h"

namespace presso {

/// Finds out the columns and their types from all rows that it is given. Each thread has one for
/// its part of the text; they are merged in the text's order.
class ColumnFinder {
 public:
  virtual ~ColumnFinder() = default;
  /// Adds whole rows, whose first byte is in line `first_line`.
  virtual Status add(Bytes text, std::uint64_t first_line) = 0;
  /// Adds `lines` to every line that was noted: the text turned out to begin so much later.
  virtual void move_lines(std::uint64_t lines) = 0;
  /// Merges the findings of a later part of the text into these, by a finder of the same kind.
  virtual void merge(const ColumnFinder& later) = 0;
  /// The columns with the types that all values agree with.
  virtual Result<TableSchema> finish() const = 0;
  /// Reports in the order of finish()'s columns.
  virtual std::vector<ColumnReport> report() const = 0;
  /// For a finder that was given all of the text: whether the text may end where it does.
  virtual Status check_end() const { return {}; }
};

/// A kind of text, with its dialect. Thread-safe, as nothing changes after it was made.
class RowTextKind {
 public:
  virtual ~RowTextKind() = default;
  /// Where to cut a text that goes on: after its last row that is surely complete; 0 if there is
  /// none.
  virtual Result<std::size_t> last_row_end(Bytes text) const = 0;
  /// Passes at most `most` rows from `at`; `rows` becomes their number. Returns where the text of
  /// the next row begins. Unless `text_ends_here`, a row without its line end is not passed.
  virtual Result<std::size_t> pass_rows(Bytes text, std::size_t at, std::size_t most,
                                        bool text_ends_here, std::size_t& rows) const = 0;
  /// An upper bound of the rows of a text of `lines` lines.
  virtual std::uint64_t most_rows(Bytes /*text*/, std::uint64_t lines) const { return lines; }
  virtual std::unique_ptr<ColumnFinder> new_finder() const = 0;
  virtual Result<LoadedRows> load(Bytes text, const TableSchema& schema,
                                  std::uint64_t first_line) const = 0;
  /// What to add to an error of load() if its rows are not set aside.
  virtual std::string advice() const { return {}; }
  /// The rows for which load() would fail.
  virtual Result<std::vector<RowPlace>> find_bad_rows(Bytes text,
                                                      const TableSchema& schema) const = 0;
};

/// `names`: names of the columns.
std::unique_ptr<RowTextKind> make_delimited_kind(const TextForm& form,
                                                 std::vector<std::string> names,
                                                 const LoadOptions& options);
/// `json`: as sniff_json() returns it.
std::unique_ptr<RowTextKind> make_json_kind(const JsonText& json);

}  // namespace presso
