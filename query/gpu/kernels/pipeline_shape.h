// SPDX-License-Identifier: MIT
// The layout of a pipeline's shared memory: how much a thread block needs, where each array begins,
// and whether there is room for the cells of its groups. Host code; made anew for each launch.
// Tests: tests/queries/one_table.txt.
#pragma once

#include <cstdint>
#include <span>

#include "query/gpu/kernels/column_forms.h"
#include "query/gpu/kernels/pipeline.h"

namespace presso::gpu {

/// What a column's vectors need, the greatest of a loaded table.
struct ColumnNeeds {
  std::uint32_t packed_words = 0;   ///< of vectors that are packed, in up to 32 bits
  std::uint32_t staging_bytes = 0;  ///< of those that are decoded as a whole
  std::uint32_t patched_bytes = 0;  ///< of those that only conditions and sums of columns decode so
  ColumnForms forms;

  void raise_to(const ColumnNeeds& other);
};

/// The bytes of a chain's step in shared memory (chain.cuh).
constexpr std::uint32_t kChainColumnBytes = 8 + 3 * sizeof(std::uint64_t);

/// Of a warp's copies: words of even and of odd vectors, and of late columns.
constexpr std::uint32_t kWordBarriers = 3;

/// Warps of a thread block, at most; of kernels with a program.
constexpr std::uint32_t kCountWarps = 8;
constexpr std::uint32_t kPipelineWarps = 4;

struct PipelineShape {
  std::uint32_t warps = 1;        ///< of a thread block
  std::uint32_t block_bytes = 0;  ///< in front: cells of the thread block's groups
  std::uint32_t warp_bytes = 0;   ///< of each warp
  // In a warp's part, in bytes.
  std::uint32_t columns_at = 0;
  std::uint32_t stack_at = 0;
  std::uint32_t leaves_at = 0;
  std::uint32_t staging_at = 0;
  std::uint32_t words_at = 0;
  std::uint32_t words_bytes = 0;   ///< of each of one or two pieces, of early columns
  std::uint32_t buffers = 2;       ///< with two the next vector's are under way
  std::uint16_t early = 0;         ///< columns that have two buffers; those of others lie behind
  std::uint32_t registers_at = 0;  ///< where the staging area was
  std::uint32_t open_at = 0;
  std::uint32_t chain_at = 0;
  std::uint32_t valid_at = 0;
  std::uint32_t list_at = 0;
  std::uint32_t bits_at = 0;
  std::uint32_t chains_at = 0;
  std::uint32_t cells_at = 0;
  std::uint16_t words_of[kMostPipelineColumns] = {};  ///< from words_at on, in words

  std::uint32_t shared_bytes() const { return block_bytes + warps * warp_bytes; }
};

/// Bits of a pipeline's columns.
struct ColumnsRead {
  std::uint32_t values = 0;  ///< whose values are read
  std::uint32_t nulls = 0;   ///< of which it may be asked which rows are null
};

/// What kernels read for a pipeline. Rows of columns of strings may be told by bits that another
/// kernel has made.
ColumnsRead columns_read(const Pipeline& pipeline);
/// `needs`: of each of the pipeline's columns; `shared_bytes`: of a multiprocessor.
PipelineShape shape_of(const Pipeline& pipeline, std::span<const ColumnNeeds> needs,
                       std::uint32_t shared_bytes);
/// Where a pipeline's groups belong on a device whose thread blocks may have so much shared memory.
GroupPlace place_of_groups(const Pipeline& pipeline, std::uint32_t most_shared_bytes);
/// The bytes of device memory that the pipeline's warps need.
std::uint64_t scratch_bytes(const Pipeline& pipeline, const PipelineShape& shape,
                            std::uint32_t thread_blocks);

}  // namespace presso::gpu
