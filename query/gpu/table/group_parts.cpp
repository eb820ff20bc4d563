// SPDX-License-Identifier: MIT
// Implements group_parts.h: divides device memory among rows, bundles and parts, and enqueues the
// kernels. Errors: those of the device; rows beyond the room that was made are no error, but make()
// then returns false.
#include "query/gpu/table/group_parts.h"

#include <algorithm>
#include <bit>

#include "decompress/gpu/runtime/memory_parts.h"

namespace presso::gpu {
namespace {

constexpr std::uint64_t kMostPartRows = (std::uint64_t{1} << 31) - 1;

std::uint64_t bytes_of(const RowArray& array) {
  return array.is_wide ? sizeof(std::uint64_t) : sizeof(std::uint32_t);
}

std::uint64_t bytes_of_row(const Pipeline& pipeline) {
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < pipeline.outputs; ++i) bytes += bytes_of(pipeline.output[i].to);
  return bytes;
}

/// Between the two levels, then of records, of which there is at most one a row.
std::uint64_t bytes_of_part(const Pipeline& pipeline) {
  return std::max(bytes_of_row(pipeline), record_words(pipeline) * sizeof(std::uint64_t));
}

}  // namespace

/// Where the arrays of so many rows begin in their memory.
struct PartedGroups::ArrayPlaces {
  ArrayPlaces(const Pipeline& pipeline, std::uint64_t rows) {
    for (std::uint32_t i = 0; i < pipeline.outputs; ++i) {
      at[i] = parts.add(rows * bytes_of(pipeline.output[i].to));
    }
  }

  MemoryParts parts;
  std::uint64_t at[kMostRowArrays] = {};
};

bool take_parts(const RunSpace& space, std::uint64_t rows, std::uint64_t order_limit,
                Pipeline& pipeline) {
  if (rows > kMostPartRows) return false;
  Pipeline made = pipeline;
  made.place = GroupPlace::kParts;
  made.most_rows_out = rows;
  made.outputs = kCellArrays;
  made.output[kKeyArray].to.is_wide = true;
  made.output[kOrderArray].to.is_wide = order_limit > kMostPartRows;
  for (std::uint32_t i = 0; i < made.cells; ++i) {
    const CellWord word = word_of(made.cell[i]);
    if (word == CellWord::kNone) continue;
    if (made.outputs == kMostRowArrays) return false;
    made.output[made.outputs++].to.is_wide = word == CellWord::kWide;
  }
  // The other half is for what is loaded of the table, and for build sides.
  const std::uint64_t bytes = rows * (bytes_of_row(made) + bytes_of_part(made));
  if (bytes > space.memory.device_bytes_left() / 2) return false;
  pipeline = made;
  return true;
}

void leave_parts(Pipeline& pipeline) {
  pipeline.place = GroupPlace::kTable;
  pipeline.outputs = 0;
}

void plan_parts(const GroupPartLimits& limits, PartedRows& parts) {
  const std::uint32_t group_bytes = (2u + parts.cells) * std::uint32_t{sizeof(std::uint64_t)};
  parts.table_places = limits.table_bytes / group_bytes - 1;
  parts.most_part_rows = limits.most_part_rows;
  // Half of the places have groups, if each row has one of its own.
  const std::uint32_t wanted = parts.rows / std::max(parts.table_places / 2, 1u);
  const auto bits = static_cast<std::uint32_t>(std::bit_width(wanted));
  const std::uint32_t all = std::clamp(bits, 2u, limits.most_bits);
  parts.second_bits = all / 2;
  parts.first_bits = all - parts.second_bits;
}

void PartedGroups::clear() {
  rows_ = {};
  parts_ = {};
  count_ = 0;
}

Status PartedGroups::begin(Pipeline& pipeline) {
  const std::uint64_t rows = pipeline.most_rows_out;
  const ArrayPlaces places(pipeline, rows);
  PRESSO_ASSIGN(rows_, space_.memory.allocate(places.parts.bytes()));
  plan_ = {};
  plan_.arrays = pipeline.outputs;
  plan_.cells = pipeline.cells;
  for (std::uint32_t i = 0; i < pipeline.outputs; ++i) {
    RowArray& array = pipeline.output[i].to;
    array.values = rows_.get() + places.at[i];
    plan_.rows_of[i] = array.values;
    if (array.is_wide) plan_.wide_arrays |= static_cast<std::uint16_t>(1u << i);
  }
  std::uint32_t array = kCellArrays;
  for (std::uint32_t i = 0; i < pipeline.cells; ++i) {
    const bool has_word = word_of(pipeline.cell[i]) != CellWord::kNone;
    plan_.cell[i] = {pipeline.cell[i].kind, static_cast<Byte>(has_word ? array++ : 0)};
  }
  PRESSO_TRY(place_parts(places, rows * record_words(pipeline) * sizeof(std::uint64_t), rows));
  // The last step would look for the group of a key in the table.
  --pipeline.steps;
  pipeline.group_register = pipeline.program[pipeline.steps].a;
  return {};
}

/// Memory for what becomes of so many rows. Records come to lie where bundles of rows were.
Status PartedGroups::place_parts(const ArrayPlaces& bundles, std::uint64_t record_bytes,
                                 std::uint64_t rows) {
  plan_.rows = static_cast<std::uint32_t>(rows);
  plan_parts(space_.kernels.group_part_limits(), plan_);
  MemoryParts memory;
  memory.add(std::max(bundles.parts.bytes(), record_bytes));
  const std::uint64_t count = memory.add(sizeof(std::uint64_t));
  const auto add_words = [&memory](std::uint64_t words) {
    return memory.add(words * sizeof(std::uint32_t));
  };
  // Fewer rows have as many parts, or fewer.
  const std::uint64_t begins = add_words(plan_.parts() + 1);
  const std::uint64_t part_cursors = add_words(plan_.parts());
  const std::uint64_t bundle_cursors = add_words(plan_.bundles());
  const std::uint64_t bundle_tiles = add_words(plan_.bundles() + 1);
  PRESSO_ASSIGN(parts_, space_.memory.allocate(memory.bytes()));
  Byte* const there = parts_.get();
  for (std::uint32_t i = 0; i < plan_.arrays; ++i) plan_.bundles_of[i] = there + bundles.at[i];
  const auto words_at = [there](std::uint64_t at) {
    return reinterpret_cast<std::uint32_t*>(there + at);
  };
  plan_.records = reinterpret_cast<std::uint64_t*>(there);
  plan_.record_count = reinterpret_cast<std::uint64_t*>(there + count);
  plan_.begins = words_at(begins);
  plan_.part_cursors = words_at(part_cursors);
  plan_.bundle_cursors = words_at(bundle_cursors);
  plan_.bundle_tiles = words_at(bundle_tiles);
  return {};
}

Result<bool> PartedGroups::make(const Pipeline& pipeline, std::uint64_t rows) {
  count_ = 0;
  if (rows > pipeline.most_rows_out) return false;
  plan_.rows = static_cast<std::uint32_t>(rows);
  plan_.fault = pipeline.fault;
  plan_parts(space_.kernels.group_part_limits(), plan_);
  PRESSO_TRY(space_.kernels.sum_group_parts(plan_, space_.stream));
  PRESSO_TRY(space_.copy_back(&count_, plan_.record_count, sizeof count_));
  return true;
}

}  // namespace presso::gpu
