// SPDX-License-Identifier: MIT
// Formats the plan of a query as text for --explain, and what really happened if it was run. The
// text is for people and may change; nothing parses it. Tested through
// tests/unit/query/answer/query_test.cpp (ExplainsPlanZonesAndWhatHappened).
#pragma once

#include <optional>
#include <string>

#include "query/filter/zone_counts.h"
#include "query/run/execution.h"

namespace presso::query {

/// A number of bytes with three digits and a unit of powers of 1,000, such as "3.2 GB".
std::string bytes_text(double bytes);
/// A number of rows with separators, such as "1,500,000". Values above 1e18 are cut off.
std::string rows_text(double rows);
/// A phrase such as "about 2 GB through temporary files in `/tmp`".
std::string file_text(const Execution& execution, double bytes);
inline std::string bytes_text(std::uint64_t bytes) {
  return bytes_text(static_cast<double>(bytes));
}

/// The conditions and their plan, a line for each. `counts`, if the query was run, has what came of
/// each condition; `indent` stands before each line.
std::string filter_text(const FilterPlan& plan, const std::vector<FilterRunner::Count>& counts,
                        const std::string& indent);
/// In how many slices (65,536 rows each) no row can fulfil the conditions, as their zones (least
/// and greatest values) show.
std::string zones_text(const ZoneCounts& zones, const std::string& indent);

/// The whole text. `seconds` is the duration of the run if there was one. Reads the directories of
/// the tables' row groups, but no rows. Errors: those of reading them, and kCancelled.
Result<std::string> explain_text(Execution& execution, std::optional<double> seconds);

}  // namespace presso::query
