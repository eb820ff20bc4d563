// SPDX-License-Identifier: MIT
// TextSearch (presso/text_gpu.h). compile() chooses an engine (engine.h) and declines patterns for
// which it would find lines that only may match. run() enqueues the engine's kernels and, if places
// are wanted, those of line_places.cuh, where threads to data, shared memory and synchronisation
// are described.
#include "decompress/gpu/runtime/kernel_launch.h"
#include "scan/gpu/search/engine.h"
#include "scan/gpu/search/line_places.cuh"
#include "scan/pattern/pattern_access.h"

namespace presso::gpu {
namespace {

constexpr u32 kThreads = 256;
constexpr u32 kSumThreads = 1024;
constexpr std::size_t kAlignment = 256;

__global__ void __launch_bounds__(kThreads)
    count_marks_kernel(const __grid_constant__ LinePlaces lines) {
  count_marks_body(lines);
}

__global__ void __launch_bounds__(kSumThreads)
    sum_marks_kernel(const __grid_constant__ LinePlaces lines) {
  sum_marks_body(lines);
}

__global__ void __launch_bounds__(kThreads)
    place_lines_of_text_kernel(const __grid_constant__ LinePlaces lines) {
  place_lines_of_text_body(lines);
}

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// How run() divides its temporary memory, in bytes: the engine's part, then, if places are wanted,
/// the marks (at `marks`) and a count for each tile (at `before`). `bytes` is the whole.
struct TextMemory {
  std::size_t marks, before, bytes;

  TextMemory(const EngineView& engine, u64 text_bytes, bool places)
      : marks(aligned(engine_temporary_bytes(engine, text_bytes))),
        before(marks + (places ? aligned(line_mark_bytes(text_bytes)) : 0)),
        bytes(before + (places ? aligned((text_bytes / kBatchTileBytes + 1) * sizeof(u64)) : 0)) {}
};

Status clear(void* d_memory, std::size_t bytes, cudaStream_t stream) {
  return check(cudaMemsetAsync(d_memory, 0, bytes, stream), "clearing results");
}

/// Returns kInvalidArgument if `d_table`, the caller's copy of TextSearch::table() in device
/// memory, is missing although the engine has a table, or is not aligned to 16 bytes.
Status check_table(const EngineTable& engine, const Byte* d_table) {
  const bool missing = d_table == nullptr && !engine.image.empty();
  if (missing || reinterpret_cast<std::uintptr_t>(d_table) % kQuadBytes != 0) {
    return make_error(ErrorCode::kInvalidArgument, "a search's table is missing or misaligned");
  }
  return {};
}

/// Enqueues the three kernels that turn marks, a bit at the end of each matching line, into the
/// places of these lines.
Status place_lines(const LinePlaces& lines, cudaStream_t stream) {
  const WorkShape over_tiles{kThreads, 0, lines.tiles()};
  PRESSO_TRY(launch_everywhere(count_marks_kernel, over_tiles, stream,
                               "launching count_marks_kernel", lines));
  sum_marks_kernel<<<1, kSumThreads, kSumThreads / kWarpSize * sizeof(u32), stream>>>(lines);
  PRESSO_TRY(check(cudaGetLastError(), "launching sum_marks_kernel"));
  return launch_everywhere(place_lines_of_text_kernel, over_tiles, stream,
                           "launching place_lines_of_text_kernel", lines);
}

}  // namespace

// Shared by all copies of a TextSearch, and never changed after compile().
struct TextSearch::State {
  EngineTable engine;
};

Result<TextSearch> TextSearch::compile(const Pattern& pattern, TextEngine engine) {
  PRESSO_ASSIGN(EngineTable table, choose_engine(scan_detail::matcher_of(pattern), engine));
  if (!table.exact) {
    return make_error(ErrorCode::kUnsupported, "a GPU finds only lines in which it may match");
  }
  return TextSearch(std::make_shared<const State>(State{std::move(table)}));
}

Bytes TextSearch::table() const {
  return state_->engine.image;
}
std::size_t TextSearch::temporary_bytes(std::uint64_t text_bytes, bool places) const {
  return TextMemory(state_->engine.view, text_bytes, places).bytes;
}
TextEngine TextSearch::engine() const {
  return state_->engine.engine();
}
std::string TextSearch::describe() const {
  return state_->engine.describe();
}

Status TextSearch::run(const TextArguments& text, CUstream_st* stream) const {
  const bool places = text.d_places != nullptr;
  const EngineView engine = state_->engine.placed(text.d_table);
  const TextMemory memory(engine, text.bytes, places);
  LineScan scan;
  scan.d_text = text.d_text;
  scan.bytes = text.bytes;
  scan.d_lines = text.d_lines;
  PRESSO_TRY(check_scan(scan, {text.d_temporary, text.temporary_bytes}, memory.bytes));
  if (reinterpret_cast<std::uintptr_t>(text.d_places) % alignof(LinePlace) != 0) {
    return make_error(ErrorCode::kInvalidArgument, "a scan's memory is not aligned");
  }
  PRESSO_TRY(check_table(state_->engine, text.d_table));
  PRESSO_TRY(clear(text.d_lines, sizeof *text.d_lines, stream));
  if (text.bytes == 0) return {};
  Byte* const d_temporary = static_cast<Byte*>(text.d_temporary);
  if (places) {
    scan.d_marks = reinterpret_cast<u32*>(d_temporary + memory.marks);
    PRESSO_TRY(clear(scan.d_marks, line_mark_bytes(text.bytes), stream));
  }
  PRESSO_TRY(scan_by_engine(scan, engine, {d_temporary, memory.marks}, stream));
  if (!places) return {};
  return place_lines(
      {text.d_text, text.bytes, scan.d_marks, reinterpret_cast<u64*>(d_temporary + memory.before),
       text.d_places, text.most_places},
      stream);
}

}  // namespace presso::gpu
