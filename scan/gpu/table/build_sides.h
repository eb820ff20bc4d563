// SPDX-License-Identifier: MIT
// Build sides of joins in device memory: a pipeline writes the rows that a table's conditions and
// own joins leave, as a key and the columns that are wanted, and a lookup is made of their keys.
// Tested by tests/simt/query_joins_on_gpu_test.cpp.
#pragma once

#include <memory>
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
  DeviceMemory marks;  ///< bits of rows that have found a partner, where these matter
};

/// What rows of a build side pass that come out when all others have been joined.
struct BuildRowPipeline {
  std::size_t stage = 0;
  Pipeline pipeline;
};

/// A pipeline of a query, and what it reads beside the table.
struct QueryPipeline {
  explicit QueryPipeline(query::Execution& execution)
      : codes(execution), builder(execution, codes) {}

  ColumnCodes codes;
  PipelineBuilder builder;
  std::vector<BuildSide> sides;
  DeviceMemory arrays;
  Pipeline pipeline;
  std::vector<BuildRowPipeline> of_build_rows;  ///< in the order in which they have to run
};

/// Makes it, and all build sides. Adds to the execution's summary and notes. `rows`: that there are
/// at most. Waits. Errors: kUnsupported, with the reason, where the query or a build side is no
/// pipeline's, or a build side might not fit; those of run_over_tables().
Result<std::unique_ptr<QueryPipeline>> make_group_pipeline(const RunSpace& space,
                                                           query::Execution& execution,
                                                           const query::GroupInput& input,
                                                           std::uint64_t rows);
/// The same where joined rows are wanted: these columns of BoundQuery::columns.
Result<std::unique_ptr<QueryPipeline>> make_row_pipeline(const RunSpace& space,
                                                         query::Execution& execution,
                                                         const std::vector<std::size_t>& columns);

/// Copies the arrays that are made of the pipeline's own table and of its columns' values to the
/// device: that memory must stay as long as it runs.
Result<DeviceMemory> place_values(const RunSpace& space, const PipelineBuilder& builder,
                                  Pipeline& pipeline);

/// Forgets which build rows have found a partner: before each run over the tables.
Status clear_marks(const RunSpace& space, const QueryPipeline& of);
/// After a run over the tables: runs over the build rows that come out at the end. `done` is called
/// after each stage, with its number. Waits.
Status run_over_build_rows(const RunSpace& space, const QueryPipeline& of, PipelineRun& run,
                           const std::function<Status(std::size_t)>& done);

/// The keys that build rows tell; empty where there is no such stage.
Result<RowKeys> keys_of_rows(const RunSpace& space, const QueryPipeline& of);

}  // namespace presso::gpu
