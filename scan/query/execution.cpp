// SPDX-License-Identifier: MIT
#include "scan/query/execution.h"

#include <algorithm>
#include <set>
#include <utility>

#include "format/columns/bit_copy.h"
#include "presso/ordered_pipeline.h"
#include "scan/query/table_facts.h"

namespace presso::query {
namespace {

/// Rows of a slice that pass without that any of their values is asked for.
std::uint64_t count_rows(const std::vector<std::uint64_t>& bits) {
  std::uint64_t rows = 0;
  for (const std::uint64_t word : bits) rows += ones_of(word);
  return rows;
}

}  // namespace

Worker::Worker(const Execution& execution, const Program& program)
    : reader(physical_of(execution.query.columns)),
      state(program),
      bits(kSliceWords),
      results(program.results().size()) {}

std::vector<std::size_t> columns_read(const Execution& execution, const Program& program) {
  std::set<std::size_t> columns = execution.extra_columns;
  columns.insert(program.inputs().begin(), program.inputs().end());
  for (const Condition& condition : execution.plan.conditions) {
    for (const std::size_t column : columns_of(condition.filter)) columns.insert(column);
  }
  return {columns.begin(), columns.end()};
}

Status run_slice(const Execution& execution, const Program& program, Worker& worker,
                 const Slice& slice, std::uint64_t& matched, const TakeRows& take) {
  worker.reader.open(slice);
  PRESSO_TRY(worker.filters.run(execution.plan, worker.reader, worker.bits.data()));
  const std::uint64_t rows = count_rows(worker.bits);
  matched += rows;
  if (rows == 0 || execution.only_counts) return {};
  worker.reader.expect_all_vectors(rows * 8 >= slice.rows);
  for (std::uint32_t vector = 0; vector < slice.vectors(); ++vector) {
    const std::uint64_t* const bits = worker.bits.data() + std::size_t{vector} * kBatchWords;
    worker.selection.set(bits, slice.vector_rows(vector));
    if (worker.selection.count == 0) continue;
    worker.inputs.clear();
    for (const std::size_t column : program.inputs()) {
      PRESSO_ASSIGN(const VectorView view, worker.reader.load(column, vector, worker.selection));
      worker.inputs.push_back(view);
    }
    const auto failure =
        program.run(worker.state, worker.inputs, worker.selection.count, worker.results);
    if (failure) {
      const std::uint32_t row =
          worker.selection.all ? failure->row : worker.selection.rows[failure->row];
      return failure_error(*failure, slice.first_row() + vector * kBatchRows + row);
    }
    PRESSO_TRY(take({worker.reader, slice, vector, worker.selection, worker.results}));
  }
  return {};
}

namespace {

/// Adds what the threads have counted.
void add_counts(Execution& execution, const std::vector<std::unique_ptr<Worker>>& workers) {
  execution.condition_counts.resize(execution.plan.conditions.size());
  for (const auto& worker : workers) {
    if (worker == nullptr) continue;
    const auto& counts = worker->filters.counts();
    for (std::size_t i = 0; i < counts.size(); ++i) {
      execution.condition_counts[i].asked += counts[i].asked;
      execution.condition_counts[i].left += counts[i].left;
    }
  }
}

void add_reads(Execution& execution, const SliceSource& source) {
  execution.summary.bytes_read = execution.counters->bytes;
  execution.summary.blocks_read = execution.counters->blocks;
  execution.summary.bytes_stored = source.stored_bytes();
  execution.summary.blocks_skipped =
      source.blocks() - std::min<std::uint64_t>(source.blocks(), execution.counters->blocks);
}

struct SliceOutcome {
  Status status;
  std::uint64_t rows = 0;  ///< of the slice
  std::uint64_t matched = 0;
  ResultBatch batch;
  Buffer encoded;
};

}  // namespace

Status run_all(Execution& execution, const Program& program,
               const std::function<Status(unsigned worker, const RowBatch&)>& take) {
  const std::vector<std::size_t> columns = columns_read(execution, program);
  SliceSource source(execution.tables, columns, *execution.counters, execution.options.cancelled);
  std::vector<std::unique_ptr<Worker>> workers(execution.threads);
  execution.summary.rows_matched = 0;
  execution.rows_seen = 0;
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

// --- the answer

namespace {

constexpr std::uint64_t kBatchesOfThread = 2;  ///< that wait to be written
constexpr std::uint64_t kMostBatchRows = 65'536;
constexpr std::uint64_t kLeastBatchBytes = std::uint64_t{32} << 10;
constexpr std::uint64_t kMostBatchBytes = std::uint64_t{4} << 20;

}  // namespace

Output::Output(const Execution& execution, ResultSink& sink)
    : sink_(sink),
      threads_(execution.threads),
      batch_bytes_(std::clamp(execution.memory_bytes / 8 / (kBatchesOfThread * execution.threads),
                              kLeastBatchBytes, kMostBatchBytes)),
      skip_(execution.query.offset),
      left_(execution.query.limit),
      builder_(execution.query.schema) {}

void Output::close_batch() {
  if (builder_.rows() > 0) batches_.push_back(builder_.take());
}

Status Output::write_batches() {
  struct Encoded {
    ResultBatch batch;
    Result<Buffer> text = Buffer();
  };
  std::size_t next = 0;
  Status done = run_ordered<ResultBatch, Encoded>(
      {static_cast<unsigned>(std::min<std::size_t>(threads_, batches_.size())), 0},
      [&]() -> Result<std::optional<ResultBatch>> {
        if (next == batches_.size()) return std::optional<ResultBatch>();
        return std::optional(std::move(batches_[next++]));
      },
      [&](ResultBatch batch, unsigned) {
        Encoded encoded;
        encoded.text = sink_.encode(batch);
        encoded.batch = std::move(batch);
        return encoded;
      },
      [&](Encoded encoded) -> Result<bool> {
        if (!encoded.text.ok()) return std::move(encoded.text.error());
        written_ += rows_of(encoded.batch);
        PRESSO_ASSIGN(open_, sink_.write(std::move(encoded.batch), std::move(*encoded.text)));
        return open_;
      });
  batches_.clear();
  return done;
}

Result<bool> Output::append(std::span<const VectorView> columns, std::uint32_t count) {
  if (!open_ || left_ == 0) return false;
  if (skip_ == 0 && count <= left_) {
    builder_.append(columns, count);
    left_ -= count;
  } else {
    BatchBuilder part(builder_.schema());
    part.append(columns, count);
    const std::uint64_t first = std::min<std::uint64_t>(skip_, count);
    const std::uint64_t rows = std::min<std::uint64_t>(count - first, left_);
    skip_ -= first;
    left_ -= rows;
    close_batch();
    if (rows > 0) batches_.push_back(part_of(part.take(), first, rows));
  }
  if (builder_.rows() >= kMostBatchRows || builder_.bytes() >= batch_bytes_) close_batch();
  if (batches_.size() >= kBatchesOfThread * threads_) {
    PRESSO_TRY(write_batches());
  }
  return open_ && left_ > 0;
}

Status Output::finish() {
  if (!open_) return {};
  close_batch();
  return batches_.empty() ? Status{} : write_batches();
}

// --- rows without groups

namespace {

/// Rows in their order, each slice's made and encoded by a thread.
Status run_in_order(Execution& execution, const Program& program, ResultSink& sink) {
  const BoundQuery& query = execution.query;
  const std::vector<std::size_t> columns = columns_read(execution, program);
  SliceSource source(execution.tables, columns, *execution.counters, execution.options.cancelled);
  std::vector<std::unique_ptr<Worker>> workers(execution.threads);
  const bool limited = query.limit != ~std::uint64_t{0} || query.offset != 0;
  std::uint64_t skip = query.offset;
  std::uint64_t left = query.limit;
  const auto work = [&](Slice slice, unsigned number) {
    SliceOutcome outcome;
    auto& worker = workers[number];
    if (worker == nullptr) worker = std::make_unique<Worker>(execution, program);
    BatchBuilder builder(query.schema);
    outcome.status = run_slice(execution, program, *worker, slice, outcome.matched,
                               [&](const RowBatch& batch) -> Status {
                                 builder.append(batch.results, batch.selection.count);
                                 return {};
                               });
    if (!outcome.status.ok() || builder.rows() == 0) return outcome;
    outcome.batch = builder.take();
    if (limited) return outcome;
    Result<Buffer> encoded = sink.encode(outcome.batch);
    if (encoded.ok()) {
      outcome.encoded = std::move(*encoded);
    } else {
      outcome.status = std::move(encoded.error());
    }
    return outcome;
  };
  const auto consume = [&](SliceOutcome outcome) -> Result<bool> {
    PRESSO_TRY(std::move(outcome.status));
    execution.summary.rows_matched += outcome.matched;
    std::uint64_t rows = rows_of(outcome.batch);
    if (rows == 0) return left > 0;
    if (limited) {
      const std::uint64_t first = std::min(skip, rows);
      rows = std::min(rows - first, left);
      skip -= first;
      left -= rows;
      if (rows == 0) return left > 0;
      outcome.batch = part_of(outcome.batch, first, rows);
      PRESSO_ASSIGN(outcome.encoded, sink.encode(outcome.batch));
    }
    execution.summary.rows += rows;
    PRESSO_ASSIGN(const bool more,
                  sink.write(std::move(outcome.batch), std::move(outcome.encoded)));
    return more && left > 0;
  };
  Status done;
  if (query.limit != 0) {
    done = run_ordered<Slice, SliceOutcome>(
        {execution.threads, 0}, [&] { return source.next(); }, work, consume);
  }
  add_counts(execution, workers);
  add_reads(execution, source);
  return done;
}

/// Results and keys go to be sorted; what comes back is the answer.
Status run_sorted(Execution& execution, ResultSink& sink) {
  const BoundQuery& query = execution.query;
  std::vector<NodeId> nodes = query.results;
  nodes.insert(nodes.end(), query.sort_nodes.begin(), query.sort_nodes.end());
  const Program program(*query.input, nodes);
  OrderingPlan plan;
  for (const NodeId id : nodes) plan.columns.push_back(query.input->at(id).physical);
  plan.keys = query.sort_keys;
  for (OrderKey& key : plan.keys) key.column += query.results.size();
  plan.limit = query.last_row();
  plan.threads = execution.threads;
  plan.memory_bytes = execution.memory_bytes;
  plan.temporary_directory = execution.options.temporary_directory;
  PRESSO_ASSIGN(const auto ordering, Ordering::make(plan));
  PRESSO_TRY(run_all(execution, program, [&](unsigned worker, const RowBatch& batch) {
    const std::uint16_t* const rows = batch.selection.all ? nullptr : batch.selection.rows;
    return ordering->add(worker, batch.first_row(), rows, batch.results, batch.selection.count);
  }));
  Output output(execution, sink);
  std::vector<VectorView> views(query.results.size());
  for (bool more = true; more;) {
    PRESSO_ASSIGN(const RowStore sorted, ordering->next());
    if (sorted.rows() == 0) break;
    for (std::uint64_t first = 0; more && first < sorted.rows(); first += kBatchRows) {
      const auto count =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(kBatchRows, sorted.rows() - first));
      for (std::size_t i = 0; i < views.size(); ++i) views[i] = sorted.view(i, first);
      PRESSO_ASSIGN(more, output.append(views, count));
    }
  }
  PRESSO_TRY(output.finish());
  execution.summary.rows = output.rows();
  execution.summary.peak_bytes = std::max(execution.summary.peak_bytes, ordering->peak_bytes());
  execution.summary.spilled_bytes += ordering->spilled_bytes();
  execution.notes.push_back("order: " + ordering->describe());
  return {};
}

}  // namespace

Status run_rows(Execution& execution, ResultSink& sink) {
  const BoundQuery& query = execution.query;
  if (!query.sort_keys.empty()) return run_sorted(execution, sink);
  const Program program(*query.input, query.results);
  return run_in_order(execution, program, sink);
}

}  // namespace presso::query
