// SPDX-License-Identifier: MIT
// unnest(array) in FROM and among the items of SELECT. The different arrays are kept with a row for
// each of their elements, and are joined to the rows that hold them.
#include <algorithm>

#include "query/statement/lowering.h"
#include "query/unnest/unnest.h"

namespace presso::query {
namespace {

using Kind = Expression::Kind;

bool is_unnest(const Expression& node) {
  return is_call_of(node, "unnest") && node.arguments.size() == 1;
}

}  // namespace

/// The different values of `array` over the first `sources` sources, in a first column, with each
/// of their elements in a second one, called `name`.
Result<Relation> Block::unnested(const Expression& array, std::size_t sources,
                                 const std::string& name) {
  SqlQuery arrays;
  arrays.joins.assign(query_.joins.begin(),
                      query_.joins.begin() + (static_cast<std::ptrdiff_t>(sources) - 1));
  arrays.select.push_back({array, lowering_.new_name()});
  arrays.distinct = true;
  Block block(lowering_, std::move(arrays), common_, nullptr);
  block.scope_.sources.assign(scope_.sources.begin(),
                              scope_.sources.begin() + static_cast<std::ptrdiff_t>(sources));
  PRESSO_ASSIGN(const Relation kept, lowering_.keep(block.make_query(), "arrays of unnest()"));
  Result<KeptRows> rows = with_unnested(*kept.kept, 0, false, name, lowering_.options());
  if (!rows.ok()) return lowering_.shown(refused_at(array, rows.error().what));
  return lowering_.keep(std::move(*rows), "elements of unnest()");
}

/// `FROM t, unnest(t.array) AS u(x)`; false where the source is none.
Result<bool> Block::lower_unnest_source(std::size_t number) {
  SqlJoin& join = query_.joins[number];
  const SqlSource& source = join.source;
  if (!source.is_function || source.path != "unnest" || source.arguments.size() != 1) return false;
  const Expression& array = source.arguments[0];
  if (is_call_of(array, "list_value")) return false;
  using JoinKind = SqlJoin::Kind;
  const bool keeps_left = join.kind == JoinKind::kLeft;
  if (!keeps_left && join.kind != JoinKind::kInner && join.kind < JoinKind::kComma) {
    return lowering_.shown(refused_at(array, "unnest() goes with inner and left joins"));
  }
  if (source.columns.size() > 1) {
    return lowering_.shown(refused_at(array, "unnest() gives one column"));
  }
  const std::string name = source.columns.empty() ? "unnest" : source.columns[0];
  PRESSO_ASSIGN(Relation rows, unnested(array, number + 1, name));
  rows.alias = source.alias.empty() ? "unnest" : source.alias;
  std::vector<Expression> conditions = {
      equality(array, qualified_column(rows.alias, rows.schema().columns[0].name, array))};
  const bool on_true = join.on && join.on->kind == Kind::kBool && join.on->text == "true";
  if (join.on && !on_true) conditions.push_back(*join.on);
  join.on = all_of(std::move(conditions));
  join.kind = keeps_left ? JoinKind::kLeft : JoinKind::kInner;
  scope_.sources.push_back(std::move(rows));
  return true;
}

/// `SELECT unnest(array)`: one array for each SELECT.
Status Block::lower_unnest_items() {
  std::optional<Expression> array;
  std::string alias;
  for (NamedExpression& item : query_.select) {
    PRESSO_TRY(rewrite(item.expression, [&](Expression& node) -> Result<bool> {
      if (!is_unnest(node)) return false;
      if (array && !(*array == node.arguments[0])) {
        return lowering_.shown(refused_at(
            node, "one array is taken apart in a SELECT; put a second unnest() into FROM"));
      }
      array = node.arguments[0];
      if (alias.empty()) alias = lowering_.new_name();
      node = qualified_column(alias, "unnest", node);
      return true;
    }));
  }
  if (!array) return {};
  if (is_grouped()) {
    return lowering_.shown(
        refused_at(*array, "unnest() beside groups is not supported; put it into FROM"));
  }
  PRESSO_ASSIGN(Relation rows, unnested(*array, scope_.sources.size(), "unnest"));
  rows.alias = alias;
  Expression same =
      equality(*array, qualified_column(alias, rows.schema().columns[0].name, *array));
  add_join(std::move(rows), SqlJoin::Kind::kInner, std::move(same));
  return {};
}

}  // namespace presso::query
