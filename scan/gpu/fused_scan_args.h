// SPDX-License-Identifier: MIT
// What the kernels of a fused scan share (fused_scan.h). A block of the file is a tile of the line
// scan: it has a TileSummary, and the kernels of tile_chain.cuh put together what blocks say.
// Trivially copyable, host and device.
#pragma once

#include "decompress/gpu/plan/block_plan.h"
#include "presso/gpu_batch.h"
#include "scan/gpu/fused_table.h"
#include "scan/gpu/lines/line_scan_args.h"
#include "scan/gpu/literals/literal_table.h"

namespace presso::gpu {

/// TileSummary::reserved.
enum : u32 {
  kNotScanned = 0,  ///< the block is for left_blocks_kernel
  kScanned = 1,     ///< by the relay decoder, all of it
};

constexpr u32 kWarmBytes = 32;  ///< allow(bare-32): before a chunk, from which its state is guessed
constexpr u32 kMostProbed = 3;

/// Whether the literals are of use: with more, the automaton is as fast.
PRESSO_HD constexpr bool suits_probe(const LiteralTableView& literals) {
  if (literals.count == 0 || literals.count > kMostProbed) return false;
  for (u32 i = 0; i < literals.count; ++i) {
    if (literals.grams[i].length < 4 || literals.grams[i].length > kWarmBytes) return false;
  }
  return true;
}

struct FusedScanArguments {
  /// Of the batch's plain bytes: a tile is a block, chunk_bytes a 32nd of one, d_lines a word of
  /// temporary memory. Kernels but those of the chain read blocks with '\n' only where they were
  /// written: up to the end of the page with the first one.
  LineScanArguments scan;
  FusedTableView table;                ///< scan.table is its part
  LiteralTableView literals;           ///< that suits_probe(), or none
  const BlockSpan* d_spans = nullptr;  ///< of the batch
  const u32* d_status = nullptr;       ///< of the batch, final when left_blocks_kernel runs
  u32 blocks = 0;
  u32* d_failed = nullptr;  ///< blocks that have no lines, in temporary memory

  // The caller's.
  u64* d_lines = nullptr;
  u32* d_failed_blocks = nullptr;

  PRESSO_HD constexpr u32 block_bytes() const { return scan.tile_bytes(); }
  /// Plain bytes of a block, as they must be.
  PRESSO_HD constexpr u32 bytes_of(u32 block) const {
    const u64 left = scan.bytes - u64{block} * block_bytes();
    return left < block_bytes() ? static_cast<u32>(left) : block_bytes();
  }
};

}  // namespace presso::gpu
