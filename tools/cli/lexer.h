// SPDX-License-Identifier: MIT
// Splits a command line into flags and operands by GNU's rules: -abc, -oVALUE, -o VALUE,
// --name=VALUE, --name VALUE; options and operands may be mixed, "--" ends the options, and "-" is
// an operand. Tested by tests/cli/test_frame.py.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "presso/error.h"
#include "tools/cli/flag.h"

namespace presso::cli {

/// The uses of flags and the operands of a command line.
struct Parsed {
  std::vector<Given> given;  ///< in order; environment first
  std::vector<std::string> operands;
};

/// Parses the arguments. Values are taken as they are, but choices are checked. The result points
/// into `flags`. Error kInvalidArgument with the text for the user, about the first mistake of the
/// command line.
Result<Parsed> parse(std::span<const Flag> flags, std::span<const std::string> arguments);

/// Puts the values that the environment gives to `flags` in front of `parsed`, so that the command
/// line wins. Error: a value that is none of a flag's choices.
Status add_environment(std::span<const Flag> flags, Parsed& parsed);

/// Calls each flag's apply in order; stops at the first error.
Status apply(const Parsed& parsed);

}  // namespace presso::cli
