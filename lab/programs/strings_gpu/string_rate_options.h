// SPDX-License-Identifier: MIT
// The command line of programs that time conditions on the strings of a column:
//
//   PROGRAM [--bytes N] [--runs N] [--only WAY]... FILE.presso COLUMN [KIND TEXT]...
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "query/strings/string_test.h"

namespace presso::gpu::bench {

struct StringRateOptions {
  std::uint64_t bytes = 0;  ///< how much text there is to be, in copies
  int runs = 15;
  std::vector<std::string> only;  ///< names of ways; none: all
  std::string path, column;
  std::vector<query::StringCondition> conditions;
};

/// As conditions are named on the command line; "": they are not.
const char* name_of(query::StringCondition::Kind kind);

/// What stands behind the program's name, and flags of its own. `usual`: the conditions where none
/// are given. Returns false where that is no such command line.
bool parse_string_rate(std::span<char* const> arguments,
                       std::span<const std::pair<query::StringCondition::Kind, const char*>> usual,
                       StringRateOptions& options);

}  // namespace presso::gpu::bench
