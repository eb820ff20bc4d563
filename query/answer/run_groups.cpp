// SPDX-License-Identifier: MIT
// Answers with groups. Keys and arguments of matching rows go to a Grouping; its groups go through
// HAVING and the expressions of the answer, and may be sorted (GroupAnswer). Three strategies, each
// tried if the one before runs out of memory: all groups in memory; up to kMostPasses passes, in
// which the tables are read again for each part of the keys, which is cheaper than writing rows to
// disk since tables are compressed; and a temporary file of keys and arguments sorted by parts
// (GroupSpill). Groups come in the order of their first rows, whichever strategy is used; for parts
// this takes a sort.
//
// If a GPU is given, it is asked first. Tested through tests/unit/query/answer/query_test.cpp and
// tests/unit/query/run/memory_forecast_test.cpp.
#include <algorithm>

#include "query/answer/group_answer.h"
#include "query/answer/group_spill.h"
#include "query/run/join_run.h"
#include "query/run/memory_forecast.h"
#include "query/run/query_device.h"

namespace presso::query {
namespace {

/// One run of a grouped query. Used once: run().
class GroupRun {
 public:
  GroupRun(Execution& execution, ResultSink& sink)
      : execution_(execution), input_(execution), answer_(execution, input_, sink) {}

  Status run() {
    execution_.wants_numbers = !query().keys.empty();
    PRESSO_TRY(input_.prepare());
    plan_ = input_.plan();
    PRESSO_ASSIGN(const bool done_there, run_on_device());
    if (done_there) return {};
    // Memory for build sides is reserved once: more parts of the groups' keys would not make it
    // less.
    if (execution_.joins != nullptr) PRESSO_TRY(execution_.joins->prepare(input_.program()));
    for (std::uint32_t parts = 1;;) {
      plan_.parts = parts;
      const Status done = parts == 1             ? run_in_memory()
                          : parts <= kMostPasses ? run_in_parts()
                                                 : run_by_spilling();
      // Once rows of the answer were written, the query cannot be started again.
      const bool memory_short = !done.ok() && done.error().code == ErrorCode::kOutOfMemory;
      if (!memory_short || answer_.began()) return done;
      if (parts >= kMostParts) {
        return make_error(ErrorCode::kOutOfMemory,
                          "the groups of one part in " + std::to_string(parts) +
                              " do not fit into memory; --memory permits more");
      }
      PRESSO_ASSIGN(parts, more_parts(parts));
    }
  }

 private:
  const BoundQuery& query() const { return execution_.query; }

  /// The number of parts for the next try. The first try has shown which share of the rows filled
  /// the memory, which bounds the number from above; the forecast, which knows if keys recur later,
  /// may tell that fewer parts suffice. Later tries quadruple the number.
  Result<std::uint32_t> more_parts(std::uint32_t parts) const {
    // The first estimate was too low; its error is not known, so it grows geometrically.
    if (parts > 1) return std::min(parts * 4, kMostParts);
    const double seen = static_cast<double>(std::max<std::uint64_t>(execution_.rows_seen, 1));
    const std::uint32_t by_rows = parts_for(static_cast<double>(rows_in()) / seen);
    const double matching = static_cast<double>(rows_in()) * execution_.plan.selectivity;
    PRESSO_ASSIGN(const MemoryForecast forecast, forecast_memory(execution_, matching));
    const bool foreseen = forecast.groups && forecast.groups->parts > 1;
    return foreseen ? std::min(by_rows, forecast.groups->parts) : by_rows;
  }

  std::uint64_t rows_in() const { return execution_.summary.rows_in; }

  /// Adds a batch of rows on behalf of a worker thread, whose `views` are reused.
  Status add(Grouping& grouping, unsigned worker, GroupInput::Views& views,
             const RowBatch& batch) const {
    PRESSO_TRY(input_.set_views(views, batch));
    return grouping.add(worker, batch.numbers, views.keys, views.arguments, batch.count);
  }

