// SPDX-License-Identifier: MIT
// A file of options that a command reads before its command line, as ripgrep does: one argument on
// each line, so a value may be on the line after its option. White space around it is left out; so
// are empty lines and those that begin with '#'. The file cannot name further files. Tested by
// tests/cli/test_scan_config.py.
#pragma once

#include <span>
#include <string_view>

#include "tools/cli/lexer.h"

namespace presso::cli {

/// Puts the options of the file that the environment variable names in front of those of the
/// command line, which thus win; does nothing if the variable is unset or empty, or if `parsed` has
/// --no-config. A file that cannot be read is a warning, as in ripgrep. Error kInvalidArgument with
/// file and line: an option that the command does not have, or a line that is no option.
Status add_config(std::span<const Flag> flags, std::string_view variable, Parsed& parsed);

}  // namespace presso::cli
