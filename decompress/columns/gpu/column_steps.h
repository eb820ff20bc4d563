// SPDX-License-Identifier: MIT
// The kernels of a batch of table blocks in their order. Templates over the launcher, so that
// the emulator's tests and columns.cu go through the same steps (as in batch_steps.h):
//
//   clear        status words become kNoFault
//   check        checksums of payloads, if they are wanted          payload_check.cuh
//   integers     of either width of arithmetic                      integer_decoder.cuh
//   settle       faults become codes                                payload_check.cuh
//
// A Launcher has a member function of each name, which runs that kernel and returns a Status.
#pragma once

#include "decompress/columns/gpu/column_batch.h"
#include "decompress/columns/gpu/columns_on_gpu.h"

namespace presso::gpu {

template <class Launcher>
Status enqueue_integers(const IntegerBatch& batch, const ColumnOptions& options,
                        Launcher& launcher) {
  if (batch.count == 0) return {};
  PRESSO_TRY(launcher.clear(batch.status, batch.count));
  if (options.verify) PRESSO_TRY(launcher.check(batch));
  if (options.narrow) PRESSO_TRY(launcher.template integers<std::uint32_t>(batch));
  if (options.wide) PRESSO_TRY(launcher.template integers<std::uint64_t>(batch));
  return launcher.settle(batch.status, batch.count);
}

}  // namespace presso::gpu
