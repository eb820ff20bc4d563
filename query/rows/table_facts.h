// SPDX-License-Identifier: MIT
// What the indexes of tables tell about their columns without reading any of them.
#pragma once

#include <cstdint>
#include <vector>

#include "presso/table.h"
#include "query/compute/binder.h"

namespace presso::query {

/// Of several tables with the same columns, whose rows come one after another. Error:
/// kInvalidArgument with the first difference of a later table.
Result<std::vector<InputColumn>> input_columns(const std::vector<Table>& tables,
                                               const std::vector<std::string>& names);

/// The forms in which programs want their values.
std::vector<Physical> physical_of(const std::vector<InputColumn>& columns);

std::uint64_t rows_of(const std::vector<Table>& tables);

}  // namespace presso::query
