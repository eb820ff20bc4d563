// SPDX-License-Identifier: MIT
// Answers without groups: rows as they come, or sorted.
// Tested through tests/unit/scan/query/query_test.cpp.
#include <algorithm>

#include "scan/query/join_run.h"
#include "scan/query/ordered_answer.h"
#include "scan/query/output.h"
#include "scan/query/query_device.h"

namespace presso::query {
namespace {

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
  PRESSO_TRY(match_on_device(execution));
  if (!query.sort_keys.empty()) return run_sorted(execution, sink);
  const Program program(*query.input, query.results);
  if (execution.joins != nullptr) {
    PRESSO_TRY(execution.joins->prepare(program));
    if (execution.joins->is_divided()) return run_sorted(execution, sink);
    execution.wants_numbers = false;
  }
  return run_in_order(execution, program, sink);
}

}  // namespace presso::query
