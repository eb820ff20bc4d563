// SPDX-License-Identifier: MIT
// The kernels of the laboratory's decoders in the emulator, a launcher for variant_steps.h.
#pragma once

#include "lab/gpu/variant_steps.h"
#include "tests/simt/emulated_launcher.h"

namespace presso::gpu::test {

class EmulatedVariantLauncher : public EmulatedLauncher {
 public:
  using EmulatedLauncher::EmulatedLauncher;

  template <class Tuning>
  Status fused_decoder(const BlockBatch& batch) {
    return run("fused decoder", batch.blocks, lab::FusedDecoder<Tuning>::kThreads,
               lab::FusedDecoder<Tuning>::kSharedBytes,
               [&] { lab::fused_decoder_body<Tuning>(batch.plans, batch.status); });
  }
  template <bool kBit>
  Status list_references(const BlockBatch& batch, const lab::ReferenceLists& lists) {
    return run_warps("listing", batch.blocks, [&] {
      lab::list_references_body<ChosenWarpPolicy, kBit>(batch.plans, batch.status, batch.blocks,
                                                        lists);
    });
  }
  /// Launches that would find nothing to do are left out.
  Status resolve_rounds(const BlockBatch& batch, const lab::ReferenceLists& lists,
                        std::uint32_t rounds) {
    for (; rounds > 0; --rounds) {
      if (std::equal(lists.begin, lists.begin + batch.blocks, lists.end)) break;
      PRESSO_TRY(run_warps("round", batch.blocks, [&] {
        lab::resolve_round_body<ChosenWarpPolicy>(batch.plans, batch.status, batch.blocks, lists);
      }));
    }
    return {};
  }
};

}  // namespace presso::gpu::test
