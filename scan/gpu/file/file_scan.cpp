// SPDX-License-Identifier: MIT
// FileScan: keeps each batch's excerpt until its turn, and hands excerpts and chunks to the
// assembler.
#include "scan/gpu/file/file_scan.h"

#include <algorithm>

#include "presso/ordered_pipeline.h"

namespace presso::gpu {
namespace {

using scan_detail::Chunk;
using scan_detail::SearchedChunk;

}  // namespace

Result<std::optional<scan_detail::ChunkItem>> NoChunks::take() {
  return std::optional<scan_detail::ChunkItem>();
}

Result<Chunk> NoChunks::load(scan_detail::ChunkItem) {
  return make_error(ErrorCode::kInvalidArgument, "there are no chunks");
}

/// Makes the assembler, which calls `on_line`.
FileScan::FileScan(const scan_detail::Matcher& matcher, const ScanOptions& options,
                   const LineCallback& on_line, const BatchSearch& plan, const FileScanTools& tools)
    : options_(options),
      plan_(plan),
      tools_(tools),
      scanners_(matcher, scan_detail::line_scan_options(options, static_cast<bool>(on_line)),
                options.decode.level, threads_or_all(options.threads)),
      assembler_(matcher, options, on_line, no_chunks_) {}

/// Slots appear as the pipeline first uses them; a deque keeps the makers in place.
ExcerptMaker& FileScan::maker(std::size_t slot) {
  const std::lock_guard lock(mutex_);
  while (tools_.makers.size() <= slot) tools_.makers.emplace_back();
  fetched_.resize(tools_.makers.size());
  return tools_.makers[slot];
}

Status FileScan::enqueue(const SlotView& view) {
  return maker(view.slot).enqueue(view, plan_, tools_.kernels);
}

/// Keeps the excerpt until take() comes to this batch, as slots finish in any order.
Status FileScan::fetch(const SlotView& view) {
  PRESSO_ASSIGN(Excerpt excerpt, maker(view.slot).fetch(view, plan_, scanners_));
  const std::lock_guard lock(mutex_);
  fetched_[view.slot] = std::move(excerpt);
  return {};
}

/// Prefers the CPU's text if there is any, since the GPU has failed then or left a block to the
/// CPU. Looks for what rules the GPU out before anything of the batch is reported.
Result<bool> FileScan::take(const SlotBatch& batch, std::size_t slot, const Byte* plain) {
  if (options_.is_cancelled()) return make_error(ErrorCode::kCancelled);
  Known known;
  {
    const std::lock_guard lock(mutex_);
    if (slot < fetched_.size()) known.excerpt = std::exchange(fetched_[slot], std::nullopt);
  }
  if (plain != nullptr || batch.block_count() == 0) {
    known.excerpt.reset();
    known = blocks_of(batch, plain);
  }
  if (is_for_cpu(known)) {
    gave_up_ = true;
    return false;
  }
  return add(std::move(known));
}

/// Copies each block's text into a chunk of its own; a damaged place becomes a chunk with its
/// error.
FileScan::Known FileScan::blocks_of(const SlotBatch& batch, const Byte* plain) const {
  Known known;
  for (const BatchPlace& place : batch.places()) {
    Chunk chunk;
    chunk.is_block = true;
    chunk.offset = place.plain_offset;
    const ErrorCode code = place.damage ? place.damage->code : batch.codes()[place.slot_block];
    if (!place.damage) chunk.stored_bytes = batch.blocks()[place.slot_block].stored_bytes;
    if (code == ErrorCode::kOk) {
      const BlockSpan& span = batch.blocks()[place.slot_block];
      chunk.text.append({plain + span.plain_offset, span.plain_bytes});
    } else {
      chunk.damage = DamagedBlock{place.plain_offset, place.plain_bytes, batch.error_of(place),
                                  place.damage ? place.lost_blocks : 1};
    }
    known.chunks.push_back(std::move(chunk));
  }
  return known;
}

/// Whether this batch shows that the file is for the CPU.
bool FileScan::is_for_cpu(const Known& known) const {
  if (known.excerpt) return known.excerpt->has_mark;
  return std::any_of(known.chunks.begin(), known.chunks.end(), [&](const Chunk& chunk) {
    const bool has_mark = chunk.offset == 0 && scan_detail::begins_with_mark(chunk.text.bytes());
    // The first bytes that can be read decide whether a file is binary; excerpts know their places.
    const bool moves_probe = options_.binary != BinaryRule::kText && chunk.damage.has_value() &&
                             chunk.offset < scan_detail::kBinaryProbeBytes;
    return has_mark || moves_probe;
  });
}

/// A batch that fails leaves the scan stopped, so that finish() reports nothing twice.
Result<bool> FileScan::add(Known known) {
  stopped_ = true;  // unless it goes well
  bool more = true;
  if (known.excerpt) {
    PRESSO_ASSIGN(more, assembler_.add(std::move(known.excerpt->searched)));
  }
  PRESSO_ASSIGN(std::vector<SearchedChunk> chunks, scanners_.search(std::move(known.chunks)));
  for (SearchedChunk& searched : chunks) {
    if (!more) break;
    PRESSO_ASSIGN(more, assembler_.add(std::move(searched)));
  }
  has_enough_ = stopped_ = !more;
  return more;
}

Status FileScan::finish() {
  if (!stopped_) assembler_.finish();
  if (assembler_.failure()) return *assembler_.failure();
  return {};
}

}  // namespace presso::gpu
