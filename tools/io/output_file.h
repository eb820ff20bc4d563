// SPDX-License-Identifier: MIT
// Where a command's result goes: a new file that appears under its name only when complete,
// standard output, or something that exists and is no regular file (/dev/null, a pipe).
//
// A new file is written as ".NAME.XXXXXX" in the directory of NAME, then given mode and times,
// synced to disk and renamed. If the command ends before that, nothing is left on disk. What has
// the name is replaced: of a symbolic link the link and not the file that it leads to, and other
// hard links of a file keep the old content. Links to devices, pipes and descriptors (/dev/stdout)
// are followed.
#pragma once

#include <sys/stat.h>

#include <memory>
#include <optional>
#include <string>

#include "presso/error.h"
#include "tools/io/file_sink.h"
#include "tools/io/unfinished_files.h"

namespace presso::cli {

/// What a finished file is given; nullopt: left as the system makes it.
struct FileAttributes {
  std::optional<mode_t> mode;
  std::optional<timespec> modified;
  std::optional<std::pair<uid_t, gid_t>> owner;  ///< only if permitted
};

/// Whether a regular file or a symbolic link stands at `path`, so that an output of this name would
/// replace it.
bool would_be_replaced(const std::string& path);

class OutputFile {
 public:
  struct Options {
    bool overwrite = false;
    bool sparse = false;
  };

  /// Standard output.
  static OutputFile standard_output();
  /// Errors: kIo, kNoSpace; kExists for what would be replaced unless `overwrite`, and for folders.
  static Result<OutputFile> create(const std::string& path, Options options);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  /// Removes an unfinished file.
  ~OutputFile();

  FileSink& sink() { return *sink_; }
  /// For messages: the path, or "standard output".
  const std::string& name() const { return path_; }
  /// True for a file that commit() will make.
  bool is_new_file() const { return !temporary_.empty(); }

  /// Makes the file appear under its name. kExists if another process made one meanwhile and
  /// it may not be overwritten. On an error nothing is left.
  Status commit(const FileAttributes& attributes);

 private:
  OutputFile() = default;
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
