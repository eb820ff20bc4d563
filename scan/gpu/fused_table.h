// SPDX-License-Identifier: MIT
// A LineDfa laid out for fused scans (fused_scan.h): the kGlobal image of line_table.h, for the
// kernels of tile_chain.cuh, and behind it rows whose entries are where the next row begins, so
// that a step is an addition and a look-up: 16-bit row places in units of entries. The row that a
// matching state leads to on '\n', a copy of the start's, is at kHitRow, above all others: counting
// is a shift and an addition. What lies between is never read. Host code, no CUDA.
// Test: tests/simt/fused_scan_test.cpp.
#pragma once

#include "scan/gpu/lines/line_table.h"

namespace presso::gpu {

constexpr std::uint32_t kHitRowShift = 15;
constexpr std::uint32_t kHitRow = 1u << kHitRowShift;

/// Trivially copyable; lines.d_image is for the caller to set.
struct FusedTableView {
  LineTableView lines;            ///< kGlobal
  std::uint32_t rows_offset = 0;  ///< in the image, 16-byte aligned
};

struct FusedTable {
  std::vector<Byte> image;
  FusedTableView view;
};

/// Errors: those of lay_out(); kUnsupported where states times classes are more than kHitRow, which
/// 255 states with 128 classes are not: such automata are for scan_lines.
Result<FusedTable> lay_out_fused(const scan_detail::LineDfaView& dfa);

}  // namespace presso::gpu
