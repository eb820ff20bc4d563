// SPDX-License-Identifier: MIT
// Which source of keys a join reads (key_source.cuh), and the steps of joins for each of them.
// These are compiled in files of their own (instances/), because nvcc compiles one file on one
// core; join_launch.cuh has the body. Tested by tests/gpu/joins_on_device_test.cpp.
#pragma once

#include "presso/error.h"
#include "query/gpu/join/device_join_plan.h"
#include "query/gpu/join/key_source.cuh"

struct CUstream_st;

namespace presso::gpu {

/// Calls use(source) with the source of the plan's keys: narrowed to 32 bits, of 32 bits, or of 64.
template <class Use>
Status with_key_source(const JoinPlan& plan, const Use& use) {
  if (plan.narrows()) {
    return use(NarrowedKeys{plan.input().range->least, static_cast<u32>(plan.places() - 1)});
  }
  if (plan.key_bytes() == sizeof(u32)) return use(PlainKeys<u32>{});
  return use(PlainKeys<u64>{});
}

/// Which function of JoinSteps is called.
enum class JoinWork { kCount, kWrite, kJoin };

/// Enqueues the kernels of a join whose keys come from `source`; nothing waits. `pairs` is not used
/// by kCount.
template <class Source>
Status launch_join(const JoinPlan& plan, const Source& source, void* d_temporary, JoinWork work,
                   const JoinPairs& pairs, CUstream_st* stream);

}  // namespace presso::gpu
