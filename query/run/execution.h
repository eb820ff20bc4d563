// SPDX-License-Identifier: MIT
// Runs a bound query. Slices are distributed to all threads, which test conditions, compute the
// wanted values of the rows that are left, and hand them on: to groups
// (query/answer/run_groups.cpp), to a sort (run_rows.cpp), or in the order of the rows
// (ordered_answer.h). Rows are handled in vectors of kBatchRows rows, and slices are claimed one by
// one, so threads need no further balancing.
// Tested by tests/unit/query/answer/query_test.cpp and tests/differential/query_oracle.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "query/filter/filter_run.h"
#include "query/plan/filter_plan.h"
#include "query/plan/query_spec.h"
#include "query/rows/slices.h"

namespace presso::query {

/// The memory that a query may use: QueryOptions::memory_bytes, or its default.
std::uint64_t memory_limit(const QueryOptions& options);

class JoinRun;
class JoinWorker;
class KeyOrders;
class MatchedRows;
struct JoinTree;
/// By source: the tables (files) whose rows follow one another.
using Sources = std::vector<std::vector<Table>>;

/// For each result the table's column whose dictionary codes it is given as
/// (query/answer/coded_answer.h); empty if all results are values.
using CodedResults = std::vector<std::optional<std::size_t>>;

/// What a run is asked to do: the run of a whole query, or of one build side. Immutable while the
/// run goes on, so all threads may read it.
struct RunInput {
  /// For a whole query. Keeps references to `sources` and `query`.
  RunInput(const Sources& sources, const BoundQuery& query, const QueryOptions& options,
           CodedResults coded, bool is_analyzed);
  /// For a build side of `whole`, which may use `memory_bytes`.
  RunInput(const RunInput& whole, const JoinTree& part, std::uint64_t memory_bytes);

  /// Returns kCancelled if the caller has asked to stop.
  Status check_cancelled() const;

  const Sources& sources;
  const BoundQuery& query;
  /// nullptr if there is a single source.
  const JoinTree* const tree;
  /// The tables that are read slice by slice: those of the tree's root.
  const std::vector<Table>& tables;
  /// The columns of `tables`, and the conditions on them alone.
  const BoundQuery& scan;
  /// Index of the first column of `tables` among those of `query`.
  const std::size_t first_column;
  /// False for a build side, whose rows are not tested for conditions after the joins.
  const bool is_whole;
  const QueryOptions options;
  const unsigned threads;
  const std::uint64_t memory_bytes;
  /// The sum over all sources.
  const std::uint64_t rows_in;
  /// Results that are given as codes.
  const CodedResults coded;
  /// Whether details for --explain=analyze are wanted in RunState::notes.
  const bool is_analyzed;
  /// Which keys ascend; shared with the runs of build sides.
  const std::shared_ptr<KeyOrders> key_orders;
};

/// The state of a run. Changed only by the thread that controls the run, while workers read it.
struct RunState {
  /// nullptr without joins.
  std::shared_ptr<JoinRun> joins;
  /// How conditions on the tables are tested. In a pass over a part of the keys it includes the
  /// part's condition.
  FilterPlan plan;
  /// The plan extended by conditions on the keys of build sides.
  std::optional<FilterPlan> with_keys;
  /// nullptr if there is no device, or it has failed.
  std::shared_ptr<QueryDevice> device;
  /// If false, a build side that does not fit into memory is an error.
  bool may_divide = true;
  /// What the caller is told of the run.
  QuerySummary summary;
  /// Rows of the last run over all slices, whether they matched or not.
  std::uint64_t rows_seen = 0;
  std::shared_ptr<ReadCounters> counters = std::make_shared<ReadCounters>();
  /// Whether a run over all slices has begun.
  bool began = false;
  /// Whether only the number of matching rows is wanted.
  bool only_counts = false;
  /// Whether the order of joined rows matters to the consumer.
  bool wants_numbers = true;
  /// Columns that are read besides those of conditions and programs: codes.
  std::set<std::size_t> extra_columns;
  std::vector<FilterRunner::Count> condition_counts;
  /// The rows that a device or find_first_rows() has found; if set, conditions are not tested
  /// again.
  std::shared_ptr<const MatchedRows> matched;
  /// Texts for --explain: how groups were found and rows were sorted.
  std::vector<std::string> notes;
};

/// Whether some join has no equality, so that its key is a constant. A device does no such joins.
bool joins_by_constant(const BoundQuery& query, const JoinTree& tree);
constexpr const char* kNoEquality = "a join without an equality";

/// A run: what it is asked, and how far it is. Must not be moved after start().
struct Execution : RunInput, RunState {
  Execution(const Sources& sources, const BoundQuery& query, const QueryOptions& options,
            CodedResults coded = {}, bool is_analyzed = false);
  /// The run of a build side of `whole`, with whom it shares device and counters.
  Execution(const Execution& whole, const JoinTree& part, std::uint64_t memory_bytes);
  /// Creates the joins. To be called before anything else, once the object has its final address.
  void start();

