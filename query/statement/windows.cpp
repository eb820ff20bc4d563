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
  if (is_window(tree)) return true;
  return std::any_of(tree.arguments.begin(), tree.arguments.end(), has_window);
}

/// A literal stays where it is: as a column it would lose that it is one.
bool is_literal(const Expression& tree) {
  return tree.kind != Kind::kColumn && tree.kind != Kind::kFunction && tree.arguments.empty();
}

/// Whether a key of ORDER BY is the position or the name of a result.
bool names_result(const Expression& tree, const std::vector<NamedExpression>& select) {
  if (tree.kind == Kind::kNumber) return true;
  if (tree.kind != Kind::kColumn || !tree.qualifier.empty()) return false;
  return std::any_of(select.begin(), select.end(), [&tree](const NamedExpression& item) {
    return same_name(item.name, tree.text);
  });
}

}  // namespace

/// The rows that come first in each group of equal values, in the order of ORDER BY.
Status Block::distinct_on_as_window() {
  if (query_.distinct_on.empty()) return {};
  auto details = std::make_shared<CallDetails>();
  Window& window = details->over.emplace_back();
  window.partition = std::exchange(query_.distinct_on, {});
  for (SortExpression key : query_.order_by) {
    if (key.expression.kind == Kind::kNumber) {
      const auto place = static_cast<std::size_t>(std::stoul(key.expression.text));
      if (place == 0 || place > query_.select.size()) continue;
      key.expression = query_.select[place - 1].expression;
    }
    for (const NamedExpression& item : query_.select) {
      const bool named = key.expression.kind == Kind::kColumn && key.expression.qualifier.empty() &&
                         same_name(item.name, key.expression.text);
      if (named) key.expression = item.expression;
    }
    window.order.push_back(std::move(key));
  }
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
    if (names_result(key.expression, query_.select)) continue;
    PRESSO_TRY(rewrite(key.expression, replace));
  }
  if (query_.qualify) PRESSO_TRY(rewrite(*query_.qualify, replace));
  const auto condition = std::exchange(query_.qualify, std::nullopt);
  if (columns.list().empty()) columns.add(number(0));
  before.select = columns.list();
  std::swap(query_, before);
  const Query first = make_query();
  std::swap(query_, before);
  PRESSO_ASSIGN(Relation rows, lowering_.keep(first, "rows for window functions"));
  PRESSO_ASSIGN(rows, columns.with_calls(std::move(rows)));
  continue_from(std::move(rows));
  query_.group_by.clear();
  query_.having.reset();
  query_.where = condition;
  return {};
}

}  // namespace presso::query
