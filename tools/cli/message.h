// SPDX-License-Identifier: MIT
// Every line that the command writes to stderr goes through here: "presso: FILE: text". An error
// also sets the exit status, so that a command can go on with the next file and still end with 2.
// Control characters in file names and in values that a message quotes are escaped (\x1b), so that
// no file can send commands to the terminal. All functions are thread-safe.
#pragma once

#include <functional>
#include <string_view>

#include "presso/error.h"

namespace presso::cli {

enum class Verbosity { kSilent = 0, kQuiet = 1, kNormal = 2, kVerbose = 3 };

/// Which messages are shown. Errors: from kQuiet up; warnings and information: from kNormal up.
void set_verbosity(Verbosity verbosity);
Verbosity verbosity();

/// "presso: FILE: text"; `file` may be empty. Sets the exit status to 2.
void error(std::string_view file, std::string_view text);
void error(std::string_view file, const Error& error);
/// Something that the user should know and that is no failure.
void warning(std::string_view file, std::string_view text);
/// What the user asked to be told (--explain, --progress): nothing is wrong.
void inform(std::string_view file, std::string_view text);
/// A line of -v output.
void verbose(std::string_view file, std::string_view text);
/// Sets the exit status to 2 without a message (closed pipe, --no-messages).
void fail_silently();

/// kSuccess, or kFailure after the first error.
int exit_status();

/// Called before a message is printed: takes a progress bar off the terminal's last line.
void set_line_clearer(std::function<void()> clear);

}  // namespace presso::cli
