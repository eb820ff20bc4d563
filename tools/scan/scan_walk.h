// SPDX-License-Identifier: MIT
// Finds which files below a directory are searched, in the order of their names. Special files
// never are, and symbolic links only if they are to be followed. Ignore files that stand in the
// directories, such as .gitignore, are not read. Tested by tests/cli/test_scan_files.py and
// test_scan_choice.py.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/io/glob.h"
#include "tools/scan/scan_ignore.h"
#include "tools/scan/scan_types.h"

namespace presso::cli {

/// Which files are wanted.
struct WalkOptions {
  std::vector<GlobText> globs;
  bool globs_ignore_case = false;
  std::vector<IgnoreFile> ignore_files;  ///< a later one outweighs the earlier ones
  FileTypes types;                       ///< settled
  bool hidden = false;
  bool follow = false;           ///< symbolic links below the directory
  bool one_file_system = false;  ///< leave out directories of other file systems
  std::optional<std::uint64_t> max_depth;
  std::optional<std::uint64_t> max_filesize;
};

/// A walk through directories, by recursion; a directory's names are held in memory while it is
/// walked.
class Walk {
 public:
  /// `on_file(path)` returns false to stop; `on_error(path, text)` is told about what cannot be
  /// read.
  using OnFile = std::function<bool(const std::string&)>;
  using OnError = std::function<void(const std::string&, const std::string&)>;

  Walk(const WalkOptions& options, OnFile on_file, OnError on_error);

  /// Visits everything below `path`. `unnamed` means that it is the current directory, which names
  /// then do not show.
  void run(const std::string& path, bool unnamed);

 private:
  /// A directory that is being walked.
  struct Ancestor {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::string path;
  };

  bool may_enter(const std::string& path, const Ancestor& directory);
  void directory(const std::string& path, const std::string& prefix, std::uint64_t depth);
  void entry(const std::string& path, const std::string& name, std::uint64_t depth);
  bool wanted(const std::string& path, const std::string& name, bool is_directory) const;
  // Each says whether to search it, or nullopt for nothing.
  std::optional<bool> by_globs(std::string_view path, bool is_directory) const;
  std::optional<bool> by_ignore_files(std::string_view path, bool is_directory) const;

  const WalkOptions& options_;
  OnFile on_file_;
  OnError on_error_;
  std::vector<Glob> globs_;
  bool only_chosen_ = false;  ///< there is a glob that names what to search
  bool stopped_ = false;
  std::vector<Ancestor> ancestors_;  ///< from the first to the current one
};

}  // namespace presso::cli
