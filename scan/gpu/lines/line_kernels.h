// SPDX-License-Identifier: MIT
// The kernels of a scan by an automaton that depend on the layout of its table. Each layout is
// compiled in a file of its own (instances/), since nvcc compiles one file on one core.
#pragma once

#include "presso/error.h"
#include "scan/gpu/lines/line_scan_args.h"

struct CUstream_st;

namespace presso::gpu {

/// Threads of a block in the kernels that correct tiles (tile_chain.cuh).
inline constexpr u32 kChainThreads = 128;

/// Enough warps for one to take each 32 tiles, in the kernels that work on groups of tiles.
inline u64 chain_groups(const LineScanArguments& scan) {
  return scan.tiles() / kWarpSize + 1;
}

/// The kernels for one layout (`Rows`, line_engines.cuh). Each function enqueues one kernel on the
/// stream and returns; error: kDeviceLost where it cannot be launched.
template <class Rows>
struct LineKernels {
  static Status tiles(const LineScanArguments& scan, CUstream_st* stream);
  static Status tile_functions(const LineScanArguments& scan, CUstream_st* stream);
  static Status follow_chains(const LineScanArguments& scan, CUstream_st* stream);
};

}  // namespace presso::gpu
