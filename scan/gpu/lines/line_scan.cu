// SPDX-License-Identifier: MIT
// scan_lines for an automaton: enqueues five kernels on a stream. The first scans tiles of text
// from guessed states, the second finds tiles whose guess was wrong, which are called broken, and
// the other three correct these. There are seven kernels, since the third and fourth exist in two
// forms: tile_functions and compose_groups or, if the automaton's transition monoid is small enough
// to be part of its table, tile_monoid and multiply_groups. The three that depend on the layout of
// the table (tiles, tile_functions, follow_chains) are compiled in other files (line_kernels.h).
// Threads to data, shared memory and synchronisation are described where the bodies are
// (line_tiles.cuh, tile_chain.cuh, monoid_chain.cuh).
#include "scan/gpu/lines/line_scan.h"

#include "decompress/gpu/runtime/kernel_launch.h"
#include "scan/gpu/lines/chain_steps.h"
#include "scan/gpu/lines/line_kernels.h"
#include "scan/gpu/lines/tile_chain.cuh"

namespace presso::gpu {
namespace {

// A block this large, since all its threads share one copy, in shared memory, of the monoid's rows
// of functions, which takes up to 64 KiB.
constexpr u32 kMonoidThreads = 512;
constexpr std::size_t kAlignment = 256;

__global__ void __launch_bounds__(kChainThreads)
    find_broken_kernel(const __grid_constant__ LineScanArguments scan) {
  find_broken_body(scan);
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

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// How scan_lines divides its temporary memory.
struct LineScanMemory {
  std::size_t tiles = kAlignment;  ///< offset; before it is the counter of broken tiles
  std::size_t functions;
  std::size_t bytes;

  explicit LineScanMemory(u64 count)
      : functions(tiles + aligned(count * sizeof(TileSummary))),
        bytes(functions + aligned(count * sizeof(TileFunction))) {}
};

// Enqueues the kernels in the order that enqueue_tile_chain() asks for. Lives for one call.
class Launcher {
 public:
  Launcher(const LineScanArguments& scan, cudaStream_t stream) : scan_(scan), stream_(stream) {}

  template <class Rows>
  Status run() {
    PRESSO_TRY(check(cudaMemsetAsync(scan_.d_broken, 0, sizeof(u32), stream_), "clearing"));
    PRESSO_TRY(LineKernels<Rows>::tiles(scan_, stream_));
    return enqueue_tile_chain<Rows>(scan_, *this);
  }

  // What enqueue_tile_chain() calls.
  Status find_broken() {
    return launch_everywhere(find_broken_kernel, groups(), stream_, "launching find_broken_kernel",
                             scan_);
  }
  template <class Rows>
  Status tile_functions() {
    return LineKernels<Rows>::tile_functions(scan_, stream_);
  }
  Status compose_groups() {
    return launch_everywhere(compose_groups_kernel, groups(), stream_,
                             "launching compose_groups_kernel", scan_);
  }
  Status tile_monoid() {
    return launch_everywhere(tile_monoid_kernel,
                             {kMonoidThreads, scan_.table.monoid.shared_bytes, scan_.tiles()},
                             stream_, "launching tile_monoid_kernel", scan_);
  }
  Status multiply_groups() {
    return launch_everywhere(multiply_groups_kernel, groups(), stream_,
                             "launching multiply_groups_kernel", scan_);
  }
  template <class Rows>
  Status follow_chains() {
    return LineKernels<Rows>::follow_chains(scan_, stream_);
  }

 private:
  WorkShape groups() const { return {kChainThreads, 0, chain_groups(scan_)}; }

  const LineScanArguments& scan_;
  cudaStream_t stream_;
};

/// Picks the kernels for the table's layout and enqueues them.
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
