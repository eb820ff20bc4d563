// SPDX-License-Identifier: MIT
// Directories are read with readdir(3) and sorted, so that output does not depend on the file
// system. A link to a directory in which it lies is an error, so the walk ends. Tested by
// tests/cli/test_scan_files.py.
#include "tools/scan/scan_walk.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace presso::cli {

/// Compiles the globs once for the whole walk.
Walk::Walk(const WalkOptions& options, OnFile on_file, OnError on_error)
    : options_(options), on_file_(std::move(on_file)), on_error_(std::move(on_error)) {
  for (const GlobText& glob : options.globs) {
    globs_.emplace_back(glob.text, glob.ignore_case || options.globs_ignore_case);
    if (!globs_.back().excludes()) only_chosen_ = true;
  }
}

/// An unnamed current directory leaves no "./" before the names.
void Walk::run(const std::string& path, bool unnamed) {
  const std::string prefix = unnamed ? "" : path.back() == '/' ? path : path + "/";
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) return on_error_(path, std::strerror(errno));
  ancestors_ = {{about.st_dev, about.st_ino, path}};
  directory(path, prefix, 1);
}

/// Visits the entries of a directory in the order of their names. The handle is closed before going
/// deeper, so that depth needs no descriptors.
void Walk::directory(const std::string& path, const std::string& prefix, std::uint64_t depth) {
  if (options_.max_depth && depth > *options_.max_depth) return;
  DIR* const directory = opendir(path.c_str());
  if (directory == nullptr) return on_error_(path, std::strerror(errno));
  std::vector<std::string> names;
  while (const dirent* found = readdir(directory)) {
    const std::string name = found->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  closedir(directory);
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    if (stopped_) return;
    entry(prefix + name, name, depth);
  }
}

/// Whether a directory below the first one is walked.
bool Walk::may_enter(const std::string& path, const Ancestor& directory) {
  if (options_.one_file_system && directory.device != ancestors_.front().device) return false;
  if (!options_.follow) return true;
  for (const Ancestor& one : ancestors_) {
    if (one.device != directory.device || one.inode != directory.inode) continue;
    on_error_(path, "not followed, because it leads back to '" + one.path + "'");
    return false;
  }
  return true;
}

/// Visits an entry: a directory is walked, a wanted regular file goes to `on_file`.
void Walk::entry(const std::string& path, const std::string& name, std::uint64_t depth) {
  struct stat about {};
  const int got = options_.follow ? stat(path.c_str(), &about) : lstat(path.c_str(), &about);
  if (got != 0) return on_error_(path, std::strerror(errno));
  const bool is_directory = S_ISDIR(about.st_mode);
  if ((!is_directory && !S_ISREG(about.st_mode)) || !wanted(path, name, is_directory)) return;
  if (is_directory) {
    Ancestor entered{about.st_dev, about.st_ino, path};
    if (!may_enter(path, entered)) return;
    ancestors_.push_back(std::move(entered));
    directory(path, path + "/", depth + 1);
    ancestors_.pop_back();
    return;
  }
  const auto size = static_cast<std::uint64_t>(about.st_size);
  if (options_.max_filesize && size > *options_.max_filesize) return;
  if (!on_file_(path)) stopped_ = true;
}

/// Globs outweigh everything. Then ignore files and types may leave it out, and either may choose a
/// hidden file. Directories are entered unless a glob or an ignore file excludes them.
bool Walk::wanted(const std::string& path, const std::string& name, bool is_directory) const {
  const std::string_view whole = path;
  const std::string_view relative = whole.substr(whole.starts_with("./") ? 2 : 0);
  if (const auto by_glob = by_globs(relative, is_directory)) return *by_glob;
  const auto by_rule = by_ignore_files(relative, is_directory);
  const auto by_type = is_directory ? std::nullopt : options_.types.wanted(name);
  if (!by_rule.value_or(true) || !by_type.value_or(true)) return false;
  return by_rule || by_type || options_.hidden || name.front() != '.';
}

/// What the globs say about a path. The last glob that matches decides; if some say what to search,
/// all other files are left out.
std::optional<bool> Walk::by_globs(std::string_view path, bool is_directory) const {
  for (auto glob = globs_.rbegin(); glob != globs_.rend(); ++glob) {
    if (glob->matches(path, is_directory)) return !glob->excludes();
  }
  return only_chosen_ && !is_directory ? std::optional(false) : std::nullopt;
}

/// What the last of the ignore files says that says anything.
std::optional<bool> Walk::by_ignore_files(std::string_view path, bool is_directory) const {
  for (auto file = options_.ignore_files.rbegin(); file != options_.ignore_files.rend(); ++file) {
    if (const auto wanted = file->wanted(path, is_directory)) return wanted;
  }
  return std::nullopt;
}

}  // namespace presso::cli
