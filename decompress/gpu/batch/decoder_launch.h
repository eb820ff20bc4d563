// SPDX-License-Identifier: MIT
// The step of a batch that decodes its coded blocks (`decode` in batch_steps.h): its input, and
// what it guarantees whatever kernels it consists of.
//
// It takes the blocks in state kPlanned whose coding is Byte or Bit, and leaves each of them as
//
//   kOk      decoded; checksums are off, or the block's checksum is right
//   kDecoded decoded; a later step compares it with its checksum
//   kFailed  faulty; a later step finds the error code
//   kPlanned not taken. A later kernel of this step must take it; after the last one it is a defect
//
// or as the error code of a wrong checksum, or of a first stage of the Bit coding that failed.
// A Bit block that is still kPlanned after bit_unpack.cuh has been unpacked. So kernels that
// serve only some blocks are simply enqueued before those that serve all.
#pragma once

#include "decompress/gpu/plan/block_plan.h"
#include "presso/error.h"
#include "presso/gpu_batch.h"

namespace presso::gpu {

struct DecodeLaunch {
  BlockBatch batch;
  Strategy strategy = Strategy::kAuto;
  bool bit_blocks = true;  ///< whether there may be Bit blocks
};

/// Enqueues the kernels of `launch.strategy`, in the shape that suits the current device.
Status launch_decoders(const DecodeLaunch& launch, CUstream_st* stream);

}  // namespace presso::gpu
