// SPDX-License-Identifier: MIT
// Builds the lookups of query/gpu/join/lookup.h on a device. Nothing here waits or allocates: all
// work is enqueued on the stream, and errors are those of launches. Tested by
// tests/simt/ascending_lookup_test.cpp and by the joins of tests/simt/query_joins_on_gpu_test.cpp.
#pragma once

#include "query/gpu/join/join_plan.h"
#include "query/gpu/join/lookup.h"

struct CUstream_st;

namespace presso::gpu {

/// Builds a lookup of keys of 64 bits; `totals`, device memory, says afterwards whether they
/// repeat.
Status build_lookup(const Lookup& to, const JoinRows& build, JoinTotals* totals,
                    CUstream_st* stream);

/// Makes a lookup of keys that ascend; the build's facts say afterwards whether they do.
Status build_ascending(const Lookup& to, const AscendingBuild& build, CUstream_st* stream);

/// Counts the rows of each key of a lookup of `build`: `counts`, device memory for a number of each
/// build row, has them at the row that is found of a key.
Status count_rows_of_keys(const Lookup& in, const JoinRows& build, std::uint32_t* counts,
                          CUstream_st* stream);

}  // namespace presso::gpu
