// SPDX-License-Identifier: MIT
// The strategies, each a Grouping of its own; grouping.cpp chooses among them. Tested by
// tests/unit/query/group/grouping_test.cpp.
#pragma once

#include <memory>

#include "query/group/grouping.h"
#include "query/group/key_coder.h"

namespace presso::query::grouping {

/// An array with a place for each of the coder.range() codes; without keys, one group of all rows.
std::unique_ptr<Grouping> make_dense_grouping(const GroupingPlan& plan, const KeyCoder& coder);
/// kHash or kRadix. A thread whose table would hold more than `most_in_table` groups continues like
/// kRadix.
std::unique_ptr<Grouping> make_table_grouping(const GroupingPlan& plan, const KeyCoder& coder,
                                              GroupStrategy strategy, std::uint64_t most_in_table);

}  // namespace presso::query::grouping
