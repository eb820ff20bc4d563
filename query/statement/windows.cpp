// SPDX-License-Identifier: MIT
// Window functions. A query before them computes what they need: every largest part of an item, key
// or condition that has no window function becomes a column, and so does each argument. The window
// operator adds a column for each call, and the query after it puts the parts together again.
#include <algorithm>

#include "query/statement/columns_of_calls.h"
#include "query/statement/lowering.h"

namespace presso::query {
namespace {

using Kind = Expression::Kind;

bool has_window(const Expression& tree) {
  return any_node(tree, is_window);
}

/// A literal stays where it is: as a column it would lose that it is one.
bool is_literal(const Expression& tree) {
  return tree.kind != Kind::kColumn && tree.kind != Kind::kFunction && tree.arguments.empty();
}

}  // namespace

/// The rows that come first in each group of equal values, in the order of ORDER BY.
Status Block::distinct_on_as_window() {
  if (query_.distinct_on.empty()) return {};
  auto details = std::make_shared<CallDetails>();
  Window& window = details->over.emplace_back();
  window.partition = std::exchange(query_.distinct_on, {});
  window.order = order_by_expressions();
  Expression first = call("row_number", {});
  first = at_place_of(std::move(first), window.partition.front());
  first.details = std::move(details);
  Expression condition = equality(std::move(first), number(1));
  if (query_.qualify) condition = all_of({*std::move(query_.qualify), std::move(condition)});
  query_.qualify = std::move(condition);
  query_.distinct = false;
  return {};
}

Status Block::lower_windows() {
  const bool selects =
      std::any_of(query_.select.begin(), query_.select.end(),
                  [](const NamedExpression& item) { return has_window(item.expression); });
  const bool sorts =
      std::any_of(query_.order_by.begin(), query_.order_by.end(),
                  [](const SortExpression& key) { return has_window(key.expression); });
  if (!selects && !sorts && !query_.qualify) return {};
  SqlQuery before = query_;
  before.select.clear();
  before.order_by.clear();
  before.qualify.reset();
  before.distinct = false;
  before.limit = ~std::uint64_t{0};
  before.offset = 0;
  ColumnsOfCalls columns(lowering_);
  const Replace replace = [&](Expression& node) -> Result<bool> {
    if (is_window(node)) {
      PRESSO_ASSIGN(node, columns.add_call(node, node.details->over[0], false));
      return true;
    }
    if (has_window(node) || is_literal(node)) return false;
    node = columns.add(node);
    return true;
  };
  for (NamedExpression& item : query_.select) PRESSO_TRY(rewrite(item.expression, replace));
  for (SortExpression& key : query_.order_by) {
    if (item_of(key.expression)) continue;
    PRESSO_TRY(rewrite(key.expression, replace));
  }
  if (query_.qualify) PRESSO_TRY(rewrite(*query_.qualify, replace));
  const auto condition = std::exchange(query_.qualify, std::nullopt);
  PRESSO_TRY(continue_with_calls(std::move(before), columns, "rows for window functions"));
  query_.group_by.clear();
  query_.having.reset();
  query_.where = condition;
  return set_totals(columns.totals());
}

/// Replaces the names of aggregates over all rows by their values. As COALESCE a number is no
/// position in ORDER BY.
Status Block::set_totals(const std::vector<NamedExpression>& totals) {
  if (totals.empty()) return {};
  Query query = lowering_.query_of(scope_.sources[0]);
  query.select(totals);
  PRESSO_ASSIGN(const Relation found, lowering_.keep(query, "aggregates over all rows"));
  std::map<std::string, Expression> values;
  for (std::size_t i = 0; i < totals.size(); ++i) {
    PRESSO_ASSIGN(Expression value, literal_of(found, i, 0));
    values[totals[i].name] = call("coalesce", {std::move(value)});
  }
  return for_each_part(query_, [&](Expression& part) {
    return rewrite(part, [&](Expression& node) -> Result<bool> {
      const auto value = node.kind == Kind::kColumn ? values.find(node.text) : values.end();
      if (value == values.end()) return false;
      node = at_place_of(value->second, node);
      return true;
    });
  });
}

}  // namespace presso::query
