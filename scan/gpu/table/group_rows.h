// SPDX-License-Identifier: MIT
// From what a pipeline has left in its cells to the groups as Grouping::finish() gives them.
// Tested by tests/simt/query_on_gpu_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "scan/gpu/table/pipeline_builder.h"
#include "scan/values/row_store.h"

namespace presso::gpu {

/// Of keys that build rows tell (PipelineBuilder::row_stage()), by key and row; others are empty.
using RowKeys = std::vector<std::vector<std::int64_t>>;

struct GroupCells {
  std::vector<std::uint64_t> cells;  ///< as PipelineRun::cells()
  RowKeys row_keys;
};

/// In the order of the groups' first rows.
query::RowStore rows_of_groups(const PipelineBuilder& builder, const query::BoundQuery& bound,
                               const query::GroupInput& input, const GroupCells& from);

}  // namespace presso::gpu
