// SPDX-License-Identifier: MIT
// Which files a name stands for where a table is read: a file, a folder, or a pattern (logs/*.csv,
// data/**/*.presso), and what their paths say of them (year=2024/month=1/). The files come in the
// order of their names, so that an answer does not depend on the file system. Folders that are
// symbolic links are followed in a pattern's parts but not below ** or a folder, so no cycle can
// occur. Tested by tests/cli/test_many_files.py.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "presso/error.h"

namespace presso::cli {

/// The files of one name. A file that exists stands for itself, whatever characters its name has.
struct FilesOfName {
  std::vector<std::string> paths;
  bool is_set = false;  ///< the name is a pattern or a folder
};

/// Whether the name has characters of patterns: * ? [ {
bool is_pattern(const std::string& name);
/// Finds the files. Of a folder these are all with the suffixes of tables and texts below it,
/// except those whose names begin with a point or an underscore. A name that nothing fits and that
/// is no pattern stands for itself. Error kInvalidArgument: no file fits, or the pattern is none.
Result<FilesOfName> files_of_name(const std::string& name);

/// The parts key=value/ of a path, decoded. A value that stands for null has no text.
using PathKeys = std::vector<std::pair<std::string, std::optional<std::string>>>;
PathKeys keys_of_path(const std::string& path);

}  // namespace presso::cli
