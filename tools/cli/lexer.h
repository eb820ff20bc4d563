// SPDX-License-Identifier: MIT
// Splits a command line into flags and operands by GNU's rules: -abc, -oVALUE, -o VALUE,
// --name=VALUE, --name VALUE, options and operands mixed, "--" ends options, "-" is an operand.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "presso/error.h"
#include "tools/cli/flag.h"

namespace presso::cli {

struct Parsed {
  std::vector<Given> given;  ///< in order; environment first
  std::vector<std::string> operands;
};

/// Values are taken as they are; choices are checked. The result points into `flags`.
/// Errors: kInvalidArgument with the text for the user.
Result<Parsed> parse(std::span<const Flag> flags, std::span<const std::string> arguments);

/// Puts the environment's values of `flags` in front of `parsed`.
Status add_environment(std::span<const Flag> flags, Parsed& parsed);

/// Calls each flag's apply in order.
Status apply(const Parsed& parsed);

}  // namespace presso::cli
