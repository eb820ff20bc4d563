// SPDX-License-Identifier: MIT
// Merges sorted runs in memory into one, with all threads. The output is cut into as many parts as
// there are threads, at rows of the largest run; binary search finds the place of each of these
// rows in the other runs. Parts are independent, and differ in size only as far as the runs differ
// from each other. Tested by tests/unit/query/order/entry_merge_test.cpp.
//
// Example: two runs of 600 and 400 entries and two threads. The cut is entry 300 of the larger run;
// if 180 entries of the other one come before it, the first thread merges 480 entries and the
// second 520.
#pragma once

#include <vector>

#include "presso/error.h"
#include "query/order/row_order.h"

namespace presso::query {

/// `runs`, each of which is in `order`, are consumed. Errors: kOutOfMemory.
Result<EntryArray> merge_entries(std::vector<EntryArray> runs, const RowOrder& order,
                                 unsigned threads);

}  // namespace presso::query
