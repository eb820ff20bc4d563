// SPDX-License-Identifier: MIT
// The warp decoder with counters of rounds (sources: S7.20): how many rounds the groups of a block
// take under multi-round resolution, and how many bytes of matches each round resolves. For Byte
// blocks. The rounds are those that the decoder takes without counters. Tested by
// lab/tests/round_counters_test.cpp.
#pragma once

#include "decompress/gpu/warp/warp_decoder.cuh"
#include "lab/gpu/round_counters.h"

namespace presso::gpu::lab {

/// A counter for WarpPolicy: lane r counts what happens in round r + 1.
class RoundCounter {
 public:
  static constexpr bool kCounts = true;

  PRESSO_DEVICE void resolved(u32 round, u32 bytes) {
    const u32 sum = simt::reduce_add(bytes);
    if (simt::lane() + 1 == round) bytes_ += sum;
  }
  PRESSO_DEVICE void group(u32 rounds) {
    ++groups_;
    if (simt::lane() + 1 == rounds) ++rounds_;
  }
  PRESSO_DEVICE void write(RoundCounters* to) const {
    to->rounds[simt::lane()] = rounds_;
    to->bytes[simt::lane()] = bytes_;
    if (simt::lane() == 0) to->groups = groups_;
  }

 private:
  u32 groups_ = 0;
  u32 rounds_ = 0;
  u32 bytes_ = 0;
};

/// As warp_decoder_body(), for Byte blocks only. `counters`: one for each block, written where the
/// block is sound. Policy: a WarpPolicy whose Counter is RoundCounter.
template <class Resolve, class Policy>
PRESSO_DEVICE void counting_decoder_body(const BlockPlan* plans, u32* status, u32 blocks,
                                         RoundCounters* counters) {
  const u32 block = block_of_warp();
  if (block >= blocks || status[block] != kPlanned) return;
  const BlockPlan& plan = plans[block];
  if (!plan.is(Coding::kByte)) return;
  SegmentTable& table = reinterpret_cast<SegmentTable*>(simt::shared_memory())[uniform_warp()];
  bool good = false;
  if (plan.payload_bytes != 0) {
    WarpDecoder<Resolve, Policy, GroupParser> decoder(plan, table);
    good = decoder.decode();
    if (good) decoder.counter().write(counters + block);
  }
  if (simt::lane() == 0) status[block] = good ? decoded_status(plan) : u32{kFailed};
}

}  // namespace presso::gpu::lab
