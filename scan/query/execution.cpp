// SPDX-License-Identifier: MIT
#include "scan/query/execution.h"

#include <algorithm>
#include <set>
#include <utility>

#include "format/columns/bit_copy.h"
#include "presso/ordered_pipeline.h"
#include "scan/query/join_run.h"
#include "scan/query/join_spill.h"
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

Execution::Execution(const Sources& all, const BoundQuery& bound)
    : tables(all[bound.joins == nullptr ? 0 : bound.joins->tree.root]),
      query(bound),
      scan(bound.joins == nullptr ? bound : bound.joins->sources[bound.joins->tree.root].scan),
      sources(&all) {
  if (bound.joins == nullptr) return;
  tree = &bound.joins->tree;
  first_column = bound.joins->sources[tree->root].first_column;
}

Execution::Execution(const Execution& whole, const JoinTree& part)
    : tables((*whole.sources)[part.root]),
      query(whole.query),
      scan(whole.query.joins->sources[part.root].scan),
      sources(whole.sources),
      tree(&part),
      is_whole(false),
      first_column(whole.query.joins->sources[part.root].first_column) {}

void Execution::start() {
  if (tree != nullptr && !tree->stages.empty()) joins = std::make_shared<JoinRun>(*this);
}

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
  PRESSO_TRY(worker.filters.run(execution.asked(), worker.reader, worker.bits.data()));
  const std::uint64_t rows = count_rows(worker.bits);
  if (worker.joins != nullptr && rows != 0 && !execution.joins->is_decided()) {
    worker.reader.expect_all_vectors(rows * 8 >= slice.rows);
    return worker.joins->run_slice(slice, worker.bits.data(), worker.reader, matched, take);
  }
  matched += rows;
  if (rows == 0 || execution.only_counts) return {};
  worker.reader.expect_all_vectors(rows * 8 >= slice.rows);
  for (std::uint32_t vector = 0; vector < slice.vectors(); ++vector) {
    const std::uint64_t* const bits = worker.bits.data() + std::size_t{vector} * kBatchWords;
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

namespace {

void add_reads(Execution& execution, const SliceSource& source) {
  execution.summary.bytes_read = execution.counters->bytes;
  execution.summary.blocks_read = execution.counters->blocks;
  std::uint64_t blocks = source.blocks();
  execution.summary.bytes_stored = source.stored_bytes();
  if (execution.joins != nullptr) {
    blocks += execution.joins->blocks();
    execution.summary.bytes_stored += execution.joins->stored_bytes();
  }
  execution.summary.blocks_skipped =
      blocks - std::min<std::uint64_t>(blocks, execution.counters->blocks);
}

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

namespace {

/// Rows of a build side that come out when all others have been joined.
struct BuildRows {
  std::size_t stage = 0;
  std::uint64_t first = 0;
  std::uint32_t count = 0;
};

class BuildRowsSource {
 public:
  BuildRowsSource(std::size_t stage, std::uint64_t rows) : stage_(stage), rows_(rows) {}
  Result<std::optional<BuildRows>> next() {
    if (at_ >= rows_) return std::optional<BuildRows>();
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(kSliceRows, rows_ - at_));
    at_ += count;
    return std::optional(BuildRows{stage_, at_ - count, count});
  }

 private:
  std::size_t stage_;
  std::uint64_t rows_;
  std::uint64_t at_ = 0;
};

}  // namespace

Status run_build_rows(Execution& execution, const Program& program, std::size_t stage,
                      const TakeOfWorker& take) {
  BuildRowsSource source(stage, execution.joins->stage(stage).rows.rows());
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
class OrderedAnswer {
 public:
  OrderedAnswer(Execution& execution, const Program& program, ResultSink& sink)
      : execution_(execution),
        program_(program),
        sink_(sink),
        workers_(execution.threads),
        limited_(execution.query.limit != ~std::uint64_t{0} || execution.query.offset != 0),
        skip_(execution.query.offset),
        left_(execution.query.limit) {}

  Status run() {
    const std::vector<std::size_t> columns = columns_read(execution_, program_);
    SliceSource source(execution_.tables, columns, *execution_.counters,
                       execution_.options.cancelled);
    Status done;
    if (left_ != 0) {
      done = run_items<Slice>(
          [&] { return source.next(); },
          [this](Worker& worker, const Slice& slice, std::uint64_t& matched, const TakeRows& take) {
            return run_slice(execution_, program_, worker, slice, matched, take);
          });
    }
    add_counts(execution_, workers_);
    add_reads(execution_, source);
    if (!done.ok() || execution_.joins == nullptr) return done;
    return run_build_sides();
  }

 private:
  /// The most rows of a slice that wait for their turn; more are made when it comes.
  static constexpr std::uint64_t kMostWaiting = std::uint64_t{1} << 20;

  template <class Item>
  struct Outcome {
    Status status;
    std::optional<Item> again;  ///< too many rows come of it
    std::uint64_t matched = 0;
    ResultBatch batch;
    Buffer encoded;
  };

  Worker& worker(unsigned number) {
    auto& worker = workers_[number];
    if (worker == nullptr) worker = std::make_unique<Worker>(execution_, program_);
    return *worker;
  }

  /// `make` gives the rows of an item.
  template <class Item, class Produce, class Make>
  Status run_items(Produce produce, Make make) {
    return run_ordered<Item, Outcome<Item>>(
        {execution_.threads, 0}, produce,
        [&](Item item, unsigned number) { return work(std::move(item), worker(number), make); },
        [&](Outcome<Item> outcome) { return consume(std::move(outcome), make); });
  }

  template <class Item, class Make>
  Outcome<Item> work(Item item, Worker& worker, Make& make) {
    Outcome<Item> outcome;
    BatchBuilder builder(execution_.query.schema);
    bool too_many = false;
    outcome.status = make(worker, item, outcome.matched, [&](const RowBatch& batch) -> Status {
      too_many = builder.rows() + batch.count > kMostWaiting;
      if (too_many) return make_error(ErrorCode::kCancelled);
      builder.append(batch.results, batch.count);
      return {};
    });
    if (too_many) {
      outcome.again = std::move(item);
      outcome.status = {};
      outcome.matched = 0;
      return outcome;
    }
    if (!outcome.status.ok() || builder.rows() == 0) return outcome;
    outcome.batch = builder.take();
    if (limited_) return outcome;
    Result<Buffer> encoded = sink_.encode(outcome.batch);
    if (encoded.ok()) {
      outcome.encoded = std::move(*encoded);
    } else {
      outcome.status = std::move(encoded.error());
    }
    return outcome;
  }

  template <class Item, class Make>
  Result<bool> consume(Outcome<Item> outcome, Make& make) {
    if (outcome.again) return run_again(*outcome.again, make);
    PRESSO_TRY(std::move(outcome.status));
    execution_.summary.rows_matched += outcome.matched;
    if (rows_of(outcome.batch) == 0) return left_ > 0;
    if (limited_) return write_limited(std::move(outcome.batch));
    return write(std::move(outcome.batch), std::move(outcome.encoded));
  }

  /// Rows go to the sink as they are made.
  template <class Item, class Make>
  Result<bool> run_again(const Item& item, Make& make) {
    if (writer_ == nullptr) writer_ = std::make_unique<Worker>(execution_, program_);
    BatchBuilder builder(execution_.query.schema);
    bool more = true;
    const auto hand_on = [&]() -> Status {
      if (builder.rows() == 0) return {};
      PRESSO_ASSIGN(more, write_limited(builder.take()));
      return more ? Status{} : make_error(ErrorCode::kCancelled);
    };
    std::uint64_t matched = 0;
    Status done = make(*writer_, item, matched, [&](const RowBatch& batch) -> Status {
      builder.append(batch.results, batch.count);
      return builder.rows() < kMostBatchRows ? Status{} : hand_on();
    });
    if (done.ok()) done = hand_on();
    execution_.summary.rows_matched += matched;
    if (!more) return false;
    PRESSO_TRY(std::move(done));
    return true;
  }

  Result<bool> write_limited(ResultBatch batch) {
    const std::uint64_t all = rows_of(batch);
    const std::uint64_t first = std::min(skip_, all);
    const std::uint64_t rows = std::min(all - first, left_);
    skip_ -= first;
    if (rows == 0) return left_ > 0;
    if (rows != all) batch = part_of(batch, first, rows);
    PRESSO_ASSIGN(Buffer encoded, sink_.encode(batch));
    return write(std::move(batch), std::move(encoded));
  }

  Result<bool> write(ResultBatch batch, Buffer encoded) {
    const std::uint64_t rows = rows_of(batch);
    execution_.summary.rows += rows;
    if (limited_) left_ -= rows;
    PRESSO_ASSIGN(open_, sink_.write(std::move(batch), std::move(encoded)));
    return open_ && left_ > 0;
  }

  Status run_build_sides() {
    const JoinRun& joins = *execution_.joins;
    for (std::size_t stage = 0; stage < execution_.tree->stages.size(); ++stage) {
      if (!joins.gives_rows(stage, 0) || left_ == 0 || !open_) continue;
      BuildRowsSource source(stage, joins.stage(stage).rows.rows());
      PRESSO_TRY(run_items<BuildRows>(
          [&] { return source.next(); },
          [](Worker& worker, const BuildRows& rows, std::uint64_t& matched, const TakeRows& take) {
            return worker.joins->run_build_rows(rows.stage, rows.first, rows.count, matched, take);
          }));
    }
    return {};
  }

  Execution& execution_;
  const Program& program_;
  ResultSink& sink_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<Worker> writer_;  ///< of whoever writes
  const bool limited_;
  std::uint64_t skip_;
  std::uint64_t left_;
  bool open_ = true;
};

/// Results and keys go to be sorted; what comes back is the answer. Rows that came in several
/// passes are put in order by their numbers.
Status run_sorted(Execution& execution, ResultSink& sink) {
  const BoundQuery& query = execution.query;
  const bool by_number = query.sort_keys.empty();
  std::vector<NodeId> nodes = query.results;
  nodes.insert(nodes.end(), query.sort_nodes.begin(), query.sort_nodes.end());
  const Program program(*query.input, nodes);
  OrderingPlan plan;
  for (const NodeId id : nodes) plan.columns.push_back(query.input->at(id).physical);
  plan.keys = query.sort_keys;
  for (OrderKey& key : plan.keys) key.column += query.results.size();
  if (by_number) {
    plan.keys.push_back({plan.columns.size(), false, false});
    plan.columns.push_back(Physical::kInt64);
  }
  plan.limit = query.last_row();
  plan.threads = execution.threads;
  plan.memory_bytes = execution.memory_bytes;
  plan.temporary_directory = execution.options.temporary_directory;
  PRESSO_ASSIGN(const auto ordering, Ordering::make(plan));
  PRESSO_TRY(run_all(execution, program, [&](unsigned worker, const RowBatch& batch) {
    if (!by_number) return ordering->add(worker, batch.numbers, batch.results, batch.count);
    std::vector<VectorView> columns = batch.results;
    columns.push_back({Physical::kInt64, batch.numbers.numbers, nullptr});
    return ordering->add(worker, batch.numbers, columns, batch.count);
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
  if (execution.joins != nullptr) {
    PRESSO_TRY(execution.joins->prepare(program));
    if (execution.joins->is_divided()) return run_sorted(execution, sink);
    execution.wants_numbers = false;
  }
  return OrderedAnswer(execution, program, sink).run();
}

}  // namespace presso::query
