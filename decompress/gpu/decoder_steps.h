// SPDX-License-Identifier: MIT
// Which kernels a strategy is, in their order. Written over whoever runs them, as batch_steps.h is,
// so that the emulator's tests go through the same ones as launch_decoders (decoders.cu). A
// Launcher has
//
//   is_small(batch)                  whether FewBlocks suits it                 policies.h
//   survey<Tuning>(batch)            what the next one needs to know            survey.cuh
//   relay_decoder<Tuning>(batch)     blocks of the tile rule                    relay_decoder.cuh
//   warp_decoder<Resolve>(batch)     every planned block of the Byte coding     warp_decoder.cuh
//   list_references(batch, lists)    literals, and lists of back-references     multi_kernel.cuh
//   resolve_rounds(batch, lists, n)  at most n rounds of them                   multi_kernel.cuh
#pragma once

#include "decompress/gpu/decoder_launch.h"
#include "decompress/gpu/multi_kernel.cuh"
#include "decompress/gpu/policies.h"
#include "decompress/gpu/relay_decoder.cuh"
#include "decompress/gpu/survey.cuh"
#include "decompress/gpu/warp_decoder.cuh"

namespace presso::gpu {

namespace detail {

/// Blocks whose lists are too long, or not done after all rounds, are still planned.
template <class Launcher>
Status enqueue_multi_round_kernels(const DecodeLaunch& decode, Launcher& launcher) {
  const ReferenceLists lists{decode.d_references, decode.d_reference_begins,
                             decode.d_reference_ends, decode.references_a_block};
  PRESSO_TRY(launcher.list_references(decode.batch, lists));
  PRESSO_TRY(
      launcher.resolve_rounds(decode.batch, lists, round_launches(decode.largest_plain_bytes)));
  return launcher.template warp_decoder<MultiRound<true>>(decode.batch);
}

/// Kernels for some blocks come first, and leave those that they decline in state kPlanned. The
/// warp decoder takes every block that is left.
template <class Tuning, class Launcher>
Status enqueue_fastest(const DecodeLaunch& decode, Launcher& launcher) {
  PRESSO_TRY(launcher.template survey<Tuning>(decode.batch));
  PRESSO_TRY(launcher.template relay_decoder<Tuning>(decode.batch));
  return launcher.template warp_decoder<InTurn>(decode.batch);
}

}  // namespace detail

template <class Launcher>
Status enqueue_decoders(const DecodeLaunch& decode, Launcher& launcher) {
  switch (decode.strategy) {
    case Strategy::kAuto:
      return launcher.is_small(decode.batch)
                 ? detail::enqueue_fastest<FewBlocks>(decode, launcher)
                 : detail::enqueue_fastest<ManyBlocks>(decode, launcher);
    case Strategy::kSequential:
      return launcher.template warp_decoder<Sequential>(decode.batch);
    case Strategy::kMultiRound:
      return launcher.template warp_decoder<MultiRound<true>>(decode.batch);
    case Strategy::kMultiRoundKernels:
      return detail::enqueue_multi_round_kernels(decode, launcher);
    case Strategy::kDependencyFree:
      return launcher.template warp_decoder<DependencyFree>(decode.batch);
  }
  return make_error(ErrorCode::kInvalidArgument, "there is no such strategy");
}

}  // namespace presso::gpu
