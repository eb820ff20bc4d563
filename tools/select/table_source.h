// SPDX-License-Identifier: MIT
// One table of a question: the names that were given for it, the files that they stand for, how
// these are read, and which columns are added to theirs. Tested by tests/cli/test_many_files.py.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "presso/sql.h"
#include "presso/united_tables.h"
#include "tools/compress/flags_table.h"
#include "tools/select/select_input.h"

namespace presso::cli {

/// What is made of several files beside their rows.
struct FileSetOptions {
  bool union_by_name = false;  ///< columns that a file lacks are null
  bool filename = false;       ///< the path is a column
  /// Whether key=value/ in paths are columns; without a value, where several files were named.
  std::optional<bool> partitions;
};

/// A table's files.
struct TableSource {
  std::vector<std::string> names;  ///< as given
  TableFlags text;                 ///< how plain texts are read
  FileSetOptions set;
  // Set by find_files().
  std::vector<std::string> paths;
  bool has_many = false;  ///< several names, or one that is a pattern or a folder
  /// By file: whether it holds no row that the question asks for, so that of a text its beginning
  /// will do, for names and types.
  std::vector<bool> ruled_out;
};

/// Finds the files of the names. Errors name the name.
Status find_files(TableSource& source);
/// The columns that the paths of the files add, which hide columns of the files.
std::vector<std::string> added_names(const TableSource& source);
/// The files of which no row can fulfil the conditions, by what their paths say. `alias`: the
/// qualifier of the columns, or empty.
Result<std::vector<bool>> files_ruled_out(const TableSource& source, const std::string& alias,
                                          std::span<const Expression> conditions);
/// Sets what read_csv() and the like were told. Error kInvalidArgument with the option's place.
Status apply_reader_options(const SqlSource& from, TableSource& source);

/// The opened files of a source, or one of them.
struct OpenedSource {
  const TableSource* about = nullptr;
  std::span<const std::unique_ptr<SelectInput>> inputs;
};
/// The tables of these files, with the same columns.
Result<UnitedTables> tables_of(const OpenedSource& source, const QueryOptions& options);
/// The columns of texts that have to be loaded with another type, so that all files of a source
/// have the same; by file. Empty for tables, and where nothing has to be done.
Result<std::vector<std::vector<ColumnSchema>>> types_to_load(const OpenedSource& source);

}  // namespace presso::cli
