// SPDX-License-Identifier: MIT
// Policies of the decoding kernels: plain aggregates, chosen by what a kernel was compiled for. A
// policy changes speed, never results. Host and device. Catalogue S7.17.
#pragma once

#include <algorithm>
#include <cstdint>

#include "decompress/gpu/relay_layout.h"
#include "format/host_device.h"

namespace presso::gpu {

struct WarpDecoderTuning {
  std::uint32_t warps;             ///< of a thread block, each with a block of its own
  std::uint32_t copy_bytes;        ///< bytes of output that a lane writes at once, 1 to 16
  std::uint32_t copies_in_flight;  ///< gathered before any is stored
  std::uint32_t match_bytes;       ///< copy_bytes for matches that are copied by themselves
};

/// Stateless, so that kernels can be templates over it. `architecture` is __CUDA_ARCH__ / 10 of the
/// code that runs, 90 for an H100; the host asks the kernel for it (cudaFuncAttributes).
struct WarpDecoderSelector {
  static PRESSO_HD constexpr WarpDecoderTuning tuning(int architecture) {
    if (architecture >= 90) return {4, 1, 4, 1};
    return {4, 1, 4, 1};
  }
};

/// Who is fastest for a block that both could decode.
enum class Organisation { kWarps, kRelay };

/// For batches that fill the device. 76 KiB of shared memory a thread block: three of them on a
/// multiprocessor of an H100 or H200, two on an A100. NOTES.md has others' figures.
struct ManyBlocks {
  using Relay = RelayPolicy<29, 2100, 4, 3>;
  static constexpr std::uint32_t kSurveyWarps = 8;
  static constexpr std::uint32_t kSurveyBlocks = 4;  ///< on a multiprocessor

  /// As measured on an H200 (NOTES.md). In blocks of up to 64 KiB the histories of all warp
  /// decoders nearly fit into the L2 cache, which is when they win on anything but text. In larger
  /// ones they take so long for a block that even a few of them delay a whole batch.
  static PRESSO_HD constexpr Organisation choose(std::uint32_t plain_bytes,
                                                 std::uint32_t sequences) {
    const bool text = plain_bytes / (sequences + 1) < 20;
    return plain_bytes > 64u << 10 || text ? Organisation::kRelay : Organisation::kWarps;
  }
};

/// For batches of which a multiprocessor gets a block or two: as many warps for each as are of use.
struct FewBlocks {
  using Relay = RelayPolicy<29, 2100, 8, 2>;
  static constexpr std::uint32_t kSurveyWarps = 16;
  static constexpr std::uint32_t kSurveyBlocks = 2;

  static PRESSO_HD constexpr Organisation choose(std::uint32_t, std::uint32_t) {
    return Organisation::kRelay;
  }

  static constexpr bool suit(std::uint32_t blocks, std::uint32_t multiprocessors) {
    return blocks <= Relay::kBlocksPerMultiprocessor * multiprocessors;
  }
};

/// How many rounds kMultiRoundKernels enqueues for blocks of this size. A round executes one
/// back-reference of a block at least and 32 at most; text has one in about nine bytes and gets
/// through 20 or more a round. Blocks that are not done then, as the most nested data, are decoded
/// by rounds inside of one kernel.
constexpr std::uint32_t round_launches(std::uint32_t largest_plain_bytes) {
  return std::max(largest_plain_bytes / 64, 8u);
}

}  // namespace presso::gpu
