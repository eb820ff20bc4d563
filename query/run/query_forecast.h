// SPDX-License-Identifier: MIT
// Predicts the work of a query before it runs: rows and bytes to read, and the time that this takes
// one thread of the CPU, and a GPU, by the measured rates of the machine. Used by --explain and by
// the choice of --device=auto (tools/device/query_choice.h).
//
// Reads directories only, and costs one or two milliseconds for 3 M rows. Forecasts are meant to be
// too low, by up to four times: a GPU that is started in vain costs a third of a second
// (query/NOTES.md).
// Tested by tests/unit/query/run/query_forecast_test.cpp.
#pragma once

#include "query/filter/zone_counts.h"
#include "query/run/execution.h"
#include "query/run/join_forecast.h"

namespace presso::query {

/// The nodes that are computed for rows that all conditions leave: keys and arguments of groups, or
/// results and sort keys.
std::vector<NodeId> computed_nodes(const BoundQuery& query);

/// The forecast for all joins of a query; without joins, the number of rows only. `zones` are the
/// root's.
Result<JoinForecast> forecast_joins(const Execution& execution, const ZoneCounts& zones);

/// The forecast for an execution that was started but has read nothing. Errors: those of reading
/// directories.
Result<QueryForecast> forecast_query(const Execution& execution);

}  // namespace presso::query
