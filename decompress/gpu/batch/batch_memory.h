// SPDX-License-Identifier: MIT
// How decode_batch divides the temporary memory that its caller gives. Host code, no CUDA.
//
//   claimed           one u64, how many segments plan_kernel has given away     256 bytes
//   plans             a BlockPlan a block
//   reference begins  u32 a block   } kMultiRoundKernels only
//   reference ends    u32 a block   }
//   unpacked          kUnpackedCells cells for each segment; batches with Bit blocks only
//   survey records    kSurveyCells cells for each segment; kAuto, kFused
//   segment hashes    a u64 for each segment; with verification only
//   references        kReferencesASegment u64 for each segment; kMultiRoundKernels only
//
// All but the last four depends on the number of blocks alone. Those take what is left: a batch of
// `blocks` blocks with `plain_bytes` claims at most plain_bytes / 1024 + 2 * blocks segments,
// whatever the sizes of its blocks are. Bit blocks make that 2.8 bytes a plain byte: what a block
// may have at most; those that an encoder writes use 0.2 to 0.9 of it. Test:
// tests/unit/decompress/gpu/batch_memory_test.cpp.
#pragma once

#include <cstdint>

#include "decompress/gpu/plan/block_plan.h"
#include "presso/gpu_batch.h"

namespace presso::gpu {

class BatchMemory {
 public:
  static constexpr std::uint64_t kAlignment = 256;
  /// A sequence of the Byte coding takes three bytes of payload at least, and a payload is no
  /// larger than its block.
  static constexpr std::uint64_t kReferencesASegment = kHashedSegmentBytes / 3 + 1;

  constexpr BatchMemory(std::uint32_t blocks, const BatchOptions& options)
      : unpacked_a_segment_(options.bit_blocks ? kUnpackedCells : 0),
        cells_a_segment_(has_survey(options.strategy) ? kSurveyCells : 0),
        hashes_a_segment_(options.verify ? 1 : 0),
        references_a_segment_(options.strategy == Strategy::kMultiRoundKernels ? kReferencesASegment
                                                                               : 0) {
    reference_begins_ = plans() + aligned(blocks * std::uint64_t{sizeof(BlockPlan)});
    const std::uint64_t words = references_a_segment_ > 0 ? aligned(4 * std::uint64_t{blocks}) : 0;
    reference_ends_ = reference_begins_ + words;
    segments_begin_ = reference_ends_ + words;
  }

  static constexpr std::uint64_t segments_of_batch(std::uint32_t blocks,
                                                   std::uint64_t plain_bytes) {
    return plain_bytes / kHashedSegmentBytes + 2 * std::uint64_t{blocks};
  }

  /// Of memory for so many segments.
  constexpr std::uint64_t bytes(std::uint64_t segments) const {
    return segments_begin_ + segments * bytes_a_segment();
  }
  /// How many segments memory of this size has room for; it has more than bytes(0).
  constexpr std::uint64_t segments_in(std::uint64_t bytes) const {
    return bytes_a_segment() == 0 ? 0 : (bytes - segments_begin_) / bytes_a_segment();
  }

  constexpr bool has_unpacked() const { return unpacked_a_segment_ > 0; }
  constexpr bool has_records() const { return cells_a_segment_ > 0; }
  constexpr bool has_hashes() const { return hashes_a_segment_ > 0; }
  constexpr bool has_references() const { return references_a_segment_ > 0; }

  // Offsets of the parts, and the size of one.
  constexpr std::uint64_t plans() const { return kAlignment; }
  constexpr std::uint64_t reference_begins() const { return reference_begins_; }
  constexpr std::uint64_t reference_ends() const { return reference_ends_; }
  constexpr std::uint64_t unpacked() const { return segments_begin_; }
  constexpr std::uint64_t records(std::uint64_t segments) const {
    return segments_begin_ + segments * unpacked_a_segment_ * kUnpackedCellBytes;
  }
  constexpr std::uint64_t hashes(std::uint64_t segments) const {
    return records(segments) + segments * cells_a_segment_ * kSurveyCellBytes;
  }
  constexpr std::uint64_t references(std::uint64_t segments) const {
    return hashes(segments) + segments * hashes_a_segment_ * sizeof(std::uint64_t);
  }
  constexpr std::uint64_t reference_count(std::uint64_t segments) const {
    return segments * references_a_segment_;
  }

 private:
  static constexpr bool has_survey(Strategy strategy) {
    return strategy == Strategy::kAuto || strategy == Strategy::kFused;
  }

  static constexpr std::uint64_t aligned(std::uint64_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  constexpr std::uint64_t bytes_a_segment() const {
    return (hashes_a_segment_ + references_a_segment_) * sizeof(std::uint64_t) +
           cells_a_segment_ * kSurveyCellBytes + unpacked_a_segment_ * kUnpackedCellBytes;
  }

  std::uint64_t unpacked_a_segment_;
  std::uint64_t cells_a_segment_;
  std::uint64_t hashes_a_segment_;
  std::uint64_t references_a_segment_;
  std::uint64_t reference_begins_ = 0;
  std::uint64_t reference_ends_ = 0;
  std::uint64_t segments_begin_ = 0;
};

}  // namespace presso::gpu
