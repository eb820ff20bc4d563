// SPDX-License-Identifier: MIT
// The order in which files are searched, for --sort and --sortr: by path, which is the order of the
// walk (scan_walk.h), backwards, or by a time of the file. Tested by tests/cli/test_scan_files.py.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/scan/scan_plan.h"

namespace presso::cli {

/// A file that is to be searched, and how it was found.
struct FileToScan {
  std::string path;
  Origin origin = Origin::kNamed;
};

/// Sorts the files; equal ones stay in their order. Files without such a time (standard input, or
/// where the file system does not keep it) count as the latest. Costs one statx() for each file,
/// unless paths are compared. Returns the first file whose file system does not keep the time.
std::optional<std::string> sort_files(std::vector<FileToScan>& files, const FileOrder& order);

}  // namespace presso::cli
