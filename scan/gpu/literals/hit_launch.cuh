// SPDX-License-Identifier: MIT
// Launches what counts the heads of tiles, behind any kernel that leaves summaries.
#pragma once

#include "presso/error.h"
#include "scan/gpu/literals/hit_lines.cuh"

struct CUstream_st;  // cudaStream_t points to one

namespace presso::gpu {

/// Errors: kNoDevice, kDeviceLost.
Status launch_count_heads(const HitTiles& tiles, CUstream_st* stream);

}  // namespace presso::gpu
