// SPDX-License-Identifier: MIT
// Joins in device memory, for callers within the library who hold a JoinPlan; the public interface
// is presso/device_join.h.
//
//     PRESSO_ASSIGN(const JoinPlan plan, JoinPlan::make(input));
//     ... plan.temporary_bytes() of device memory, at a multiple of 256
//     PRESSO_TRY(count_join(plan, d_temporary, stream));
//     ... totals: join_totals(plan, d_temporary) copied back, and the stream waited for
//     ... totals.pairs numbers of device memory, twice
//     PRESSO_TRY(write_join(plan, d_temporary, pairs, stream));
//
// If memory for plan.most_pairs() numbers is affordable, run_join() does both without a wait
// between. Nothing here waits, allocates or synchronises; everything is enqueued on the stream.
// Errors are those of launches. Input, temporary memory and pairs belong to the caller and must
// stay until the stream is done. Tested by tests/simt/join_suite.cpp.
#pragma once

#include "query/gpu/join/device_join_plan.h"

struct CUstream_st;

namespace presso::gpu {

/// Builds the lookup structure, and counts the pairs.
Status count_join(const JoinPlan& plan, void* d_temporary, CUstream_st* stream);

/// Writes the pairs of a join that has been counted, with the same temporary memory.
Status write_join(const JoinPlan& plan, void* d_temporary, const JoinPairs& pairs,
                  CUstream_st* stream);

/// Counts, and writes as many pairs as fit into `pairs`.
Status run_join(const JoinPlan& plan, void* d_temporary, const JoinPairs& pairs,
                CUstream_st* stream);

/// Returns where count_join() and run_join() leave their totals, in device memory.
inline const JoinTotals* join_totals(const JoinPlan& plan, const void* d_temporary) {
  return reinterpret_cast<const JoinTotals*>(static_cast<const unsigned char*>(d_temporary) +
                                             plan.memory().totals);
}

}  // namespace presso::gpu
