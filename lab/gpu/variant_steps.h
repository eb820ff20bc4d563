// SPDX-License-Identifier: MIT
// Which kernels a variant consists of, in their order. A template over what runs them, as
// decoder_steps.h is. Beyond that file's a DecoderLauncher has
//
//   fused_decoder<Tuning>(batch)               unpacking and the relay decoder   fused_decoder.cuh
//   list_references<kBit>(batch, lists)        literals, and lists of matches    multi_kernel.cuh
//   resolve_rounds(batch, lists, n)            at most n rounds of them          multi_kernel.cuh
#pragma once

#include "decompress/gpu/batch/batch_steps.h"
#include "decompress/gpu/batch/decoder_steps.h"
#include "lab/gpu/fused_decoder.cuh"
#include "lab/gpu/multi_kernel.cuh"
#include "lab/gpu/sequential.cuh"
#include "lab/gpu/variants.h"

namespace presso::gpu::lab {

/// Blocks whose lists are too long, or not finished after all rounds, are still planned.
template <class Tuning, bool kBit, class Launcher>
Status enqueue_multi_round_kernels(const BlockBatch& batch, const ReferenceLists& lists, u32 rounds,
                                   Launcher& launcher) {
  if constexpr (kBit) {
    PRESSO_TRY(gpu::detail::enqueue_unpacking<Tuning>(DecodeLaunch{batch}, launcher));
  }
  PRESSO_TRY(launcher.template list_references<kBit>(batch, lists));
  PRESSO_TRY(launcher.resolve_rounds(batch, lists, rounds));
  return launcher.template warp_decoder<MultiRound<true>, kBit>(batch);
}

/// The warp decoder alone, one match after another.
template <class Tuning, bool kBit, class Launcher>
Status enqueue_sequential(const DecodeLaunch& decode, Launcher& launcher) {
  if constexpr (kBit) PRESSO_TRY(gpu::detail::enqueue_unpacking<Tuning>(decode, launcher));
  return launcher.template warp_decoder<Sequential, kBit>(decode.batch);
}

/// As kAuto; without Bit blocks there is nothing to fuse.
template <class Tuning, bool kBit, class Launcher>
Status enqueue_fused(const DecodeLaunch& decode, Launcher& launcher) {
  if constexpr (!kBit) {
    return gpu::detail::enqueue_fastest<Tuning, false>(decode, launcher);
  } else {
    PRESSO_TRY((launcher.template unpack<Tuning, Unpacking::kLargeTables, false>(decode.batch)));
    PRESSO_TRY(launcher.template survey<Tuning>(decode.batch));
    PRESSO_TRY(launcher.template fused_decoder<Tuning>(decode.batch));
    return launcher.template warp_decoder<InTurn, true>(decode.batch);
  }
}

/// A launcher of batch_steps.h that decodes by a variant: its other steps are BatchLauncher's.
template <class BatchLauncher, class DecoderLauncher>
class VariantLauncher {
 public:
  VariantLauncher(BatchLauncher& batch, DecoderLauncher& decoders, Variant variant,
                  const ReferenceLists& lists, u32 largest_plain_bytes)
      : batch_(batch),
        decoders_(decoders),
        variant_(variant),
        lists_(lists),
        rounds_(round_launches(largest_plain_bytes)) {}

  Status clear(u64* d_word) { return batch_.clear(d_word); }
  Status plan(const PlanArguments& arguments) { return batch_.plan(arguments); }
  Status finish(const BlockBatch& batch) { return batch_.finish(batch); }
  Status decode(const DecodeLaunch& decode) {
    return decoders_.is_small(decode.batch) ? decode_tuned<FewBlocks>(decode)
                                            : decode_tuned<ManyBlocks>(decode);
  }

 private:
  template <class Tuning>
  Status decode_tuned(const DecodeLaunch& decode) {
    return decode.bit_blocks ? decode_coded<Tuning, true>(decode)
                             : decode_coded<Tuning, false>(decode);
  }
  template <class Tuning, bool kBit>
  Status decode_coded(const DecodeLaunch& decode) {
    if (variant_ == Variant::kFused) return enqueue_fused<Tuning, kBit>(decode, decoders_);
    if (variant_ == Variant::kSequential)
      return enqueue_sequential<Tuning, kBit>(decode, decoders_);
    return enqueue_multi_round_kernels<Tuning, kBit>(decode.batch, lists_, rounds_, decoders_);
  }

  BatchLauncher& batch_;
  DecoderLauncher& decoders_;
  Variant variant_;
  ReferenceLists lists_;
  u32 rounds_;
};

/// enqueue_batch() of batch_steps.h by a variant; arguments as decode_batch() in variants.h.
template <class BatchLauncher, class DecoderLauncher>
Status enqueue_batch(Variant variant, const BatchArguments& batch, std::uint64_t plain_bytes,
                     const BatchOptions& options, BatchLauncher& batch_launcher,
                     DecoderLauncher& decoders) {
  if (batch.blocks == 0) return {};
  if (options.strategy != strategy_of(variant) ||
      batch.temporary_bytes < temporary_bytes(variant, batch.blocks, plain_bytes, options)) {
    return make_error(ErrorCode::kInvalidArgument, "not what the variant needs");
  }
  BatchArguments inner = batch;
  ReferenceLists lists{};
  if (variant == Variant::kMultiRoundKernels) {
    const ListMemory memory(batch.blocks, plain_bytes);
    inner.temporary_bytes =
        temporary_bytes(variant, batch.blocks, plain_bytes, options) - memory.bytes();
    Byte* const d_lists = static_cast<Byte*>(batch.d_temporary) + inner.temporary_bytes;
    lists = {reinterpret_cast<u64*>(d_lists + memory.references()),
             reinterpret_cast<u32*>(d_lists + memory.begins()),
             reinterpret_cast<u32*>(d_lists + memory.ends()), static_cast<u32>(memory.stride())};
  }
  VariantLauncher launcher(batch_launcher, decoders, variant, lists, batch.largest_plain_bytes);
  return gpu::enqueue_batch(inner, options, launcher);
}

}  // namespace presso::gpu::lab
