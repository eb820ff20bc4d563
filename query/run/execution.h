// SPDX-License-Identifier: MIT
// Runs a bound query: slices go to all threads, which test conditions, compute what is asked for of
// the rows that are left, and hand it on: to groups (run_groups.cpp), to be sorted (run_rows.cpp),
// or in the order of the rows (ordered_answer.h). Tested by tests/unit/query/answer/query_test.cpp
// and tests/differential/query_oracle.
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

class JoinRun;
class JoinWorker;
class KeyOrders;
class MatchedRows;
struct JoinTree;
using Sources = std::vector<std::vector<Table>>;

/// For each result the table's column whose codes it is (coded_answer.h); empty: all are values.
using CodedResults = std::vector<std::optional<std::size_t>>;

/// What the run of a query is asked, or that of one of its build sides. It stays as it is while the
/// run goes on.
struct RunInput {
  /// A whole query. `sources` and `query` are kept by reference.
  RunInput(const Sources& sources, const BoundQuery& query, const QueryOptions& options,
           CodedResults coded, bool is_analyzed);
  /// A build side of `whole`.
  RunInput(const RunInput& whole, const JoinTree& part, std::uint64_t memory_bytes);

  /// kCancelled, where who asked has said so.
  Status check_cancelled() const;

  const Sources& sources;
  const BoundQuery& query;
  const JoinTree* const tree;        ///< nullptr: there is one source
  const std::vector<Table>& tables;  ///< those that are read slice by slice: of the tree's root
  const BoundQuery& scan;            ///< the columns of `tables`, and conditions on them alone
  const std::size_t first_column;    ///< of `tables` among those of `query`
  const bool is_whole;               ///< no build side: conditions behind the joins are tested
  const QueryOptions options;
  const unsigned threads;
  const std::uint64_t memory_bytes;
  const std::uint64_t rows_in;  ///< of all sources
  const CodedResults coded;     ///< results that are given as codes
  const bool is_analyzed;       ///< what steps take is wanted in RunState::notes
  /// What is known of the order of keys; build sides share it.
  const std::shared_ptr<KeyOrders> key_orders;
};

/// What changes while a query runs.
struct RunState {
  std::shared_ptr<JoinRun> joins;  ///< nullptr: there are none
  /// How conditions on the tables are tested; in a pass over a part of them with that part's.
  FilterPlan plan;
  std::optional<FilterPlan> with_keys;  ///< and what build sides tell of their rows' keys
  /// nullptr: there is none, or it has failed.
  std::shared_ptr<QueryDevice> device;
  bool may_divide = true;  ///< else what does not fit into memory is an error
  QuerySummary summary;
  std::uint64_t rows_seen = 0;  ///< of the last run over all slices, matching or not
  std::shared_ptr<ReadCounters> counters = std::make_shared<ReadCounters>();
  bool began = false;                   ///< a run over all slices
  bool only_counts = false;             ///< of rows that match, nothing but their number is wanted
  bool wants_numbers = true;            ///< the order of joined rows matters to who takes them
  std::set<std::size_t> extra_columns;  ///< read beside conditions and programs: codes
  std::vector<FilterRunner::Count> condition_counts;
  /// Where a device has tested the conditions: what it has found.
  std::shared_ptr<const MatchedRows> matched;
  std::vector<std::string> notes;  ///< how groups were found, rows sorted: for --explain
};

/// A run: what it is asked, and how far it is.
struct Execution : RunInput, RunState {
  Execution(const Sources& sources, const BoundQuery& query, const QueryOptions& options,
            CodedResults coded = {}, bool is_analyzed = false);
  /// A build side of `whole`.
  Execution(const Execution& whole, const JoinTree& part, std::uint64_t memory_bytes);
  /// Before anything else, when it does not move any more.
  void start();

  /// What the rows of `tables` are asked.
  const FilterPlan& asked() const { return with_keys ? *with_keys : plan; }
};

/// What a thread has for itself.
struct Worker {
  Worker(const Execution& execution, const Program& program);
  ~Worker();

  std::unique_ptr<JoinWorker> joins;  ///< nullptr: there are none
  SliceReader reader;
  FilterRunner filters;
  Program::State state;
  Selection selection;
  std::vector<std::uint64_t> bits;
  std::vector<VectorView> inputs;
  std::vector<VectorView> results;
};

/// Some rows with what `program` gives for them.
struct RowBatch {
  std::uint32_t count = 0;
  RowNumbers numbers;
  const std::vector<VectorView>& results;
  // Of rows that are not joined: where they come from.
  SliceReader* reader = nullptr;
  std::uint32_t vector = 0;
  const Selection* selection = nullptr;
};
using TakeRows = std::function<Status(const RowBatch&)>;
using TakeOfWorker = std::function<Status(unsigned worker, const RowBatch&)>;

/// Calls `take` for each vector of the slice that has rows. Adds to rows_matched.
Status run_slice(const Execution& execution, const Program& program, Worker& worker,
                 const Slice& slice, std::uint64_t& matched, const TakeRows& take);

/// The same for all slices, on all threads, in any order; `take` knows the number of the thread.
Status run_slices(Execution& execution, const Program& program, const TakeOfWorker& take);
/// Rows of the build side of a stage that come out when all others have been joined.
Status run_build_rows(Execution& execution, const Program& program, std::size_t stage,
                      const TakeOfWorker& take);

/// All slices on all threads, in any order, with their joins; `take` knows the number of the
/// thread.
Status run_all(Execution& execution, const Program& program, const TakeOfWorker& take);

/// The columns that conditions and `program` read, ascending.
std::vector<std::size_t> columns_read(const Execution& execution, const Program& program);

/// What the threads have counted.
void add_counts(Execution& execution, const std::vector<std::unique_ptr<Worker>>& workers);
/// What was read and skipped of the tables so far, of which `source` is the root.
void add_reads(Execution& execution, const SliceSource& source);

/// Rows as they come, or sorted.
Status run_rows(Execution& execution, ResultSink& sink);
/// Groups.
Status run_groups(Execution& execution, ResultSink& sink);

}  // namespace presso::query
