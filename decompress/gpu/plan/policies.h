// SPDX-License-Identifier: MIT
// Policies of the decoding kernels: sizes and choices as compile-time constants, so that there is a
// kernel for batches of many blocks and one for batches of few. A policy changes speed, never
// results. Host and device. Sources: S7.17.
#pragma once

#include <cstdint>

#include "decompress/gpu/plan/relay_layout.h"
#include "format/host_device.h"

namespace presso::gpu {

/// Launch shape of the warp decoder. Nothing that was measured won by another one on any GPU.
struct WarpDecoderShape {
  static constexpr std::uint32_t kWarps = 4;    ///< of a thread block, each with a block of its own
  static constexpr std::uint32_t kBlocks = 12;  ///< on a multiprocessor, for the register budget
};

/// Which decoder is faster for a block that both could decode: the warp decoder (warp_decoder.cuh)
/// or the relay decoder (relay_decoder.cuh).
enum class Organisation { kWarps, kRelay };

/// Which of the kernels of bit_unpack.cuh unpacks a block.
enum class Unpacking : std::uint32_t { kFewLanes, kManyLanes, kLargeTables };

/// The longest code words that tables have room for. With small limits more blocks are in shared
/// memory at a time; our encoder stays within them.
struct TableLimits {
  std::uint32_t literal;
  std::uint32_t command;
  std::uint32_t sequence;

  PRESSO_HD constexpr bool suits(const BitFields& fields) const {
    return fields.literal_limit <= literal && fields.command_limit <= command &&
           fields.sequence_limit <= sequence;
  }
};
PRESSO_HD constexpr TableLimits small_tables() {
  return {10, 10, 9};
}
PRESSO_HD constexpr TableLimits large_tables() {
  return {kMaxLiteralLimit, kMaxCommandLimit, kMaxSequenceLimit};
}

struct UnpackTuning {
  TableLimits limits;
  std::uint32_t warps;   ///< of a thread block; a thread decodes one of the block's lanes at a time
  std::uint32_t blocks;  ///< on a multiprocessor, for the register budget
  std::uint32_t stage_steps;  ///< records of a lane that leave together
};

/// For batches that fill the device. 76 KiB of shared memory a thread block: three of them on a
/// multiprocessor of an H100 or H200, two on an A100. NOTES.md has others' figures.
struct ManyBlocks {
  using Relay = RelayPolicy<29, 2100, 4, 3>;
  static constexpr std::uint32_t kSurveyWarps = 8;
  static constexpr std::uint32_t kSurveyBlocks = 4;  ///< on a multiprocessor
  static constexpr bool kTellsLanesApart = true;     ///< whether unpacking() ever is kFewLanes

  static PRESSO_HD constexpr Unpacking unpacking(const BitFields& fields) {
    if (!small_tables().suits(fields)) return Unpacking::kLargeTables;
    return fields.lanes_log2 >= 6 ? Unpacking::kManyLanes : Unpacking::kFewLanes;
  }
  static PRESSO_HD constexpr UnpackTuning unpack_tuning(Unpacking which) {
    if (which == Unpacking::kLargeTables) return {large_tables(), 2, 7, 16};
    return which == Unpacking::kManyLanes ? UnpackTuning{small_tables(), 4, 7, kWarp}
                                          : UnpackTuning{small_tables(), 1, 18, 16};
  }

  /// As measured on an H200 (NOTES.md). In blocks of up to 64 KiB the histories of all warp
  /// decoders nearly fit into the L2 cache, which is when they win on anything but text. In larger
  /// ones they take so long for a block that even a few of them delay a whole batch.
  static PRESSO_HD constexpr Organisation choose(std::uint32_t plain_bytes,
                                                 std::uint32_t sequences) {
    const bool text = plain_bytes / (sequences + 1) < 20;
    return plain_bytes > 64u << 10 || text ? Organisation::kRelay : Organisation::kWarps;
  }
};

/// For batches that give a multiprocessor one or two blocks: as many warps for each as are useful.
struct FewBlocks {
  using Relay = RelayPolicy<29, 2100, 8, 2>;
  static constexpr std::uint32_t kSurveyWarps = 16;
  static constexpr std::uint32_t kSurveyBlocks = 2;
  static constexpr bool kTellsLanesApart = false;

  static PRESSO_HD constexpr Unpacking unpacking(const BitFields& fields) {
    return small_tables().suits(fields) ? Unpacking::kManyLanes : Unpacking::kLargeTables;
  }
  static PRESSO_HD constexpr UnpackTuning unpack_tuning(Unpacking which) {
    return {which == Unpacking::kLargeTables ? large_tables() : small_tables(), 4, 7, 16};
  }

  static PRESSO_HD constexpr Organisation choose(std::uint32_t, std::uint32_t) {
    return Organisation::kRelay;
  }

  static constexpr bool suit(std::uint32_t blocks, std::uint32_t multiprocessors) {
    return blocks <= Relay::kBlocksPerMultiprocessor * multiprocessors;
  }
};

}  // namespace presso::gpu
