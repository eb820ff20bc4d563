// SPDX-License-Identifier: MIT
// What --explain says of joins: for each stage which table is kept in memory, how its rows are
// matched, what it will take, and, where the query was run, what happened.
#pragma once

#include <string>

#include "query/run/join_forecast.h"

namespace presso::query {

/// `root_bytes`: stored, of the root's columns that are read.
std::string explain_joins_text(const Execution& execution, const JoinForecast& forecast,
                               std::uint64_t root_bytes, bool analyzed);

/// Names of BoundQuery::columns; of those that several tables have with their table before them.
std::vector<std::string> shown_column_names(const BoundQuery& query);

}  // namespace presso::query
