// SPDX-License-Identifier: MIT
// The order of the kernels that test strings. A template over the launcher, so that the tests in
// the emulator and strings.cu run the same steps:
//
//   clear     status words become kNoFault, numbers of matches 0
//   check     checksums of payloads, if they are wanted               payload_check.cuh
//   places    where tiles of rows begin                               string_tiles.cuh
//   test      rows, by the kernel of the layout                       row_walk.cuh, row_sweep.cuh
//   settle    faults become error codes                               payload_check.cuh
//
// enqueue_left_rows() has clear, left (left_rows.cuh) and settle.
//
// A Launcher has a member function of each name, which returns a Status. Each step needs the
// results of those before it, in the order of the stream.
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

template <class Launcher>
Status enqueue_left_rows(const LeftRows& rows, Launcher& launcher) {
  if (rows.count == 0) return {};
  if (rows.batch.count == 0) return launcher.left(rows);
  PRESSO_TRY(launcher.clear(rows.batch));
  PRESSO_TRY(launcher.left(rows));
  return launcher.settle(rows.batch);
}

}  // namespace presso::gpu
