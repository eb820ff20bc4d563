// SPDX-License-Identifier: MIT
// Tells what the indexes of tables say about their columns without reading any of them: types,
// ranges and nulls, from the zones (least and greatest value, flags) of all row groups. This is
// where the intervals of query/compute begin. Tested through
// tests/unit/query/answer/query_test.cpp.
//
// The cost is one visit to each zone of the index: columns times row groups. Ranges are as good as
// zones are: a single outlier widens them for all rows.
#pragma once

#include <cstdint>
#include <vector>

#include "presso/table.h"
#include "query/compute/binder.h"

namespace presso::query {

/// Returns the columns of several tables with the same columns, whose rows come one after another.
/// kInvalidArgument, with the first difference, if a later table has other columns. `names` are
/// those of the files.
Result<std::vector<InputColumn>> input_columns(const std::vector<Table>& tables,
                                               const std::vector<std::string>& names);

/// Returns the physical form in which programs want each column.
std::vector<Physical> physical_of(const std::vector<InputColumn>& columns);

/// The rows of all tables together.
std::uint64_t rows_of(const std::vector<Table>& tables);

}  // namespace presso::query
