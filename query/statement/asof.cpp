// SPDX-License-Identifier: MIT
// ASOF JOIN: each row of the first source finds the nearest row of the second, by an inequality
// beside equalities. The keys of both sides are sorted together, and a window function carries the
// number of the last row of the second source along to the rows of the first.
#include <algorithm>

#include "query/statement/lowering.h"

namespace presso::query {
namespace {

using Kind = Expression::Kind;
using Op = Expression::Op;

/// The inequality of an ASOF JOIN with the first source on its left.
struct Nearest {
  Expression left;
  Expression right;
  Op op = Op::kGreaterEqual;
};

bool is_inequality(const Expression& tree) {
  return tree.kind == Kind::kOperator && (tree.op == Op::kLess || tree.op == Op::kLessEqual ||
                                          tree.op == Op::kGreater || tree.op == Op::kGreaterEqual);
}

Op exchanged(Op op) {
  switch (op) {
    case Op::kLess:
      return Op::kGreater;
    case Op::kLessEqual:
      return Op::kGreaterEqual;
    case Op::kGreater:
      return Op::kLess;
    default:
      return Op::kLessEqual;
  }
}

/// "k0, k1, ..." for SQL.
std::string key_names(std::size_t keys) {
  std::string text;
  for (std::size_t i = 0; i < keys; ++i) text += "k" + std::to_string(i) + ", ";
  return text;
}

}  // namespace

/// The column that numbers the rows of the second source.
constexpr const char* kRow = "#row";

Status Block::lower_asof_joins() {
  for (std::size_t i = 0; i < query_.joins.size(); ++i) {
    const auto kind = query_.joins[i].kind;
    if (kind != SqlJoin::Kind::kAsof && kind != SqlJoin::Kind::kAsofLeft) continue;
    if (i != 0 || query_.joins.size() != 1) {
      return make_error(ErrorCode::kInvalidArgument,
                        "ASOF JOIN joins two sources; put further joins around a subquery");
    }
    PRESSO_TRY(lower_asof_join());
  }
  return {};
}

Status Block::lower_asof_join() {
  const SqlJoin join = query_.joins[0];
  // Names that USING merges mean the first source.
  PRESSO_TRY(for_each_part(query_, [&](Expression& part) {
    return rewrite(part, [&](Expression& node) -> Result<bool> {
      const bool merged =
          node.kind == Expression::Kind::kColumn && node.qualifier.empty() &&
          std::any_of(join.using_columns.begin(), join.using_columns.end(),
                      [&](const Expression& each) { return same_name(each.text, node.text); });
      if (merged) node.qualifier = qualifier_of(0);
      return false;
    });
  }));
  std::vector<Expression> conditions;
  for (const Expression& name : join.using_columns) {
    Expression left = name;
    Expression right = name;
    left.qualifier = qualifier_of(0);
    right.qualifier = qualifier_of(1);
    const bool last = &name == &join.using_columns.back();
    conditions.push_back(operation(last ? Op::kGreaterEqual : Op::kEqual, {left, right}));
  }
  if (join.on) conditions = conjuncts_of(*join.on);
  std::vector<std::pair<Expression, Expression>> keys;
  std::optional<Nearest> nearest;
  for (Expression& each : conditions) {
    const bool usable = each.kind == Kind::kOperator && each.arguments.size() == 2 &&
                        (each.op == Op::kEqual || (is_inequality(each) && !nearest));
    if (!usable) {
      return lowering_.shown(
          refused_at(each, "ASOF JOIN takes equalities and one inequality of both sources"));
    }
    Expression left = each.arguments[0];
    Expression right = each.arguments[1];
    const bool reversed = any_node(left, [&](const Expression& node) {
      return node.kind == Kind::kColumn && scope_.source_of(node) == std::size_t{1};
    });
    if (reversed) std::swap(left, right);
    if (each.op == Op::kEqual) {
      keys.emplace_back(std::move(left), std::move(right));
    } else {
      nearest = Nearest{std::move(left), std::move(right), reversed ? exchanged(each.op) : each.op};
    }
  }
  if (!nearest) {
    return make_error(ErrorCode::kInvalidArgument,
                      "ASOF JOIN takes an inequality, such as a.time >= b.time");
  }
  // The second source with numbered rows.
  Relation right = scope_.sources[1];
  PRESSO_ASSIGN(KeptRows numbered,
                query::keep(lowering_.query_of(right), lowering_.options(), kRow));
  const std::string alias = qualifier_of(1);
  right = lowering_.keep(std::move(numbered), "numbered rows of " + alias);
  right.alias = alias;
  PRESSO_ASSIGN(Relation found,
                nearest_rows(right, keys, nearest->left, nearest->right, nearest->op));
  found.alias = lowering_.new_name();
  std::vector<Expression> matches;
  const auto match = [&](const Expression& outer, const std::string& name) {
    Expression same = operation(Op::kEqual, {outer, qualified_column(found.alias, name, outer)});
    matches.push_back(std::move(same));
  };
  for (std::size_t i = 0; i < keys.size(); ++i) match(keys[i].first, "k" + std::to_string(i));
  match(nearest->left, "t");
  const auto kind =
      join.kind == SqlJoin::Kind::kAsof ? SqlJoin::Kind::kInner : SqlJoin::Kind::kLeft;
  Expression row = equality(qualified_column(found.alias, "found", nearest->left),
                            qualified_column(alias, kRow, nearest->right));
  query_.joins.clear();
  scope_.sources.resize(1);
  add_join(std::move(found), kind, all_of(std::move(matches)));
  add_join(std::move(right), kind, std::move(row));
  return {};
}

/// For all values of the first source's keys the number of the nearest row of the second.
Result<Relation> Block::nearest_rows(const Relation& right,
                                     const std::vector<std::pair<Expression, Expression>>& keys,
                                     const Expression& left_time, const Expression& right_time,
                                     Expression::Op op) {
  CommonTables names;
  const auto add = [&](const char* name, bool is_left) -> Status {
    const Relation& from = is_left ? scope_.sources[0] : right;
    Query query = lowering_.query_of(from);
    std::vector<NamedExpression> list;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      list.push_back({is_left ? keys[i].first : keys[i].second, "k" + std::to_string(i)});
    }
    list.push_back({is_left ? left_time : right_time, "t"});
    if (!is_left) list.push_back({column(kRow), "r"});
    query.select(std::move(list));
    if (is_left) query.distinct();
    CommonTable& table = *names.tables.emplace_back(std::make_shared<CommonTable>());
    table.name = name;
    PRESSO_ASSIGN(table.answer, lowering_.keep(query, std::string("keys of ASOF JOIN, ") + name));
    return {};
  };
  PRESSO_TRY(add("asof_left", true));
  PRESSO_TRY(add("asof_right", false));
  const bool forward = op == Op::kGreater || op == Op::kGreaterEqual;
  const bool equal = op == Op::kGreaterEqual || op == Op::kLessEqual;
  const std::string key_list = key_names(keys.size());
  const std::string partition =
      keys.empty() ? "" : "partition by " + key_list.substr(0, key_list.size() - 2);
  // Where both are equal, the row of the second source comes first if it counts.
  const std::string text =
      "select " + key_list + "t, last_value(r ignore nulls) over (" + partition + " order by t" +
      (forward ? "" : " desc") + ", side" + (equal ? "" : " desc") +
      " rows between unbounded preceding and current row) as found from (select " + key_list +
      "t, r, 0 as side from asof_right where t is not null union all select " + key_list +
      "t, null as r, 1 as side from asof_left) qualify side = 1 and found is not null";
  PRESSO_ASSIGN(const SqlStatement statement, parse_statement(text));
  return lowering_.answer(statement, &names, nullptr, "nearest rows");
}

}  // namespace presso::query
