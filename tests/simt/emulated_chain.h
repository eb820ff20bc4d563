// SPDX-License-Identifier: MIT
// The kernels after the tiles of a line scan, in the emulator.
#pragma once

#include "scan/gpu/lines/chain_steps.h"
#include "scan/gpu/lines/tile_chain.cuh"

namespace presso::test {

/// `run(shared_bytes, body)` runs one kernel, in blocks of `warps`, and returns a Status.
template <class Run>
class EmulatedChain {
 public:
  EmulatedChain(const gpu::LineScanArguments& scan, simt::u32 warps, const Run& run)
      : scan_(scan), warps_(warps), run_(run) {}

  Status find_broken() {
    return run_(0, [&] { gpu::find_broken_body(scan_); });
  }
  template <class Rows>
  Status tile_functions() {
    return run_(scan_.table.shared_bytes + gpu::state_sets_bytes(scan_.table, warps_),
                [&] { gpu::tile_functions_body<Rows>(scan_); });
  }
  Status compose_groups() {
    return run_(0, [&] { gpu::compose_groups_body(scan_); });
  }
  Status tile_monoid() {
    return run_(scan_.table.monoid.shared_bytes, [&] { gpu::tile_monoid_body(scan_); });
  }
  Status multiply_groups() {
    return run_(0, [&] { gpu::multiply_groups_body(scan_); });
  }
  template <class Rows>
  Status follow_chains() {
    return run_(scan_.table.shared_bytes, [&] { gpu::follow_chains_body<Rows>(scan_); });
  }

 private:
  const gpu::LineScanArguments& scan_;
  simt::u32 warps_;
  const Run& run_;
};

}  // namespace presso::test
