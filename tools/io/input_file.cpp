// SPDX-License-Identifier: MIT
// Opens inputs with open(2) and looks at them with fstat(2), so that the answers belong to the
// opened file even if its name is reused. A problem with one file below a folder is reported, and
// the walk goes on. Tested by tests/cli/test_frame.py and tests/cli/test_unusual_files.py.
#include "tools/io/input_file.h"

#include <fcntl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "tools/cli/message.h"

namespace presso::cli {
namespace {

namespace fs = std::filesystem;

/// Appends the regular files below `directory`, sorted within each directory. Sorting makes results
/// independent of the file system. Symbolic links are skipped, so that no cycle is entered.
void list_files(const fs::path& directory, std::vector<std::string>& into) {
  std::error_code problem;
  std::vector<fs::directory_entry> entries;
  for (fs::directory_iterator entry(directory, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    entries.push_back(*entry);
  }
  if (problem) error(directory.string(), "cannot list: " + problem.message());
  std::sort(entries.begin(), entries.end());
  for (const fs::directory_entry& entry : entries) {
    const fs::file_status status = entry.symlink_status(problem);
    if (fs::is_directory(status)) {
      list_files(entry.path(), into);
    } else if (fs::is_regular_file(status)) {
      into.push_back(entry.path().string());
    }
  }
}

}  // namespace

/// Opens a file, or standard input for "-". Errors: kIo; kInvalidArgument for a directory, with a
/// hint at -r where that would help. O_NOCTTY keeps a terminal that is opened as a file from
/// becoming the controlling one.
Result<InputFile> InputFile::open(const std::string& path, Directories directories) {
  const bool standard = path == kStandardInput;
  InputFile input(standard ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY),
                  !standard);
  if (input.fd_ < 0) return errno_error("cannot open", errno);
  if (fstat(input.fd_, &input.about_) != 0) return errno_error("cannot stat", errno);
  if (S_ISDIR(input.about_.st_mode)) {
    const bool hint = directories == Directories::kRefusedWithHint;
    return make_error(ErrorCode::kInvalidArgument,
                      hint ? "is a directory; -r takes the files below it" : "is a directory");
  }
  if (input.is_regular()) {
    // The kernel then reads ahead further, which matters for disks with long delays.
    posix_fadvise(input.fd_, 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  return input;
}

/// Called only where a table is read, which needs an end. Refuses all character devices, such as
/// /dev/zero, except terminals and /dev/null, which have an end; accepts pipes. Error:
/// kInvalidArgument.
Status InputFile::check_has_end() const {
  const bool is_null = about_.st_rdev == makedev(1, 3);
  if (!S_ISCHR(about_.st_mode) || is_null || isatty(fd_) != 0) return {};
  return make_error(ErrorCode::kInvalidArgument,
                    "is a device that need not have an end, so no table is read from it");
}

InputFile::InputFile(InputFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      owns_(std::exchange(other.owns_, false)),
      about_(other.about_) {}

InputFile::~InputFile() {
  if (owns_ && fd_ >= 0) close(fd_);
}

std::vector<std::string> expand_operands(const std::vector<std::string>& operands, bool recursive) {
  if (!recursive) return operands;
  std::vector<std::string> files;
  for (const std::string& operand : operands) {
    std::error_code problem;
    if (operand != kStandardInput && fs::is_directory(operand, problem)) {
      list_files(operand, files);
    } else {
      files.push_back(operand);
    }
  }
  return files;
}

std::string shown_name(const std::string& path) {
  return path == kStandardInput ? "standard input" : path;
}

// A file named ".presso" alone has no stem, so that it is no compressed file's name.
bool has_suffix(std::string_view path) {
  return path.size() > kSuffix.size() && path.ends_with(kSuffix) &&
         path[path.size() - kSuffix.size() - 1] != '/';
}

bool same_file(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

}  // namespace presso::cli
