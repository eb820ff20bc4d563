// SPDX-License-Identifier: MIT
// Every line that the command writes to stderr goes through here, as "presso: FILE: text". An error
// also sets the exit status, so that a command can go on with the next file and still end with 2.
// Control characters in file names and in quoted values are escaped (\x1b), so that no file can
// send commands to the terminal. The state is global to the process; all functions are thread-safe.
// Tested by tests/cli/test_frame.py.
#pragma once

#include <functional>
#include <string_view>

#include "presso/error.h"

namespace presso::cli {

/// Which messages are printed: none; errors; these with warnings and information; these with a line
/// for each file.
enum class Verbosity { kSilent = 0, kQuiet = 1, kNormal = 2, kVerbose = 3 };

/// Sets which messages are shown: errors from kQuiet up, warnings and information from kNormal up.
void set_verbosity(Verbosity verbosity);
Verbosity verbosity();

/// Prints "presso: FILE: text", without the file if `file` is empty, and sets the exit status to 2.
/// An Error is printed with its code's description where it has no text of its own.
void error(std::string_view file, std::string_view text);
void error(std::string_view file, const Error& error);
/// What can be done about an error, to be appended to its text: that --dict names a dictionary
/// which the file does not hold; otherwise nothing.
std::string_view advice_for(const Error& error);
/// Prints something that the user should know and that is no failure. It leaves the exit status
/// alone, and -q hides it.
void warning(std::string_view file, std::string_view text);
/// Prints something about one of several files that is likely to hold for all of them, for the
/// first file only; with -v for all. tell_unsaid_notices() then says of how many other files there
/// was something to tell.
void notice(std::string_view file, std::string_view text);
void tell_unsaid_notices();
/// Prints what the user asked to be told (--explain, --progress), when nothing is wrong.
void inform(std::string_view file, std::string_view text);
/// Prints a line of the output of -v.
void verbose(std::string_view file, std::string_view text);
/// Sets the exit status to 2 without a message, for a closed pipe and --no-messages.
void fail_silently();

/// kSuccess, or kFailure after the first error.
int exit_status();

/// Sets a function that is called before a message is printed; it takes a progress bar off the
/// terminal's last line.
void set_line_clearer(std::function<void()> clear);

}  // namespace presso::cli
