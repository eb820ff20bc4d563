// SPDX-License-Identifier: MIT
// Reads back the groups that a pipeline has left in device memory: kernels list them there as
// records (GroupList), a limited number at a time, which are then copied to the host. Tested by
// tests/queries/one_table.txt.
#pragma once

#include <functional>

#include "query/gpu/table/group_rows.h"
#include "query/gpu/table/run_space.h"

namespace presso::gpu {

/// Takes some records, in device memory, which others take the place of once what it has enqueued
/// is done.
using TakeGroups = std::function<Status(const std::uint64_t* records, std::uint64_t count)>;

/// Of all groups of a pipeline that have rows, in any order. Waits. Errors: kDeviceMemory,
/// kDeviceLost, those of `take`.
Status list_groups(const RunSpace& space, const Pipeline& pipeline, const TakeGroups& take);

/// Copies records behind those that there are. Waits.
Status copy_groups(const RunSpace& space, const std::uint64_t* records, std::uint64_t count,
                   GroupRecords& to);

/// All groups of a pipeline that have rows; without groups what became of all rows. Waits. Errors:
/// those of list_groups().
Result<GroupRecords> groups_of(const RunSpace& space, const Pipeline& pipeline);

}  // namespace presso::gpu
