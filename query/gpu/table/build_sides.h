// SPDX-License-Identifier: MIT
// Build sides of joins in device memory: the rows that a table's conditions and own joins leave, as
// a key and the wanted columns (build_rows.h), and a lookup made of the keys. Tested by
// tests/queries/joins.txt.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "query/gpu/table/build_rows.h"
#include "query/gpu/table/group_rows.h"
#include "query/gpu/table/host_columns.h"
#include "query/gpu/table/table_run.h"

namespace presso::gpu {

/// What a stage of joins has in device memory.
struct BuildSide {
  std::uint64_t rows = 0;
  bool repeats = false;           ///< whether keys do
  unsigned order_bits = 0;        ///< of RowColumn::kOrder
  DeviceMemory values;            ///< of `columns`
  PinnedMemory host_values;       ///< in place of `values`, where they are in host memory
  std::vector<RowArray> columns;  ///< as StageUse::columns
  DeviceMemory structure;         ///< of `lookup`
  DeviceMemory next;              ///< likewise
  DeviceMemory counts;            ///< in place of `next`: how many rows a key has (StageUse)
  Lookup lookup;
  DeviceMemory marks;  ///< bits of rows that have found a partner, where these matter
};

/// Makes a stage's build side, as a whole or in parts.
class BuildSideMaker {
 public:
  /// All are kept by reference. `host_bytes`: as BuildRowMaker says.
  BuildSideMaker(const RunSpace& space, query::Execution& parent, const PipelineBuilder& builder,
                 ColumnCodes& codes, const StageUse& use, std::uint64_t host_bytes)
      : space_(space),
        parent_(parent),
        builder_(builder),
        use_(use),
        rows_(space, parent, codes, use, host_bytes) {}

  /// Makes `side` of the rows whose keys are in `part`; what it had before goes first. False: they
  /// do not fit, and it has nothing but their number, and order_bits. Adds to the summary and notes
  /// of the parent. Waits. Errors: kInvalidArgument, where the keys do not allow the strategy that
  /// is asked for, and the CPU is not to follow it instead; those of BuildRowMaker::make().
  Result<bool> make(const KeyInterval& part, BuildSide& side) { return make(part, {}, side); }
  /// The same with columns in host memory, once the side has the number of its rows. False, with
  /// the side as it was without rows: they do not fit either, also where pinned memory is refused.
  Result<bool> make_on_host(const KeyInterval& part, BuildSide& side);
  /// From now on, as BuildRowMaker says.
  void put_columns(bool on_host) { rows_.put_columns(on_host); }
  /// Whether columns of so many rows may be in host memory, and there are any.
  bool may_be_on_host(std::uint64_t rows) const {
    return !use_.columns.empty() && column_bytes(use_, rows) <= rows_.host_bytes();
  }
  bool are_on_host() const { return rows_.are_on_host(); }
  /// How many rows of the part may be made, as BuildRowMaker says.
  std::uint64_t most_rows(const KeyInterval& part) const { return rows_.most_rows(range_of(part)); }
  std::uint64_t most_found() const { return rows_.most_found(); }
  void set_most_rows(std::uint64_t rows) { rows_.set_most_rows(rows); }
  /// "", or who has made the rows in place of a pipeline; "an array of 8 places".
  const std::string& who() const { return rows_.who(); }
  const std::string& structure() const { return structure_; }

 private:
  std::optional<LookupPlan::Range> range_of(const KeyInterval& part) const;
  Error unfit(const char* why) const;
  Result<bool> make(const KeyInterval& part, const std::optional<std::uint64_t>& rows,
                    BuildSide& side);
  Status make_lookup(BuildRows& rows, const std::optional<LookupPlan::Range>& range,
                     BuildSide& side);
  Result<LookupPlan> build_lookup(BuildRows& rows, LookupPlan plan, BuildSide& side);
  Result<bool> build_ascending(const BuildRows& rows, BuildSide& side);
  Status build_other(const JoinRows& build, BuildSide& side);

