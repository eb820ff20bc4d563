// SPDX-License-Identifier: MIT
// What the kernels of a batch scan after the engine share (batch_lines.cuh).
#pragma once

#include "decompress/gpu/simt/simt.h"
#include "scan/gpu/search/batch_scan.h"

namespace presso::gpu {

using simt::kWarpSize;
using simt::u32;
using simt::u64;

/// The text of a warp's turn, in bytes: 256 words of marks, eight for each lane.
constexpr u32 kBatchTileBytes = 8 << 10;
constexpr u32 kMarkWordBytes = 8 * sizeof(u32);  ///< text that one word of marks is about

// The argument of the kernels after the engine: text, marks, and where results go. Trivially
// copyable; all pointers are the caller's.
struct BatchLines {
  const Byte* d_text = nullptr;
  u32 bytes = 0;
  BatchWants wants;
  const u32* d_marks = nullptr;  ///< the marks that scan_lines() has set
  BatchFindings* d_findings = nullptr;
  u32* d_tile_marks = nullptr;     ///< one for each tile: how many, then how many before it
  u32* d_tile_newlines = nullptr;  ///< '\n' of each tile, then those before it
  ListedLine* d_listed = nullptr;
  u32 most_listed = 0;
  Byte* d_gathered = nullptr;
  u32 most_gathered = 0;

  PRESSO_HD constexpr u32 tiles() const { return (bytes - 1) / kBatchTileBytes + 1; }
};

}  // namespace presso::gpu
