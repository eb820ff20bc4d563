// SPDX-License-Identifier: MIT
// The step of a batch in which coded blocks are decoded: what it is given, whichever kernels
// it consists of.
//
// Contract: takes up blocks in state kPlanned whose coding is Byte or Bit, and leaves each of them
//
//   kOk      decoded, and checksums are off or it equals its own
//   kDecoded decoded; a later step compares it with its checksum
//   kFailed  faulty; a later step finds the error code
//   kPlanned not taken up. A later step of the decoders' must: behind the last one it is a defect
//
// or the code of a checksum that is wrong, or of a first stage of the Bit coding that failed. A Bit
// block that is planned behind bit_unpack.cuh has been unpacked. So kernels that serve some blocks
// only are simply enqueued before those that serve all.
#pragma once

#include <cstdint>

#include "decompress/gpu/plan/block_plan.h"
#include "presso/error.h"
#include "presso/gpu_batch.h"

namespace presso::gpu {

struct DecodeLaunch {
  BlockBatch batch;
  std::uint32_t largest_plain_bytes = 0;
  Strategy strategy = Strategy::kAuto;
  bool verify = true;      ///< whether plans have room for segment hashes
  bool bit_blocks = true;  ///< whether there may be any

  // Of kMultiRoundKernels alone: room for lists of back-references in device memory.
  std::uint64_t* d_references = nullptr;  ///< references_a_block for each block
  std::uint32_t* d_reference_begins = nullptr;
  std::uint32_t* d_reference_ends = nullptr;
  std::uint32_t references_a_block = 0;
};

/// Enqueues the kernels of `launch.strategy`, as the current device's policy has them.
Status launch_decoders(const DecodeLaunch& launch, CUstream_st* stream);

}  // namespace presso::gpu
