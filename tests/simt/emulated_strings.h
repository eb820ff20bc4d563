// SPDX-License-Identifier: MIT
// The kernels that test strings in the emulator, a launcher for string_steps.h. `Run` has
// run(step, grid, warps, shared bytes, body), which returns a Status.
#pragma once

#include <algorithm>

#include "query/gpu/strings/left_rows.cuh"
#include "query/gpu/strings/row_sweep.cuh"
#include "query/gpu/strings/row_walk.cuh"
#include "query/gpu/strings/string_steps.h"

namespace presso::gpu::test {

/// Two warps a thread block and few of these, so that tiles and tables change within a share.
template <class Run>
class EmulatedStrings {
 public:
  explicit EmulatedStrings(Run run) : run_(std::move(run)) {}

  Status clear(const StringBatch& batch) {
    std::fill_n(batch.status, batch.count, kNoFault);
    std::fill_n(batch.matches, batch.count, 0);
    return {};
  }
  Status check(const StringBatch& batch) {
    return run_("check", batch.count, kCheckWarps, sizeof(PayloadCheckShared),
                [&] { check_payloads_body(batch); });
  }
  Status places(const StringBatch& batch) {
    return run_("places", batch.count, 3, 0, [&] { place_row_tiles_body(batch); });
  }
  Status test(const StringBatch& batch, const StringOptions& options) {
    switch (options.layout) {
      case StringLayout::kClasses:
        return walk<ClassWalk>(batch);
      case StringLayout::kWide:
        return walk<WideWalk>(batch);
      case StringLayout::kSweep:
        break;
    }
    return run_("sweep", kGrid, kWarps, sweep_shared_bytes(batch.table_bytes, kWarps),
                [&] { sweep_rows_body(batch); });
  }
  Status left(const LeftRows& rows) {
    return run_("left rows", kGrid, kWarps, left_shared_bytes(kWarps),
                [&] { test_left_rows_body(rows); });
  }
  Status steps(const StepBatch& batch) {
    return run_("steps", kGrid, kWarps, 0, [&] { place_steps_body(batch); });
  }
  Status settle(const StringBatch& batch) {
    return run_("settle", (batch.count - 1) / 64 + 1, 2, 0,
                [&] { settle_body(batch.status, batch.count); });
  }

 protected:
  static constexpr u32 kGrid = 3;
  static constexpr u32 kWarps = 2;
  Run run_;

 private:
  template <class Table>
  Status walk(const StringBatch& batch) {
    return run_("walk", kGrid, kWarps, walk_shared_bytes<Table>(batch.table_bytes, kWarps),
                [&] { walk_rows_body<Table>(batch); });
  }
};

}  // namespace presso::gpu::test
