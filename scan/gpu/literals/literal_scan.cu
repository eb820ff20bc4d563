// SPDX-License-Identifier: MIT
// scan_literals: two kernels on a stream; literal_scan.cuh describes them.
#include "scan/gpu/literals/literal_scan.h"

#include "decompress/gpu/runtime/kernel_launch.h"
#include "scan/gpu/literals/hit_launch.cuh"
#include "scan/gpu/literals/literal_scan.cuh"

namespace presso::gpu {
namespace {

constexpr u32 kThreads = 256;

template <u32 kGrams, bool kMasked>
__global__ void __launch_bounds__(kThreads, 4)
    literal_tiles_kernel(const __grid_constant__ LiteralScanArguments scan) {
  literal_tiles_body<kGrams, kMasked>(scan);
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
  scan.d_tiles = static_cast<Byte*>(request.d_temporary);
  return scan;
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

}  // namespace presso::gpu
