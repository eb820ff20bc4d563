// SPDX-License-Identifier: MIT
// Implements first_rows.h, the first step of ORDER BY with a small LIMIT: row numbers are sorted
// along with the keys, and the numbers of the first rows become bitmaps for the second step, an
// ordinary run over these rows.
#include "query/run/first_rows.h"

#include <algorithm>

#include "query/order/ordering.h"
#include "query/rows/row_group_cursor.h"
#include "query/run/query_device.h"

namespace presso::query {
namespace {

/// The fewest rows of the table for each wanted row. A wanted row costs the decoding of at least
/// one vector of each column.
constexpr std::uint64_t kRowsForOne = 4 * kBatchRows;

/// The ordering of the first step: sort keys, and the row's number as the last column.
OrderingPlan order_of_keys(const Execution& execution) {
  const BoundQuery& query = execution.query;
  OrderingPlan plan;
  for (const NodeId id : query.sort_nodes) plan.columns.push_back(query.input->at(id).physical);
  // The row's number.
  plan.columns.push_back(Physical::kInt64);
  plan.keys = query.sort_keys;
  plan.limit = query.last_row();
  plan.threads = execution.threads;
  plan.memory_bytes = execution.memory_bytes;
  plan.temporary_directory = execution.options.temporary_directory;
  return plan;
}

/// The row numbers of the answer in ascending order, as rows_with() needs them.
Result<std::vector<std::uint64_t>> take_numbers(Ordering& ordering) {
  std::vector<std::uint64_t> numbers;
  for (;;) {
    PRESSO_ASSIGN(const RowStore sorted, ordering.next());
    if (sorted.rows() == 0) break;
    const auto* some = sorted.view(sorted.columns().size() - 1, 0).as<std::uint64_t>();
    numbers.insert(numbers.end(), some, some + sorted.rows());
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

/// Turns row numbers (ascending, counted through all tables) into a bitmap for each slice.
std::shared_ptr<MatchedRows> rows_with(const std::vector<Table>& tables,
                                       const std::vector<std::uint64_t>& numbers) {
  auto matched = std::make_shared<MatchedRows>();
  // Numbers and row groups are both in ascending order and are merged.
  auto number = numbers.begin();
  for (RowGroupCursor at(tables); number != numbers.end() && at.has_group(); at.next()) {
    const RowGroupSummary group = tables[at.table()].row_group(at.group());
    const std::uint64_t begin = at.first_row() + group.first_row;
    for (; number != numbers.end() && *number < begin + group.rows; ++number) {
      const auto row = static_cast<std::uint32_t>(*number - begin);
      std::uint64_t* const bits = matched->add(at.table(), at.group(), row - row % kSliceRows);
      bits[row % kSliceRows / 64] |= std::uint64_t{1} << (row % 64);
    }
  }
  return matched;
}

}  // namespace

bool finds_rows_first(const Execution& execution) {
  const BoundQuery& query = execution.query;
  if (execution.joins != nullptr || query.sort_keys.empty() || query.last_row() == 0) return false;
  if (query.last_row() > execution.summary.rows_in / kRowsForOne) return false;
  const auto& results = query.results;
  if (std::any_of(results.begin(), results.end(),
                  [&](NodeId node) { return query.input->may_fail(node); })) {
    return false;
  }
  const Program by_keys(*query.input, query.sort_nodes);
  // Without a column beyond these the second step would save nothing.
  const std::vector<std::size_t> known = columns_read(execution, by_keys);
  const Program program(*query.input, results);
  return std::any_of(program.inputs().begin(), program.inputs().end(), [&](std::size_t column) {
    return !std::binary_search(known.begin(), known.end(), column);
  });
}

/// The ordering keeps only as many rows as the limit needs.
Status find_first_rows(Execution& execution) {
  const Program program(*execution.query.input, execution.query.sort_nodes);
  PRESSO_ASSIGN(const auto ordering, Ordering::make(order_of_keys(execution)));
  std::vector<std::vector<std::uint64_t>> numbers(execution.threads);
  PRESSO_TRY(run_all(execution, program, [&](unsigned worker, const RowBatch& batch) {
    std::vector<std::uint64_t>& own = numbers[worker];
    own.resize(batch.count);
    for (std::uint32_t i = 0; i < batch.count; ++i) own[i] = batch.numbers[i];
    std::vector<VectorView> columns = batch.results;
    columns.push_back({Physical::kInt64, own.data(), nullptr});
    return ordering->add(worker, batch.numbers, columns, batch.count);
  }));
  PRESSO_ASSIGN(const std::vector<std::uint64_t> found, take_numbers(*ordering));
  execution.matched = rows_with(execution.tables, found);
  QuerySummary& summary = execution.summary;
  summary.peak_bytes = std::max(summary.peak_bytes, ordering->peak_bytes());
  summary.spilled_bytes += ordering->spilled_bytes();
  return {};
}

}  // namespace presso::query
