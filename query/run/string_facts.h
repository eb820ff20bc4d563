// SPDX-License-Identifier: MIT
// The average length of a column's strings and an upper bound for how many different ones there
// are, from the directories of row groups. Reads directories only, one for each row group. Used by
// forecasts. Tested by tests/unit/query/run/memory_forecast_test.cpp.
#pragma once

#include "query/run/execution.h"

namespace presso::query {

/// Facts about one column of strings.
struct StringFacts {
  /// The average bytes of a string.
  double bytes = 0;
  /// At most this many different strings. Row groups whose dictionaries have few strings for many
  /// rows are assumed to have the same ones.
  double distinct = 0;
  /// Whether all row groups store dictionaries, so that groups are found by code.
  bool coded = true;
};

/// The facts about a column, numbered as in BoundQuery::columns, of whichever table. Errors: those
/// of reading directories.
Result<StringFacts> string_facts(const RunInput& input, std::size_t column);

}  // namespace presso::query
