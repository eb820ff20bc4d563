// SPDX-License-Identifier: MIT
// Where a command's result goes: a new file that appears under its name only when it is complete,
// standard output, or something that exists and is not a regular file (/dev/null, a pipe).
//
// A new file is written as ".NAME.XXXXXX" in the directory of NAME, then given mode and times,
// synced to disk and renamed. If the command ends before that, nothing is left on disk. Whatever
// has the name is replaced: of a symbolic link the link itself and not the file that it leads to;
// other hard links of a file keep the old content. Links to devices, pipes and descriptors
// (/dev/stdout) are followed. Tested by tests/cli/test_failures.py.
#pragma once

#include <sys/stat.h>

#include <memory>
#include <optional>
#include <string>

#include "presso/error.h"
#include "tools/io/file_sink.h"
#include "tools/io/unfinished_files.h"

namespace presso::cli {

/// What a finished file is given; members without a value are left as the system makes them.
struct FileAttributes {
  std::optional<mode_t> mode;
  std::optional<timespec> modified;
  std::optional<std::pair<uid_t, gid_t>> owner;  ///< only if permitted
};

/// Whether a regular file or a symbolic link is at `path`, so that an output of this name would
/// replace it. A command asks it before it reads the input, so as to question the user early.
bool would_be_replaced(const std::string& path);

/// One output. It owns its descriptor, except that of standard output, and its temporary file until
/// commit().
class OutputFile {
 public:
  struct Options {
    bool overwrite = false;
    bool sparse = false;
  };

  /// Standard output.
  static OutputFile standard_output();
  /// Opens an output. Errors: kIo, kNoSpace; kExists for what would be replaced unless `overwrite`,
  /// and for folders.
  static Result<OutputFile> create(const std::string& path, Options options);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  /// Removes a file that was not committed.
  ~OutputFile();

  FileSink& sink() { return *sink_; }
  /// The name for messages: the path, or "standard output".
  const std::string& name() const { return path_; }
  /// Whether commit() will make a new file.
  bool is_new_file() const { return !temporary_.empty(); }

  /// Makes the file appear under its name. Error kExists: another process made one meanwhile that
  /// may not be overwritten. After an error nothing is left on disk.
  Status commit(const FileAttributes& attributes);

 private:
  OutputFile() = default;
  /// The steps of create() and commit(); each leaves the object so that the destructor can clean
  /// up.
  Status make_temporary();
  Status give_attributes(const FileAttributes& attributes);
  Status rename_into_place();

  int fd_ = -1;
  bool owns_fd_ = false;
  bool overwrite_ = false;
  std::string path_;
  std::string temporary_;  ///< empty: nothing to rename or remove
  std::unique_ptr<UnfinishedFile> registered_;
  std::unique_ptr<FileSink> sink_;
};

}  // namespace presso::cli
