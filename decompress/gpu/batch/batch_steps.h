// SPDX-License-Identifier: MIT
// decode_batch() from beginning to end: arguments are checked, temporary memory is divided, kernels
// are enqueued in their order. States of blocks (kPlanned and so on) are those of block_plan.h. It
// is a template over the launcher of kernels, so that the emulator's tests and decode_batch()
// (batch.cu) go through the same steps:
//
//   clear      the counter of claimed segments
//   plan       headers; status kPlanned or the error                  plan.cuh
//   decode     coded blocks; kDecoded, kFailed or final               decoder_launch.h
//   finish     raw blocks, checksums, error codes; final              finish.cuh
//
// A Launcher has a member function of each name, which returns a Status.
#pragma once

#include <cstdint>
#include <string>

#include "decompress/gpu/batch/batch_memory.h"
#include "decompress/gpu/batch/decoder_launch.h"
#include "decompress/gpu/batch/plan.cuh"

namespace presso::gpu {

namespace detail {

inline bool is_placed(const void* at, std::uint64_t alignment) {
  return at != nullptr && reinterpret_cast<std::uintptr_t>(at) % alignment == 0;
}

inline Status check_batch(const BatchArguments& batch, const BatchOptions& options) {
  if (options.strategy > Strategy::kDependencyFree) {
    return make_error(ErrorCode::kInvalidArgument, "there is no such strategy");
  }
  if (!is_placed(batch.d_stored, kFrameAlignment) || batch.d_plain == nullptr ||
      !is_placed(batch.d_spans, alignof(BlockSpan)) || !is_placed(batch.d_status, 4) ||
      !is_placed(batch.d_temporary, BatchMemory::kAlignment)) {
    return make_error(ErrorCode::kInvalidArgument, "memory of a batch is missing or misaligned");
  }
  const std::uint64_t least =
      BatchMemory(batch.blocks, options).bytes(2 * std::uint64_t{batch.blocks});
  if (batch.temporary_bytes >= least) return {};
  return make_error(ErrorCode::kInvalidArgument,
                    "temporary memory of " + std::to_string(batch.temporary_bytes) +
                        " bytes is too small, at least " + std::to_string(least) + " are needed");
}

/// The parts of a batch's temporary memory.
class BatchParts {
 public:
  BatchParts(const BatchArguments& batch, const BatchOptions& options)
      : batch_(batch),
        options_(options),
        memory_(batch.blocks, options),
        segments_(memory_.segments_in(batch.temporary_bytes)) {}

  std::uint64_t* claimed() const { return at<std::uint64_t>(0); }

  PlanArguments plan() const {
    PlanArguments arguments;
    arguments.batch = batch_;
    arguments.plans = at<BlockPlan>(memory_.plans());
    if (memory_.has_unpacked()) arguments.unpacked = at<Byte>(memory_.unpacked());
    if (memory_.has_records()) arguments.survey = at<Byte>(memory_.records(segments_));
    if (memory_.has_hashes()) {
      arguments.segment_hashes = at<std::uint64_t>(memory_.hashes(segments_));
    }
    arguments.segments = segments_;
    arguments.claimed = claimed();
    return arguments;
  }

  BlockBatch blocks() const {
    return {at<BlockPlan>(memory_.plans()), batch_.d_status, batch_.blocks};
  }

  DecodeLaunch decode() const {
    DecodeLaunch launch;
    launch.batch = blocks();
    launch.strategy = options_.strategy;
    launch.bit_blocks = options_.bit_blocks;
    return launch;
  }

 private:
  template <class T>
  T* at(std::uint64_t offset) const {
    return reinterpret_cast<T*>(static_cast<Byte*>(batch_.d_temporary) + offset);
  }

  const BatchArguments& batch_;
  const BatchOptions& options_;
  BatchMemory memory_;
  std::uint64_t segments_;
};

}  // namespace detail

template <class Launcher>
Status enqueue_batch(const BatchArguments& batch, const BatchOptions& options, Launcher& launcher) {
  if (batch.blocks == 0) return {};
  PRESSO_TRY(detail::check_batch(batch, options));
  const detail::BatchParts parts(batch, options);
  PRESSO_TRY(launcher.clear(parts.claimed()));
  PRESSO_TRY(launcher.plan(parts.plan()));
  PRESSO_TRY(launcher.decode(parts.decode()));
  return launcher.finish(parts.blocks());
}

}  // namespace presso::gpu
