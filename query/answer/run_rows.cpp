// SPDX-License-Identifier: MIT
// Answers without groups: rows in the order of the tables (ordered_answer.h), sorted rows, and rows
// that a GPU has selected or joined. If a few sorted rows of many are wanted, rows are found by
// their sort keys first and their other columns are read afterwards (first_rows.h). Tested through
// tests/unit/query/answer/query_test.cpp.
#include <algorithm>

#include "format/threads/parallel.h"
#include "query/answer/coded_answer.h"
#include "query/answer/ordered_answer.h"
#include "query/answer/output.h"
#include "query/group/group_output.h"
#include "query/run/first_rows.h"
#include "query/run/join_run.h"
#include "query/run/query_device.h"

namespace presso::query {
namespace {

/// Computes `program` for rows that a GPU has returned and gives the results to `take`: on all
/// threads, or batch by batch in order if `in_order`.
Status run_stores(const Execution& execution, const Program& program, std::vector<RowStore>& stores,
                  const TakeOfWorker& take, bool in_order = false) {
  // One thread keeps the order of the rows.
  const unsigned threads = in_order ? 1 : execution.threads;
  struct Thread {
    explicit Thread(const Program& program)
        : state(program), inputs(program.inputs().size()), results(program.results().size()) {}
    Program::State state;
    std::vector<VectorView> inputs;
    std::vector<VectorView> results;
  };
  std::vector<std::unique_ptr<Thread>> states(threads);
  std::uint64_t begin = 0;
  for (RowStore& store : stores) {
    const std::uint64_t batches = (store.rows() + kBatchRows - 1) / kBatchRows;
    PRESSO_TRY(for_each_in_parallel(
        static_cast<std::size_t>(batches), threads, [&](std::size_t batch, unsigned worker) {
          auto& own = states[worker];
          if (own == nullptr) own = std::make_unique<Thread>(program);
          const std::uint64_t first = std::uint64_t{batch} * kBatchRows;
          const auto count =
              static_cast<std::uint32_t>(std::min<std::uint64_t>(kBatchRows, store.rows() - first));
          for (std::size_t i = 0; i < own->inputs.size(); ++i)
            own->inputs[i] = store.view(i, first);
          // No result can fail here: such queries are left to the CPU.
          program.run(own->state, own->inputs, count, own->results);
          RowNumbers numbers;
          numbers.base = begin + first;
          return take(worker, RowBatch{count, numbers, own->results, nullptr, 0, nullptr});
        }));
    begin += store.rows();
  }
  return {};
}

/// Sorts results together with sort keys, and writes the results in order. Without ORDER BY, rows
/// that came in several passes of a join are put back in the order of their numbers. `joined` are a
/// GPU's rows; otherwise the tables are read. Memory beyond the limit is spilled by Ordering.
Status run_sorted(Execution& execution, ResultSink& sink, std::vector<RowStore>* joined = nullptr) {
  const BoundQuery& query = execution.query;
  const bool by_number = query.sort_keys.empty();
  // Reading all result columns of all rows would cost more than reading the few wanted rows twice.
  const bool rows_first = joined == nullptr && finds_rows_first(execution);
  if (rows_first) PRESSO_TRY(find_first_rows(execution));
  const std::uint64_t rows_matched = execution.summary.rows_matched;
  const auto passes = execution.summary.passes;
  std::vector<NodeId> nodes = query.results;
  nodes.insert(nodes.end(), query.sort_nodes.begin(), query.sort_nodes.end());
  const Program program(*query.input, nodes);
  OrderingPlan plan;
  for (const NodeId id : nodes) plan.columns.push_back(query.input->at(id).physical);
  plan.keys = query.sort_keys;
  for (OrderKey& key : plan.keys) key.column += query.results.size();
  // The row's number becomes the last column and the only sort key.
  if (by_number) {
    plan.keys.push_back({plan.columns.size(), false, false});
    plan.columns.push_back(Physical::kInt64);
  }
  plan.limit = query.last_row();
  plan.threads = execution.threads;
  plan.memory_bytes = execution.memory_bytes;
  if (joined != nullptr) {
    // A GPU's rows are in memory already.
    for (const RowStore& store : *joined) plan.memory_bytes -= store.bytes();
  }
  plan.temporary_directory = execution.options.temporary_directory;
  PRESSO_ASSIGN(const auto ordering, Ordering::make(plan));
  const auto run = [&](const TakeOfWorker& take) {
    if (joined != nullptr) return run_stores(execution, program, *joined, take);
    return run_all(execution, program, take);
  };
  PRESSO_TRY(run([&](unsigned worker, const RowBatch& batch) {
    if (!by_number) return ordering->add(worker, batch.numbers, batch.results, batch.count);
    std::vector<VectorView> columns = batch.results;
    columns.push_back({Physical::kInt64, batch.numbers.numbers, nullptr});
    return ordering->add(worker, batch.numbers, columns, batch.count);
  }));
  // The summary counts the rows that conditions left, not those that LIMIT leaves.
  if (rows_first) {
    execution.summary.rows_matched = rows_matched;
    execution.summary.passes = passes;
  }
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

/// Writes a GPU's rows in their order.
Status write_stores(Execution& execution, std::vector<RowStore>& stores, ResultSink& sink) {
  const Program program(*execution.query.input, execution.query.results);
  Output output(execution, sink);
  bool more = true;
  PRESSO_TRY(run_stores(
      execution, program, stores,
      [&](unsigned, const RowBatch& batch) -> Status {
        if (!more) return {};
        PRESSO_ASSIGN(more, output.append(batch.results, batch.count));
        return {};
      },
      true));
  PRESSO_TRY(output.finish());
  execution.summary.rows = output.rows();
  return {};
}

/// The most rows that a GPU is asked for. They are kept in host memory until all have arrived; if
/// there are more, the CPU reads the tables and writes rows as it goes.
constexpr double kMostKeptRows = 1u << 26;

/// Whether a GPU should select rows of a query without joins: it must hold the columns in its
/// memory, and conditions must leave few enough rows.
bool are_in_memory(const Execution& execution, const QueryDevice& device,
                   const std::vector<std::size_t>& columns) {
  if (execution.plan.conditions.empty()) return false;
  const auto rows = static_cast<double>(execution.summary.rows_in);
  if (execution.plan.selectivity * rows > kMostKeptRows) return false;
  return device.has_in_memory(execution.tables, columns);
}

/// Returns true if a GPU has returned the rows and the answer is complete. That is tried for joins,
/// and for tables that the GPU holds in memory. If not, summary.why_cpu has the reason.
Result<bool> run_on_device(Execution& execution, ResultSink& sink) {
  const BoundQuery& query = execution.query;
  QueryDevice* const device = execution.device.get();
  if (device == nullptr) return false;
  std::vector<NodeId> nodes = query.results;
  nodes.insert(nodes.end(), query.sort_nodes.begin(), query.sort_nodes.end());
  const std::vector<std::size_t> columns = Program(*query.input, nodes).inputs();
  if (execution.joins == nullptr && !are_in_memory(execution, *device, columns)) return false;
  // The CPU stops at the limit, whereas a GPU joins all rows.
  if (wants_few_rows(query)) {
    execution.summary.why_cpu = "few rows are asked for";
    return false;
  }
  if (std::any_of(nodes.begin(), nodes.end(),
                  [&](NodeId node) { return query.input->may_fail(node); })) {
    execution.summary.why_cpu = "results that may fail";
    return false;
  }
  // If the GPU gives up, the CPU starts again with the counters as they were.
  const ReadState before(execution);
  auto stores = device->joined_rows(execution, columns);
  if (!stores.ok()) {
    if (goes_on_without_device(execution, before, stores.error())) return false;
    return std::move(stores.error());
  }
  execution.summary.device = device->name();
  execution.summary.on_device =
      execution.joins == nullptr ? "conditions and rows" : "joins and conditions";
  if (query.sort_keys.empty()) {
    PRESSO_TRY(write_stores(execution, *stores, sink));
  } else {
    PRESSO_TRY(run_sorted(execution, sink, &*stores));
  }
  return true;
}

}  // namespace

/// Tries the GPU, then its filter alone, and otherwise runs on the CPU.
Status run_rows(Execution& execution, ResultSink& sink) {
  const BoundQuery& query = execution.query;
  PRESSO_ASSIGN(const bool done_there, run_on_device(execution, sink));
  if (done_there) return {};
  PRESSO_TRY(match_on_device(execution));
  if (!query.sort_keys.empty()) return run_sorted(execution, sink);
  for (const auto& column : execution.coded) {
    if (column) execution.extra_columns.insert(*column);
  }
  const Program program(*query.input, computed_results(query.results, execution.coded));
  if (execution.joins != nullptr) {
    PRESSO_TRY(execution.joins->prepare(program));
    // A join in several passes returns rows out of order.
    if (execution.joins->is_divided()) return run_sorted(execution, sink);
    execution.wants_numbers = false;
  }
  return run_in_order(execution, program, sink);
}

}  // namespace presso::query
