// SPDX-License-Identifier: MIT
// Calls and operators that are short forms of others: count_if(c), regr_r2(y, x), several quantiles
// at once, comparisons of row values such as (a, b) < (c, d), and defaults of lag() in the type of
// its first argument.
#include <algorithm>
#include <chrono>

#include "query/statement/lowering.h"

namespace presso::query {
namespace {

using Kind = Expression::Kind;
using Op = Expression::Op;

/// `a` where both are known, else null.
Expression where_known(const Expression& value, const Expression& other) {
  return case_when(is_null(other, true), value);
}

/// The aggregate that a short form stands for; nullopt for all other calls.
std::optional<Expression> long_form(const Expression& node) {
  const std::vector<Expression>& given = node.arguments;
  const auto with_details = [&node](Expression aggregate) {
    aggregate.details = node.details;
    return at_place_of(std::move(aggregate), node);
  };
  if ((node.text == "count_if" || node.text == "countif") && given.size() == 1) {
    return with_details(call("count", {case_when(given[0], number(1))}));
  }
  if ((node.text == "geomean" || node.text == "geometric_mean") && given.size() == 1) {
    return call("exp", {with_details(call("avg", {call("ln", {given[0]})}))});
  }
  if (given.size() != 2) return std::nullopt;
  if (node.text == "regexp_split_to_table") {
    return at_place_of(
        call("unnest", {at_place_of(call("regexp_split_to_array", node.arguments), node)}), node);
  }
  if (node.text == "regr_r2") {
    return call("power", {with_details(call("corr", given)), number(2)});
  }
  if (node.text == "regr_count") {
    return with_details(call("count", {where_known(given[0], given[1])}));
  }
  if (node.text == "regr_avgx") {
    return with_details(call("avg", {where_known(given[1], given[0])}));
  }
  if (node.text == "regr_avgy") {
    return with_details(call("avg", {where_known(given[0], given[1])}));
  }
  return std::nullopt;
}

/// quantile_cont(x, [0.25, 0.5]) as a list of two calls.
Expression list_of_quantiles(const Expression& node) {
  Expression result = call("list_value", {});
  for (const Expression& place : node.arguments[1].arguments) {
    Expression one = node;
    one.arguments[1] = place;
    result.arguments.push_back(std::move(one));
  }
  return at_place_of(std::move(result), node);
}

/// (a, b) op (c, d), for rows of one length. Less and greater compare the first values that differ.
std::optional<Expression> compared_rows(Op op, const Expression& a, const Expression& b) {
  const std::size_t values = a.arguments.size();
  if (values != b.arguments.size()) return std::nullopt;
  if (op == Op::kEqual || op == Op::kNotEqual) {
    std::vector<Expression> parts;
    for (std::size_t i = 0; i < values; ++i) {
      parts.push_back(operation(op, {a.arguments[i], b.arguments[i]}));
    }
    return operation(op == Op::kEqual ? Op::kAnd : Op::kOr, std::move(parts));
  }
  const bool less = op == Op::kLess || op == Op::kLessEqual;
  Expression result = operation(op, {a.arguments[values - 1], b.arguments[values - 1]});
  for (std::size_t i = values - 1; i-- > 0;) {
    Expression same =
        operation(Op::kAnd, {equality(a.arguments[i], b.arguments[i]), std::move(result)});
    result = operation(
        Op::kOr, {operation(less ? Op::kLess : Op::kGreater, {a.arguments[i], b.arguments[i]}),
                  std::move(same)});
  }
  return result;
}

/// EXISTS (SELECT 1 FROM (the statement after IN) AS alias WHERE each column equals its value of
/// the row before IN). With `nulls_too`, a null on either side equals everything.
Expression exists_row(const Expression& node, const std::string& alias, bool nulls_too) {
  const Expression& row = node.arguments[0];
  SqlStatement outer;
  outer.select.select.push_back({number(1), "1"});
  outer.select.from.statement = node.statement;
  outer.select.from.alias = alias;
  std::vector<Expression> parts;
  for (std::size_t i = 0; i < row.arguments.size(); ++i) {
    outer.select.from.columns.push_back(alias + "." + std::to_string(i + 1));
    const Expression column = qualified_column(alias, outer.select.from.columns.back(), row);
    const Expression& value = row.arguments[i];
    Expression same = equality(column, value);
    parts.push_back(nulls_too ? operation(Op::kOr, {same, is_null(column), is_null(value)}) : same);
  }
  outer.select.where = all_of(std::move(parts));
  Expression result;
  result.kind = Kind::kSubquery;
  result.op = Op::kExists;
  result.statement = std::make_shared<const SqlStatement>(std::move(outer));
  return at_place_of(std::move(result), node);
}

/// (a, b) IN (SELECT x, y ...): true where such a row exists, else null where one may be such a row
/// because of its nulls, else false. As a condition it is only the first EXISTS.
Expression row_among(const Expression& node, const std::string& alias) {
  Expression result = case_when(exists_row(node, alias, false), truth(true));
  result.arguments.push_back(exists_row(node, alias + "?", true));
  result.arguments.push_back(null_literal());
  result.arguments.push_back(truth(false));
  result = at_place_of(std::move(result), node);
  return node.negated ? at_place_of(operation(Op::kNot, {std::move(result)}), node) : result;
}

}  // namespace

Result<bool> Block::settle_rows(Expression& node) {
  const auto is_row = [](const Expression& each) { return is_call_of(each, "row"); };
  const bool has_row = !node.arguments.empty() && is_row(node.arguments[0]);
  if (!has_row) return false;
  if (node.kind == Kind::kSubquery && node.op == Op::kIn) {
    node = row_among(node, lowering_.new_name());
    return true;
  }
  if (is_call_of(node, "count") && node.distinct) {
    std::vector<Expression> values = node.arguments[0].arguments;
    node.arguments = std::move(values);
    return true;
  }
  if (node.kind != Kind::kOperator) return false;
  std::vector<Expression> parts;
  for (std::size_t i = 1; i < node.arguments.size(); ++i) {
    const Op op = node.op == Op::kIn ? Op::kEqual : node.op;
    auto compared = is_row(node.arguments[i])
                        ? compared_rows(op, node.arguments[0], node.arguments[i])
                        : std::nullopt;
    if (!compared) {
      return lowering_.shown(refused_at(node, "both sides must have the same number of values"));
    }
    parts.push_back(std::move(*compared));
  }
  Expression result =
      parts.size() == 1 ? std::move(parts[0]) : operation(Op::kOr, std::move(parts));
  if (node.op == Op::kIn && node.negated) result = operation(Op::kNot, {std::move(result)});
  node = at_place_of(std::move(result), node);
  return true;
}

/// random() is a number by the row's place, so that it is the same wherever a row is read again.
/// Conditions with it are tested after all others, by QUALIFY. setseed(x) beside it makes it
/// repeatable.
Status Block::settle_random() {
  const auto is_random = [](const Expression& node) { return is_call_of(node, "random"); };
  if (!any_node_of(query_, is_random)) return {};
  if (query_.where && any_node(*query_.where, is_random)) {
    if (is_grouped() || query_.distinct) {
      return lowering_.shown(
          refused_at(*query_.where,
                     "random() in WHERE is not supported beside groups and joins; choose the "
                     "rows in a statement in FROM, or by USING SAMPLE"));
    }
    std::vector<Expression> stay;
    std::vector<Expression> later;
    if (query_.qualify) later.push_back(*std::move(query_.qualify));
    for (Expression& each : conjuncts_of(*std::exchange(query_.where, std::nullopt))) {
      (any_node(each, is_random) ? later : stay).push_back(std::move(each));
    }
    if (!stay.empty()) query_.where = all_of(std::move(stay));
    query_.qualify = all_of(std::move(later));
  }
  // Without setseed() each statement has a seed of its own.
  std::int64_t seed = std::chrono::system_clock::now().time_since_epoch().count() & 0x7FFFFFFF;
  const auto settle = [&](Expression& node) -> Result<bool> {
    if (is_call_of(node, "setseed") && node.arguments.size() == 1) {
      seed = static_cast<std::int64_t>(std::hash<std::string>{}(to_text(node.arguments[0])) >> 33);
      node = at_place_of(null_literal(), node);
    }
    return false;
  };
  PRESSO_TRY(for_each_part(query_, [&](Expression& part) { return rewrite(part, settle); }));
  return for_each_part(query_, [&](Expression& part) {
    return rewrite(part, [&](Expression& node) -> Result<bool> {
      if (!is_random(node) || !node.arguments.empty()) return false;
      auto details = std::make_shared<CallDetails>();
      details->over.emplace_back();
      Expression row = at_place_of(call("row_number", {}), node);
      row.details = std::move(details);
      node = at_place_of(call("##random", {std::move(row), number(seed++)}), node);
      return true;
    });
  });
}

Status Block::settle_calls() {
  PRESSO_TRY(settle_random());
  return for_each_part(query_, [&](Expression& part) {
    return rewrite(part, [&](Expression& node) -> Result<bool> {
      if (auto longer = node.kind == Kind::kFunction ? long_form(node) : std::nullopt) {
        node = std::move(*longer);
        return false;
      }
      if (node.details != nullptr && node.details->over.empty() && !is_any_aggregate(node)) {
        return lowering_.shown(refused_at(
            node,
            "FILTER and ORDER BY within a call belong to aggregates; '" + node.text + "' is none"));
      }
      PRESSO_ASSIGN(const bool settled, settle_rows(node));
      if (settled) return false;
      const bool quantiles = node.kind == Kind::kFunction && node.arguments.size() == 2 &&
                             node.text.find("quantile") != std::string::npos &&
                             is_call_of(node.arguments[1], "list_value");
      if (quantiles) {
        node = list_of_quantiles(node);
        return false;
      }
      const bool has_default =
          (is_call_of(node, "lag") || is_call_of(node, "lead")) && node.arguments.size() == 3;
      if (!has_default) return false;
      const Expression value = node.arguments[0];
      const Expression otherwise = node.arguments[2];
      node.arguments[0] = case_when(truth(true), value, otherwise);
      node.arguments[2] = case_when(truth(false), value, otherwise);
      return true;
    });
  });
}

}  // namespace presso::query
