// SPDX-License-Identifier: MIT
// Implements ordered_answer.h: answers without groups in the order of the table's rows. Work items
// are slices (up to 65,536 rows of a row group), and after these ranges of build rows, which outer
// joins return. Workers make and encode batches in parallel; run_ordered() hands their outcomes to
// consume() one at a time and in order.
#include "query/answer/ordered_answer.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "presso/ordered_pipeline.h"
#include "query/answer/coded_answer.h"
#include "query/rows/batch_builder.h"
#include "query/rows/build_row_source.h"
#include "query/run/join_run.h"

namespace presso::query {
namespace {

/// One run over all slices. Worker threads only touch their own Worker; skip_, left_ and open_ are
/// used by whoever consumes.
class OrderedAnswer {
 public:
  OrderedAnswer(Execution& execution, const Program& program, ResultSink& sink)
      : execution_(execution),
        program_(program),
        sink_(sink),
        workers_(execution.threads),
        batch_schema_(schema_of_codes(execution.query.schema, execution.coded)),
        limited_(execution.query.limit != ~std::uint64_t{0} || execution.query.offset != 0),
        skip_(execution.query.offset),
        left_(execution.query.limit) {}

  /// Reads all slices, then the build rows that outer joins return. Stops early once LIMIT is
  /// reached or the sink wants no more.
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
  /// The most rows of one item that are kept until it is their turn. An item with more is dropped
  /// and made again when its turn comes, its rows going straight to the sink.
  static constexpr std::uint64_t kMostWaiting = std::uint64_t{1} << 20;

  /// The result of one item.
  template <class Item>
  struct Outcome {
    Status status;
    /// Set if the item gave too many rows and must be made again.
    std::optional<Item> again;
    std::uint64_t matched = 0;
    ResultBatch batch;
    Buffer encoded;
  };

  /// Made by the thread that uses it, on its first item.
  Worker& worker(unsigned number) {
    auto& worker = workers_[number];
    if (worker == nullptr) worker = std::make_unique<Worker>(execution_, program_);
    return *worker;
  }

  /// Runs all items that `produce` returns; `make` computes the rows of one.
  template <class Item, class Produce, class Make>
  Status run_items(Produce produce, Make make) {
    return run_ordered<Item, Outcome<Item>>(
        {execution_.threads, 0}, produce,
        [&](Item item, unsigned number) { return work(std::move(item), worker(number), make); },
        [&](Outcome<Item> outcome) { return consume(std::move(outcome), make); });
  }

  /// Makes one item on a worker thread, and encodes its batch unless OFFSET or LIMIT may cut it.
  template <class Item, class Make>
  Outcome<Item> work(Item item, Worker& worker, Make& make) {
    Outcome<Item> outcome;
    BatchBuilder builder(batch_schema_);
    bool too_many = false;
    outcome.status = make(worker, item, outcome.matched, [&](const RowBatch& batch) -> Status {
      too_many = builder.rows() + batch.count > kMostWaiting;
      // The error only ends the item; it is replaced below.
      if (too_many) return make_error(ErrorCode::kCancelled);
      // Without joins the number of matching rows is known before the first one arrives.
      if (execution_.joins == nullptr && builder.rows() == 0) builder.expect(outcome.matched);
      return append(builder, batch);
    });
    if (too_many) {
      outcome.again = std::move(item);
      outcome.status = {};
      outcome.matched = 0;
      return outcome;
    }
    if (!outcome.status.ok() || builder.rows() == 0) return outcome;
    outcome.batch = builder.take();
    if (!execution_.coded.empty()) outcome.status = add_dictionaries(item, outcome.batch);
    // A batch that may be cut is encoded by write_limited() afterwards.
    if (limited_ || !outcome.status.ok()) return outcome;
    Result<Buffer> encoded = sink_.encode(outcome.batch);
    if (encoded.ok()) {
      outcome.encoded = std::move(*encoded);
    } else {
      outcome.status = std::move(encoded.error());
    }
    return outcome;
  }

  /// Appends rows to the batch, codes in place of strings where they are asked for.
  Status append(BatchBuilder& builder, const RowBatch& batch) const {
    if (execution_.coded.empty()) {
      builder.append(batch.results, batch.count);
      return {};
    }
    PRESSO_ASSIGN(const auto columns, with_codes(batch, execution_.coded));
    builder.append(columns, batch.count);
    return {};
  }

  Status add_dictionaries(const Slice& slice, ResultBatch& batch) const {
    return query::add_dictionaries(execution_.query.schema, execution_.coded, slice, batch);
  }
  /// Joined rows are never coded.
  Status add_dictionaries(const BuildRows&, ResultBatch&) const { return {}; }

  /// Called in the order of the items, by one thread at a time.
  template <class Item, class Make>
  Result<bool> consume(Outcome<Item> outcome, Make& make) {
    // All earlier items have been written, so this one may write directly.
    if (outcome.again) return run_again(*outcome.again, make);
    PRESSO_TRY(std::move(outcome.status));
    execution_.summary.rows_matched += outcome.matched;
    if (rows_of(outcome.batch) == 0) return left_ > 0;
    if (limited_) return write_limited(std::move(outcome.batch));
    return write(std::move(outcome.batch), std::move(outcome.encoded));
  }

  /// Makes an item again whose rows were too many to keep, on the consuming thread; rows go to the
  /// sink in batches as they are made.
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

  /// Writes what OFFSET and LIMIT leave of a batch.
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

  /// Hands a batch to the sink. Returns whether more rows are wanted.
  Result<bool> write(ResultBatch batch, Buffer encoded) {
    const std::uint64_t rows = rows_of(batch);
    execution_.summary.rows += rows;
    if (limited_) left_ -= rows;
    PRESSO_ASSIGN(open_, sink_.write(std::move(batch), std::move(encoded)));
    return open_ && left_ > 0;
  }

  /// Returns rows of build sides, for outer, semi and anti joins that keep them, stage by stage.
  Status run_build_sides() {
    const JoinRun& joins = *execution_.joins;
    for (std::size_t stage = 0; stage < execution_.tree->stages.size(); ++stage) {
      // Joins in one pass have one part, number 0.
      if (!joins.gives_rows(stage, 0) || left_ == 0 || !open_) continue;
      BuildRowSource source(stage, joins.stage(stage).rows.rows());
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
  /// Used by run_again(), on whichever thread consumes.
  std::unique_ptr<Worker> writer_;
  const TableSchema batch_schema_;
  const bool limited_;
  /// Rows still to skip by OFFSET, rows still wanted by LIMIT, and whether the sink wants more.
  std::uint64_t skip_;
  std::uint64_t left_;
  bool open_ = true;
};

}  // namespace

Status run_in_order(Execution& execution, const Program& program, ResultSink& sink) {
  return OrderedAnswer(execution, program, sink).run();
}

}  // namespace presso::query
