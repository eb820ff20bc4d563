// SPDX-License-Identifier: MIT
// What is asked, as a table: a table that presso compressed is read where it lies; anything else
// that has rows (CSV, JSON lines and their kin, also in .gz, .zst, .lz4, or compressed by presso as
// bytes) is loaded into memory as one, without coding its strings. Standard input is read whole
// first, unless it is a regular file. Tested by tests/cli/test_select.py.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "presso/table.h"
#include "tools/compress/flags_table.h"
#include "tools/io/input_file.h"

namespace presso::cli {

struct SelectInputOptions {
  const TableFlags* text = nullptr;  ///< of plain text
  unsigned threads = 0;
  bool progress = false;
  bool names_only = false;  ///< of text the first rows will do
};

class SelectInput {
 public:
  /// Errors: those of files, of Table::open() and of compress_table(); kTruncated for a table that
  /// is cut off, since no answer from a part of it would be right.
  static Result<std::unique_ptr<SelectInput>> open(const std::string& path,
                                                   const SelectInputOptions& options);
  SelectInput(const SelectInput&) = delete;
  SelectInput& operator=(const SelectInput&) = delete;

  const presso::Table& table() const { return *table_; }
  const InputFile& file() const { return file_; }
  /// For messages.
  const std::string& name() const { return name_; }
  /// By which its columns are called, up to the first point.
  std::string table_name() const { return file_.is_standard_input() ? "stdin" : name_; }
  std::uint64_t stored_bytes() const { return stored_->size(); }

 private:
  SelectInput(const std::string& path, InputFile file)
      : path_(path), name_(shown_name(path)), file_(std::move(file)) {}

  Status read(const SelectInputOptions& options);
  Status find_bytes();
  Status read_all();
  Status check_read(Bytes text, std::size_t before);
  Status decompress(unsigned threads);
  Status load_text(Bytes begun, const SelectInputOptions& options);
  Status load_names(ByteSource& text, const TableOptions& options);
  Status open_table();
  void hold(std::vector<Byte> bytes);

  std::string path_;
  std::string name_;
  InputFile file_;
  std::size_t line_begin_ = 0;            ///< of the last line that was read
  std::vector<Byte> held_;                ///< in place of the file, where that is not enough
  std::unique_ptr<RandomAccess> stored_;  ///< of file_ or of held_
  std::optional<presso::Table> table_;
};

}  // namespace presso::cli
