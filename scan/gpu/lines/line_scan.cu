// SPDX-License-Identifier: MIT
// scan_lines for an automaton: five of seven kernels on a stream. Threads to data, shared memory
// and synchronisation are described where their bodies are (line_tiles.cuh, tile_chain.cuh).
#include "scan/gpu/lines/line_scan.h"

#include "decompress/gpu/runtime/kernel_launch.h"
#include "scan/gpu/lines/chain_steps.h"
#include "scan/gpu/lines/line_tiles.cuh"
#include "scan/gpu/lines/tile_chain.cuh"

namespace presso::gpu {
namespace {

constexpr u32 kMostThreads = 1024;
constexpr u32 kChainThreads = 128;
constexpr u32 kMonoidThreads = 512;  // share the rows of functions, up to 64 KiB
constexpr std::size_t kAlignment = 256;

template <class Rows, bool kMark>
__global__ void __launch_bounds__(kMostThreads, 1)
    line_tiles_kernel(const __grid_constant__ LineScanArguments scan) {
  line_tiles_body<Rows, kMark>(scan);
}

__global__ void __launch_bounds__(kChainThreads)
    find_broken_kernel(const __grid_constant__ LineScanArguments scan) {
  find_broken_body(scan);
}

template <class Rows>
__global__ void __launch_bounds__(kChainThreads)
    tile_functions_kernel(const __grid_constant__ LineScanArguments scan) {
  tile_functions_body<Rows>(scan);
}

__global__ void __launch_bounds__(kChainThreads)
    compose_groups_kernel(const __grid_constant__ LineScanArguments scan) {
  compose_groups_body(scan);
}

__global__ void __launch_bounds__(kMonoidThreads)
    tile_monoid_kernel(const __grid_constant__ LineScanArguments scan) {
  tile_monoid_body(scan);
}

__global__ void __launch_bounds__(kChainThreads)
    multiply_groups_kernel(const __grid_constant__ LineScanArguments scan) {
  multiply_groups_body(scan);
}

template <class Rows>
__global__ void __launch_bounds__(kChainThreads)
    follow_chains_kernel(const __grid_constant__ LineScanArguments scan) {
  follow_chains_body<Rows>(scan);
}

/// Blocks share a table, so a large one takes a large block: the most warps a multiprocessor.
u32 threads_of(const LineTableView& table) {
  constexpr u32 kSharedOfProcessor = 227 << 10;
  u32 best = 0, threads = kWarpSize;
  for (u32 candidate = 256; candidate <= kMostThreads; candidate *= 2) {
    const u32 bytes = table.shared_bytes + candidate / kWarpSize * kStagedBytes + 1024;
    const u32 resident = kSharedOfProcessor / bytes * candidate;
    if (resident <= best) continue;
    best = resident;
    threads = candidate;
  }
  return threads;
}

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// How scan_lines divides its temporary memory.
struct LineScanMemory {
  std::size_t tiles = kAlignment;  ///< after the counter of broken tiles
  std::size_t functions;
  std::size_t bytes;

  explicit LineScanMemory(u64 count)
      : functions(tiles + aligned(count * sizeof(TileSummary))),
        bytes(functions + aligned(count * sizeof(TileFunction))) {}
};

class Launcher {
 public:
  Launcher(const LineScanArguments& scan, cudaStream_t stream) : scan_(scan), stream_(stream) {}

  template <class Rows>
  Status run() {
    PRESSO_TRY(check(cudaMemsetAsync(scan_.d_broken, 0, sizeof(u32), stream_), "clearing"));
    PRESSO_TRY(scan_.d_marks == nullptr ? (tiles<Rows, false>()) : (tiles<Rows, true>()));
    return enqueue_tile_chain<Rows>(scan_, *this);
  }

  // What enqueue_tile_chain() calls.
  Status find_broken() {
    return launch_everywhere(find_broken_kernel, shape(0, groups()), stream_,
                             "launching find_broken_kernel", scan_);
  }
  template <class Rows>
  Status tile_functions() {
    const std::size_t shared =
        scan_.table.shared_bytes + state_sets_bytes(scan_.table, kChainThreads / kWarpSize);
    return launch_everywhere(tile_functions_kernel<Rows>, shape(shared, scan_.tiles()), stream_,
                             "launching tile_functions_kernel", scan_);
  }
  Status compose_groups() {
    return launch_everywhere(compose_groups_kernel, shape(0, groups()), stream_,
                             "launching compose_groups_kernel", scan_);
  }
  Status tile_monoid() {
    return launch_everywhere(tile_monoid_kernel,
                             {kMonoidThreads, scan_.table.monoid.shared_bytes, scan_.tiles()},
                             stream_, "launching tile_monoid_kernel", scan_);
  }
  Status multiply_groups() {
    return launch_everywhere(multiply_groups_kernel, shape(0, groups()), stream_,
                             "launching multiply_groups_kernel", scan_);
  }
  template <class Rows>
  Status follow_chains() {
    return launch_everywhere(follow_chains_kernel<Rows>, shape(scan_.table.shared_bytes, groups()),
                             stream_, "launching follow_chains_kernel", scan_);
  }

