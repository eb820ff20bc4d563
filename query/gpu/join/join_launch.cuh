// SPDX-License-Identifier: MIT
// Defines launch_join() of join_sources.h, for the files of instances/, each of which compiles it
// for one source of keys.
#pragma once

#include "query/gpu/join/join_launcher.cuh"
#include "query/gpu/join/join_sources.h"
#include "query/gpu/join/join_steps.h"

namespace presso::gpu {

template <class Source>
Status launch_join(const JoinPlan& plan, const Source& source, void* d_temporary, JoinWork work,
                   const JoinPairs& pairs, CUstream_st* stream) {
  JoinLauncher launcher(stream);
  JoinSteps<Source, JoinLauncher> steps(plan, source, d_temporary, launcher);
  if (work == JoinWork::kCount) return steps.count();
  return work == JoinWork::kWrite ? steps.write(pairs) : steps.join(pairs);
}

}  // namespace presso::gpu
