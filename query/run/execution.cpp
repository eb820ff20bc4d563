// SPDX-License-Identifier: MIT
// Implements execution.h: sets up a run, and loops over the slices of the root (up to 65,536 rows
// of a row group each). Each slice is filtered, joined and computed by one thread; run_ordered()
// distributes slices to threads and collects their outcomes.
#include "query/run/execution.h"

#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>

#include "format/columns/bit_copy.h"
#include "presso/ordered_pipeline.h"
#include "query/rows/build_row_source.h"
#include "query/rows/table_facts.h"
#include "query/run/join_run.h"
#include "query/run/join_spill.h"
#include "query/run/key_order.h"
#include "query/run/query_device.h"

namespace presso::query {
namespace {

/// The number of rows that a bitmap selects; no value is read.
std::uint64_t count_selected(const std::vector<std::uint64_t>& bits) {
  std::uint64_t rows = 0;
  for (const std::uint64_t word : bits) rows += ones_of(word);
  return rows;
}

/// The default memory limit: half of the machine's memory, or 1 GiB if that is unknown.
std::uint64_t half_of_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page_bytes <= 0) return std::uint64_t{1} << 30;
  return static_cast<std::uint64_t>(pages) / 2 * static_cast<std::uint64_t>(page_bytes);
}

/// All rows of all tables, as the summary reports them.
std::uint64_t rows_of_all(const Sources& sources) {
  std::uint64_t rows = 0;
  for (const std::vector<Table>& tables : sources) rows += rows_of(tables);
  return rows;
}

/// The options for a build side: a plan that the user dictates is for the root only.
QueryOptions without_plan(QueryOptions options) {
  options.plan = {};
  return options;
}

}  // namespace

std::uint64_t memory_limit(const QueryOptions& options) {
  return options.memory_bytes != 0 ? options.memory_bytes : half_of_memory();
}

RunInput::RunInput(const Sources& sources_of_query, const BoundQuery& bound,
                   const QueryOptions& asked, CodedResults codes, bool analyze)
    : sources(sources_of_query),
      query(bound),
      tree(bound.joins == nullptr ? nullptr : &bound.joins->tree),
      tables(sources[tree == nullptr ? 0 : tree->root]),
      scan(tree == nullptr ? bound : bound.joins->sources[tree->root].scan),
      first_column(tree == nullptr ? 0 : bound.joins->sources[tree->root].first_column),
      is_whole(true),
      options(asked),
      threads(threads_or_all(asked.threads)),
      memory_bytes(memory_limit(asked)),
      rows_in(rows_of_all(sources)),
      coded(std::move(codes)),
      is_analyzed(analyze),
      key_orders(std::make_shared<KeyOrders>()) {}

RunInput::RunInput(const RunInput& whole, const JoinTree& part, std::uint64_t memory)
    : sources(whole.sources),
      query(whole.query),
      tree(&part),
      tables(sources[part.root]),
      scan(query.joins->sources[part.root].scan),
      first_column(query.joins->sources[part.root].first_column),
      is_whole(false),
      options(without_plan(whole.options)),
      threads(whole.threads),
      memory_bytes(memory),
      rows_in(whole.rows_in),
      is_analyzed(false),
      key_orders(whole.key_orders) {}

/// Recursive; trees are as deep as build sides are nested.
bool joins_by_constant(const BoundQuery& query, const JoinTree& tree) {
  return std::any_of(tree.stages.begin(), tree.stages.end(), [&query](const BoundStage& stage) {
    return query.input->is_constant(stage.build_keys.front()) ||
           joins_by_constant(query, stage.build);
  });
}

Status RunInput::check_cancelled() const {
  if (options.cancelled == nullptr || !options.cancelled->load(std::memory_order_relaxed))
    return {};
  return make_error(ErrorCode::kCancelled);
}

Execution::Execution(const Sources& all, const BoundQuery& bound, const QueryOptions& asked,
                     CodedResults codes, bool analyze)
    : RunInput(all, bound, asked, std::move(codes), analyze) {
  summary.rows_in = rows_in;
  if (tree == nullptr || !joins_by_constant(query, *tree)) {
    device = options.device;
  } else if (options.device != nullptr) {
    summary.why_cpu = kNoEquality;
  }
}

