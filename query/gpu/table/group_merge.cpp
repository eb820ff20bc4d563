// SPDX-License-Identifier: MIT
// Implements group_merge.h: merges groups that differ in x alone, and enlarges the table of merged
// groups until they fit. kUnsupported, which leaves the query to the CPU, where it cannot grow
// further; kInvalidArgument for a key outside of its column's range.
#include "query/gpu/table/group_merge.h"

#include <algorithm>

#include "decompress/gpu/runtime/memory_parts.h"
#include "query/gpu/kernels/group_merge_plan.h"
#include "query/gpu/kernels/node_width.h"
#include "query/gpu/table/group_lists.h"

namespace presso::gpu {
namespace {

/// Two thread blocks of a multiprocessor have cells of their own, as any device allows them.
constexpr std::uint64_t kMostSharedBytes = std::uint64_t{1} << 15;

/// Between the groups of `from` and those of `to`, which has cells.
GroupMerge merge_of(const PipelineBuilder::Key& value, const Pipeline& from, const Pipeline& to) {
  GroupMerge merge;
  merge.values = value.values;
  merge.has_null = value.nullable;
  merge.null_value = value.values == 0 ? static_cast<std::uint64_t>(kNullReal) : value.values - 1;
  merge.cells = from.cells;
  for (std::uint32_t i = 0; i < to.cells; ++i) merge.kinds[i] = to.cell[i].kind;
  merge.groups = to.groups;
  merge.group_words = to.group_words;
  merge.table_buckets = to.table_buckets;
  merge.table_probes = to.table_probes;
  merge.table_keys = to.table_keys;
  merge.cells_out = to.cells_out;
  merge.fault = to.fault;
  const std::uint64_t bytes = to.groups * merge.words_of_group() * sizeof(std::uint64_t);
  merge.in_shared = to.table_buckets == 0 && bytes <= kMostSharedBytes;
  return merge;
}

/// Memory for the groups of `to`, without a row.
Result<DeviceMemory> make_cells(const RunSpace& space, Pipeline& to) {
  if (group_bytes(to) > space.memory.device_bytes_left() / 2) {
    return refused("groups of count(distinct) for which there may be too little device memory");
  }
  constexpr std::uint64_t kFaultBytes = MemoryParts::kAlignment;
  PRESSO_ASSIGN(DeviceMemory cells, space.memory.allocate(kFaultBytes + group_bytes(to)));
  to.fault = reinterpret_cast<std::uint64_t*>(cells.get());
  to.table_keys = reinterpret_cast<std::uint64_t*>(cells.get() + kFaultBytes);
  to.cells_out = to.table_keys + table_places(to);
  PRESSO_TRY(space.kernels.clear(cells.get(), kFaultBytes, space.stream));
  PRESSO_TRY(space.kernels.clear_cells(to, space.stream));
  return cells;
}

}  // namespace

Result<GroupRecords> merged_groups(const RunSpace& space, const PipelineBuilder& builder,
                                   std::uint64_t table_bytes, PipelineRun& run) {
  const DeviceStep step(space.device(), "groups merged");
  Pipeline to = builder.merged(run.pipeline(), table_bytes);
  for (;;) {
    PRESSO_ASSIGN(const DeviceMemory cells, make_cells(space, to));
    GroupMerge merge = merge_of(*builder.distinct(), run.pipeline(), to);
    PRESSO_TRY(run.list([&](const std::uint64_t* records, std::uint64_t count) -> Status {
      merge.records = records;
      merge.count = count;
      return space.kernels.merge_groups(merge, space.stream);
    }));
    std::uint64_t fault = 0;
    PRESSO_TRY(space.copy_back(&fault, to.fault, sizeof fault));
    if (fault == kKeyIsOutside) {
      return make_error(ErrorCode::kInvalidArgument, "a key is outside of its column's range");
    }
    if (fault == 0) {
      run.drop_groups();
      return groups_of(space, to);
    }
    if (!builder.enlarge_table(to)) {
      return refused("keys of groups that have too many others near them");
    }
  }
}

}  // namespace presso::gpu
