// SPDX-License-Identifier: MIT
// The kernels of a scan by an automaton that depend on the layout of its table, for the files that
// instantiate them (instances/). Threads to data, shared memory and synchronisation are described
// where the kernels' bodies are (line_tiles.cuh, tile_chain.cuh). There are three for each layout
// (Rows): tiles, with or without marks (kMark), tile_functions and follow_chains.
#pragma once

#include "decompress/gpu/runtime/kernel_launch.h"
#include "scan/gpu/lines/line_kernels.h"
#include "scan/gpu/lines/line_tiles.cuh"
#include "scan/gpu/lines/tile_chain.cuh"

namespace presso::gpu {

inline constexpr u32 kMostThreads = 1024;

template <class Rows, bool kMark>
static __global__ void __launch_bounds__(kMostThreads, 1)
    line_tiles_kernel(const __grid_constant__ LineScanArguments scan) {
  line_tiles_body<Rows, kMark>(scan);
}

template <class Rows>
static __global__ void __launch_bounds__(kChainThreads)
    tile_functions_kernel(const __grid_constant__ LineScanArguments scan) {
  tile_functions_body<Rows>(scan);
}

template <class Rows>
static __global__ void __launch_bounds__(kChainThreads)
    follow_chains_kernel(const __grid_constant__ LineScanArguments scan) {
  follow_chains_body<Rows>(scan);
}

/// How many threads a block gets. The blocks of a multiprocessor each have their own copy of the
/// table in shared memory, so the larger the table the larger the block: chosen is the size that
/// keeps the most warps resident.
inline u32 threads_of(const LineTableView& table) {
  constexpr u32 kSharedOfProcessor = 227 << 10;
  u32 best = 0, threads = kWarpSize;
  for (u32 candidate = 256; candidate <= kMostThreads; candidate *= 2) {
    const u32 bytes = table.shared_bytes + candidate / kWarpSize * kStagedBytes + 1024;
    const u32 resident = kSharedOfProcessor / bytes * candidate;
    if (resident <= best) continue;
    best = resident;
    threads = candidate;
  }
  return threads;
}

template <class Rows>
Status LineKernels<Rows>::tiles(const LineScanArguments& scan, CUstream_st* stream) {
  const u32 threads = threads_of(scan.table);
  const std::size_t shared = scan.table.shared_bytes + threads / kWarpSize * kStagedBytes;
  const WorkShape shape{threads, shared, scan.tiles()};
  const char* const what = "launching line_tiles_kernel";
  return scan.d_marks == nullptr
             ? launch_everywhere(line_tiles_kernel<Rows, false>, shape, stream, what, scan)
             : launch_everywhere(line_tiles_kernel<Rows, true>, shape, stream, what, scan);
}

template <class Rows>
Status LineKernels<Rows>::tile_functions(const LineScanArguments& scan, CUstream_st* stream) {
  const std::size_t shared =
      scan.table.shared_bytes + state_sets_bytes(scan.table, kChainThreads / kWarpSize);
  return launch_everywhere(tile_functions_kernel<Rows>,
                           WorkShape{kChainThreads, shared, scan.tiles()}, stream,
                           "launching tile_functions_kernel", scan);
}

template <class Rows>
Status LineKernels<Rows>::follow_chains(const LineScanArguments& scan, CUstream_st* stream) {
  return launch_everywhere(follow_chains_kernel<Rows>,
                           WorkShape{kChainThreads, scan.table.shared_bytes, chain_groups(scan)},
                           stream, "launching follow_chains_kernel", scan);
}

}  // namespace presso::gpu
