// SPDX-License-Identifier: MIT
// scan_many_literals: two kernels on a stream; many_literal_scan.cuh describes them.
#include "scan/gpu/literals/many_literal_scan.h"

#include "decompress/gpu/runtime/kernel_launch.h"
#include "scan/gpu/literals/hit_launch.cuh"
#include "scan/gpu/literals/many_literal_scan.cuh"

namespace presso::gpu {
namespace {

constexpr u32 kMostThreads = 1024;

template <u32 kStride, bool kTwoGroups>
__global__ void __launch_bounds__(kMostThreads, 1)
    many_literal_tiles_kernel(const __grid_constant__ ManyLiteralScanArguments scan) {
  many_literal_tiles_body<kStride, kTwoGroups>(scan);
}

template <u32 kStride, bool kTwoGroups>
Status launch_tiles(const ManyLiteralScanArguments& scan, cudaStream_t stream) {
  // Blocks of a multiprocessor do not share their filters.
  const u32 threads = scan.table.shared_bytes() > 64 << 10 ? kMostThreads : kMostThreads / 2;
  const std::size_t shared =
      many_literal_shared_bytes<kStride, kTwoGroups>(scan.table, threads / kWarpSize);
  return launch_everywhere(many_literal_tiles_kernel<kStride, kTwoGroups>,
                           {threads, shared, scan.tiles(), true}, stream,
                           "launching many_literal_tiles_kernel", scan);
}

template <bool kTwoGroups>
Status launch_tiles_of(const ManyLiteralScanArguments& scan, cudaStream_t stream) {
  if (scan.table.stride == 1) return launch_tiles<1, kTwoGroups>(scan, stream);
  if (scan.table.stride == 2) return launch_tiles<2, kTwoGroups>(scan, stream);
  return launch_tiles<4, kTwoGroups>(scan, stream);
}

}  // namespace

std::size_t many_literal_scan_temporary_bytes(std::uint64_t text_bytes) {
  return text_bytes / kManyTileBytes + 1;
}

Status scan_many_literals(const ManyLiteralScanRequest& request, CUstream_st* stream) {
  if (reinterpret_cast<std::uintptr_t>(request.d_text) % kQuadBytes != 0 ||
      request.temporary_bytes < many_literal_scan_temporary_bytes(request.bytes) ||
      request.table.d_image == nullptr || request.d_lines == nullptr) {
    return make_error(ErrorCode::kInvalidArgument, "a literal scan's memory is not as it must be");
  }
  if (request.bytes == 0) return {};
  ManyLiteralScanArguments scan;
  scan.d_text = request.d_text;
  scan.bytes = request.bytes;
  scan.table = request.table;
  scan.d_lines = request.d_lines;
  scan.d_tiles = static_cast<Byte*>(request.d_temporary);
  PRESSO_TRY(scan.table.group_count == 1 ? launch_tiles_of<false>(scan, stream)
                                         : launch_tiles_of<true>(scan, stream));
  return launch_count_heads(scan.hit_tiles(), stream);
}

}  // namespace presso::gpu
