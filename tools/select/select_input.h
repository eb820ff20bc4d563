// SPDX-License-Identifier: MIT
// Opens an input of a query as a table. A table that presso compressed is read where it lies;
// anything else that has rows (CSV, JSON lines and their kin, also in .gz, .zst, .lz4, or
// compressed by presso as bytes) is loaded into memory as a table, without coding its strings.
// Standard input is first read as a whole, unless it is a regular file. Tested by
// tests/cli/test_select.py. An input is opened once and used by one query; loading uses all
// threads.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "presso/table.h"
#include "tools/compress/flags_table.h"
#include "tools/io/column_file.h"
#include "tools/io/input_file.h"
#include "tools/select/needed_columns.h"

namespace presso::cli {

/// How inputs are opened.
struct SelectInputOptions {
  const TableFlags* text = nullptr;  ///< how plain text is written
  unsigned threads = 0;
  bool progress = false;
  bool names_only = false;  ///< the first rows of a text will do
  /// The columns of a Parquet or Arrow file that are read; of others all values are null.
  NeededColumns columns;
  /// What the rows of a Parquet file fulfil that are needed; nullptr: all are.
  const RowConditions* conditions = nullptr;
  ByteSink* bad_rows = nullptr;  ///< of the file of --bad-rows; nullptr: such rows are errors
  /// Types of a text's columns, beyond those of `text`. The text has been loaded once, so that
  /// everything that can be said about it was said.
  std::vector<ColumnSchema> types;
};

/// An opened input. The table refers to its bytes, so that it must outlive the queries.
class SelectInput {
 public:
  /// Opens an input. Errors: those of files, of Table::open() and of compress_table(); kTruncated
  /// for a table that was cut off, since no answer from a part of it would be right.
  static Result<std::unique_ptr<SelectInput>> open(const std::string& path,
                                                   const SelectInputOptions& options);
  SelectInput(const SelectInput&) = delete;
  SelectInput& operator=(const SelectInput&) = delete;

  const presso::Table& table() const { return *table_; }
  const InputFile& file() const { return file_; }
  const std::string& path() const { return path_; }
  /// Whether it is a text that can be read once more.
  bool can_load_again() const { return is_text_ && file_.is_regular(); }
  /// The name for messages.
  const std::string& name() const { return name_; }
  /// The name by which its columns are qualified, up to the first point.
  std::string table_name() const { return file_.is_standard_input() ? "stdin" : name_; }
  std::uint64_t stored_bytes() const { return stored_->size(); }

 private:
  SelectInput(const std::string& path, InputFile file)
      : path_(path), name_(shown_name(path)), file_(std::move(file)) {}

  /// The steps of open(). Each sets stored_ to where the bytes are from then on.
  Status read(const SelectInputOptions& options);
  /// Learns what kind of file it is and where its bytes are.
  Status find_bytes();
  /// Reads standard input to its end.
  Status read_all();
  /// Stops a stream that has too long a line for a table, or does not fit into memory.
  Status check_read(Bytes text, std::size_t before);
  /// Decompresses a text of presso into memory.
  Status decompress(unsigned threads);
  /// Makes a table of the text in memory.
  Status load_text(Bytes begun, const SelectInputOptions& options);
  /// Makes a table of a Parquet or Arrow file.
  Status load_columns(const SelectInputOptions& options);
  /// Adds columns of nulls for those that were not read.
  Status add_missing_columns(const TableSchema& all);
  /// Reads only as much of the text as has the columns' names.
  Status load_names(ByteSource& text, const TableOptions& options);
  /// Opens the stored table.
  Status open_table();
  /// Keeps the bytes alive as long as the table.
  void hold(std::vector<Byte> bytes);

  std::string path_;
  std::string name_;
  bool is_text_ = false;
  InputFile file_;
  std::size_t line_begin_ = 0;            ///< of the last line that was read
  std::vector<Byte> held_;                ///< in place of the file, where that is not enough
  std::unique_ptr<RandomAccess> stored_;  ///< of file_ or of held_
  std::optional<presso::Table> table_;
};

}  // namespace presso::cli
