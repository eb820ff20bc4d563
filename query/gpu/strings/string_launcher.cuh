// SPDX-License-Identifier: MIT
// Launches the steps of string_steps.h, which test strings that are stored as tokens, as kernels on
// a stream. How threads are mapped to data, shared memory and synchronisation are described at the
// kernels' bodies (*_body). Thread blocks are as large as the register file allows for the number
// of blocks on a multiprocessor given below. For CUDA files only: included by strings.cu and by the
// laboratory (lab/gpu).
#pragma once

#include "decompress/gpu/runtime/kernel_launch.h"
#include "query/gpu/strings/left_rows.cuh"
#include "query/gpu/strings/row_sweep.cuh"
#include "query/gpu/strings/row_walk.cuh"
#include "query/gpu/strings/string_steps.h"

namespace presso::gpu {
namespace {

constexpr std::uint32_t kSettleThreads = 128;
/// Four thread blocks on a multiprocessor, with 48 registers for each thread.
constexpr std::uint32_t kWalkThreads = 320;
/// Three thread blocks on a multiprocessor, with 56 registers for each thread: 40 are not enough.
constexpr std::uint32_t kSweepThreads = 384;

__global__ void __launch_bounds__(kCheckWarps* kWarpSize) check_strings_kernel(StringBatch batch) {
  check_payloads_body(batch);
}

__global__ void __launch_bounds__(kStringTileThreads) place_row_tiles_kernel(StringBatch batch) {
  place_row_tiles_body(batch);
}

template <class Table>
__global__ void __launch_bounds__(kWalkThreads, 4) walk_rows_kernel(StringBatch batch) {
  walk_rows_body<Table>(batch);
}

__global__ void __launch_bounds__(kSweepThreads, 3) sweep_rows_kernel(StringBatch batch) {
  sweep_rows_body(batch);
}

__global__ void __launch_bounds__(kLeftWarps* kWarpSize, 4) test_left_rows_kernel(LeftRows rows) {
  test_left_rows_body(rows);
}

__global__ void __launch_bounds__(kLeftWarps* kWarpSize) place_steps_kernel(StepBatch batch) {
  place_steps_body(batch);
}

__global__ void __launch_bounds__(kSettleThreads) settle_strings_kernel(u32* status, u32 count) {
  settle_body(status, count);
}

/// A Launcher (string_steps.h) that enqueues each step on `stream`; nothing waits.
class StringLauncher {
 public:
  explicit StringLauncher(cudaStream_t stream) : stream_(stream) {}

  Status clear(const StringBatch& batch) {
    const std::size_t bytes = batch.count * sizeof *batch.status;
    PRESSO_TRY(check_call(cudaMemsetAsync(batch.status, 0xFF, bytes, stream_), "status"));
    return check_call(cudaMemsetAsync(batch.matches, 0, bytes, stream_), "matches");
  }
  Status check(const StringBatch& batch) {
    check_strings_kernel<<<batch.count, kCheckWarps * kWarpSize, sizeof(PayloadCheckShared),
                           stream_>>>(batch);
    return launched("check_strings_kernel");
  }
  Status places(const StringBatch& batch) {
    place_row_tiles_kernel<<<batch.count, kStringTileThreads, 0, stream_>>>(batch);
    return launched("place_row_tiles_kernel");
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
    const std::size_t shared = sweep_shared_bytes(batch.table_bytes, kSweepThreads / kWarpSize);
    const WorkShape shape{kSweepThreads, shared, batch.tiles, true};
    return launch_everywhere(sweep_rows_kernel, shape, stream_, "sweep_rows_kernel", batch);
  }
  Status left(const LeftRows& rows) {
    const WorkShape shape{kLeftWarps * kWarpSize, left_shared_bytes(kLeftWarps),
                          std::uint64_t{rows.count} * (kLeftVectors / kLeftTogether), true};
    return launch_everywhere(test_left_rows_kernel, shape, stream_, "test_left_rows_kernel", rows);
  }
  Status steps(const StepBatch& batch) {
    const WorkShape shape{kLeftWarps * kWarpSize, 0, batch.count, false};
    return launch_everywhere(place_steps_kernel, shape, stream_, "place_steps_kernel", batch);
  }
  Status settle(const StringBatch& batch) {
    settle_strings_kernel<<<(batch.count - 1) / kSettleThreads + 1, kSettleThreads, 0, stream_>>>(
        batch.status, batch.count);
    return launched("settle_strings_kernel");
  }

 private:
  template <class Table>
  Status walk(const StringBatch& batch) {
    const std::size_t shared =
        walk_shared_bytes<Table>(batch.table_bytes, kWalkThreads / kWarpSize);
    const WorkShape shape{kWalkThreads, shared, batch.tiles, true};
    return launch_everywhere(walk_rows_kernel<Table>, shape, stream_, "walk_rows_kernel", batch);
  }
  static Status check_call(cudaError_t code, const char* doing) { return gpu::check(code, doing); }
  static Status launched(const char* kernel) { return check_call(cudaGetLastError(), kernel); }

  cudaStream_t stream_;
};

}  // namespace
}  // namespace presso::gpu