Execution::Execution(const Execution& whole, const JoinTree& part, std::uint64_t memory)
    : RunInput(whole, part, memory) {
  device = whole.device;
  counters = whole.counters;
}

void Execution::start() {
  if (tree != nullptr && !tree->stages.empty()) joins = std::make_shared<JoinRun>(*this);
}

/// Allocates the bitmap of a slice; readers and programs allocate when they are first used.
Worker::Worker(const Execution& execution, const Program& program)
    : reader(physical_of(execution.scan.columns)),
      state(program),
      bits(kSliceWords),
      results(program.results().size()) {
  if (execution.joins == nullptr) return;
  joins = std::make_unique<JoinWorker>(execution, *execution.joins, program);
}
Worker::~Worker() = default;

std::vector<std::size_t> columns_read(const Execution& execution, const Program& program) {
  // A set, since conditions and programs often read the same columns.
  std::set<std::size_t> columns = execution.extra_columns;
  if (execution.joins != nullptr) {
    for (const std::size_t column : execution.joins->root_columns(program)) columns.insert(column);
  } else {
    for (const std::size_t column : program.inputs()) {
      columns.insert(column - execution.first_column);
    }
  }
  for (const Condition& condition : execution.asked().conditions) {
    for (const std::size_t column : columns_of(condition.filter)) columns.insert(column);
  }
  return {columns.begin(), columns.end()};
}

Status run_slice(const Execution& execution, const Program& program, Worker& worker,
                 const Slice& slice, std::uint64_t& matched, const TakeRows& take) {
  worker.reader.open(slice);
  // The rows are known already; conditions are not tested again.
  if (execution.matched != nullptr) {
    const GroupContext& group = *slice.group;
    const std::uint64_t* const bits =
        execution.matched->find(group.table, group.reader->group(), slice.first);
    if (bits == nullptr) return {};
    std::copy_n(bits, kSliceWords, worker.bits.data());
  } else {
    PRESSO_TRY(worker.filters.run(execution.asked(), worker.reader, worker.bits.data()));
  }
  const std::uint64_t rows = count_selected(worker.bits);
  // If the scan has decided all joins, its rows are treated as those of a single table.
  if (worker.joins != nullptr && rows != 0 && !execution.joins->is_decided()) {
    worker.reader.expect_all_vectors(rows * 8 >= slice.rows);
    return worker.joins->run_slice(slice, worker.bits.data(), worker.reader, matched, take);
  }
  matched += rows;
  // count(*) decodes no column.
  if (rows == 0 || execution.only_counts) return {};
  worker.reader.expect_all_vectors(rows * 8 >= slice.rows);
  for (std::uint32_t vector = 0; vector < slice.vectors(); ++vector) {
    const std::uint64_t* const bits = worker.bits.data() + std::size_t{vector} * kBatchWords;
    // Values are loaded for the selected rows only, next to each other.
    worker.selection.set(bits, slice.vector_rows(vector));
    if (worker.selection.count == 0) continue;
    worker.inputs.clear();
    for (const std::size_t column : program.inputs()) {
      PRESSO_ASSIGN(const VectorView view,
                    worker.reader.load(column - execution.first_column, vector, worker.selection));
      worker.inputs.push_back(view);
    }
    const auto failure =
        program.run(worker.state, worker.inputs, worker.selection.count, worker.results);
    if (failure) {
      const std::uint32_t row =
          worker.selection.all ? failure->row : worker.selection.rows[failure->row];
      return failure_error(*failure, slice.first_row() + vector * kBatchRows + row);
    }
    const RowNumbers numbers{slice.first_row() + vector * kBatchRows,
                             worker.selection.all ? nullptr : worker.selection.rows, nullptr};
    PRESSO_TRY(take({worker.selection.count, numbers, worker.results, &worker.reader, vector,
                     &worker.selection}));
  }
  return {};
}

void add_counts(Execution& execution, const std::vector<std::unique_ptr<Worker>>& workers) {
  execution.condition_counts.resize(
      std::max(execution.condition_counts.size(), execution.asked().conditions.size()));
  for (const auto& worker : workers) {
    if (worker == nullptr) continue;
    worker->filters.add_counts(execution.condition_counts);
    if (worker->joins != nullptr) execution.joins->add_counts(worker->joins->counts());
  }
}

