// SPDX-License-Identifier: MIT
// Sorted runs in memory become one, by all threads: what is to come out is cut into as many parts
// as there are threads, at rows of the largest run, and the place of each of these rows is looked
// up in the other runs. Parts differ in size only by how much runs differ from each other. Tested
// by tests/unit/query/order/entry_merge_test.cpp.
#pragma once

#include <vector>

#include "presso/error.h"
#include "query/order/row_order.h"

namespace presso::query {

/// `runs`, each in `order`, are given up.
Result<EntryArray> merge_entries(std::vector<EntryArray> runs, const RowOrder& order,
                                 unsigned threads);

}  // namespace presso::query