  /// count(*) without keys: matching rows are counted as bits of the filter, and no column is
  /// decoded.
  Result<RowStore> count_rows() {
    execution_.only_counts = true;
    const Status done =
        run_all(execution_, input_.program(), [](unsigned, const RowBatch&) { return Status(); });
    execution_.only_counts = false;
    if (!done.ok()) return done.error();
    const auto count = static_cast<std::int64_t>(execution_.summary.rows_matched);
    RowStore groups(std::vector<Physical>(query().aggregates.size(), Physical::kInt64));
    const std::vector<VectorView> views(query().aggregates.size(),
                                        {Physical::kInt64, &count, nullptr});
    groups.append(views, 1);
    note_ = "groups: rows are counted";
    return groups;
  }

  /// Whether every aggregate is count(*), and there are no keys.
  bool only_counts() const {
    return query().keys.empty() && std::all_of(query().aggregates.begin(), query().aggregates.end(),
                                               [](const AggregateCall& call) {
                                                 return call.kind == AggregateKind::kCountRows;
                                               });
  }

  /// Groups all rows whose key falls into the current part. `first_rows`, if wanted, gets the
  /// number of each group's first row.
  Result<RowStore> group_part(std::vector<std::uint64_t>* first_rows) {
    PRESSO_ASSIGN(const auto grouping, Grouping::make(plan_));
    std::vector<GroupInput::Views> views(execution_.threads);
    PRESSO_TRY(run_all(execution_, input_.program(), [&](unsigned worker, const RowBatch& batch) {
      return add(*grouping, worker, views[worker], batch);
    }));
    const std::string how = "groups: " + grouping->describe();
    PRESSO_ASSIGN(RowStore groups, grouping->finish(first_rows));
    execution_.summary.peak_bytes = std::max(execution_.summary.peak_bytes, grouping->bytes());
    execution_.summary.groups += groups.rows();
    // All parts are grouped alike, so the first one is described.
    if (plan_.part == 0) note_ = how;
    return groups;
  }

  /// Returns whether a GPU has computed the groups. If not, the reason is in the summary, and the
  /// GPU may still evaluate the conditions.
  Result<bool> run_on_device() {
    const std::shared_ptr<QueryDevice>& device = execution_.device;
    if (device == nullptr) {
      PRESSO_TRY(match_on_device(execution_));
      return false;
    }
    const ReadState before(execution_);
    Result<RowStore> groups = device->groups(execution_, input_);
    if (!groups.ok()) {
      if (!goes_on_without_device(execution_, before, groups.error())) {
        return std::move(groups.error());
      }
      PRESSO_TRY(match_on_device(execution_));
      return false;
    }
    execution_.summary.device = device->name();
    execution_.summary.on_device =
        execution_.joins == nullptr ? "conditions and groups" : "joins, conditions and groups";
    note_ = "groups: on the GPU";
    PRESSO_TRY(write_groups(*groups));
    return true;
  }

  /// The first strategy. kOutOfMemory makes run() go on to parts.
  Status run_in_memory() {
    execution_.summary.groups = 0;
    PRESSO_ASSIGN(const RowStore groups, only_counts() ? count_rows() : group_part(nullptr));
    return write_groups(groups);
  }

  Status write_groups(const RowStore& groups) {
    execution_.summary.groups = groups.rows();
    execution_.notes.push_back(note_);
    // Groups stay in memory until the end. Sorting them may use the rest, or a quarter if the rest
    // is less.
    const std::uint64_t memory = input_.memory_bytes();
    const std::uint64_t held = groups.bytes();
    PRESSO_TRY(answer_.begin(std::max(memory - std::min(memory, held), memory / 4), held));
    std::vector<VectorView> views(groups.columns().size());
    for (std::uint64_t first = 0; first < groups.rows(); first += kBatchRows) {
      const auto count =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(kBatchRows, groups.rows() - first));
      for (std::size_t i = 0; i < views.size(); ++i) views[i] = groups.view(i, first);
      PRESSO_ASSIGN(const bool more, answer_.take(views, count, first));
      if (!more) break;
    }
    return answer_.finish();
  }

