// SPDX-License-Identifier: MIT
// A file for --ignore-file: lines as in .gitignore that say which files below directories are left
// out. Paths are taken as relative to the current directory, wherever the file is, as in ripgrep.
// Tested by tests/cli/test_scan_choice.py. Costs a comparison with each line for each file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/io/glob.h"

namespace presso::cli {

/// The rules of one file.
class IgnoreFile {
 public:
  /// Reads a file; "-" is standard input. Error kInvalidArgument with the file's name, for a bad
  /// line also with its number.
  static Result<IgnoreFile> read(const std::string& path, bool ignore_case);

  /// Whether a path is to be searched, by the last line that matches it; nullopt if none does.
  /// `path` is relative to the current directory and without "./".
  std::optional<bool> wanted(std::string_view path, bool is_directory) const;

 private:
  std::vector<Glob> rules_;
};

}  // namespace presso::cli
