// SPDX-License-Identifier: MIT
// The flags that commands share: which file is read and written, and how much is said about it.
// Tested by tests/cli/test_frame.py.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/flag.h"

namespace presso::cli {

/// What the flags about files were set to.
struct FileOptions {
  std::string output;          ///< -o; empty: named after the input
  bool to_stdout = false;      ///< -c
  bool force = false;          ///< -f
  bool remove_source = false;  ///< --rm
  bool recursive = false;      ///< -r
  bool progress = true;
};

/// The flags -o -c -f -k --rm -r.
std::vector<Flag> file_flags(FileOptions& options);
/// The flags -q and -v, which set the verbosity of message.h.
std::vector<Flag> message_flags();
/// The flag --[no-]progress.
Flag progress_flag(bool& progress);
/// The flag -T with the variable PRESSO_THREADS; 0 means all cores.
Flag threads_flag(unsigned& threads);

/// Moves `more` to the end of `flags`.
void append(std::vector<Flag>& flags, std::vector<Flag> more);

}  // namespace presso::cli