  const RunSpace& space_;
  const query::Execution& parent_;
  const PipelineBuilder& builder_;
  const StageUse& use_;
  BuildRowMaker rows_;
  std::string structure_;
};

/// Pinned host memory that columns of these have.
std::uint64_t host_bytes_of(const std::vector<BuildSide>& sides);
/// What of it may still be used for columns beside those of the query's `sides`.
std::uint64_t host_bytes_left(const RunSpace& space, const query::Execution& execution,
                              const std::vector<BuildSide>& sides);

/// What is to be told of columns in host memory: ", columns of 8,000 bytes in host memory".
std::string host_text(const StageUse& use, std::uint64_t rows);

/// A build side that does not fit into device memory as a whole.
struct LargeSide {
  std::size_t stage = 0;
  std::uint64_t rows = 0;
  std::uint64_t most_rows = 0;  ///< for which there was memory, where that has been found
  unsigned order_bits = 0;
};

/// What columns of `rows` of the large side in host memory would take, and the passes that this
/// saves. Errors: those of count_by_zones().
Result<HostColumns> host_columns(const RunSpace& space, const query::Execution& execution,
                                 const PipelineBuilder& builder, const StageUse& use,
                                 std::uint64_t rows, double passes);

/// What rows of a build side pass that come out when all others have been joined.
struct BuildRowPipeline {
  std::size_t stage = 0;
  Pipeline pipeline;
};

/// A pipeline of a query, and what it reads beside the table.
struct QueryPipeline {
  QueryPipeline(query::Execution& execution, const RunSpace& space)
      : codes(execution, &space), builder(execution, codes, space.sums) {}

  ColumnCodes codes;
  PipelineBuilder builder;
  std::vector<BuildSide> sides;
  DeviceMemory arrays;
  Pipeline pipeline;
  bool needs_table = false;  ///< groups cannot be added up part by part: it was tried
  std::vector<BuildRowPipeline> of_build_rows;  ///< in the order in which they have to run
  /// The build side that is made in parts, none of which has been made yet (run_passes()).
  std::optional<LargeSide> in_parts;
};

/// Of all stages, one after another, which `builder` is told about. `host_bytes`: of pinned host
/// memory that columns may take, together. Adds to the execution's summary and notes. Errors:
/// kUnsupported, also where a side does not fit.
Result<std::vector<BuildSide>> build_sides(const RunSpace& space, query::Execution& execution,
                                           PipelineBuilder& builder, ColumnCodes& codes,
                                           std::uint64_t host_bytes);

/// Tells a pipeline, which `builder` has finished, where lookups and columns of build sides are.
void place_sides(const PipelineBuilder& builder, const std::vector<BuildSide>& sides,
                 Pipeline& pipeline);

/// Makes QueryPipeline::of_build_rows of what the pipeline is told.
Status make_build_row_pipelines(QueryPipeline& made);

/// How large a table of groups is at first. Groups are mostly fewer than rows: a table that stays
/// in the cache, beside what is read, comes first (10^6 keys: 5.6 ms in half of it, 5.0 in five
/// eighths, 5.4 in all of it).
Result<std::uint64_t> first_table_bytes(const RunSpace& space);

/// Makes it, and all build sides but one that is made in parts. Adds to the execution's summary and
/// notes. `rows`: that sums have room for, at least. `choice`: which aggregates it gives. Waits.
/// Errors: kUnsupported, with the reason, where the query or a build side is no pipeline's, or two
/// build sides might not fit; those of run_over_tables().
Result<std::unique_ptr<QueryPipeline>> make_group_pipeline(const RunSpace& space,
                                                           query::Execution& execution,
                                                           const query::GroupInput& input,
                                                           std::uint64_t rows,
                                                           const AggregateChoice& choice);
/// The same where joined rows are wanted: these columns of BoundQuery::columns.
Result<std::unique_ptr<QueryPipeline>> make_row_pipeline(const RunSpace& space,
                                                         query::Execution& execution,
                                                         const std::vector<std::size_t>& columns);

/// Copies the arrays that are made of the pipeline's own table and of its columns' values to the
/// device: that memory must stay as long as it runs.
Result<DeviceMemory> place_values(const RunSpace& space, const PipelineBuilder& builder,
                                  Pipeline& pipeline);

/// The keys that build rows tell; empty where there is no such stage.
Result<RowKeys> keys_of_rows(const RunSpace& space, const QueryPipeline& of);

}  // namespace presso::gpu
