// SPDX-License-Identifier: MIT
// scan_lines for tables of literals: a kernel over tiles of the text, in one of several shapes, and
// then count_heads. Before anything is enqueued, a request that check_scan() refuses and a table
// without its image are kInvalidArgument; a text without bytes enqueues nothing. Threads to data,
// shared memory and synchronisation are described where the bodies are (literal_scan.cuh,
// plane_scan.cuh, many_literal_scan.cuh, hit_lines.cuh).
#include "scan/gpu/literals/literal_engines.h"

#include "decompress/gpu/runtime/kernel_launch.h"
#include "scan/gpu/literals/literal_scan.cuh"
#include "scan/gpu/literals/many_literal_scan.cuh"
#include "scan/gpu/literals/plane_scan.cuh"

namespace presso::gpu {
namespace {

constexpr u32 kThreads = 256;
constexpr u32 kMostThreads = 1024;  // of blocks that share a filter

template <u32 kGrams, bool kMasked>
__global__ void __launch_bounds__(kThreads, 4)
    literal_tiles_kernel(const __grid_constant__ LiteralScanArguments scan) {
  literal_tiles_body<kGrams, kMasked>(scan);
}

template <u32 kPlaces>
__global__ void __launch_bounds__(kThreads, 4)
    plane_tiles_kernel(const __grid_constant__ PlaneScanArguments scan) {
  plane_tiles_body<kPlaces>(scan);
}

template <u32 kStride, bool kTwoGroups>
__global__ void __launch_bounds__(kMostThreads, 1)
    many_literal_tiles_kernel(const __grid_constant__ ManyLiteralScanArguments scan) {
  many_literal_tiles_body<kStride, kTwoGroups>(scan);
}

__global__ void __launch_bounds__(kThreads)
    count_heads_kernel(const __grid_constant__ HitTiles tiles) {
  count_heads_body(tiles);
}

// --- Picking the smallest kernel that suits the table: each number of grams or places that has a
// kernel of its own costs compile time, so some are shared.

template <u32 kGrams>
Status launch_tiles(const LiteralScanArguments& scan, cudaStream_t stream) {
  const auto kernel = scan.table.masked != 0 ? &literal_tiles_kernel<kGrams, true>
                                             : &literal_tiles_kernel<kGrams, false>;
  return launch_everywhere(kernel, {kThreads, 0, scan.tiles()}, stream,
                           "launching literal_tiles_kernel", scan);
}

Status launch(const LiteralScanArguments& scan, cudaStream_t stream) {
  if (scan.table.count == 1) return launch_tiles<1>(scan, stream);
  if (scan.table.count <= 3) return launch_tiles<3>(scan, stream);
  if (scan.table.count <= 5) return launch_tiles<5>(scan, stream);
  return launch_tiles<kMostGrams>(scan, stream);
}

template <u32 kPlaces>
Status launch_tiles(const PlaneScanArguments& scan, cudaStream_t stream) {
  return launch_everywhere(plane_tiles_kernel<kPlaces>, {kThreads, 0, scan.tiles()}, stream,
                           "launching plane_tiles_kernel", scan);
}

Status launch(const PlaneScanArguments& scan, cudaStream_t stream) {
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

template <u32 kStride, bool kTwoGroups>
Status launch_tiles(const ManyLiteralScanArguments& scan, cudaStream_t stream) {
  // Each block has its filters in shared memory, so where they are large one block of many threads
  // takes the place of several.
  const u32 threads = scan.table.shared_bytes() > 64 << 10 ? kMostThreads : kMostThreads / 2;
  const std::size_t shared =
      many_literal_shared_bytes<kStride, kTwoGroups>(scan.table, threads / kWarpSize);
  return launch_everywhere(many_literal_tiles_kernel<kStride, kTwoGroups>,
                           {threads, shared, scan.tiles(), true}, stream,
                           "launching many_literal_tiles_kernel", scan);
}

template <bool kTwoGroups>
Status launch_strides(const ManyLiteralScanArguments& scan, cudaStream_t stream) {
  if (scan.table.stride == 1) return launch_tiles<1, kTwoGroups>(scan, stream);
  if (scan.table.stride == 2) return launch_tiles<2, kTwoGroups>(scan, stream);
  return launch_tiles<4, kTwoGroups>(scan, stream);
}

Status launch(const ManyLiteralScanArguments& scan, cudaStream_t stream) {
  return scan.table.group_count == 1 ? launch_strides<false>(scan, stream)
                                     : launch_strides<true>(scan, stream);
}

// --- The call that all three engines share

bool is_complete(const LiteralTableView& table) {
  return table.count > 0 && table.count <= kMostGrams && table.d_image != nullptr;
}
bool is_complete(const PlaneTableView& table) {
  return table.count > 0 && table.count <= kMostPlanePlaces;
}
bool is_complete(const ManyLiteralTableView& table) {
  return table.d_image != nullptr;
}

// Checks the request and enqueues the engine's tiles and then the count of heads.
template <class Arguments, class View>
Status scan_hits(const LineScan& scan, const View& table, const TemporaryMemory& temporary,
                 cudaStream_t stream) {
  PRESSO_TRY(check_scan(scan, temporary, scan_temporary_bytes(table, scan.bytes)));
  if (!is_complete(table)) {
    return make_error(ErrorCode::kInvalidArgument, "a scan for literals lacks its table");
  }
  if (scan.bytes == 0) return {};
  Arguments arguments;
  static_cast<LineScan&>(arguments) = scan;
  arguments.table = table;
  arguments.d_tiles = static_cast<Byte*>(temporary.d_memory);
  PRESSO_TRY(launch(arguments, stream));
  const HitTiles tiles = arguments.hit_tiles();
  return launch_everywhere(count_heads_kernel, {kThreads, 0, tiles.tiles / kWarpSize + 1}, stream,
                           "launching count_heads_kernel", tiles);
}

}  // namespace

std::size_t scan_temporary_bytes(const LiteralTableView&, std::uint64_t text_bytes) {
  return text_bytes / kLiteralTileBytes + 1;
}
std::size_t scan_temporary_bytes(const PlaneTableView&, std::uint64_t text_bytes) {
  return text_bytes / kPlaneTileBytes + 1;
}
std::size_t scan_temporary_bytes(const ManyLiteralTableView&, std::uint64_t text_bytes) {
  return text_bytes / kManyTileBytes + 1;
}

Status scan_lines(const LineScan& scan, const LiteralTableView& table,
                  const TemporaryMemory& temporary, CUstream_st* stream) {
  return scan_hits<LiteralScanArguments>(scan, table, temporary, stream);
}
Status scan_lines(const LineScan& scan, const PlaneTableView& table,
                  const TemporaryMemory& temporary, CUstream_st* stream) {
  return scan_hits<PlaneScanArguments>(scan, table, temporary, stream);
}
Status scan_lines(const LineScan& scan, const ManyLiteralTableView& table,
                  const TemporaryMemory& temporary, CUstream_st* stream) {
  return scan_hits<ManyLiteralScanArguments>(scan, table, temporary, stream);
}

}  // namespace presso::gpu
