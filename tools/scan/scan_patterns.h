// SPDX-License-Identifier: MIT
// Gathers the patterns of `presso scan` from -e, -f and the first operand, and the conditions of
// --where, checks them and compiles them. Tested by tests/cli/test_scan.py. Compiling takes time
// and memory by the pattern's size, within the limits of presso/scan.h.
#pragma once

#include <string>
#include <vector>

#include "presso/pattern.h"
#include "tools/scan/scan_settings.h"

namespace presso::cli {

/// Compiles all patterns into one. Errors are texts for the user: a pattern file that cannot be
/// read, a pattern that is not UTF-8, holds a line feed, or has a bad syntax, or a bad condition of
/// --where. Prints warnings about conditions.
Result<Pattern> compile_patterns(const ScanSettings& settings);

}  // namespace presso::cli
