// SPDX-License-Identifier: MIT
// Implements pipeline_shape.h: adds up what a pipeline's arrays take in shared memory, decides how
// many warps a thread block has, and chooses where the cells of groups are.
#include "query/gpu/kernels/pipeline_shape.h"

#include <algorithm>

#include "format/columns/lane_packing.h"

namespace presso::gpu {
namespace {

constexpr std::uint32_t kVectorBits = kVectorRows / 8;
constexpr std::uint32_t kCellBytes = 8;
constexpr std::uint32_t kUnitBytes = kChunkRows * 4;
constexpr std::uint32_t kColumnTaskBytes = 56 + 8 * (kVectorEntryBytes + 16);
constexpr std::uint32_t kLeafTaskBytes = 16;
constexpr std::uint32_t kOpenColumnBytes = 32;  // allow(bare-32): sizeof(OpenColumn)
/// In front: of copies that are under way (WarpSpace::barriers()).
constexpr std::uint32_t kBarrierBytes = kWordBarriers * sizeof(std::uint64_t);
/// What groups may take of a multiprocessor's shared memory, so that enough warps fit into it.
constexpr std::uint64_t kMostLaneBytes = 16 << 10;
/// With more of them lanes hardly meet in cells that they share (TPC-H Q5's 25: 51 ms against 72).
constexpr std::uint64_t kMostLaneGroups = 12;
constexpr std::uint64_t kMostBlockBytes = 100 << 10;
/// The shared memory that CUDA itself takes of each thread block.
constexpr std::uint32_t kReservedBytes = 1024;
/// Thread blocks of a multiprocessor, for their registers: as kernels say in __launch_bounds__.
constexpr std::uint32_t kCountBlocks = 4;
constexpr std::uint32_t kSumBlocks = 3;
constexpr std::uint32_t kPipelineBlocks = 3;
constexpr std::uint32_t kChainBlocks = 4;
/// With fewer of them words of the next vector are not worth their room.
constexpr std::uint32_t kEnoughWarps = 12;

std::uint32_t round_up_16(std::uint32_t bytes) {
  return (bytes + 15) / 16 * 16;
}

bool has_program(const Pipeline& pipeline) {
  return pipeline.place != GroupPlace::kNone && pipeline.place != GroupPlace::kColumns;
}

/// A chain has one wide register, for vectors whose rows are found one by one.
std::uint32_t register_units(const Pipeline& pipeline) {
  return pipeline.chain_steps != 0 ? 2 : pipeline.register_units;
}

/// Masks that conditions keep for later, at most.
std::uint32_t condition_depth(const Pipeline& pipeline) {
  using Kind = ConditionStep::Kind;
  std::uint32_t most = 0;
  std::uint32_t pushed = 0;
  for (std::uint32_t i = 0; i < pipeline.condition_steps; ++i) {
    const Kind kind = pipeline.conditions[i].kind;
    if (kind == Kind::kAnd || kind == Kind::kOr || kind == Kind::kKeep || kind == Kind::kAlso) {
      --pushed;
    } else {
      most = std::max(most, pushed);  // the last one is in a register
      ++pushed;
    }
  }
  return most;
}

/// Whether vectors of a column that have exceptions are decoded as a whole.
bool decodes_patched(const Pipeline& pipeline, std::uint32_t column) {
  const auto end = pipeline.conditions + pipeline.condition_steps;
  return pipeline.place == GroupPlace::kColumns ||
         std::any_of(pipeline.conditions, end, [column](const ConditionStep& step) {
           return step.kind == ConditionStep::Kind::kValues && step.column == column;
         });
}

/// The bytes that GroupPlace::kLanes takes for each warp.
std::uint64_t lane_cell_bytes(const Pipeline& pipeline) {
  return (first_row_words(pipeline) + pipeline.groups * pipeline.cells * kLanes) * kCellBytes;
}

/// The bytes that GroupPlace::kBytes takes for each warp: planes of bytes, groups of rows, and
/// first rows (byte_sums.cuh).
std::uint32_t byte_sum_bytes(const Pipeline& pipeline) {
  return (plane_room(pipeline) + 1) * kChunkRows + kMostByteGroups * kCellBytes;
}

std::uint64_t cell_bytes(const Pipeline& pipeline) {
  return pipeline.groups * (pipeline.cells + kGroupCells) * kCellBytes;
}

}  // namespace

namespace {

PipelineShape shape_with(const Pipeline& pipeline, std::span<const ColumnNeeds> needs,
                         std::uint32_t buffers) {
  PipelineShape shape;
  shape.buffers = buffers;
  std::uint32_t at = 0;
  const auto place = [&at](std::uint32_t bytes) {
    const std::uint32_t here = at;
    at = round_up_16(at + bytes);
    return here;
  };
  // Bits of nulls are put together in the staging area, too.
  std::uint32_t staging = kVectorBits;
  std::uint32_t words = 0;
  shape.early = pipeline.early_columns;
  const auto add_words = [&](std::uint32_t early) {
    for (std::uint32_t column = 0; column < pipeline.columns; ++column) {
      if ((std::uint32_t{shape.early} >> column & 1) != early) continue;
      if ((pipeline.others_columns >> column & 1) != 0) continue;
      shape.words_of[column] = static_cast<std::uint16_t>(words);
      // A value's second word is read whether or not it has one, or even a first one.
      words += std::max(needs[column].packed_words, kLanes) + kLanes;
    }
  };
  add_words(1);
  shape.words_bytes = words * 4;
  words *= buffers;
  add_words(0);
  for (std::uint32_t column = 0; column < pipeline.columns; ++column) {
    staging = std::max(staging, needs[column].staging_bytes);
    if (decodes_patched(pipeline, column)) {
      staging = std::max(staging, needs[column].patched_bytes);
    }
  }
  if (pipeline.place != GroupPlace::kNone) place(kBarrierBytes);
  shape.columns_at = place(pipeline.columns * kColumnTaskBytes);
  shape.stack_at = place(condition_depth(pipeline) * kVectorBits);
  shape.leaves_at = place(pipeline.condition_steps * 8 * kLeafTaskBytes);
  // Columns have been decoded when a program begins.
  if (has_program(pipeline)) staging = std::max(staging, register_units(pipeline) * kUnitBytes);
  shape.staging_at = place(staging);
  shape.registers_at = shape.staging_at;
  shape.words_at = place(words * 4);
  if (has_program(pipeline)) {
    shape.open_at = place(pipeline.columns * kOpenColumnBytes);
    if (pipeline.chain_steps != 0) shape.chain_at = place(pipeline.chain_steps * kChainColumnBytes);
    if (pipeline.nullable_columns != 0) shape.valid_at = place(pipeline.columns * kVectorBits);
    if (pipeline.lists_rows) shape.list_at = place(kVectorRows * 2);
    if (pipeline.matched_bits != nullptr) shape.bits_at = place(kVectorBits);
    if (pipeline.repeats) shape.chains_at = place(kMostLookups * kLanes * 4);
  }
  if (pipeline.place == GroupPlace::kLanes || pipeline.place == GroupPlace::kColumns) {
    shape.cells_at = place(static_cast<std::uint32_t>(lane_cell_bytes(pipeline)));
  }
  if (pipeline.place == GroupPlace::kBytes) shape.cells_at = place(byte_sum_bytes(pipeline));
  if (pipeline.place == GroupPlace::kBlock) {
    shape.block_bytes = round_up_16(static_cast<std::uint32_t>(cell_bytes(pipeline)));
  }
  shape.warp_bytes = at;
  return shape;
}

/// Thread blocks of a multiprocessor that registers allow.
std::uint32_t most_blocks(const Pipeline& pipeline) {
  if (pipeline.place == GroupPlace::kNone) return kCountBlocks;
  if (pipeline.place == GroupPlace::kColumns) return kSumBlocks;
  return pipeline.chain_steps != 0 ? kChainBlocks : kPipelineBlocks;
}

/// Sets how many warps a thread block has, so that a multiprocessor has the most; returns how many.
std::uint32_t set_warps(const Pipeline& pipeline, PipelineShape& shape,
                        std::uint32_t shared_bytes) {
  const std::uint32_t most_warps = has_program(pipeline) ? kPipelineWarps : kCountWarps;
  const std::uint32_t registers_allow = most_warps * most_blocks(pipeline);
  std::uint32_t most = 0;
  for (std::uint32_t warps = most_warps; warps > 0; warps /= 2) {
    const std::uint32_t bytes = shape.block_bytes + warps * shape.warp_bytes;
    if (bytes > shared_bytes) continue;
    const std::uint32_t blocks =
        std::min(shared_bytes / (bytes + kReservedBytes), registers_allow / warps);
    if (blocks * warps <= most) continue;
    most = blocks * warps;
    shape.warps = warps;
  }
  return most;
}

}  // namespace

void ColumnNeeds::raise_to(const ColumnNeeds& other) {
  packed_words = std::max(packed_words, other.packed_words);
  staging_bytes = std::max(staging_bytes, other.staging_bytes);
  patched_bytes = std::max(patched_bytes, other.patched_bytes);
  forms.add(other.forms);
}

ColumnsRead columns_read(const Pipeline& pipeline) {
  ColumnsRead read;
  read.values = pipeline.program_columns;
  // Conditions on values and cells that add up columns pass over nulls.
  read.nulls = pipeline.nullable_columns | std::uint32_t{pipeline.program_columns};
  for (std::uint32_t i = 0; i < pipeline.condition_steps; ++i) {
    const ConditionStep& step = pipeline.conditions[i];
    const bool is_values = step.kind == ConditionStep::Kind::kValues;
    const bool is_null =
        step.kind == ConditionStep::Kind::kNull || step.kind == ConditionStep::Kind::kNotNull;
    if (is_values) read.values |= 1u << step.column;
    if (is_values || is_null) read.nulls |= 1u << step.column;
  }
  return read;
}

PipelineShape shape_of(const Pipeline& pipeline, std::span<const ColumnNeeds> needs,
                       std::uint32_t shared_bytes) {
  PipelineShape shape = shape_with(pipeline, needs, 2);
  if (set_warps(pipeline, shape, shared_bytes) >= kEnoughWarps) return shape;
  shape = shape_with(pipeline, needs, 1);
  set_warps(pipeline, shape, shared_bytes);
  return shape;
}

GroupPlace place_of_groups(const Pipeline& pipeline, std::uint32_t most_shared_bytes) {
  if (pipeline.has_groups && pipeline.planes != 0 && pipeline.groups <= kMostByteGroups) {
    return GroupPlace::kBytes;
  }
  const bool is_few = pipeline.groups <= kMostLaneGroups;
  if (is_few && lane_cell_bytes(pipeline) <= kMostLaneBytes) return GroupPlace::kLanes;
  const std::uint64_t most = std::min<std::uint64_t>(kMostBlockBytes, most_shared_bytes / 2);
  return cell_bytes(pipeline) <= most ? GroupPlace::kBlock : GroupPlace::kDevice;
}

std::uint64_t scratch_bytes(const Pipeline& pipeline, const PipelineShape& shape,
                            std::uint32_t thread_blocks) {
  if (!has_program(pipeline)) return 0;
  return std::uint64_t{thread_blocks} * shape.warps * pipeline.columns * kVectorRows * kCellBytes;
}

}  // namespace presso::gpu
