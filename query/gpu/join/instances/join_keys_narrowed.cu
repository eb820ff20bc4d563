// SPDX-License-Identifier: MIT
// Joins by keys of 64 bits whose range takes 32.
#include "query/gpu/join/join_launch.cuh"

namespace presso::gpu {

template Status launch_join(const JoinPlan&, const NarrowedKeys&, void*, JoinWork, const JoinPairs&,
                            CUstream_st*);

}  // namespace presso::gpu
