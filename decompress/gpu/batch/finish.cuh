// SPDX-License-Identifier: MIT
// The last step of a batch: blocks get their final status, whatever state the decoders have
// left them in. One kernel does all that can be left to do, because each launch costs a small
// batch 2 us.
//
//   kDecoded       compared with its checksum                   content_check.cuh
//   kPlanned, raw  copied, and compared on the way              raw.cuh
//   kFailed        walked through again for the error code      diagnose.cuh
//   kPlanned       walked in the same way: no decoder has taken it
//
// A thread block takes a block at a time; there may be any number of thread blocks and warps.
// The third and fourth case are the work of a single thread.
//
// Test: tests/simt/raw_test.cpp, diagnose_test.cpp.
#pragma once

#include "decompress/gpu/batch/diagnose.cuh"
#include "decompress/gpu/batch/raw.cuh"

namespace presso::gpu {

PRESSO_DEVICE void finish_body(const BlockBatch& batch) {
  for (std::uint32_t block = simt::block_index(); block < batch.blocks;
       block += simt::grid_blocks()) {
    std::uint32_t* const status = batch.status + block;
    const std::uint32_t found = *status;
    if (found < kPlanned) continue;
    const BlockPlan plan = batch.plans[block];
    if (found == kDecoded) {
      verify_decoded(plan, status);
    } else if (found == kPlanned && plan.coding == static_cast<Byte>(Coding::kRaw)) {
      decode_raw(plan, status);
    } else if (simt::thread_in_block() == 0) {  // who reads the status later has nothing to do
      *status = status_of(diagnose(plan));
    }
  }
}

}  // namespace presso::gpu
