// SPDX-License-Identifier: MIT
// How decode_batch() divides the temporary memory that its caller gives. Host code without CUDA. A
// *segment* is 1 KiB of a block's plain text, the unit of content checksums; its *cells*, of 16
// bytes, are room for what kernels keep of it (block_plan.h).
//
//   claimed           one u64, how many segments plan_kernel has given away     256 bytes
//   plans             a BlockPlan for each block
//   unpacked          kUnpackedCells cells for each segment; only in batches with Bit blocks
//   survey records    kSurveyCells cells for each segment; only for kAuto
//   segment hashes    a u64 for each segment; only with verification
//
// The sizes of the first two depend on the number of blocks only. The others share the rest: a
// batch of `blocks` blocks with `plain_bytes` claims at most plain_bytes / 1024 + 2 * blocks
// segments, whatever the sizes of its blocks are. With Bit blocks that makes 2.8 bytes for each
// plain byte in the worst case; blocks of real encoders use 0.2 to 0.9 of it. Tested by
// tests/unit/decompress/gpu/batch_memory_test.cpp.
#pragma once

#include <cstdint>

#include "decompress/gpu/plan/block_plan.h"
#include "decompress/gpu/runtime/memory_parts.h"
#include "presso/gpu_batch.h"

namespace presso::gpu {

class BatchMemory {
 public:
  static constexpr std::uint64_t kAlignment = MemoryParts::kAlignment;

  constexpr BatchMemory(std::uint32_t blocks, const BatchOptions& options)
      : unpacked_a_segment_(options.bit_blocks ? kUnpackedCells : 0),
        cells_a_segment_(options.strategy == Strategy::kAuto ? kSurveyCells : 0),
        hashes_a_segment_(options.verify ? 1 : 0) {
    MemoryParts parts;
    parts.add(sizeof(std::uint64_t));  // claimed
    plans_ = parts.add(blocks * std::uint64_t{sizeof(BlockPlan)});
    segments_begin_ = parts.bytes();
  }

  static constexpr std::uint64_t segments_of_batch(std::uint32_t blocks,
                                                   std::uint64_t plain_bytes) {
    return plain_bytes / kHashSegmentBytes + 2 * std::uint64_t{blocks};
  }

  /// Bytes of memory with room for this many segments.
  constexpr std::uint64_t bytes(std::uint64_t segments) const {
    return segments_begin_ + segments * bytes_a_segment();
  }
  /// The segments that memory of this size has room for; it must have more than bytes(0).
  constexpr std::uint64_t segments_in(std::uint64_t bytes) const {
    return bytes_a_segment() == 0 ? 0 : (bytes - segments_begin_) / bytes_a_segment();
  }

  constexpr bool has_unpacked() const { return unpacked_a_segment_ > 0; }
  constexpr bool has_records() const { return cells_a_segment_ > 0; }
  constexpr bool has_hashes() const { return hashes_a_segment_ > 0; }

  // Offsets of the parts.
  constexpr std::uint64_t plans() const { return plans_; }
  constexpr std::uint64_t unpacked() const { return segments_begin_; }
  constexpr std::uint64_t records(std::uint64_t segments) const {
    return segments_begin_ + segments * unpacked_a_segment_ * kUnpackedCellBytes;
  }
  constexpr std::uint64_t hashes(std::uint64_t segments) const {
    return records(segments) + segments * cells_a_segment_ * kSurveyCellBytes;
  }

 private:
  constexpr std::uint64_t bytes_a_segment() const {
    return hashes_a_segment_ * sizeof(std::uint64_t) + cells_a_segment_ * kSurveyCellBytes +
           unpacked_a_segment_ * kUnpackedCellBytes;
  }

  std::uint64_t unpacked_a_segment_;
  std::uint64_t cells_a_segment_;
  std::uint64_t hashes_a_segment_;
  std::uint64_t plans_ = 0;
  std::uint64_t segments_begin_ = 0;
};

}  // namespace presso::gpu
