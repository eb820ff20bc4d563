// SPDX-License-Identifier: MIT
// Small text files that say what to do, as patterns, arguments and globs: read whole, and cut into
// lines. Tested by tests/cli/test_scan.py and test_scan_choice.py.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "presso/error.h"

namespace presso::cli {

/// Reads a file; "-" is standard input. Error kInvalidArgument with the file's name and the reason.
Result<std::string> read_text_file(const std::string& path);

/// The lines of a text without their ends, "\n" or "\r\n". They point into the text.
std::vector<std::string_view> lines_of(std::string_view text);

/// Without white space at the end, or at both ends.
std::string_view trim_end(std::string_view text);
std::string_view trim(std::string_view text);

}  // namespace presso::cli
