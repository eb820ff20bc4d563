// SPDX-License-Identifier: MIT
// scan_batch: enqueues the engine's kernels and after them those that list and gather lines.
// Threads to data, shared memory and synchronisation are described where the bodies are
// (batch_lines.cuh). Test: tests/simt/scan_batch_test.cpp.
#include "scan/gpu/search/batch_scan.h"

#include "decompress/gpu/runtime/kernel_launch.h"
#include "scan/gpu/search/batch_lines.cuh"

namespace presso::gpu {
namespace {

constexpr u32 kThreads = 256;
constexpr u32 kSumThreads = 1024;
constexpr std::size_t kAlignment = 256;

__global__ void __launch_bounds__(kSumThreads)
    find_ends_kernel(const __grid_constant__ BatchLines batch) {
  find_ends_body(batch);
}

__global__ void __launch_bounds__(kThreads)
    count_tiles_kernel(const __grid_constant__ BatchLines batch) {
  count_tiles_body(batch);
}

__global__ void __launch_bounds__(kSumThreads)
    sum_tiles_kernel(const __grid_constant__ BatchLines batch) {
  sum_tiles_body(batch);
}

__global__ void __launch_bounds__(kThreads)
    list_lines_kernel(const __grid_constant__ BatchLines batch) {
  list_lines_body(batch);
}

__global__ void __launch_bounds__(kThreads)
    measure_lines_kernel(const __grid_constant__ BatchLines batch) {
  measure_lines_body(batch);
}

__global__ void __launch_bounds__(kSumThreads)
    place_lines_kernel(const __grid_constant__ BatchLines batch) {
  place_lines_body(batch);
}

__global__ void __launch_bounds__(kThreads)
    gather_lines_kernel(const __grid_constant__ BatchLines batch) {
  gather_lines_body(batch);
}

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// How scan_batch divides its temporary memory.
struct BatchScanMemory {
  std::size_t marks;
  std::size_t tile_marks;
  std::size_t tile_newlines;
  std::size_t bytes;

  BatchScanMemory(const EngineView& engine, u64 text_bytes, const BatchWants& wants)
      : marks(aligned(engine_temporary_bytes(engine, text_bytes))),
        tile_marks(marks + (wants.lines ? aligned(line_mark_bytes(text_bytes)) : 0)) {
    const std::size_t tiles = aligned((text_bytes / kBatchTileBytes + 1) * sizeof(u32));
    tile_newlines = tile_marks + (wants.lines ? tiles : 0);
    bytes = tile_newlines + (wants.numbers ? tiles : 0);
  }
};

/// Whether the request's memory is what it has to be: length, alignment, room and pointers. Error:
/// kInvalidArgument.
Status check_request(const BatchScanRequest& request) {
  const auto temporary = reinterpret_cast<std::uintptr_t>(request.d_temporary);
  const bool lists = request.wants.lines;
  if (request.bytes == 0 || request.bytes > kLongestBatch || temporary % kAlignment != 0 ||
      request.d_findings == nullptr || request.engine == nullptr ||
      request.temporary_bytes <
          batch_scan_temporary_bytes(*request.engine, request.bytes, request.wants) ||
      (lists && (request.d_listed == nullptr || request.d_gathered == nullptr))) {
    return make_error(ErrorCode::kInvalidArgument, "a batch scan's memory is not as it must be");
  }
  return {};
}

// Launches a kernel that takes as many warps as the device runs at once, at most `warps`.
template <class Kernel>
Status launch_over(Kernel* kernel, u64 warps, const BatchLines& batch, cudaStream_t stream,
                   const char* doing) {
  return launch_everywhere(kernel, {kThreads, 0, warps}, stream, doing, batch);
}

// Launches a kernel of one thread block, which sums up.
template <class Kernel>
Status launch_sum(Kernel* kernel, const BatchLines& batch, cudaStream_t stream) {
  kernel<<<1, kSumThreads, kSumThreads / kWarpSize * sizeof(u32), stream>>>(batch);
  return check(cudaGetLastError(), "launching a kernel that sums up");
}

/// Enqueues the four kernels that list, measure, place and gather lines.
Status list(const BatchLines& batch, cudaStream_t stream) {
  // Only the device knows how many lines there are, so room for warps is asked for as many as fit
  // the list; the device runs as many at once as it can, and they take turns.
  const u64 warps = batch.most_listed;
  PRESSO_TRY(
      launch_over(list_lines_kernel, batch.tiles(), batch, stream, "launching list_lines_kernel"));
  PRESSO_TRY(
      launch_over(measure_lines_kernel, warps, batch, stream, "launching measure_lines_kernel"));
  PRESSO_TRY(launch_sum(place_lines_kernel, batch, stream));
  return launch_over(gather_lines_kernel, warps, batch, stream, "launching gather_lines_kernel");
}

}  // namespace

std::size_t batch_scan_temporary_bytes(const EngineView& engine, std::uint64_t text_bytes,
                                       const BatchWants& wants) {
  return BatchScanMemory(engine, text_bytes, wants).bytes;
}

Status scan_batch(const BatchScanRequest& request, CUstream_st* stream) {
  PRESSO_TRY(check_request(request));
  const BatchScanMemory memory(*request.engine, request.bytes, request.wants);
  BatchFindings* const d_findings = request.d_findings;
  const auto clear = [stream](void* at, int value, std::size_t bytes) {
    return check(cudaMemsetAsync(at, value, bytes, stream), "clearing results");
  };
  PRESSO_TRY(clear(d_findings, 0, sizeof *d_findings));
  PRESSO_TRY(clear(&d_findings->first_newline, 0xFF, sizeof d_findings->first_newline));
  u32* const d_marks = reinterpret_cast<u32*>(request.d_temporary + memory.marks);
  LineScan scan;
  scan.d_text = request.d_text;
  scan.bytes = request.bytes;
  scan.ends_line = false;
  scan.d_lines = &d_findings->lines;
  if (request.wants.lines) {
    scan.d_marks = d_marks;
    PRESSO_TRY(clear(d_marks, 0, line_mark_bytes(request.bytes)));
  }
  PRESSO_TRY(scan_by_engine(scan, *request.engine, {request.d_temporary, memory.marks}, stream));
  BatchLines batch;
  batch.d_text = request.d_text;
  batch.bytes = static_cast<u32>(request.bytes);
  batch.wants = request.wants;
  batch.d_marks = d_marks;
  batch.d_findings = d_findings;
  batch.d_tile_marks = reinterpret_cast<u32*>(request.d_temporary + memory.tile_marks);
  batch.d_tile_newlines = reinterpret_cast<u32*>(request.d_temporary + memory.tile_newlines);
  batch.d_listed = request.d_listed;
  batch.most_listed = request.most_listed;
  batch.d_gathered = request.d_gathered;
  batch.most_gathered = request.most_gathered;
  find_ends_kernel<<<2, kSumThreads, 0, stream>>>(batch);
  PRESSO_TRY(check(cudaGetLastError(), "launching find_ends_kernel"));
  if (batch.wants.lines || batch.wants.numbers) {
    PRESSO_TRY(launch_over(count_tiles_kernel, batch.tiles(), batch, stream,
                           "launching count_tiles_kernel"));
    PRESSO_TRY(launch_sum(sum_tiles_kernel, batch, stream));
  }
  return batch.wants.lines ? list(batch, stream) : Status();
}

}  // namespace presso::gpu
