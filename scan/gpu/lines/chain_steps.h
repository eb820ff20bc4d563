// SPDX-License-Identifier: MIT
// Which kernels run after the tiles of a line scan (tile_chain.cuh, monoid_chain.cuh), in order.
// The launcher has one function for each; tests run the same steps in the emulator.
#pragma once

#include "presso/error.h"
#include "scan/gpu/lines/line_scan_args.h"

namespace presso::gpu {

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
