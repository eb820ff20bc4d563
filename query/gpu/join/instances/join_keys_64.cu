// SPDX-License-Identifier: MIT
// All kernels of joins in device memory (join_steps.h) for key columns of 64 bits that are worked
// with as they are (PlainKeys, key_source.cuh). Each source of keys is compiled in a file of its
// own, because nvcc uses one core for a file.
#include "query/gpu/join/join_launch.cuh"

namespace presso::gpu {

template Status launch_join(const JoinPlan&, const PlainKeys<u64>&, void*, JoinWork,
                            const JoinPairs&, CUstream_st*);

}  // namespace presso::gpu
