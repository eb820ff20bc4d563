// SPDX-License-Identifier: MIT
// The kernels that test rows of text, in their order. A template over what runs them, so that the
// emulator runs the same steps (compare query/gpu/strings/string_steps.h):
//
//   clear        status words become kNoFault, numbers of matches 0
//   text_places  where rows begin, whether lengths add up to the text   number_rows.cuh
//   test_text    rows, once for each test                               text_walk.cuh
//   settle       faults become error codes                              payload_check.cuh
//
// Tests: tests/queries/tokens.txt.
#pragma once

#include <span>

#include "query/gpu/kernels/text_tests.h"

namespace presso::gpu {

template <class Launcher>
Status enqueue_text_tests(const NumberBatch& rows, std::span<const TextTest> tests,
                          Launcher& launcher) {
  if (rows.strings.count == 0) return {};
  PRESSO_TRY(launcher.clear(rows.strings));
  PRESSO_TRY(launcher.text_places(rows));
  for (const TextTest& test : tests) {
    if (test.rows.tiles > 0) PRESSO_TRY(launcher.test_text(test));
  }
  return launcher.settle(rows.strings);
}

}  // namespace presso::gpu
