// SPDX-License-Identifier: MIT
#include "decompress/gpu/runtime/kernel_launch.h"
#include "scan/gpu/literals/hit_launch.cuh"

namespace presso::gpu {
namespace {

constexpr u32 kThreads = 256;

__global__ void __launch_bounds__(kThreads)
    count_heads_kernel(const __grid_constant__ HitTiles tiles) {
  count_heads_body(tiles);
}

}  // namespace

Status launch_count_heads(const HitTiles& tiles, CUstream_st* stream) {
  return launch_everywhere(count_heads_kernel, {kThreads, 0, tiles.tiles / kWarpSize + 1}, stream,
                           "launching count_heads_kernel", tiles);
}

}  // namespace presso::gpu
