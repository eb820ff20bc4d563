// SPDX-License-Identifier: MIT
// Variants of the GPU decoders that the theses describe and that lost to the product's: decoding a
// batch with them, as presso/gpu_batch.h does with the product's strategies. They give the same
// bytes and statuses. Tests: lab/tests runs
// tests/simt/batch_suite.cpp over them, in the emulator and on a device.
// Benchmark: lab/programs/decompress_gpu/decode_rate.cpp. No CUDA header is needed.
#pragma once

#include <algorithm>

#include "decompress/gpu/batch/batch_memory.h"
#include "presso/gpu_batch.h"

namespace presso::gpu::lab {

enum class Variant : Byte {
  kSequential = 1,     ///< sc, one back-reference after another (S7.5): sequential.cuh
  kMultiRoundKernels,  ///< mrr with one kernel a round (S7.8): multi_kernel.cuh
  kFused,              ///< both stages of the Bit coding in one kernel (S7.15): fused_decoder.cuh
};

/// The product's strategy that a variant changes, to be set in BatchOptions.
constexpr Strategy strategy_of(Variant variant) {
  return variant == Variant::kFused ? Strategy::kAuto : Strategy::kMultiRound;
}

/// Where the lists of back-references of kMultiRoundKernels lie in a batch's temporary memory:
/// after what decode_batch uses. All blocks have lists of the same length.
class ListMemory {
 public:
  /// A sequence takes three bytes of payload at least, and a payload is no larger than its block.
  static constexpr std::uint64_t kReferencesASegment = kHashSegmentBytes / 3 + 1;

  constexpr ListMemory(std::uint32_t blocks, std::uint64_t plain_bytes) {
    const std::uint64_t segments = BatchMemory::segments_of_batch(blocks, plain_bytes);
    stride_ = std::min<std::uint64_t>(segments * kReferencesASegment / blocks, kMaxBlockBytes);
    MemoryParts parts;
    begins_ = parts.add(sizeof(std::uint32_t) * blocks);
    ends_ = parts.add(sizeof(std::uint32_t) * blocks);
    references_ = parts.add(sizeof(std::uint64_t) * stride_ * blocks);
    bytes_ = parts.bytes();
  }

  constexpr std::uint64_t bytes() const { return bytes_; }
  constexpr std::uint64_t begins() const { return begins_; }
  constexpr std::uint64_t ends() const { return ends_; }
  constexpr std::uint64_t references() const { return references_; }
  /// References that a block has room for.
  constexpr std::uint64_t stride() const { return stride_; }

 private:
  std::uint64_t begins_ = 0, ends_ = 0, references_ = 0, bytes_ = 0, stride_ = 0;
};

/// What decode_batch() needs, 256-byte aligned, for a batch of `plain_bytes`; at least one block.
constexpr std::uint64_t temporary_bytes(Variant variant, std::uint32_t blocks,
                                        std::uint64_t plain_bytes, const BatchOptions& options) {
  const std::uint64_t segments = BatchMemory::segments_of_batch(blocks, plain_bytes);
  const std::uint64_t bytes = BatchMemory(blocks, options).bytes(segments);
  if (variant != Variant::kMultiRoundKernels) return bytes;
  MemoryParts parts;
  parts.add(bytes);
  return parts.bytes() + ListMemory(blocks, plain_bytes).bytes();
}

/// gpu::decode_batch() by a variant. `options.strategy` must be strategy_of(variant), and
/// `arguments.temporary_bytes` what temporary_bytes() says of `plain_bytes`: those of all blocks.
Status decode_batch(Variant variant, const BatchArguments& arguments, std::uint64_t plain_bytes,
                    const BatchOptions& options, CUstream_st* stream);

}  // namespace presso::gpu::lab
