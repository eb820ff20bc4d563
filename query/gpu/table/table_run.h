// SPDX-License-Identifier: MIT
// Runs a pipeline over tables in files: row groups come to the device in their stored form, as many
// at a time as fit, unless they are there already (resident_table.h). Tested by
// tests/queries/one_table.txt.
#pragma once

#include <functional>

#include "query/gpu/table/pipeline_run.h"

namespace presso::gpu {

/// Loads what is wanted of the execution's tables and runs the pipeline, which has begun, over it;
/// `done` is called for each loaded part. `most_rows`: of parts that are in device memory already,
/// where what becomes of their rows takes memory. Adds to the summary what was read, and notes.
/// Errors: kCancelled, those of TableLoader::next().
Status run_over_tables(const RunSpace& space, query::Execution& execution,
                       const PipelineBuilder& builder, PipelineRun& run,
                       const std::function<Status(const LoadedTable&)>& done,
                       std::uint64_t most_rows = ~std::uint64_t{0});

}  // namespace presso::gpu
