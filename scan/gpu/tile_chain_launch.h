// SPDX-License-Identifier: MIT
// The kernels of tile_chain.cuh behind tiles that others than scan_lines have summarised.
#pragma once

#include "decompress/gpu/runtime/cuda_error.h"
#include "scan/gpu/lines/line_scan_args.h"

struct CUstream_st;  // cudaStream_t points to one

namespace presso::gpu {

/// For a table that is kGlobal. `d_broken` is zero before, in stream order.
Status launch_global_tile_chain(const LineScanArguments& scan, CUstream_st* stream);

}  // namespace presso::gpu
