// SPDX-License-Identifier: MIT
// scan_planes: two kernels on a stream; plane_scan.cuh describes the first of them.
#include "scan/gpu/literals/plane_scan.h"

#include "decompress/gpu/runtime/kernel_launch.h"
#include "scan/gpu/literals/hit_launch.cuh"
#include "scan/gpu/literals/plane_scan.cuh"

namespace presso::gpu {
namespace {

constexpr u32 kThreads = 256;

template <u32 kPlaces>
__global__ void __launch_bounds__(kThreads, 4)
    plane_tiles_kernel(const __grid_constant__ PlaneScanArguments scan) {
  plane_tiles_body<kPlaces>(scan);
}

template <u32 kPlaces>
Status launch_tiles(const PlaneScanArguments& scan, cudaStream_t stream) {
  return launch_everywhere(plane_tiles_kernel<kPlaces>, {kThreads, 0, scan.tiles()}, stream,
                           "launching plane_tiles_kernel", scan);
}

/// With the least number of places, of those that there are kernels for.
Status launch_tiles_of(const PlaneScanArguments& scan, cudaStream_t stream) {
  switch (scan.table.count) {
    case 1:
      return launch_tiles<1>(scan, stream);
    case 2:
      return launch_tiles<2>(scan, stream);
    case 3:
      return launch_tiles<3>(scan, stream);
    case 4:
      return launch_tiles<4>(scan, stream);
    case 5:
    case 6:
      return launch_tiles<6>(scan, stream);
    default:
      return launch_tiles<kMostPlanePlaces>(scan, stream);
  }
}

}  // namespace

std::size_t plane_scan_temporary_bytes(std::uint64_t text_bytes) {
  return text_bytes / kPlaneTileBytes + 1;
}

Status scan_planes(const PlaneScanRequest& request, CUstream_st* stream) {
  if (reinterpret_cast<std::uintptr_t>(request.d_text) % kQuadBytes != 0 ||
      request.temporary_bytes < plane_scan_temporary_bytes(request.bytes) ||
      request.table.count == 0 || request.table.count > kMostPlanePlaces ||
      request.d_lines == nullptr) {
    return make_error(ErrorCode::kInvalidArgument, "a scan by planes is not as it must be");
  }
  if (request.bytes == 0) return {};
  PlaneScanArguments scan;
  scan.d_text = request.d_text;
  scan.bytes = request.bytes;
  scan.table = request.table;
  scan.d_lines = request.d_lines;
  scan.d_tiles = static_cast<Byte*>(request.d_temporary);
  PRESSO_TRY(launch_tiles_of(scan, stream));
  return launch_count_heads(scan.hit_tiles(), stream);
}

}  // namespace presso::gpu
