// SPDX-License-Identifier: MIT
// Joins by keys of 64 bits.
#include "query/gpu/join/join_launch.cuh"

namespace presso::gpu {

template Status launch_join(const JoinPlan&, const PlainKeys<u64>&, void*, JoinWork,
                            const JoinPairs&, CUstream_st*);

}  // namespace presso::gpu
