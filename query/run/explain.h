// SPDX-License-Identifier: MIT
// The plan of a query as text, and what really happened where it was run.
#pragma once

#include <optional>
#include <string>

#include "query/filter/zone_counts.h"
#include "query/run/execution.h"

namespace presso::query {

/// "3.2 GB"
std::string bytes_text(double bytes);
/// "1,500,000"; estimates have no limit.
std::string rows_text(double rows);
/// "about 2 GB through temporary files in `/tmp`"
std::string file_text(const Execution& execution, double bytes);
inline std::string bytes_text(std::uint64_t bytes) {
  return bytes_text(static_cast<double>(bytes));
}

/// Conditions and their plan; `counts`: what came of each, if the query was run.
std::string filter_text(const FilterPlan& plan, const std::vector<FilterRunner::Count>& counts,
                        const std::string& indent);
std::string zones_text(const ZoneCounts& zones, const std::string& indent);

/// `seconds`: how long it ran, where it was.
Result<std::string> explain_text(Execution& execution, std::optional<double> seconds);

}  // namespace presso::query
