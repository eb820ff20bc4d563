// SPDX-License-Identifier: MIT
// What chooses lines beside patterns: their times (presso.scan(since=...)), and the records that
// they are of (record=...). Times are read by the code of the command, once, in the process that
// asks, so that parts of a scan mean the same times in any zone and at any hour. Tested by
// python/tests/test_times.py and test_records.py.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>

#include "presso/error.h"
#include "presso/lines.h"

namespace presso::python {

/// The window from the tuple that time_window() of the module has made; nullopt for None. With the
/// GIL.
std::optional<TimeWindow> window_of(const nanobind::object& tuple);

/// The rule for records from a tuple of presso/_scan.py: (kind, start, limit, window); nullopt for
/// None. Raises ArgumentError for a bad `start`, with a caret below the place. With the GIL.
std::optional<RecordRule> records_of(const nanobind::object& tuple, bool unicode);

/// Lines of a file that tell no year are not later than a day after its last change, unless a year
/// was given. `modified`: in nanoseconds since 1970; nullopt: not known, the present counts.
void set_latest(ScanOptions& options, std::optional<std::int64_t> modified);

/// The error of a search, with the options that help where lines tell no time that is known or a
/// record is too long.
Error with_advice(Error error, const ScanOptions& options);

void bind_line_rules(nanobind::module_& module);

}  // namespace presso::python
