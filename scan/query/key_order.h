// SPDX-License-Identifier: MIT
// Whether the keys of a table ascend from its first row to its last, as those of a table that is
// sorted by them do. Told from what zones say of row groups and files, and from the values of a few
// vectors between the first and the last row, so it may be wrong: only speed must depend on it.
// Takes about a millisecond where zones do not tell at once.
// Tested by tests/unit/scan/query/key_order_test.cpp.
#pragma once

#include "scan/query/execution.h"

namespace presso::query {

/// Of a join's keys, nodes of `execution.query.input`, in the rows of a source. False for several
/// keys, keys that are not a column of integers, dates or the like below conversions, and columns
/// with nulls.
bool keys_ascend(const Execution& execution, std::size_t source, const std::vector<NodeId>& keys);

}  // namespace presso::query
