// SPDX-License-Identifier: MIT
// Implements build_lookup.h: launches the steps of lookup_steps.h on a stream.
#include "query/gpu/join/build_lookup.h"

#include "query/gpu/join/join_launcher.cuh"
#include "query/gpu/join/lookup_steps.h"

namespace presso::gpu {

Status build_lookup(const Lookup& to, const JoinRows& build, JoinTotals* totals,
                    CUstream_st* stream) {
  JoinLauncher launcher(stream);
  return enqueue_lookup(to, build, totals, launcher);
}

Status build_ascending(const Lookup& to, const AscendingBuild& build, CUstream_st* stream) {
  JoinLauncher launcher(stream);
  return enqueue_ascending(to, build, launcher);
}

Status count_rows_of_keys(const Lookup& in, const JoinRows& build, std::uint32_t* counts,
                          CUstream_st* stream) {
  JoinLauncher launcher(stream);
  return enqueue_counts(in, build, counts, launcher);
}

}  // namespace presso::gpu
