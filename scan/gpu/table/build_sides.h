// SPDX-License-Identifier: MIT
// Build sides of joins in device memory: a pipeline writes the rows that a table's conditions and
// own joins leave, as a key and the columns that are wanted, and a lookup is made of their keys.
// Tested by tests/simt/query_joins_on_gpu_test.cpp.
#pragma once

#include <vector>

#include "scan/gpu/table/group_rows.h"
#include "scan/gpu/table/table_run.h"

namespace presso::gpu {

/// What a stage of joins has in device memory.
struct BuildSide {
  std::uint64_t rows = 0;
  bool repeats = false;           ///< whether keys do
  unsigned order_bits = 0;        ///< of RowColumn::kOrder
  DeviceMemory values;            ///< of `columns`
  std::vector<RowArray> columns;  ///< as StageUse::columns
  DeviceMemory structure;         ///< of `lookup`
  DeviceMemory next;              ///< likewise
  Lookup lookup;
};

/// Of all stages, one after another, which `builder` is told about. Adds to the execution's summary
/// and notes. Errors: kUnsupported, with the reason, where a build side is no pipeline's or might
/// not fit; those of run_over_tables().
Result<std::vector<BuildSide>> build_sides(const RunSpace& space, query::Execution& execution,
                                           PipelineBuilder& builder);
/// Tells the pipeline, which `builder` has finished, where they are, and copies what else it reads
/// to the device: that memory must stay as long as it runs. Waits.
Result<DeviceMemory> place_arrays(const RunSpace& space, const PipelineBuilder& builder,
                                  const std::vector<BuildSide>& sides, Pipeline& pipeline);

/// The keys that the rows of `side` tell, which is that of builder.row_stage().
Result<RowKeys> keys_of_rows(const RunSpace& space, const PipelineBuilder& builder,
                             const BuildSide& side);

/// Numbers of the strings of keys where GroupInput has none; by key, nullptr where it is no string,
/// or one that is neither a dictionary's nor a small table's. Adds to the summary what was read.
Result<std::vector<std::unique_ptr<query::KeyCodes>>> codes_of_keys(query::Execution& execution,
                                                                    const query::GroupInput& input);

}  // namespace presso::gpu
