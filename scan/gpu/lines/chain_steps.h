// SPDX-License-Identifier: MIT
// Which kernels run after the tiles of a line scan, in order. They correct *chains*: neighbouring
// tiles of one line that were run from a wrong state. There is the general chain (tile_chain.cuh),
// or the shorter one for automata with a small transition monoid (monoid_chain.cuh). The launcher
// has one function for each kernel, so CUDA and the emulator of tests run the same steps. Test:
// tests/simt/scan_lines_test.cpp.
#pragma once

#include "presso/error.h"
#include "scan/gpu/lines/line_scan_args.h"

namespace presso::gpu {

/// Enqueues the steps, and stops at the first error. `Rows`: the layout of the table.
template <class Rows, class Launcher>
Status enqueue_tile_chain(const LineScanArguments& scan, Launcher& launcher) {
  PRESSO_TRY(launcher.find_broken());
  if (scan.table.monoid.functions == 0) {
    PRESSO_TRY(launcher.template tile_functions<Rows>());
    PRESSO_TRY(launcher.compose_groups());
  } else {
    PRESSO_TRY(launcher.tile_monoid());
    PRESSO_TRY(launcher.multiply_groups());
  }
  return launcher.template follow_chains<Rows>();
}

}  // namespace presso::gpu
