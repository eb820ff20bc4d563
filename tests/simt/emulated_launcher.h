// SPDX-License-Identifier: MIT
// The kernels of decode_batch in the emulator, a launcher for batch_steps.h and decoder_steps.h.
#pragma once

#include "decompress/gpu/batch/batch_steps.h"
#include "decompress/gpu/batch/decoder_steps.h"
#include "decompress/gpu/batch/finish.cuh"
#include "decompress/gpu/simt/emulator/emulator.h"

namespace presso::gpu::test {

/// As if of a device with one multiprocessor.
inline constexpr std::uint32_t kFewBlocks = FewBlocks::Relay::kBlocksPerMultiprocessor;
static_assert(FewBlocks::suit(kFewBlocks, 1) && !FewBlocks::suit(kFewBlocks + 1, 1));

/// A failure of the emulator as an error, so that the step's name comes with it.
class EmulatedLauncher {
 public:
  explicit EmulatedLauncher(std::uint32_t seed) { options_.seed = seed; }

  Status clear(std::uint64_t* word) {
    *word = 0;
    return {};
  }
  Status plan(const PlanArguments& arguments) {
    const std::uint32_t blocks = arguments.batch.blocks;
    return run("plan", (blocks + 63) / 64, 64, 0, [&] { plan_body(arguments); });
  }
  Status decode(const DecodeLaunch& launch) { return enqueue_decoders(launch, *this); }
  Status finish(const BlockBatch& batch) {
    return run("finish", 3, 64, 0, [&] { finish_body(batch); });
  }

  // Of enqueue_decoders.
  bool is_small(const BlockBatch& batch) const { return batch.blocks <= kFewBlocks; }
  template <class Tuning, Unpacking kWhich, bool>
  Status unpack(const BlockBatch& batch) {
    return run("unpack", batch.blocks, Unpacker<Tuning, kWhich>::kThreads,
               sizeof(typename Unpacker<Tuning, kWhich>::Shared),
               [&] { unpack_body<Tuning, kWhich>(batch.plans, batch.status); });
  }
  template <class Tuning>
  Status survey(const BlockBatch& batch) {
    return run("survey", batch.blocks, Tuning::kSurveyWarps * simt::kWarpSize,
               sizeof(typename Survey<Tuning>::Shared),
               [&] { survey_body<Tuning>(batch.plans, batch.status); });
  }
  template <class Tuning, bool kBit>
  Status relay_decoder(const BlockBatch& batch) {
    using Relay = typename Tuning::Relay;
    return run("relay decoder", batch.blocks, Relay::kThreads, sizeof(RelayShared<Relay>),
               [&] { relay_decoder_body<Relay, kBit>(batch.plans, batch.status); });
  }
  template <class Resolve, bool kBit>
  Status warp_decoder(const BlockBatch& batch) {
    return run_warps("warp decoder", batch.blocks, [&] {
      warp_decoder_body<Resolve, ChosenWarpPolicy, kBit>(batch.plans, batch.status, batch.blocks);
    });
  }

 protected:
  Status run(const char* step, std::uint32_t grid, std::uint32_t threads, std::size_t shared_bytes,
             const std::function<void()>& body) {
    const simt::Report report = simt::run({grid, threads, shared_bytes}, options_, body);
    ++options_.seed;
    if (report.ok()) return {};
    return make_error(ErrorCode::kDeviceLost, std::string(step) + ": " + report.what);
  }
  Status run_warps(const char* step, std::uint32_t blocks, const std::function<void()>& body) {
    return run(step, (blocks - 1) / WarpDecoderShape::kWarps + 1,
               WarpDecoderShape::kWarps * simt::kWarpSize,
               WarpDecoderShape::kWarps * sizeof(SegmentTable), body);
  }

 private:
  simt::Options options_;
};

}  // namespace presso::gpu::test
