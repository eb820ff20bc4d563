// SPDX-License-Identifier: MIT
// A fused scan from beginning to end, written over whoever runs the kernels, so that the emulator's
// tests and decode_and_count (fused_scan.cu) go through the same steps. A Launcher has
//
//   clear(memory, bytes)        zeroes
//   decode(request, fused)      decode_batch with fused_relay_body in the relay decoder's place
//   left_blocks(fused)          fused_scan.cuh
//   chain(scan)                 tile_chain.cuh, with GlobalRows
//   add_lines(fused)            fused_scan.cuh
#pragma once

#include "scan/gpu/fused_scan.h"
#include "scan/gpu/fused_scan_args.h"

namespace presso::gpu {

/// How d_scan_temporary is divided.
struct FusedScanMemory {
  static constexpr std::size_t kAlignment = 256;
  // Words at its begin.
  static constexpr std::size_t kLines = 0;
  static constexpr std::size_t kBroken = 8;
  static constexpr std::size_t kFailed = 12;
  static constexpr std::size_t kTiles = kAlignment;

  std::size_t functions;
  std::size_t bytes;

  explicit constexpr FusedScanMemory(std::uint32_t blocks)
      : functions(kTiles + aligned(std::size_t{blocks} * sizeof(TileSummary))),
        bytes(functions + aligned(std::size_t{blocks} * sizeof(TileFunction))) {}

 private:
  static constexpr std::size_t aligned(std::size_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
};

namespace detail {

inline Status check_fused(const FusedScanRequest& request) {
  const auto refuse = [](const char* what) {
    return make_error(ErrorCode::kInvalidArgument, what);
  };
  const auto plain = reinterpret_cast<std::uintptr_t>(request.batch.d_plain);
  const auto temporary = reinterpret_cast<std::uintptr_t>(request.d_scan_temporary);
  if (plain % kQuadBytes != 0 || temporary % FusedScanMemory::kAlignment != 0 ||
      request.scan_temporary_bytes < FusedScanMemory(request.batch.blocks).bytes) {
    return refuse("a fused scan's memory is misaligned or too small");
  }
  if (request.table.lines.d_image == nullptr || request.d_lines == nullptr ||
      request.table.lines.kind != LineTableKind::kGlobal) {
    return refuse("a fused scan lacks its table or its result");
  }
  if (request.block_bytes == 0 || request.block_bytes % (kWarpSize * kStageBytes) != 0 ||
      request.plain_bytes == 0 ||
      (request.plain_bytes - 1) / request.block_bytes + 1 != request.batch.blocks) {
    return refuse("a fused scan's blocks do not make up its text");
  }
  if (request.options.strategy != Strategy::kAuto) {
    return refuse("a fused scan has no choice of strategies");
  }
  return {};
}

inline FusedScanArguments fused_arguments(const FusedScanRequest& request) {
  const FusedScanMemory memory(request.batch.blocks);
  Byte* const temporary = static_cast<Byte*>(request.d_scan_temporary);
  FusedScanArguments fused;
  fused.scan.d_text = request.batch.d_plain;
  fused.scan.bytes = request.plain_bytes;
  fused.table = request.table;
  fused.scan.table = request.table.lines;
  fused.scan.chunk_bytes = request.block_bytes / kWarpSize;
  fused.scan.d_state_in = request.d_state_in;
  fused.scan.d_state_out = request.d_state_out;
  fused.scan.d_lines = reinterpret_cast<u64*>(temporary + FusedScanMemory::kLines);
  fused.scan.d_tiles = reinterpret_cast<TileSummary*>(temporary + FusedScanMemory::kTiles);
  fused.scan.d_functions = reinterpret_cast<TileFunction*>(temporary + memory.functions);
  fused.scan.d_broken = reinterpret_cast<u32*>(temporary + FusedScanMemory::kBroken);
  if (suits_probe(request.literals)) fused.literals = request.literals;
  fused.d_spans = request.batch.d_spans;
  fused.d_status = request.batch.d_status;
  fused.blocks = request.batch.blocks;
  fused.d_failed = reinterpret_cast<u32*>(temporary + FusedScanMemory::kFailed);
  fused.d_lines = request.d_lines;
  fused.d_failed_blocks = request.d_failed_blocks;
  return fused;
}

}  // namespace detail

/// Of at least one block.
template <class Launcher>
Status enqueue_fused_scan(const FusedScanRequest& request, Launcher& launcher) {
  PRESSO_TRY(detail::check_fused(request));
  const FusedScanArguments fused = detail::fused_arguments(request);
  PRESSO_TRY(launcher.clear(request.d_scan_temporary, FusedScanMemory::kTiles));
  PRESSO_TRY(launcher.decode(request, fused));
  PRESSO_TRY(launcher.left_blocks(fused));
  PRESSO_TRY(launcher.chain(fused.scan));
  return launcher.add_lines(fused);
}

}  // namespace presso::gpu