  /// An ordering that merges the groups of all parts by the numbers of their first rows.
  Result<std::unique_ptr<Ordering>> order_of_parts(std::uint64_t memory_bytes) const {
    OrderingPlan order;
    for (const Node& node : query().group_columns) order.columns.push_back(node.physical);
    for (std::size_t i = 0; i < input_.codes().size(); ++i) {
      if (input_.codes()[i] != nullptr) order.columns[i] = Physical::kInt64;
    }
    order.keys = {{order.columns.size(), false, false}};
    order.columns.push_back(Physical::kInt64);
    order.memory_bytes = memory_bytes;
    order.temporary_directory = execution_.options.temporary_directory;
    return Ordering::make(order);
  }

  /// The second strategy: the tables are read once for each part of the keys.
  Status run_in_parts() {
    execution_.summary.groups = 0;
    const std::uint64_t budget = input_.memory_bytes();
    plan_.memory_bytes = budget / 2;
    PRESSO_ASSIGN(const auto ordering, order_of_parts(budget / 4));
    for (plan_.part = 0; plan_.part < plan_.parts; ++plan_.part) {
      std::vector<std::uint64_t> first_rows;
      PRESSO_ASSIGN(const RowStore groups, group_part(&first_rows));
      PRESSO_TRY(add_part(*ordering, groups, first_rows));
    }
    plan_.part = 0;
    execution_.notes.push_back(note_ + ", in " + std::to_string(plan_.parts) + " parts");
    return take_parts(*ordering, budget / 4);
  }

  /// Adds the groups of a part to the ordering, with their first rows' numbers as the last column.
  static Status add_part(Ordering& ordering, const RowStore& groups,
                         const std::vector<std::uint64_t>& first_rows) {
    const std::size_t columns = groups.columns().size();
    std::vector<VectorView> views(columns + 1);
    for (std::uint64_t first = 0; first < groups.rows(); first += kBatchRows) {
      const auto count =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(kBatchRows, groups.rows() - first));
      for (std::size_t i = 0; i < columns; ++i) views[i] = groups.view(i, first);
      views[columns] = {Physical::kInt64, first_rows.data() + first, nullptr};
      PRESSO_TRY(ordering.add(0, first, nullptr, views, count));
    }
    return {};
  }

  /// The third strategy: rows go through a temporary file.
  Status run_by_spilling() {
    execution_.summary.groups = 0;
    const std::uint64_t budget = input_.memory_bytes();
    PRESSO_ASSIGN(const auto ordering, order_of_parts(budget / 4));
    GroupSpill spill(execution_, input_, plan_);
    PRESSO_TRY(spill.run(*ordering, budget / 4));
    execution_.notes.push_back("groups: " + spill.describe() + ", in " +
                               std::to_string(plan_.parts) + " parts of a temporary file");
    plan_.memory_bytes = budget / 2;
    return take_parts(*ordering, budget / 4);
  }

  /// Hands the groups of all parts, now in order, to the answer.
  Status take_parts(Ordering& ordering, std::uint64_t memory_bytes) {
    PRESSO_TRY(answer_.begin(memory_bytes, 0));
    std::uint64_t done = 0;
    for (bool more = true; more;) {
      PRESSO_ASSIGN(const RowStore sorted, ordering.next());
      if (sorted.rows() == 0) break;
      std::vector<VectorView> views(sorted.columns().size() - 1);
      for (std::uint64_t first = 0; more && first < sorted.rows(); first += kBatchRows) {
        const auto count =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(kBatchRows, sorted.rows() - first));
        for (std::size_t i = 0; i < views.size(); ++i) views[i] = sorted.view(i, first);
        PRESSO_ASSIGN(more, answer_.take(views, count, done));
        done += count;
      }
    }
    execution_.summary.peak_bytes =
        std::max(execution_.summary.peak_bytes, ordering.peak_bytes() + plan_.memory_bytes);
    execution_.summary.spilled_bytes += ordering.spilled_bytes();
    return answer_.finish();
  }

  Execution& execution_;
  GroupInput input_;
  GroupAnswer answer_;
  GroupingPlan plan_;
  std::string note_;
};

}  // namespace

Status run_groups(Execution& execution, ResultSink& sink) {
  return GroupRun(execution, sink).run();
}

}  // namespace presso::query
