// SPDX-License-Identifier: MIT
// The kernels that test strings in their order. A template over what runs them, so that the
// emulator's tests and strings.cu go through the same steps:
//
//   clear     status words become kNoFault, numbers of matches 0
//   check     checksums of payloads, where they are asked for         payload_check.cuh
//   places    where tiles of rows begin                               string_tiles.cuh
//   test      rows, in one of the ways of StringLayout                row_walk.cuh, row_sweep.cuh
//   settle    faults become codes                                     payload_check.cuh
//
// A Launcher has a member function of each name, which returns a Status.
#pragma once

#include "query/gpu/strings/strings_on_gpu.h"

namespace presso::gpu {

template <class Launcher>
Status enqueue_strings(const StringBatch& batch, const StringOptions& options, Launcher& launcher) {
  if (batch.count == 0) return {};
  PRESSO_TRY(launcher.clear(batch));
  if (options.verify) PRESSO_TRY(launcher.check(batch));
  PRESSO_TRY(launcher.places(batch));
  if (batch.tiles > 0) PRESSO_TRY(launcher.test(batch, options));
  return launcher.settle(batch);
}

}  // namespace presso::gpu
