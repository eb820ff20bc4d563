// SPDX-License-Identifier: MIT
// A SELECT from a statement that only chooses and computes columns, in FROM or in WITH, becomes one
// SELECT with it: the names of its columns are replaced by their expressions, and its condition is
// added. Nothing is kept between the two then, zones serve the conditions of both, and a GPU can
// run them. This applies where such a statement is the only source; elsewhere it is answered first.
#include <algorithm>

#include "query/statement/lowering.h"

namespace presso::query {
namespace {

using Kind = Expression::Kind;

/// Nodes of expressions that replace names; a statement in which there would be more is answered
/// first. Chains of statements that each use a column twice would otherwise grow exponentially.
constexpr std::size_t kMostNodes = 1000;

std::size_t nodes_of(const Expression& tree) {
  std::size_t nodes = 1;
  for (const Expression& each : tree.arguments) nodes += nodes_of(each);
  return nodes;
}

bool has_column(const Expression& tree) {
  return any_node(tree, [](const Expression& node) { return node.kind == Kind::kColumn; });
}

bool has_subquery(const SqlQuery& query) {
  return any_node_of(query, [](const Expression& node) { return node.kind == Kind::kSubquery; });
}

/// Gives the first items new names; false if there are more names than items.
bool rename(const std::vector<std::string>& names, std::vector<NamedExpression>& items) {
  if (names.size() > items.size()) return false;
  for (std::size_t i = 0; i < names.size(); ++i) items[i].name = names[i];
  return true;
}

/// Whether each item has a name of its own and a value that depends on the row. A number as a key
/// of ORDER BY or GROUP BY would mean a column of the list.
bool are_distinct_columns(const std::vector<NamedExpression>& items) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!has_column(items[i].expression)) return false;
    for (std::size_t j = 0; j < i; ++j) {
      if (same_name(items[i].name, items[j].name)) return false;
    }
  }
  return true;
}

/// Whether a call needs other rows than its own, or makes several of one.
bool changes_rows(const Expression& node) {
  return node.details != nullptr || is_any_aggregate(node) || is_call_of(node, "unnest") ||
         is_call_of(node, "random") || is_call_of(node, "regexp_split_to_table");
}

/// Whether a column of both sides has values that neither side has alone.
bool merges_columns(const SqlJoin& join) {
  const bool keeps_right = join.kind == SqlJoin::Kind::kRight || join.kind == SqlJoin::Kind::kFull;
  return keeps_right && (join.natural || !join.using_columns.empty());
}

}  // namespace

bool only_chooses(const SqlStatement& statement) {
  const SqlQuery& query = statement.select;
  return statement.kind == SqlStatement::Kind::kSelect && statement.with.empty() &&
         statement.purpose == SqlStatement::Purpose::kAnswer && query.has_from && !query.distinct &&
         query.distinct_on.empty() && query.group_by.empty() && !query.groups_by_all &&
         query.grouping_sets.empty() && !query.having && !query.qualify && query.order_by.empty() &&
         !query.orders_by_all && query.limit == ~std::uint64_t{0} && query.offset == 0 &&
         !query.limits_by_percent && !query.sample && !any_node_of(query, changes_rows) &&
         std::none_of(query.joins.begin(), query.joins.end(), [](const SqlJoin& join) {
           return join.kind >= SqlJoin::Kind::kAsof || join.source.is_function ||
                  merges_columns(join);
         });
}

/// The columns of that statement get a table without rows, in which this SELECT looks up names.
Result<std::unique_ptr<Block>> Block::open_inner() {
  if (!query_.has_from || !query_.joins.empty() || has_subquery(query_))
    return std::unique_ptr<Block>();
  const auto chosen = lowering_.statement_that_chooses(query_.from, common_);
  if (!chosen) return std::unique_ptr<Block>();
  auto inner =
      std::make_unique<Block>(lowering_, chosen->statement->select, chosen->common, scope_.around);
  PRESSO_TRY(inner->settle_names(true));
  PRESSO_TRY(inner->lower_subqueries());
  std::vector<NamedExpression>& items = inner->query_.select;
  const bool named = rename(chosen->columns, items) && rename(query_.from.columns, items);
  if (!named || !are_distinct_columns(items)) return std::unique_ptr<Block>();
  PRESSO_TRY(inner->qualify_items());
  PRESSO_ASSIGN(const TableSchema schema, inner->make_query().schema());
  KeepingSink sink(lowering_.options());
  PRESSO_TRY(sink.begin(schema));
  PRESSO_ASSIGN(KeptRows rows, sink.finish());
  Relation relation;
  relation.tables = {rows.table};
  relation.kept = std::make_shared<const KeptRows>(std::move(rows));
  relation.alias = chosen->alias;
  scope_.sources.push_back(std::move(relation));
  return inner;
}

/// A bare name as a key of ORDER BY could mean a column of the list.
Status Block::qualify_items() {
  for (Relation& each : scope_.sources) {
    if (each.alias.empty() && each.names.empty()) each.alias = lowering_.new_name();
  }
  for (NamedExpression& item : query_.select) PRESSO_TRY(qualify(item.expression));
  return {};
}

/// Whether a name that this SELECT's own sources do not have would mean a column of `inner`.
bool Block::is_hidden_by(const Block& inner) const {
  return any_node_of(query_, [&](const Expression& node) {
    return node.kind == Kind::kColumn && !scope_.source_of(node) && inner.scope_.source_of(node);
  });
}

Status Block::merge(Block& inner) {
  const std::string alias = scope_.sources[0].alias;
  const auto answer_first = [&]() -> Status {
    PRESSO_ASSIGN(scope_.sources[0], lowering_.keep(inner.make_query(),
                                                    alias.empty() ? "a statement in FROM" : alias));
    scope_.sources[0].alias = alias;
    return {};
  };
  // `r.a` may be a field of the column r, which the expression of r does not have.
  const bool has_fields = any_node_of(query_, [&](const Expression& node) {
    return node.kind == Kind::kColumn && !node.qualifier.empty() && !scope_.source_of(node) &&
           scope_.source_of(column(node.qualifier));
  });
  if (has_fields || is_hidden_by(inner)) return answer_first();
  const TableSchema names = scope_.sources[0].schema();
  SqlQuery merged = query_;
  std::size_t nodes = 0;
  const auto replace_in = [&](Expression& tree) {
    return rewrite(tree, [&](Expression& node) -> Result<bool> {
      if (node.kind != Kind::kColumn || !scope_.source_of(node)) return false;
      for (std::size_t i = 0; i < names.columns.size(); ++i) {
        if (!same_name(names.columns[i].name, node.text)) continue;
        const Expression& value = inner.query_.select[i].expression;
        nodes += nodes_of(value);
        if (nodes <= kMostNodes) node = at_place_of(value, node);
        break;
      }
      return true;
    });
  };
  std::vector<SortExpression> order = std::exchange(merged.order_by, {});
  PRESSO_TRY(for_each_part(merged, replace_in));
  for (SortExpression& key : order) {
    if (!item_of(key.expression)) PRESSO_TRY(replace_in(key.expression));
  }
  if (nodes > kMostNodes) return answer_first();
  merged.order_by = std::move(order);
  merged.joins = std::move(inner.query_.joins);
  std::vector<Expression> conditions;
  if (inner.query_.where) conditions.push_back(*std::move(inner.query_.where));
  if (merged.where) conditions.push_back(*std::move(merged.where));
  merged.where.reset();
  if (!conditions.empty()) merged.where = all_of(std::move(conditions));
  query_ = std::move(merged);
  scope_.sources = std::move(inner.scope_.sources);
  return {};
}

}  // namespace presso::query
