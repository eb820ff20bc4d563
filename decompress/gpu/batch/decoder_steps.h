// SPDX-License-Identifier: MIT
// Which kernels a strategy (gpu_batch.h: how matches are copied in parallel) consists of, and their
// order. The *relay decoder* keeps a block's history in shared memory and serves only blocks of the
// tile rule; the *warp decoder* serves all. A template over the launcher, like batch_steps.h, so
// that the emulator's tests go through the same steps as launch_decoders() (decoders.cu). A
// Launcher has
//
//   is_small(batch)                            whether FewBlocks suits it       policies.h
//   unpack<Tuning, kWhich, kBeside>(batch)     first stage of the Bit coding    bit_unpack.cuh
//   survey<Tuning>(batch)                      what the relay decoder needs     survey.cuh
//   relay_decoder<Tuning, kBit>(batch)         blocks of the tile rule          relay_decoder.cuh
//   warp_decoder<Resolve, kBit>(batch)         all planned blocks, raw ones not warp_decoder.cuh
//
// kBeside: the kernel may run at the same time as the one before it, which is another unpack.
// kBit: the batch may have Bit blocks. Kernels that parse records as well as tokens need a few
// more registers, and separate kernels for the two codings would make the blocks of one batch
// wait for each other.
#pragma once

#include "decompress/gpu/batch/decoder_launch.h"
#include "decompress/gpu/bit/bit_unpack.cuh"
#include "decompress/gpu/plan/policies.h"
#include "decompress/gpu/relay/relay_decoder.cuh"
#include "decompress/gpu/relay/survey.cuh"
#include "decompress/gpu/warp/warp_decoder.cuh"

namespace presso::gpu {

namespace detail {

/// Kernels for some blocks come first and leave those that they decline in state kPlanned. The
/// warp decoder takes every block that is left.
template <class Tuning, bool kBit, class Launcher>
Status enqueue_fastest(const DecodeLaunch& decode, Launcher& launcher) {
  PRESSO_TRY(launcher.template survey<Tuning>(decode.batch));
  PRESSO_TRY((launcher.template relay_decoder<Tuning, kBit>(decode.batch)));
  return launcher.template warp_decoder<InTurn, kBit>(decode.batch);
}

template <class Tuning, class Launcher>
Status enqueue_unpacking(const DecodeLaunch& decode, Launcher& launcher) {
  PRESSO_TRY((launcher.template unpack<Tuning, Unpacking::kManyLanes, false>(decode.batch)));
  if constexpr (Tuning::kTellsLanesApart) {
    PRESSO_TRY((launcher.template unpack<Tuning, Unpacking::kFewLanes, true>(decode.batch)));
  }
  return launcher.template unpack<Tuning, Unpacking::kLargeTables, true>(decode.batch);
}

template <class Tuning, bool kBit, class Launcher>
Status enqueue_strategy(const DecodeLaunch& decode, Launcher& launcher) {
  if constexpr (kBit) PRESSO_TRY(enqueue_unpacking<Tuning>(decode, launcher));
  switch (decode.strategy) {
    case Strategy::kAuto:
      return enqueue_fastest<Tuning, kBit>(decode, launcher);
    case Strategy::kMultiRound:
      return launcher.template warp_decoder<MultiRound<true>, kBit>(decode.batch);
    case Strategy::kDependencyFree:
      return launcher.template warp_decoder<DependencyFree, kBit>(decode.batch);
  }
  return make_error(ErrorCode::kInvalidArgument, "there is no such strategy");
}

template <class Tuning, class Launcher>
Status enqueue_tuned(const DecodeLaunch& decode, Launcher& launcher) {
  return decode.bit_blocks ? enqueue_strategy<Tuning, true>(decode, launcher)
                           : enqueue_strategy<Tuning, false>(decode, launcher);
}

}  // namespace detail

template <class Launcher>
Status enqueue_decoders(const DecodeLaunch& decode, Launcher& launcher) {
  return launcher.is_small(decode.batch) ? detail::enqueue_tuned<FewBlocks>(decode, launcher)
                                         : detail::enqueue_tuned<ManyBlocks>(decode, launcher);
}

}  // namespace presso::gpu