 private:
  template <class Rows, bool kMark>
  Status tiles() {
    const u32 threads = threads_of(scan_.table);
    const std::size_t shared = scan_.table.shared_bytes + threads / kWarpSize * kStagedBytes;
    return launch_everywhere(line_tiles_kernel<Rows, kMark>, {threads, shared, scan_.tiles()},
                             stream_, "launching line_tiles_kernel", scan_);
  }
  u64 groups() const { return scan_.tiles() / kWarpSize + 1; }
  static WorkShape shape(std::size_t shared, u64 warps) { return {kChainThreads, shared, warps}; }

  const LineScanArguments& scan_;
  cudaStream_t stream_;
};

/// With the kernels for the table's layout.
Status launch(const LineScanArguments& scan, cudaStream_t stream) {
  Launcher launcher(scan, stream);
  switch (scan.table.kind) {
    case LineTableKind::kGlobal:
      return launcher.run<GlobalRows>();
    case LineTableKind::kShared:
      return launcher.run<SharedRows>();
    case LineTableKind::kByteClasses:
      return scan.table.hit_shift < 8 ? launcher.run<ByteClassRows<7>>()
                                      : launcher.run<ByteClassRows<8>>();
    case LineTableKind::kBytes:
      break;
  }
  if (scan.table.hit_shift == 5) return launcher.run<ByteRows<5>>();
  if (scan.table.hit_shift == 7) return launcher.run<ByteRows<7>>();
  return launcher.run<ByteRows<8>>();
}

}  // namespace

std::size_t scan_temporary_bytes(const LineTableView&, std::uint64_t text_bytes) {
  if (text_bytes == 0) return kAlignment;
  return LineScanMemory(most_tiles(text_bytes)).bytes;
}

std::size_t line_mark_bytes(std::uint64_t text_bytes) {
  return (text_bytes / (8 * sizeof(u32)) + 1) * sizeof(u32);
}

Status check_scan(const LineScan& scan, const TemporaryMemory& temporary, std::size_t least_bytes) {
  const auto is_aligned = [](const void* at, std::size_t bytes) {
    return reinterpret_cast<std::uintptr_t>(at) % bytes == 0;
  };
  if (!is_aligned(scan.d_text, kQuadBytes) || !is_aligned(temporary.d_memory, kAlignment) ||
      !is_aligned(scan.d_marks, sizeof(u32)) || !is_aligned(scan.d_lines, sizeof(u64))) {
    return make_error(ErrorCode::kInvalidArgument, "a scan's memory is not aligned");
  }
  if (scan.d_text == nullptr && scan.bytes > 0) {
    return make_error(ErrorCode::kInvalidArgument, "a scan has no text");
  }
  if (temporary.bytes < least_bytes || temporary.d_memory == nullptr) {
    return make_error(ErrorCode::kInvalidArgument, "a scan's temporary memory is too small");
  }
  if (scan.d_lines == nullptr) {
    return make_error(ErrorCode::kInvalidArgument, "a scan has no place for its result");
  }
  return {};
}

Status scan_lines(const LineScan& scan, const LineTableView& table,
                  const TemporaryMemory& temporary, CUstream_st* stream) {
  PRESSO_TRY(check_scan(scan, temporary, scan_temporary_bytes(table, scan.bytes)));
  if (table.d_image == nullptr) {
    return make_error(ErrorCode::kInvalidArgument, "a line scan lacks its table");
  }
  if (scan.bytes == 0) return {};
  LineScanArguments arguments;
  static_cast<LineScan&>(arguments) = scan;
  arguments.table = table;
  arguments.strip_bytes = strip_bytes_of(scan.bytes);
  const LineScanMemory memory(arguments.tiles());
  Byte* const d_memory = static_cast<Byte*>(temporary.d_memory);
  arguments.d_broken = reinterpret_cast<u32*>(d_memory);
  arguments.d_tiles = reinterpret_cast<TileSummary*>(d_memory + memory.tiles);
  arguments.d_functions = reinterpret_cast<TileFunction*>(d_memory + memory.functions);
  return launch(arguments, stream);
}

}  // namespace presso::gpu
