// SPDX-License-Identifier: MIT
// What a query will have to do, told before it is run: how many rows and bytes, and what that takes
// one thread of the CPU, and a GPU, by the rates of the machine. For --explain, and for the choice
// of
// --device=auto (tools/device/query_choice.h).
// Tested by tests/unit/query/run/query_forecast_test.cpp.
#pragma once

#include "query/filter/zone_counts.h"
#include "query/run/execution.h"
#include "query/run/join_forecast.h"

namespace presso::query {

/// What is computed of the rows that are left.
std::vector<NodeId> computed_nodes(const BoundQuery& query);

/// The joins of a query, none or more. `zones`: of the root.
Result<JoinForecast> forecast_joins(const Execution& execution, const ZoneCounts& zones);

/// Of an execution that was started and has read nothing yet. Errors: those of the files.
Result<QueryForecast> forecast_query(const Execution& execution);

}  // namespace presso::query
