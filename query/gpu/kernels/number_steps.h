// SPDX-License-Identifier: MIT
// The kernels that give the strings of rows numbers, in their order. A template over what runs
// them, so that the emulator runs the same steps. `clear`, `check`, `places` and `settle` are the
// steps of query/gpu/strings/string_steps.h; the others are
//
//   text_places   where rows of text begin; in place of `check` and `places`   number_rows.cuh
//   rows          the numbers of rows                                          number_rows.cuh
//   bytes         whether blocks have as many bytes as they say                number_rows.cuh
//
// Tests: tests/queries/strings.txt.
#pragma once

#include "presso/error.h"
#include "query/gpu/kernels/string_index.h"

namespace presso::gpu {

template <class Launcher>
Status enqueue_numbers(const NumberBatch& batch, bool verify, Launcher& launcher) {
  if (batch.strings.count == 0) return {};
  PRESSO_TRY(launcher.clear(batch.strings));
  if (batch.has_text) {
    PRESSO_TRY(launcher.text_places(batch));
  } else {
    if (verify) PRESSO_TRY(launcher.check(batch.strings));
    PRESSO_TRY(launcher.places(batch.strings));
  }
  if (batch.strings.tiles > 0) PRESSO_TRY(launcher.rows(batch));
  if (!batch.has_text) PRESSO_TRY(launcher.bytes(batch));
  return launcher.settle(batch.strings);
}

}  // namespace presso::gpu
