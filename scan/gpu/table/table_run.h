// SPDX-License-Identifier: MIT
// Runs a pipeline over tables in files: row groups come to the device as they are stored, as many
// at a time as fit. Tested by tests/simt/query_on_gpu_test.cpp.
#pragma once

#include <functional>

#include "scan/gpu/table/pipeline_run.h"

namespace presso::gpu {

/// Loads what is wanted of the execution's tables and runs the pipeline, which has begun, over it;
/// `done` is called for each loaded part. Adds to the summary what was read. Errors: kCancelled,
/// those of TableLoader::next().
Status run_over_tables(const RunSpace& space, query::Execution& execution,
                       const PipelineBuilder& builder, PipelineRun& run,
                       const std::function<Status(const DeviceTable&)>& done);

}  // namespace presso::gpu
