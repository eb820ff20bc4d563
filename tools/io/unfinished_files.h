// SPDX-License-Identifier: MIT
// The names of files that are being written, so that SIGINT, SIGTERM and SIGHUP can remove them.
// State is global to the process, as signals are. Tested by tests/cli/test_failures.py.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace presso::cli {

/// Lets these signals remove all registered files and then end the process as if nobody had caught
/// them (128 plus the signal's number in a shell). A signal that is ignored stays ignored. To be
/// called before the first file is made.
void remove_unfinished_files_on_signals();

/// Registers `path` for as long as the object lives. It is registered before the file is made and
/// released after the file was renamed or removed, so that at no moment a signal could leave the
/// file on disk.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const std::string& path);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

 private:
  std::optional<std::size_t> slot_;
};

/// Tells the handlers whether a progress bar is on the terminal's last line; they end that line.
void set_progress_shown(bool shown);

}  // namespace presso::cli
