// SPDX-License-Identifier: MIT
// Decoding a batch of blocks and counting the matching lines of its text in one go: plain bytes are
// looked at in shared memory, and most of them never written. It saves traffic of device
// memory, not time: decode_batch and then scan_lines or scan_literals are
// faster for all patterns (NOTES.md). In the manner of presso/gpu_batch.h: ask for the sizes of the
// temporary memory, then call. Nothing here allocates, synchronises or copies between host and
// device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "presso/error.h"
#include "presso/gpu_batch.h"
#include "scan/gpu/fused_table.h"
#include "scan/gpu/literals/literal_table.h"

struct CUstream_st;  // cudaStream_t points to one

namespace presso::gpu {

struct FusedScanRequest {
  /// The blocks of a text, one behind another: block i begins at d_plain + i * block_bytes, and
  /// all but the last have block_bytes plain bytes. d_plain is 16-byte aligned, with room for all
  /// of them; what it holds afterwards is unspecified. d_temporary: temporary_bytes() of
  /// presso/gpu_batch.h. d_status as behind decode_batch.
  BatchArguments batch;
  BatchOptions options;           ///< strategy: kAuto
  std::uint32_t block_bytes = 0;  ///< a multiple of 2,048
  std::uint64_t plain_bytes = 0;  ///< of the batch
  FusedTableView table;           ///< of lay_out_fused(), with lines.d_image set
  /// Of lay_out_literals(), if the automaton is that of lines that hold one of these literals. More
  /// than three, or others than of 4 to 32 bytes, are as good as none. Its image is not used.
  LiteralTableView literals;
  /// As in LineScanRequest.
  const std::uint32_t* d_state_in = nullptr;
  std::uint32_t* d_state_out = nullptr;
  /// The number of matching lines that end here is added if all blocks are sound and where they
  /// should be. Else the number of the others is added to *d_failed_blocks, and *d_state_out is
  /// unspecified: decode again without this, and scan what is sound.
  std::uint64_t* d_lines = nullptr;
  std::uint32_t* d_failed_blocks = nullptr;  ///< may be nullptr: see d_status
  void* d_scan_temporary = nullptr;          ///< 256-byte aligned
  std::size_t scan_temporary_bytes = 0;
};

/// Of d_scan_temporary, for so many blocks.
std::size_t fused_scan_temporary_bytes(std::uint32_t blocks);

/// Errors: kInvalidArgument (memory too small or misaligned, blocks
/// that do not make up the text), kNoDevice, kDeviceLost. No blocks change nothing but the state
/// behind them.
Status decode_and_count(const FusedScanRequest& request, CUstream_st* stream);

}  // namespace presso::gpu
