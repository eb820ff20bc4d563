// SPDX-License-Identifier: MIT
// Runs a query's pipeline over its tables if a build side is larger than device memory allows. The
// build side is made in parts, each with the rows whose keys lie in one range of all keys, and the
// pipeline runs once for each part; groups accumulate across passes. In each pass, rows whose keys
// belong to another part are dropped, and rows without a key in all passes but one, so that every
// row passes once. Costs one scan of the tables for each part. Tested by
// tests/queries/passes.txt.
#pragma once

#include <functional>

#include "query/gpu/table/build_sides.h"

namespace presso::gpu {

/// A build side is made in at most so many parts. Tables in files are read again for each.
constexpr std::uint64_t kMostPasses = 16;

/// What is done between runs. All may be called once for each pass.
struct PassActions {
  /// After a run over a part of the tables.
  std::function<Status(const LoadedTable&)> table = [](const LoadedTable&) { return Status(); };
  /// After the rows of a stage's build side that come out at the end have passed.
  std::function<Status(std::size_t)> build_rows = [](std::size_t) { return Status(); };
  /// As run_over_tables() says.
  std::uint64_t most_rows = ~std::uint64_t{0};
};

/// `run` has begun with the pipeline. Ends early where run.fault() tells that all has to begin
/// again. Adds to the execution's summary, which counts what is read in each pass, and notes.
/// Waits. Errors: kUnsupported where too many passes would be needed, or rows of a single key, or
/// what is needed beside a part, do not fit; those of BuildSideMaker::make() and run_over_tables().
Status run_passes(const RunSpace& space, query::Execution& execution, QueryPipeline& of,
                  PipelineRun& run, const PassActions& actions);

}  // namespace presso::gpu
