// SPDX-License-Identifier: MIT
// Flags that commands share: which file is read and written, and how much is said about it.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/flag.h"

namespace presso::cli {

struct FileOptions {
  std::string output;          ///< -o; empty: named after the input
  bool to_stdout = false;      ///< -c
  bool force = false;          ///< -f
  bool remove_source = false;  ///< --rm
  bool recursive = false;      ///< -r
  bool progress = true;
};

/// -o -c -f -k --rm -r
std::vector<Flag> file_flags(FileOptions& options);
/// -q -v; they set the verbosity of message.h.
std::vector<Flag> message_flags();
/// --[no-]progress
Flag progress_flag(bool& progress);
/// -T, PRESSO_THREADS; 0: all.
Flag threads_flag(unsigned& threads);

/// Moves `more` to the end of `flags`.
void append(std::vector<Flag>& flags, std::vector<Flag> more);

}  // namespace presso::cli
