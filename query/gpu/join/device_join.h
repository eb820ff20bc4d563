// SPDX-License-Identifier: MIT
// Joins in device memory: what whoever holds such columns calls.
//
//     PRESSO_ASSIGN(const JoinPlan plan, JoinPlan::make(input));
//     ... plan.temporary_bytes() of device memory, at a multiple of 256
//     PRESSO_TRY(count_join(plan, d_temporary, stream));
//     ... totals: join_totals(plan, d_temporary) copied back, and the stream waited for
//     ... totals.pairs numbers of device memory, twice
//     PRESSO_TRY(write_join(plan, d_temporary, pairs, stream));
//
// Where plan.most_pairs() numbers are affordable, run_join() does both without a wait. Nothing here
// waits, allocates or synchronises; all is enqueued on the stream. Errors are those of launches.
// Input, temporary memory and pairs belong to the caller and must stay until the stream is done.
// Tests: tests/simt/join_suite.cpp.
#pragma once

#include "query/gpu/join/join_plan.h"

struct CUstream_st;

namespace presso::gpu {

/// Builds what is looked up in, and counts.
Status count_join(const JoinPlan& plan, void* d_temporary, CUstream_st* stream);

/// Writes the pairs of a join that has been counted, with the same temporary memory.
Status write_join(const JoinPlan& plan, void* d_temporary, const JoinPairs& pairs,
                  CUstream_st* stream);

/// Counts, and writes as many pairs as there is room for.
Status run_join(const JoinPlan& plan, void* d_temporary, const JoinPairs& pairs,
                CUstream_st* stream);

/// Where the totals of count_join() and run_join() are: device memory.
inline const JoinTotals* join_totals(const JoinPlan& plan, const void* d_temporary) {
  return reinterpret_cast<const JoinTotals*>(static_cast<const unsigned char*>(d_temporary) +
                                             plan.memory().totals);
}

}  // namespace presso::gpu
