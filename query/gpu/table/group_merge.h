// SPDX-License-Identifier: MIT
// count(distinct x): rows are first grouped by the keys and x, as if x were a key, and groups with
// the same keys are then merged in device memory. Costs a table of all combinations. Tested by
// tests/queries/distinct.txt.
#pragma once

#include "query/gpu/table/pipeline_run.h"

namespace presso::gpu {

/// Merges the groups that `run` has made with a pipeline of `builder`, and forgets them; of what
/// comes of it each has one cell more, the number of its values (PipelineBuilder::merged()).
/// `table_bytes`: for a table of merged groups, at first. Waits. Errors: kUnsupported where there
/// is too little device memory; kInvalidArgument where a key is
/// outside of its column's range; kDeviceMemory, kDeviceLost.
Result<GroupRecords> merged_groups(const RunSpace& space, const PipelineBuilder& builder,
                                   std::uint64_t table_bytes, PipelineRun& run);

}  // namespace presso::gpu
