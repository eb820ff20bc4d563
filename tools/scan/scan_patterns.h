// SPDX-License-Identifier: MIT
// The patterns of `presso scan`: gathers them from -e, -f and the first operand, checks what this
// version can serve, and compiles them.
#pragma once

#include <string>
#include <vector>

#include "presso/pattern.h"
#include "tools/scan/scan_settings.h"

namespace presso::cli {

/// Errors are for the user: a pattern file that cannot be read, a pattern that is not UTF-8, holds
/// a line feed, or needs the regex engine.
Result<Pattern> compile_patterns(const ScanSettings& settings);

}  // namespace presso::cli