  /// The plan that rows of `tables` are tested with.
  const FilterPlan& asked() const { return with_keys ? *with_keys : plan; }
};

/// The memory of one thread, made by the thread on its first slice.
struct Worker {
  Worker(const Execution& execution, const Program& program);
  ~Worker();

  /// nullptr without joins.
  std::unique_ptr<JoinWorker> joins;
  SliceReader reader;
  /// Evaluates conditions; its counters are added up at the end.
  FilterRunner filters;
  Program::State state;
  Selection selection;
  /// The bitmap of the slice's rows that fulfil all conditions.
  std::vector<std::uint64_t> bits;
  std::vector<VectorView> inputs;
  std::vector<VectorView> results;
};

/// Up to kBatchRows rows with the values that `program` has computed for them. Valid during the
/// call of TakeRows only.
struct RowBatch {
  std::uint32_t count = 0;
  RowNumbers numbers;
  const std::vector<VectorView>& results;
  // Where rows that are not joined come from; unset for joined ones.
  SliceReader* reader = nullptr;
  std::uint32_t vector = 0;
  const Selection* selection = nullptr;
};
using TakeRows = std::function<Status(const RowBatch&)>;
using TakeOfWorker = std::function<Status(unsigned worker, const RowBatch&)>;

/// Runs one slice: tests conditions, joins, computes `program`, and calls `take` for each vector
/// that has rows. Adds the number of matching rows to `matched`. Errors: those of reading, of
/// expressions that fail, and of `take`.
Status run_slice(const Execution& execution, const Program& program, Worker& worker,
                 const Slice& slice, std::uint64_t& matched, const TakeRows& take);

/// Runs all slices on all threads, in any order. `take` is called concurrently and receives the
/// number of its thread, below execution.threads.
Status run_slices(Execution& execution, const Program& program, const TakeOfWorker& take);
/// Passes on the build rows of a stage that outer, semi or anti joins return after all other rows.
Status run_build_rows(Execution& execution, const Program& program, std::size_t stage,
                      const TakeOfWorker& take);

/// Runs everything: all passes and all stages of joins, on all threads, in any order. Prepares the
/// joins if that was not done.
Status run_all(Execution& execution, const Program& program, const TakeOfWorker& take);

/// The columns of the root that conditions, joins and `program` read, in ascending order.
std::vector<std::size_t> columns_read(const Execution& execution, const Program& program);

/// Adds the counters of the threads to the execution. Called after the threads have finished.
void add_counts(Execution& execution, const std::vector<std::unique_ptr<Worker>>& workers);
/// Updates the summary by what has been read and skipped so far; `source` is that of the root.
void add_reads(Execution& execution, const SliceSource& source);

/// The whole answer of a query without groups, to `sink`.
Status run_rows(Execution& execution, ResultSink& sink);
/// The whole answer of a query with groups, to `sink`.
Status run_groups(Execution& execution, ResultSink& sink);

}  // namespace presso::query
