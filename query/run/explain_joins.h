// SPDX-License-Identifier: MIT
// The part of --explain about joins: for each stage, which table is kept in memory, how its rows
// are matched, how much memory that will take, and, if the query was run, what happened. Tested by
// tests/unit/query/run/join_forecast_test.cpp.
#pragma once

#include <string>

#include "query/run/join_forecast.h"

namespace presso::query {

/// The text, one paragraph for each stage. `root_bytes` are the stored bytes of the root's columns
/// that are read; `analyzed` says that the query was run, so that reports exist.
std::string explain_joins_text(const Execution& execution, const JoinForecast& forecast,
                               std::uint64_t root_bytes, bool analyzed);

/// The names of BoundQuery::columns for people. A name that several tables have is preceded by its
/// table.
std::vector<std::string> shown_column_names(const BoundQuery& query);

}  // namespace presso::query
