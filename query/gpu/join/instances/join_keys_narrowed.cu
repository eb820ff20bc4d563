// SPDX-License-Identifier: MIT
// The kernels of joins in device memory (join_steps.h) for key columns of 64 bits whose build keys
// span a range of at most 32 bits: only the offsets from the least key are worked with
// (NarrowedKeys, key_source.cuh). Only hash tables and radix joins do this (JoinPlan::narrows()).
// Each source of keys is compiled in a file of its own, because nvcc uses one core for a file.
#include "query/gpu/join/join_launch.cuh"

namespace presso::gpu {

template Status launch_join(const JoinPlan&, const NarrowedKeys&, void*, JoinWork, const JoinPairs&,
                            CUstream_st*);

}  // namespace presso::gpu
