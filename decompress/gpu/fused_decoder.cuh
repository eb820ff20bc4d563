// SPDX-License-Identifier: MIT
// Both stages of the Bit coding in one kernel (catalogue S7.15, the fused variant): a thread block
// unpacks its block with all its warps, and goes on as the relay decoder. Saves a launch; slower
// than two kernels all the same, NOTES.md says why.
//
// Takes up what the relay decoder does, and Bit blocks in state kPlanned whose tables are small.
// Leaves what unpacking and the relay decoder leave. Test: tests/simt/batch_suite.cpp. Benchmark:
// bench/decode_rate.cpp.
#pragma once

#include <algorithm>

#include "decompress/gpu/bit/bit_unpack.cuh"
#include "decompress/gpu/relay/relay_decoder.cuh"

namespace presso::gpu {

/// Tuning: ManyBlocks or FewBlocks.
template <class Tuning>
struct FusedDecoder {
  using Relay = typename Tuning::Relay;
  static constexpr u32 kThreads = Unpacker<Tuning, Unpacking::kFused>::kThreads;
  static constexpr std::size_t kSharedBytes = std::max(
      sizeof(RelayShared<Relay>), sizeof(typename Unpacker<Tuning, Unpacking::kFused>::Shared));
  static_assert(kThreads == Relay::kThreads);
};

template <class Tuning>
PRESSO_DEVICE void fused_decoder_body(BlockPlan* plans, u32* statuses) {
  const u32 block = simt::block_index();
  u32 state = statuses[block];
  if (state != kPlanned && state != kSurveyed) return;
  BlockPlan plan = plans[block];
  if (state == kPlanned && plan.is(Coding::kBit) && small_tables().suits(plan.bit)) {
    state = unpack_block<Tuning, Unpacking::kFused>(plan, plans[block], statuses[block]);
    simt::bulk_fence_global();  // the copy engine reads literals next
    simt::block_sync();
  }
  if (state == kSurveyed) relay_decode<typename Tuning::Relay, true, true>(plan, statuses + block);
}

}  // namespace presso::gpu
