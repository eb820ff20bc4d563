// SPDX-License-Identifier: MIT
// Joins on a stream. Threads to data, shared memory and synchronisation are described where the
// kernels' bodies are.
#include "scan/gpu/join/device_join.h"

#include "scan/gpu/join/join_launcher.cuh"
#include "scan/gpu/join/lookup_steps.h"

namespace presso::gpu {
namespace {

template <class Use>
Status with_steps(const JoinPlan& plan, void* d_temporary, CUstream_st* stream, const Use& use) {
  JoinLauncher launcher(stream);
  return with_join_steps(plan, d_temporary, launcher, use);
}

}  // namespace

Status count_join(const JoinPlan& plan, void* d_temporary, CUstream_st* stream) {
  return with_steps(plan, d_temporary, stream, [](auto& steps) { return steps.count(); });
}

Status write_join(const JoinPlan& plan, void* d_temporary, const JoinPairs& pairs,
                  CUstream_st* stream) {
  return with_steps(plan, d_temporary, stream, [&](auto& steps) { return steps.write(pairs); });
}

Status run_join(const JoinPlan& plan, void* d_temporary, const JoinPairs& pairs,
                CUstream_st* stream) {
  return with_steps(plan, d_temporary, stream, [&](auto& steps) { return steps.join(pairs); });
}

Status build_lookup(const Lookup& to, const JoinRows& build, JoinTotals* totals,
                    CUstream_st* stream) {
  JoinLauncher launcher(stream);
  return enqueue_lookup(to, build, totals, launcher);
}

}  // namespace presso::gpu