void add_reads(Execution& execution, const SliceSource& source) {
  execution.summary.bytes_read = execution.counters->bytes;
  execution.summary.blocks_read = execution.counters->blocks;
  // Blocks that were read several times (passes) may exceed those that exist; then none was
  // skipped.
  std::uint64_t blocks = source.blocks();
  execution.summary.bytes_stored = source.stored_bytes();
  if (execution.joins != nullptr) {
    blocks += execution.joins->blocks();
    execution.summary.bytes_stored += execution.joins->stored_bytes();
  }
  execution.summary.blocks_skipped =
      blocks - std::min<std::uint64_t>(blocks, execution.counters->blocks);
}

namespace {

/// What a worker reports of a slice; the controlling thread adds it up in order.
struct SliceOutcome {
  Status status;
  std::uint64_t rows = 0;  ///< of the slice
  std::uint64_t matched = 0;
};

}  // namespace

Status run_slices(Execution& execution, const Program& program, const TakeOfWorker& take) {
  const std::vector<std::size_t> columns = columns_read(execution, program);
  SliceSource source(execution.tables, columns, *execution.counters, execution.options.cancelled);
  std::vector<std::unique_ptr<Worker>> workers(execution.threads);
  // The first run counts as no additional pass.
  if (std::exchange(execution.began, true)) ++execution.summary.passes;
  Status done = run_ordered<Slice, SliceOutcome>(
      {execution.threads, 0}, [&] { return source.next(); },
      [&](Slice slice, unsigned number) {
        SliceOutcome outcome;
        outcome.rows = slice.rows;
        auto& worker = workers[number];
        if (worker == nullptr) worker = std::make_unique<Worker>(execution, program);
        outcome.status = run_slice(execution, program, *worker, slice, outcome.matched,
                                   [&](const RowBatch& batch) { return take(number, batch); });
        return outcome;
      },
      [&](SliceOutcome outcome) -> Result<bool> {
        PRESSO_TRY(std::move(outcome.status));
        execution.summary.rows_matched += outcome.matched;
        execution.rows_seen += outcome.rows;
        return true;
      });
  add_counts(execution, workers);
  add_reads(execution, source);
  return done;
}

Status run_build_rows(Execution& execution, const Program& program, std::size_t stage,
                      const TakeOfWorker& take) {
  BuildRowSource source(stage, execution.joins->stage(stage).rows.rows());
  std::vector<std::unique_ptr<Worker>> workers(execution.threads);
  Status done = run_ordered<BuildRows, SliceOutcome>(
      {execution.threads, 0}, [&] { return source.next(); },
      [&](BuildRows item, unsigned number) {
        SliceOutcome outcome;
        auto& worker = workers[number];
        if (worker == nullptr) worker = std::make_unique<Worker>(execution, program);
        outcome.status = worker->joins->run_build_rows(
            item.stage, item.first, item.count, outcome.matched,
            [&](const RowBatch& batch) { return take(number, batch); });
        return outcome;
      },
      [&](SliceOutcome outcome) -> Result<bool> {
        PRESSO_TRY(std::move(outcome.status));
        execution.summary.rows_matched += outcome.matched;
        return true;
      });
  return done;
}

Status run_all(Execution& execution, const Program& program, const TakeOfWorker& take) {
  execution.summary.rows_matched = 0;
  execution.rows_seen = 0;
  if (execution.joins == nullptr) return run_slices(execution, program, take);
  JoinRun& joins = *execution.joins;
  PRESSO_TRY(joins.prepare(program));
  // Once a stage spills, the root is read once and all later rows come from files.
  if (joins.spills()) return run_spilled_joins(execution, program, take);
  for (std::size_t pass = 0; pass < joins.passes(); ++pass) {
    if (pass > 0) PRESSO_TRY(joins.begin_pass(pass));
    PRESSO_TRY(run_slices(execution, program, take));
    // One stage after another: what comes out of one may be partners of the next.
    for (std::size_t stage = 0; stage < execution.tree->stages.size(); ++stage) {
      if (!joins.gives_rows(stage, pass)) continue;
      PRESSO_TRY(run_build_rows(execution, program, stage, take));
    }
  }
  joins.end_passes();
  return {};
}

}  // namespace presso::query
