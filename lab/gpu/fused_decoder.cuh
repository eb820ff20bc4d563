// SPDX-License-Identifier: MIT
// Both stages of the Bit coding in one kernel (sources: S7.15, the fused variant): a thread block
// unpacks a block of the file with all its warps and then goes on as the relay decoder. That saves
// a launch and is slower than two kernels all the same (decompress/gpu/NOTES.md).
//
// Takes the blocks that the relay decoder takes, and Bit blocks in state kPlanned whose tables are
// small. Leaves what unpacking and the relay decoder leave. Test: tests/simt/batch_suite.cpp, by
// lab/tests.
// Benchmark: lab/programs/decompress_gpu/decode_rate.cpp.
#pragma once

#include <algorithm>

#include "decompress/gpu/bit/bit_unpack.cuh"
#include "decompress/gpu/relay/relay_decoder.cuh"

namespace presso::gpu::lab {

/// ManyBlocks or FewBlocks, with all warps of the relay decoder unpacking before they decode.
template <class Tuning>
struct FusedTuning : Tuning {
  static PRESSO_HD constexpr UnpackTuning unpack_tuning(Unpacking) {
    using Relay = typename Tuning::Relay;
    return {small_tables(), Relay::kThreads / kWarp, Relay::kBlocksPerMultiprocessor, 16};
  }
};

/// Tuning: ManyBlocks or FewBlocks.
template <class Tuning>
struct FusedDecoder {
  using Relay = typename Tuning::Relay;
  using Unpack = Unpacker<FusedTuning<Tuning>, Unpacking::kManyLanes>;
  static constexpr u32 kThreads = Unpack::kThreads;
  static constexpr std::size_t kSharedBytes =
      std::max(sizeof(RelayShared<Relay>), sizeof(typename Unpack::Shared));
  static_assert(kThreads == Relay::kThreads);
};

template <class Tuning>
PRESSO_DEVICE void fused_decoder_body(BlockPlan* plans, u32* statuses) {
  const u32 block = simt::block_index();
  u32 state = statuses[block];
  if (state != kPlanned && state != kSurveyed) return;
  BlockPlan plan = plans[block];
  if (state == kPlanned && plan.is(Coding::kBit) && small_tables().suits(plan.bit)) {
    state = unpack_block<FusedTuning<Tuning>, Unpacking::kManyLanes>(plan, plans[block],
                                                                     statuses[block]);
    simt::bulk_fence_global();  // the copy engine reads literals next
    simt::block_sync();
  }
  if (state == kSurveyed) relay_decode<typename Tuning::Relay, true, true>(plan, statuses + block);
}

}  // namespace presso::gpu::lab
