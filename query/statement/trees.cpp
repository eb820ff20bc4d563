// SPDX-License-Identifier: MIT
// Implements trees.h.
#include "query/statement/trees.h"

#include <algorithm>
#include <utility>

#include "presso/statement.h"
#include "query/expression/token.h"

namespace presso::query {
namespace {

using Kind = Expression::Kind;
using Op = Expression::Op;

Status rewrite_keys(std::vector<SortExpression>& keys, const Replace& replace) {
  for (SortExpression& key : keys) PRESSO_TRY(rewrite(key.expression, replace));
  return {};
}

Status rewrite_all(std::vector<Expression>& trees, const Replace& replace) {
  for (Expression& tree : trees) PRESSO_TRY(rewrite(tree, replace));
  return {};
}

std::size_t subqueries_in(const Expression& tree) {
  std::size_t count = tree.kind == Kind::kSubquery ? 1 : 0;
  for (const Expression& argument : tree.arguments) count += subqueries_in(argument);
  return count;
}

/// Whether the tree is a subquery for one value, or arithmetic with one.
bool passes_null(const Expression& tree) {
  if (tree.kind == Kind::kSubquery) return tree.op == Op::kNone;
  return tree.kind == Kind::kOperator && tree.op >= Op::kAdd && tree.op <= Op::kNegate &&
         std::any_of(tree.arguments.begin(), tree.arguments.end(), passes_null);
}

}  // namespace

/// Details are shared by copies of a tree, so they are copied before they are changed.
Status rewrite(Expression& tree, const Replace& replace) {
  PRESSO_ASSIGN(const bool done, replace(tree));
  if (done) return {};
  PRESSO_TRY(rewrite_all(tree.arguments, replace));
  if (tree.details == nullptr) return {};
  auto details = std::make_shared<CallDetails>(*tree.details);
  PRESSO_TRY(rewrite_all(details->filter, replace));
  PRESSO_TRY(rewrite_keys(details->order, replace));
  for (Window& window : details->over) {
    PRESSO_TRY(rewrite_all(window.partition, replace));
    PRESSO_TRY(rewrite_keys(window.order, replace));
  }
  tree.details = std::move(details);
  return {};
}

bool any_node(const Expression& tree, const std::function<bool(const Expression&)>& is) {
  const auto in = [&is](const Expression& part) { return any_node(part, is); };
  const auto in_key = [&is](const SortExpression& key) { return any_node(key.expression, is); };
  if (is(tree) || std::any_of(tree.arguments.begin(), tree.arguments.end(), in)) return true;
  if (tree.details == nullptr) return false;
  const CallDetails& details = *tree.details;
  return std::any_of(details.filter.begin(), details.filter.end(), in) ||
         std::any_of(details.order.begin(), details.order.end(), in_key) ||
         std::any_of(details.over.begin(), details.over.end(), [&](const Window& window) {
           return std::any_of(window.partition.begin(), window.partition.end(), in) ||
                  std::any_of(window.order.begin(), window.order.end(), in_key);
         });
}

bool any_node_of(const SqlQuery& query, const std::function<bool(const Expression&)>& is) {
  bool found = false;
  static_cast<void>(for_each_part(query, [&](const Expression& part) -> Status {
    found = found || any_node(part, is);
    return {};
  }));  // no part fails
  return found;
}

void NamesUsed::add(const Expression& tree) {
  any_node(tree, [this](const Expression& node) {
    if (node.kind == Kind::kColumn) {
      names_.insert(expression_detail::lower_case(node.text));
      qualifiers_.insert(expression_detail::lower_case(node.qualifier));
    }
    const bool has_star = node.arguments.size() == 1 && node.arguments[0].kind == Kind::kStar;
    stars_ += node.kind == Kind::kStar ? 1 : 0;
    counts_ += is_call_of(node, "count") && has_star ? 1 : 0;
    means_all_ = means_all_ || is_call_of(node, "columns");
    if (node.statement != nullptr) add(*node.statement);
    return false;
  });
}

void NamesUsed::add(const SqlQuery& query) {
  static_cast<void>(for_each_part(query, [this](const Expression& part) -> Status {
    add(part);
    return {};
  }));  // no part fails
  for (const SqlJoin& join : query.joins) {
    for (const Expression& each : join.using_columns) add(each);
    add(join.source);
    means_all_ = means_all_ || join.natural;
  }
  for (const auto& [name, window] : query.windows) {
    for (const Expression& key : window.partition) add(key);
    for (const SortExpression& key : window.order) add(key.expression);
  }
  add(query.from);
}

std::set<std::string> NamesUsed::with_qualifiers() const {
  std::set<std::string> all = names_;
  all.insert(qualifiers_.begin(), qualifiers_.end());
  return all;
}

bool NamesUsed::has(const std::string& name) const {
  return names_.contains(expression_detail::lower_case(name));
}

void NamesUsed::add(const SqlSource& source) {
  for (const Expression& each : source.arguments) add(each);
  means_all_ = means_all_ || !source.columns.empty();
  if (source.statement != nullptr) add(*source.statement);
}

void NamesUsed::add(const SqlStatement& statement) {
  using StatementKind = SqlStatement::Kind;
  using Purpose = SqlStatement::Purpose;
  means_all_ = means_all_ || statement.kind == StatementKind::kPivot ||
               statement.kind == StatementKind::kUnpivot ||
               statement.purpose == Purpose::kDescribe || statement.purpose == Purpose::kSummarize;
  for (const SqlCommonTable& table : statement.with) add(*table.statement);
  add(statement.select);
  for (const auto& side : {statement.left, statement.right}) {
    if (side != nullptr) add(*side);
  }
  for (const auto& row : statement.rows) {
    for (const Expression& each : row) add(each);
  }
}

bool compares_one_subquery(const Expression& condition) {
  if (condition.kind != Kind::kOperator || condition.op < Op::kEqual ||
      condition.op > Op::kGreaterEqual) {
    return false;
  }
  return subqueries_in(condition) == 1 &&
         std::any_of(condition.arguments.begin(), condition.arguments.end(), passes_null);
}

bool joins_pairs(const SqlJoin& join) {
  return join.kind == SqlJoin::Kind::kInner || join.kind == SqlJoin::Kind::kComma;
}

std::vector<Expression> conjuncts_of(Expression condition) {
  std::vector<Expression> conditions;
  if (condition.kind != Kind::kOperator || condition.op != Op::kAnd) {
    conditions.push_back(std::move(condition));
    return conditions;
  }
  for (Expression& operand : condition.arguments) {
    for (Expression& each : conjuncts_of(std::move(operand))) conditions.push_back(std::move(each));
  }
  return conditions;
}

Expression all_of(std::vector<Expression> conditions) {
  if (conditions.size() == 1) return std::move(conditions[0]);
  return operation(Op::kAnd, std::move(conditions));
}

Expression at_place_of(Expression tree, const Expression& place) {
  tree.offset = place.offset;
  tree.length = place.length;
  return tree;
}

Expression qualified_column(std::string qualifier, std::string name, const Expression& place) {
  Expression result = column(std::move(name));
  result.qualifier = std::move(qualifier);
  return at_place_of(std::move(result), place);
}

Expression truth(bool value) {
  Expression result;
  result.kind = Kind::kBool;
  result.text = value ? "true" : "false";
  return result;
}

Expression null_literal() {
  return {};
}

Expression is_null(Expression value, bool negated) {
  Expression result = operation(Op::kIsNull, {std::move(value)});
  result.negated = negated;
  return result;
}

Expression equality(Expression a, Expression b) {
  return operation(Op::kEqual, {std::move(a), std::move(b)});
}

Expression same_or_null(const Expression& a, const Expression& b) {
  const auto hash = [](const Expression& value) {
    return call("bucket", {value, number(std::int64_t{1} << 20)});
  };
  Expression same = operation(Op::kIsDistinct, {a, b});
  same.negated = true;
  return operation(Op::kAnd, {equality(hash(a), hash(b)), std::move(same)});
}

Expression case_when(Expression condition, Expression value) {
  Expression result;
  result.kind = Kind::kCase;
  result.arguments = {std::move(condition), std::move(value)};
  return result;
}

Expression case_when(Expression condition, Expression value, Expression otherwise) {
  Expression result = case_when(std::move(condition), std::move(value));
  result.arguments.push_back(std::move(otherwise));
  return result;
}

Expression kept_as_cast(Expression cast) {
  const bool widens =
      cast.type == "int64" || cast.type == "double" || cast.type.starts_with("decimal(38");
  if (!widens || cast.arguments[0].kind != Kind::kColumn) return cast;
  return operation(Expression::Op::kMultiply, {std::move(cast), number(1)});
}

Expression cast_to(Expression value, std::string type) {
  Expression result;
  result.kind = Kind::kCast;
  result.type = std::move(type);
  result.offset = value.offset;
  result.length = value.length;
  result.arguments.push_back(std::move(value));
  return result;
}

Error refused_at(const Expression& where, std::string what) {
  Error error = make_error(ErrorCode::kInvalidArgument, std::move(what));
  if (where.length != 0) error.byte_offset = where.offset;
  return error;
}

}  // namespace presso::query

namespace presso {

std::optional<std::set<std::string>> columns_named(const SqlStatement& statement) {
  query::NamesUsed used;
  used.add(statement);
  if (used.means_all()) return std::nullopt;
  return used.with_qualifiers();
}

}  // namespace presso
