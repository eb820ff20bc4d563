// SPDX-License-Identifier: MIT
// Builds lookups, structures that find build rows by their keys (lookup.h), on a device. Nothing
// here waits or allocates: all work is enqueued on the stream, and errors are those of launches.
// The kernels and their order are in lookup_steps.h. Tested by tests/simt/ascending_lookup_test.cpp
// and by the joins of tests/queries/joins.txt.
#pragma once

#include "query/gpu/join/device_join_plan.h"
#include "query/gpu/join/lookup.h"

struct CUstream_st;

namespace presso::gpu {

/// Builds an array or a table of keys of 64 bits. Afterwards `totals`, in device memory, says
/// whether keys repeat.
Status build_lookup(const Lookup& to, const JoinRows& build, JoinTotals* totals,
                    CUstream_st* stream);

/// Makes a lookup of keys that are expected to ascend. Afterwards build.facts says whether they do;
/// if not, the lookup must not be used.
Status build_ascending(const Lookup& to, const AscendingBuild& build, CUstream_st* stream);

/// Counts the rows of each key of a lookup of `build`. `counts`, device memory with a number for
/// each build row, has the count at the row that is found for the key.
Status count_rows_of_keys(const Lookup& in, const JoinRows& build, std::uint32_t* counts,
                          CUstream_st* stream);

}  // namespace presso::gpu
