// SPDX-License-Identifier: MIT
// How long strings of a column are, and how many different ones there are at most, as the
// directories of row groups tell. Tested by tests/unit/query/run/memory_forecast_test.cpp.
#pragma once

#include "query/run/execution.h"

namespace presso::query {

/// Of a column of strings.
struct StringFacts {
  double bytes = 0;  ///< of a string, on average
  /// Different ones, at most; dictionaries of row groups that tell few strings many times are taken
  /// for the same.
  double distinct = 0;
  bool coded = true;  ///< in dictionaries everywhere, so that groups are found by numbers
};

/// `column`: of BoundQuery::columns, of whichever table.
Result<StringFacts> string_facts(const RunInput& input, std::size_t column);

}  // namespace presso::query
