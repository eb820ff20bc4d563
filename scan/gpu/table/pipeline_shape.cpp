// SPDX-License-Identifier: MIT
#include "scan/gpu/table/pipeline_shape.h"

#include <algorithm>

#include "format/columns/lane_packing.h"

namespace presso::gpu {
namespace {

constexpr std::uint32_t kVectorBits = kVectorRows / 8;
constexpr std::uint32_t kCellBytes = 8;
constexpr std::uint32_t kUnitBytes = kChunkRows * 4;
constexpr std::uint32_t kColumnTaskBytes = 40 + 8 * kVectorEntryBytes;
constexpr std::uint32_t kOpenColumnBytes = 32;  // allow(bare-32): sizeof(OpenColumn)
/// What groups may take of a multiprocessor's shared memory, so that enough warps fit into it.
constexpr std::uint64_t kMostLaneBytes = 16 << 10;
constexpr std::uint64_t kMostBlockBytes = 64 << 10;

std::uint32_t round_up_16(std::uint32_t bytes) {
  return (bytes + 15) / 16 * 16;
}

std::uint64_t cell_bytes(const Pipeline& pipeline) {
  return pipeline.groups * (pipeline.cells + kGroupCells) * kCellBytes;
}

}  // namespace

PipelineShape shape_of(const Pipeline& pipeline, std::span<const ColumnNeeds> needs) {
  PipelineShape shape;
  std::uint32_t at = 0;
  const auto place = [&at](std::uint32_t bytes) {
    const std::uint32_t here = at;
    at = round_up_16(at + bytes);
    return here;
  };
  // Bits of nulls are put together in the staging area, too.
  std::uint32_t staging = kVectorBits;
  std::uint32_t words = 0;
  for (std::uint32_t column = 0; column < pipeline.columns; ++column) {
    staging = std::max(staging, needs[column].staging_bytes);
    shape.words_of[column] = static_cast<std::uint16_t>(words);
    // A value's second word is read whether or not it has one.
    words += needs[column].packed_words + kLanes;
  }
  shape.columns_at = place(pipeline.columns * kColumnTaskBytes);
  shape.stack_at = place(kMostConditionDepth * kVectorBits);
  shape.staging_at = place(staging);
  shape.words_bytes = words * 4;
  shape.words_at = place(2 * shape.words_bytes);
  if (pipeline.place != GroupPlace::kNone) {
    shape.registers_at = place(pipeline.register_units * kUnitBytes);
    shape.open_at = place(pipeline.columns * kOpenColumnBytes);
    if (pipeline.nullable_columns != 0) shape.valid_at = place(pipeline.columns * kVectorBits);
    if (pipeline.has_program) shape.list_at = place(kVectorRows * 2);
    if (pipeline.matched_bits != nullptr) shape.bits_at = place(kVectorBits);
  }
  if (pipeline.place == GroupPlace::kLanes) {
    shape.cells_at = place(static_cast<std::uint32_t>(kLanes * cell_bytes(pipeline)));
  }
  if (pipeline.place == GroupPlace::kBlock) {
    shape.block_bytes = round_up_16(static_cast<std::uint32_t>(cell_bytes(pipeline)));
  }
  shape.warp_bytes = at;
  return shape;
}

GroupPlace place_of_groups(const Pipeline& pipeline, std::uint32_t most_shared_bytes) {
  if (cell_bytes(pipeline) * kLanes <= kMostLaneBytes) return GroupPlace::kLanes;
  const std::uint64_t most = std::min<std::uint64_t>(kMostBlockBytes, most_shared_bytes / 3);
  return cell_bytes(pipeline) <= most ? GroupPlace::kBlock : GroupPlace::kDevice;
}

std::uint64_t scratch_bytes(const Pipeline& pipeline, const PipelineShape& shape,
                            std::uint32_t thread_blocks) {
  if (pipeline.place == GroupPlace::kNone) return 0;
  return std::uint64_t{thread_blocks} * shape.warps * pipeline.columns * kVectorRows * kCellBytes;
}

}  // namespace presso::gpu
