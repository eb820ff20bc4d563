// SPDX-License-Identifier: MIT
// Names of files being written, so that SIGINT, SIGTERM and SIGHUP can remove them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace presso::cli {

/// From now on those signals remove all registered files and then end the process as if nobody had
/// caught them (128 plus the signal's number in a shell). A signal that is ignored stays ignored.
/// To be called before the first file is made.
void remove_unfinished_files_on_signals();

/// Registers `path` for as long as the object lives. Registered before the file is made, released
/// after it was renamed or removed, so that there is no moment at which a signal could leave it on
/// disk.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const std::string& path);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

 private:
  std::optional<std::size_t> slot_;
};

/// Tells the handlers that a progress bar is on the terminal's last line: they end that line.
void set_progress_shown(bool shown);

}  // namespace presso::cli
