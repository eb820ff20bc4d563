// SPDX-License-Identifier: MIT
// scan_literals: two kernels on a stream; literal_scan.cuh describes them.
#include "scan/gpu/literals/literal_scan.h"

#include "decompress/gpu/runtime/kernel_launch.h"
#include "scan/gpu/literals/hit_launch.cuh"
#include "scan/gpu/literals/literal_scan.cuh"

namespace presso::gpu {
namespace {

constexpr u32 kThreads = 256;
constexpr u32 kMostSampled = 3;  // literals

template <u32 kGrams, bool kMasked>
__global__ void __launch_bounds__(kThreads, 4)
    literal_tiles_kernel(const __grid_constant__ LiteralScanArguments scan) {
  literal_tiles_body<kGrams, kMasked>(scan);
}

template <u32 kGrams, bool kMasked>
__global__ void __launch_bounds__(kThreads)
    sample_literals_kernel(const __grid_constant__ LiteralScanArguments scan, u32* d_slow_steps) {
  sample_literals_body<kGrams, kMasked>(scan, d_slow_steps);
}

template <u32 kGrams>
Status launch_sample(const LiteralScanArguments& scan, u32* d_slow_steps, cudaStream_t stream) {
  const auto kernel = scan.table.masked != 0 ? &sample_literals_kernel<kGrams, true>
                                             : &sample_literals_kernel<kGrams, false>;
  return launch_everywhere(kernel, {kThreads, 0, kSampledSteps}, stream,
                           "launching sample_literals_kernel", scan, d_slow_steps);
}

template <u32 kGrams>
Status launch_tiles(const LiteralScanArguments& scan, cudaStream_t stream) {
  const auto kernel = scan.table.masked != 0 ? &literal_tiles_kernel<kGrams, true>
                                             : &literal_tiles_kernel<kGrams, false>;
  return launch_everywhere(kernel, {kThreads, 0, scan.tiles()}, stream,
                           "launching literal_tiles_kernel", scan);
}

/// With the least number of grams, of those that there are kernels for.
Status launch_tiles_of(const LiteralScanArguments& scan, cudaStream_t stream) {
  if (scan.table.count == 1) return launch_tiles<1>(scan, stream);
  if (scan.table.count <= 3) return launch_tiles<3>(scan, stream);
  if (scan.table.count <= 5) return launch_tiles<5>(scan, stream);
  return launch_tiles<kMostGrams>(scan, stream);
}

Result<LiteralScanArguments> arguments_of(const LiteralScanRequest& request) {
  if (reinterpret_cast<std::uintptr_t>(request.d_text) % kQuadBytes != 0 ||
      request.temporary_bytes < literal_scan_temporary_bytes(request.bytes) ||
      request.table.count == 0 || request.table.d_image == nullptr || request.d_lines == nullptr) {
    return make_error(ErrorCode::kInvalidArgument, "a literal scan's memory is not as it must be");
  }
  LiteralScanArguments scan;
  scan.d_text = request.d_text;
  scan.bytes = request.bytes;
  scan.table = request.table;
  scan.d_lines = request.d_lines;
  scan.gate = request.gate;
  scan.d_tiles = static_cast<Byte*>(request.d_temporary);
  return scan;
}

/// Where more of the sampled steps have candidates, the automaton is faster: one gram runs at 4.0
/// TB/s without them, at about 1 with one in each step, a table at 2.3 (NOTES.md); with more grams
/// the two are near each other anyway.
constexpr u32 most_slow_steps(u32 literals) {
  return literals == 1 ? kSampledSteps / 4 : kSampledSteps / 16;
}

}  // namespace

std::size_t literal_scan_temporary_bytes(std::uint64_t text_bytes) {
  return text_bytes / kLiteralTileBytes + 1;
}

Status scan_literals(const LiteralScanRequest& request, CUstream_st* stream) {
  PRESSO_ASSIGN(const LiteralScanArguments scan, arguments_of(request));
  if (scan.bytes == 0) return {};
  PRESSO_TRY(launch_tiles_of(scan, stream));
  return launch_count_heads(scan.hit_tiles(), stream);
}

Status sample_literals(const LiteralScanRequest& literals, std::uint32_t* d_choice,
                       CUstream_st* stream) {
  PRESSO_ASSIGN(const LiteralScanArguments scan, arguments_of(literals));
  if (scan.table.count > kMostSampled) {
    return make_error(ErrorCode::kInvalidArgument, "too many literals for a sample");
  }
  PRESSO_TRY(check(cudaMemsetAsync(d_choice, 0, sizeof *d_choice, stream), "clearing a choice"));
  if (scan.bytes == 0) return {};
  return scan.table.count == 1 ? launch_sample<1>(scan, d_choice, stream)
                               : launch_sample<kMostSampled>(scan, d_choice, stream);
}

Status scan_literals_or_lines(LiteralScanRequest literals, LineScanRequest lines,
                              std::uint32_t* d_choice, CUstream_st* stream) {
  // More than three grams never beat the table.
  if (literals.bytes == 0 || literals.table.count > kMostSampled) return scan_lines(lines, stream);
  PRESSO_TRY(sample_literals(literals, d_choice, stream));
  const u32 most = most_slow_steps(literals.table.count);
  literals.gate = {d_choice, 0, most};
  lines.gate = {d_choice, most + 1, kSampledSteps};
  PRESSO_TRY(scan_literals(literals, stream));
  return scan_lines(lines, stream);
}

}  // namespace presso::gpu
