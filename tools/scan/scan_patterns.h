// SPDX-License-Identifier: MIT
// Gathers the patterns of `presso scan` from -e, -f and the first operand, and the conditions of
// --where, checks them and compiles them. Tested by tests/cli/test_scan.py. Compiling takes time
// and memory by the pattern's size, within the limits of presso/scan.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "presso/lines.h"
#include "presso/pattern.h"
#include "tools/scan/scan_settings.h"

namespace presso::cli {

/// Compiles all patterns into one. Errors are texts for the user: a pattern file that cannot be
/// read, a pattern that is not UTF-8, holds a line feed, or has a bad syntax, or a bad condition of
/// --where. Prints warnings about conditions.
Result<Pattern> compile_patterns(const ScanSettings& settings);

/// The pattern of lines that begin records, as --record-start and Python's record_start= have it;
/// `option` names it in messages. Error: kInvalidArgument, with a caret below the place.
Result<Pattern> compile_record_start(const std::string& text, const PatternOptions& options,
                                     const std::string& option);

/// By its name, one of indent, json and time.
RecordRule::Kind record_kind(std::string_view form);
/// The rule for records that the flags ask for; nullopt if there are none. `times` is for --record
/// time. Errors: those of compile_patterns(), named by the flag.
Result<std::optional<RecordRule>> compile_records(const ScanSettings& settings,
                                                  const TimeWindow& times);

}  // namespace presso::cli
