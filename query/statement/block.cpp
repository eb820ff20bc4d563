// SPDX-License-Identifier: MIT
// One SELECT: its sources are opened, its lists are written out where that is needed, and what one
// Query cannot do is left to the other phases. A SELECT that is one Query already passes unchanged.
#include <algorithm>

#include "query/compute/binder.h"
#include "query/expression/list_items.h"
#include "query/statement/columns_of_calls.h"
#include "query/statement/lowering.h"
#include "query/strings/string_test.h"

namespace presso::query {
namespace {

using expression_detail::position_of;
using Kind = Expression::Kind;
using Op = Expression::Op;

/// Aggregates that a Query computes itself.
constexpr std::string_view kNative[] = {"sum", "count", "min", "max", "avg", "mean"};

bool is_native(const Expression& node) {
  return std::find(std::begin(kNative), std::end(kNative), node.text) != std::end(kNative);
}

}  // namespace

SqlStatement rows_of_lists(const std::vector<Expression>& lists) {
  SqlStatement values;
  values.kind = SqlStatement::Kind::kValues;
  for (std::size_t row = 0;; ++row) {
    std::vector<Expression> cells;
    bool any = false;
    for (const Expression& list : lists) {
      any = any || row < list.arguments.size();
      cells.push_back(row < list.arguments.size() ? list.arguments[row] : null_literal());
    }
    if (!any) return values;
    values.rows.push_back(std::move(cells));
  }
}

bool is_window(const Expression& node) {
  return node.kind == Kind::kFunction && node.details != nullptr && !node.details->over.empty();
}

bool is_any_aggregate(const Expression& node) {
  if (node.kind != Kind::kFunction || is_window(node)) return false;
  return is_native(node) || aggregate_kind(node.text).has_value();
}

bool calls_aggregate(const Expression& tree) {
  if (is_any_aggregate(tree)) return true;
  if (is_window(tree)) return false;
  return std::any_of(tree.arguments.begin(), tree.arguments.end(), calls_aggregate);
}

/// The order of the phases matters: names are settled before subqueries are looked at, those are
/// gone before groups are made, and window functions see the groups.
Result<Query> Block::lower() {
  PRESSO_TRY(settle_names(false));
  PRESSO_TRY(lower_asof_joins());
  PRESSO_TRY(lower_unnest_items());
  PRESSO_TRY(lower_subqueries());
  PRESSO_TRY(refuse_outer_columns());
  return finish();
}

/// A statement in FROM, in WITH or of a set operation within a subquery is answered by itself, so
/// that it has no columns of the SELECT around the subquery.
Status Block::refuse_outer_columns() {
  return for_each_part(query_, [&](const Expression& part) -> Status {
    const Expression* found = nullptr;
    any_node(part, [&](const Expression& node) {
      const bool is_own = node.kind != Kind::kColumn || scope_.source_of(node) || item_of(node);
      for (const Scope* scope = scope_.around; !is_own && scope != nullptr; scope = scope->around) {
        if (found == nullptr && scope->source_of(node)) found = &node;
      }
      return false;
    });
    if (found == nullptr) return {};
    return lowering_.shown(refused_at(
        *found, "'" + to_text(*found) +
                    "' is a column of the SELECT around this subquery, which "
                    "can stand in the subquery's own WHERE, not in a statement within its FROM, in "
                    "WITH or beside UNION; write a join"));
  });
}

/// random() in the WHERE of groups chooses rows in a statement of its own.
void Block::choose_by_random() {
  const bool is_random = query_.where && any_node(*query_.where, [](const Expression& node) {
                           return is_call_of(node, "random");
                         });
  if (!is_random || !query_.joins.empty() || !query_.has_from) return;
  if (!is_grouped() && !query_.distinct) return;
  SqlStatement rows;
  NamedExpression& star = rows.select.select.emplace_back();
  star.expression.kind = Kind::kStar;
  rows.select.from = query_.from;
  rows.select.where = std::exchange(query_.where, std::nullopt);
  SqlSource chosen;
  chosen.alias = query_.from.alias.empty() ? stem_of(query_.from.path) : query_.from.alias;
  chosen.offset = query_.from.offset;
  chosen.length = query_.from.length;
  chosen.statement = std::make_shared<const SqlStatement>(std::move(rows));
  query_.from = std::move(chosen);
}

Status Block::settle_names(bool all_names) {
  choose_by_random();
  PRESSO_ASSIGN(const std::unique_ptr<Block> inner, open_inner());
  if (inner == nullptr) PRESSO_TRY(open_sources());
  PRESSO_TRY(set_parameters());
  PRESSO_TRY(settle_calls());
  PRESSO_TRY(name_windows());
  PRESSO_TRY(expand_lists(all_names || inner != nullptr));
  return inner == nullptr ? Status() : merge(*inner);
}

Result<Query> Block::finish() {
  PRESSO_ASSIGN(auto sets, lower_grouping_sets());
  if (sets) return *std::move(sets);
  PRESSO_TRY(distinct_on_as_window());
  PRESSO_TRY(lower_holistic_aggregates());
  PRESSO_TRY(lower_windows());
  PRESSO_TRY(limit_percent());
  PRESSO_TRY(take_sample());
  return make_query();
}

Result<std::vector<NamedExpression>> Block::items_over(const Relation& source,
                                                       std::vector<NamedExpression> list) {
  scope_.sources = {source};
  query_.select = std::move(list);
  PRESSO_TRY(expand_stars());
  return query_.select;
}

/// SELECT unnest(range(1, 10)) or unnest([1, 2]), unnest([3]) without FROM is a SELECT from these
/// rows, where shorter lists end with nulls.
Result<bool> Block::series_as_source() {
  std::vector<Expression> lists;
  for (const NamedExpression& item : query_.select) {
    any_node(item.expression, [&](const Expression& node) {
      const bool is_unnest = is_call_of(node, "unnest") && node.arguments.size() == 1;
      if (is_unnest && std::find(lists.begin(), lists.end(), node.arguments[0]) == lists.end()) {
        lists.push_back(node.arguments[0]);
      }
      return false;
    });
  }
  const bool are_lists = std::all_of(lists.begin(), lists.end(), [&](const Expression& list) {
    return is_call_of(list, "list_value");
  });
  const bool is_series = lists.size() == 1 &&
                         (is_call_of(lists[0], "range") || is_call_of(lists[0], "generate_series"));
  if (lists.empty() || (!are_lists && !is_series)) return false;
  SqlSource& source = query_.from;
  source.alias = lowering_.new_name();
  source.offset = lists[0].offset;
  source.length = lists[0].length;
  for (std::size_t i = 0; i < lists.size(); ++i) source.columns.push_back(lowering_.new_name());
  if (is_series) {
    source.is_function = true;
    source.path = lists[0].text;
    source.arguments = lists[0].arguments;
  } else {
    source.statement = std::make_shared<const SqlStatement>(rows_of_lists(lists));
  }
  for (NamedExpression& item : query_.select) {
    PRESSO_TRY(rewrite(item.expression, [&](Expression& node) -> Result<bool> {
      if (!is_call_of(node, "unnest") || node.arguments.size() != 1) return false;
      const auto place = std::find(lists.begin(), lists.end(), node.arguments[0]) - lists.begin();
      node = at_place_of(column(source.columns[static_cast<std::size_t>(place)]), node);
      return true;
    }));
  }
  return true;
}

Status Block::open_sources() {
  if (!query_.has_from) {
    PRESSO_ASSIGN(query_.has_from, series_as_source());
  }
  if (!query_.has_from) {
    PRESSO_ASSIGN(Relation row, lowering_.numbers(0, 1, 1, lowering_.new_name()));
    scope_.sources.push_back(std::move(row));
    return {};
  }
  PRESSO_ASSIGN(Relation first, lowering_.source(query_.from, common_, scope_.around));
  scope_.sources.push_back(std::move(first));
  for (std::size_t i = 0; i < query_.joins.size(); ++i) {
    SqlJoin& join = query_.joins[i];
    PRESSO_ASSIGN(const bool lateral, lower_lateral(i));
    if (lateral) continue;
    PRESSO_ASSIGN(const bool unnests, lower_unnest_source(i));
    if (unnests) continue;
    PRESSO_ASSIGN(Relation next, lowering_.source(join.source, common_, scope_.around));
    scope_.sources.push_back(std::move(next));
    if (join.natural) PRESSO_TRY(natural_columns(join, scope_.sources.size() - 1));
    if (join.kind == SqlJoin::Kind::kCross) join.kind = SqlJoin::Kind::kComma;
  }
  return {};
}

/// NATURAL JOIN is USING all columns of the source that an earlier one has, too.
Status Block::natural_columns(SqlJoin& join, std::size_t source) {
  for (const ColumnSchema& each : scope_.sources[source].schema().columns) {
    for (std::size_t i = 0; i < source; ++i) {
      const auto& others = scope_.sources[i].schema().columns;
      const bool shared = std::any_of(others.begin(), others.end(),
                                      [&](const auto& other) { return other.name == each.name; });
      if (!shared) continue;
      join.using_columns.push_back(column(each.name));
      break;
    }
  }
  if (join.using_columns.empty()) join.kind = SqlJoin::Kind::kComma;
  return {};
}

/// Parameters become the literals that were given for them.
Status Block::set_parameters() {
  return for_each_part(query_, [&](Expression& part) {
    return rewrite(part, [&](Expression& node) -> Result<bool> {
      if (node.kind != Kind::kParameter) return false;
      const auto value = lowering_.context().parameters.find(node.text);
      if (value == lowering_.context().parameters.end()) {
        return lowering_.shown(
            refused_at(node, "the parameter $" + node.text + " has no value; --param gives it"));
      }
      node = at_place_of(value->second, node);
      return true;
    });
  });
}

/// OVER w becomes what WINDOW w says; OVER (w ORDER BY ...) adds to it.
Status Block::name_windows() {
  return for_each_part(query_, [&](Expression& part) {
    return rewrite(part, [&](Expression& node) -> Result<bool> {
      if (!is_window(node) || node.details->over[0].base.empty()) return false;
      auto details = std::make_shared<CallDetails>(*node.details);
      Window& window = details->over[0];
      for (std::size_t depth = 0; !window.base.empty(); ++depth) {
        const auto found =
            std::find_if(query_.windows.begin(), query_.windows.end(),
                         [&](const auto& each) { return same_name(each.first, window.base); });
        if (found == query_.windows.end() || depth > query_.windows.size()) {
          return lowering_.shown(refused_at(node, "there is no window '" + window.base + "'"));
        }
        window.base = found->second.base;
        if (window.partition.empty()) window.partition = found->second.partition;
        if (window.order.empty()) window.order = found->second.order;
        if (window.frame.empty()) window.frame = found->second.frame;
      }
      node.details = std::move(details);
      return false;
    });
  });
}

/// Whether some later phase has to know all items and keys of the lists.
bool Block::needs_lists() const {
  if (!query_.distinct_on.empty() || query_.qualify || query_.groups_by_all ||
      query_.orders_by_all || !query_.grouping_sets.empty() || !query_.has_from) {
    return true;
  }
  // A star must not show columns of our own, which unnest() and LATERAL join by.
  const bool has_own =
      std::any_of(scope_.sources.begin(), scope_.sources.end(), [](const Relation& source) {
        const std::vector<ColumnSchema>& columns = source.schema().columns;
        return std::any_of(columns.begin(), columns.end(),
                           [](const ColumnSchema& each) { return each.name.starts_with("##"); });
      });
  if (has_own) return true;
  const bool asks = any_node_of(query_, [](const Expression& node) {
    return node.kind == Kind::kSubquery || node.details != nullptr || is_call_of(node, "columns") ||
           is_call_of(node, "unnest") || (node.kind == Kind::kStar && !node.arguments.empty()) ||
           (is_any_aggregate(node) && (!is_native(node) || node.distinct));
  });
  return asks || std::any_of(query_.joins.begin(), query_.joins.end(),
                             [](const SqlJoin& join) { return join.kind >= SqlJoin::Kind::kAsof; });
}

bool Block::is_grouped() const {
  return !query_.group_by.empty() || query_.having ||
         std::any_of(query_.select.begin(), query_.select.end(),
                     [](const NamedExpression& item) { return calls_aggregate(item.expression); });
}

Status Block::expand_lists(bool all_names) {
  PRESSO_TRY(replace_aliases());
  if (!all_names && !needs_lists()) return {};
  PRESSO_TRY(expand_stars());
  if (query_.groups_by_all) {
    query_.groups_by_all = false;
    for (const NamedExpression& item : query_.select) {
      // What names no column is the same in all rows, and is no key.
      const bool constant = !any_node(
          item.expression, [](const Expression& node) { return node.kind == Kind::kColumn; });
      const bool of_groups =
          calls_aggregate(item.expression) || any_node(item.expression, is_window);
      if (!constant && !of_groups) query_.group_by.push_back(item);
    }
  }
  if (query_.orders_by_all) {
    query_.orders_by_all = false;
    query_.order_by = Lowering::order_of_all(query_.order_by.front(), query_.select.size());
  }
  return resolve_keys();
}

/// Keys of groups that are positions or names of results become their expressions.
Status Block::resolve_keys() {
  for (NamedExpression& key : query_.group_by) {
    Expression& tree = key.expression;
    if (const auto position = position_of(tree)) {
      if (*position == 0 || *position > query_.select.size()) {
        return lowering_.shown(refused_at(tree, "what is selected has no column " + tree.text));
      }
      key = query_.select[*position - 1];
      continue;
    }
    if (tree.kind != Kind::kColumn || !tree.qualifier.empty() || scope_.source_of(tree)) continue;
    for (const NamedExpression& item : query_.select) {
      if (!same_name(item.name, tree.text)) continue;
      tree = item.expression;
      break;
    }
  }
  return {};
}

std::optional<std::size_t> Block::item_of(const Expression& key) const {
  const auto position = position_of(key);
  if (position)
    return *position - 1 < query_.select.size() ? std::optional(*position - 1) : std::nullopt;
  if (key.kind != Kind::kColumn || !key.qualifier.empty()) return std::nullopt;
  for (std::size_t i = 0; i < query_.select.size(); ++i) {
    if (same_name(query_.select[i].name, key.text)) return i;
  }
  return std::nullopt;
}

std::vector<SortExpression> Block::order_by_expressions() const {
  std::vector<SortExpression> order = query_.order_by;
  for (SortExpression& key : order) {
    if (const auto item = item_of(key.expression)) key.expression = query_.select[*item].expression;
  }
  return order;
}

/// A name in WHERE, QUALIFY or a later item of the list that no source has is that of an item.
Status Block::replace_aliases() {
  const auto replace_in = [&](Expression& tree, std::size_t items) {
    return rewrite(tree, [&, items](Expression& node) -> Result<bool> {
      if (node.kind != Kind::kColumn || !node.qualifier.empty() || scope_.source_of(node)) {
        return false;
      }
      for (std::size_t i = 0; i < items; ++i) {
        const NamedExpression& item = query_.select[i];
        const bool itself =
            item.expression.kind == Kind::kColumn && same_name(item.expression.text, node.text);
        if (!same_name(item.name, node.text) || itself) continue;
        Expression value = item.expression;
        node = std::move(value);
        return true;
      }
      return false;
    });
  };
  for (std::size_t i = 0; i < query_.select.size(); ++i) {
    PRESSO_TRY(replace_in(query_.select[i].expression, i));
  }
  if (query_.where) PRESSO_TRY(replace_in(*query_.where, query_.select.size()));
  if (query_.qualify) PRESSO_TRY(replace_in(*query_.qualify, query_.select.size()));
  return {};
}

/// Stars become the columns that they mean, less those of EXCLUDE and with those of REPLACE.
Status Block::expand_stars() {
  std::vector<NamedExpression> list;
  for (const NamedExpression& item : query_.select) {
    if (item.expression.kind != Kind::kStar) {
      PRESSO_ASSIGN(const std::vector<NamedExpression> items, with_columns(item));
      list.insert(list.end(), items.begin(), items.end());
      continue;
    }
    if (!query_.has_from) {
      return lowering_.shown(refused_at(item.expression, "there is no FROM that '*' could mean"));
    }
    PRESSO_ASSIGN(const std::vector<NamedExpression> columns, columns_of(item));
    list.insert(list.end(), columns.begin(), columns.end());
  }
  query_.select = std::move(list);
  return {};
}

/// Whether the lambda is true of a column's name.
Result<bool> Block::holds_of_name(const Expression& lambda, const std::string& name) const {
  Expression condition = lambda.arguments.back();
  PRESSO_TRY(rewrite(condition, [&](Expression& node) -> Result<bool> {
    if (node.kind != Kind::kFunction || node.text != kParameterCall) return false;
    node = at_place_of(string(name), node);
    return true;
  }));
  Graph graph;
  const std::vector<InputColumn> none;
  Binder binder(graph, none);
  Result<NodeId> bound = binder.bind_condition(condition);
  if (!bound.ok()) return lowering_.shown(std::move(bound.error()));
  const Node& value = graph.at(*bound);
  return value.kind == Node::Kind::kConstant && !value.is_null && value.integer != 0;
}

/// An item with columns('regex') or columns(*) becomes one for each column that it means.
Result<std::vector<NamedExpression>> Block::with_columns(const NamedExpression& item) const {
  const auto is_call = [](const Expression& node) {
    return is_call_of(node, "columns") && node.arguments.size() == 1;
  };
  if (!any_node(item.expression, is_call)) return std::vector<NamedExpression>{item};
  NamedExpression star;
  star.expression.kind = Kind::kStar;
  any_node(item.expression, [&](const Expression& node) {
    const bool chooses = is_call(node) && node.arguments[0].kind == Kind::kStar;
    if (chooses) star.expression = node.arguments[0];
    return chooses;
  });
  PRESSO_ASSIGN(const std::vector<NamedExpression> all, columns_of(star));
  std::vector<NamedExpression> list;
  for (const NamedExpression& each : all) {
    NamedExpression one = item;
    bool matches = true;
    PRESSO_TRY(rewrite(one.expression, [&](Expression& node) -> Result<bool> {
      if (!is_call(node)) return false;
      const Expression& chosen = node.arguments[0];
      if (is_call_of(chosen, kLambdaCall)) {
        PRESSO_ASSIGN(const bool holds, holds_of_name(chosen, each.name));
        matches = matches && holds;
      } else if (chosen.kind == Kind::kString) {
        StringCondition pattern;
        pattern.kind = StringCondition::Kind::kMatches;
        pattern.text = chosen.text;
        PRESSO_ASSIGN(const StringTest test, StringTest::compile(pattern));
        matches = matches &&
                  test.matches({reinterpret_cast<const Byte*>(each.name.data()), each.name.size()});
      } else if (chosen.kind != Kind::kStar) {
        return lowering_.shown(refused_at(
            chosen,
            "COLUMNS takes a regular expression in quotes, or '*', or lambda c: condition"));
      }
      node = at_place_of(each.expression, node);
      return true;
    }));
    one.name = each.name;
    if (matches) list.push_back(std::move(one));
  }
  return list;
}

/// Columns that several sources have are called source.column, as a Query calls them.
Result<std::vector<NamedExpression>> Block::columns_of(const NamedExpression& star) const {
  const Expression& tree = star.expression;
  const auto is_shown = [&](std::size_t source) {
    const bool half = source > 0 && (query_.joins[source - 1].kind == SqlJoin::Kind::kSemi ||
                                     query_.joins[source - 1].kind == SqlJoin::Kind::kAnti);
    return tree.qualifier.empty() ? !half : scope_.sources[source].is_called(tree.qualifier);
  };
  const auto is_merged = [&](std::size_t source, const std::string& name) {
    if (source == 0 || !tree.qualifier.empty()) return false;
    const auto& merged = query_.joins[source - 1].using_columns;
    return std::any_of(merged.begin(), merged.end(),
                       [&](const Expression& each) { return same_name(each.text, name); });
  };
  std::map<std::string, std::size_t> count;
  std::vector<std::pair<std::size_t, std::string>> columns;
  for (std::size_t source = 0; source < scope_.sources.size(); ++source) {
    if (!is_shown(source)) continue;
    for (const ColumnSchema& each : scope_.sources[source].schema().columns) {
      if (is_merged(source, each.name) || each.name.starts_with("##")) continue;
      columns.emplace_back(source, each.name);
      ++count[each.name];
    }
  }
  if (columns.empty()) {
    return lowering_.shown(refused_at(tree, "there is no table '" + tree.qualifier + "'"));
  }
  std::vector<NamedExpression> list;
  std::vector<bool> used(tree.arguments.size());
  for (const auto& [source, name] : columns) {
    const Relation& relation = scope_.sources[source];
    Expression value = at_place_of(column(name), tree);
    if (count[name] > 1 || !tree.qualifier.empty()) value.qualifier = qualifier_of(source);
    std::string shown_name = count[name] > 1 ? qualifier_of(source) + "." + name : name;
    bool excluded = false;
    for (std::size_t i = 0; i < tree.arguments.size(); ++i) {
      const Expression& change = tree.arguments[i];
      const bool changes = change.kind == Kind::kOperator;
      const Expression& meant = changes ? change.arguments[0] : change;
      const bool qualified = meant.qualifier.empty() || relation.is_called(meant.qualifier);
      if (!same_name(meant.text, name) || !qualified) continue;
      used[i] = true;
      excluded = excluded || !changes;
      if (changes && change.op == Op::kEqual) value = change.arguments[1];
      if (changes && change.op == Op::kConcat) shown_name = change.arguments[1].text;
    }
    if (!excluded) list.push_back({std::move(value), std::move(shown_name)});
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i]) continue;
    const Expression& change = tree.arguments[i];
    const Expression& meant = change.kind == Kind::kOperator ? change.arguments[0] : change;
    return lowering_.shown(refused_at(meant, "there is no column '" + meant.text + "'"));
  }
  return list;
}

/// A name that may stand before the columns of a source: its alias, or that of its file.
std::string Block::qualifier_of(std::size_t source) const {
  const Relation& relation = scope_.sources[source];
  if (!relation.alias.empty()) return relation.alias;
  if (!relation.names.empty()) return stem_of(relation.names.front());
  return "t" + std::to_string(source + 1);
}

/// The rows are counted first.
Status Block::limit_percent() {
  if (!query_.limits_by_percent) return {};
  const std::uint64_t percent = query_.limit;
  query_.limit = ~std::uint64_t{0};
  query_.limits_by_percent = false;
  const std::uint64_t offset = std::exchange(query_.offset, 0);
  PRESSO_ASSIGN(Relation rows, lowering_.keep(make_query(), "rows before LIMIT"));
  const std::uint64_t all = rows.rows();
  query_ = SqlQuery();
  NamedExpression& star = query_.select.emplace_back();
  star.expression.kind = Kind::kStar;
  query_.limit = percent >= 100 ? all : all / 100 * percent + all % 100 * percent / 100;
  query_.offset = offset;
  continue_from(std::move(rows));
  return {};
}

/// Rows with the least hashes of their numbers, in their order: the same ones each time.
Status Block::take_sample() {
  if (!query_.sample) return {};
  const std::uint64_t wanted = *std::exchange(query_.sample, std::nullopt);
  const std::string row = lowering_.new_name();
  PRESSO_ASSIGN(KeptRows kept, query::keep(make_query(), lowering_.options(), row));
  Relation rows = lowering_.keep(std::move(kept), "rows to choose a sample from");
  const std::uint64_t all = rows.rows();
  SqlQuery chosen;
  for (const ColumnSchema& each : rows.schema().columns) {
    chosen.select.push_back({column(each.name), each.name});
  }
  SortExpression hash;
  hash.expression = call("bucket", {column(row), number(std::int64_t{1} << 20)});
  chosen.order_by = {hash, SortExpression{column(row), false, false}};
  chosen.limit =
      query_.samples_percent ? (all * std::min<std::uint64_t>(wanted, 100) + 50) / 100 : wanted;
  query_ = std::move(chosen);
  continue_from(std::move(rows));
  PRESSO_ASSIGN(Relation sample, lowering_.keep(make_query(), "a sample"));
  query_.order_by = {SortExpression{column(row), false, false}};
  query_.limit = ~std::uint64_t{0};
  query_.select.pop_back();
  continue_from(std::move(sample));
  return {};
}

void Block::continue_from(Relation relation) {
  query_.joins.clear();
  query_.where.reset();
  query_.has_from = true;
  const Scope* around = scope_.around;
  scope_ = Scope();
  scope_.around = around;
  scope_.sources.push_back(std::move(relation));
}

void Block::add_join(Relation relation, SqlJoin::Kind kind, Expression on) {
  SqlJoin join;
  join.kind = kind;
  join.on = std::move(on);
  query_.joins.push_back(std::move(join));
  scope_.sources.push_back(std::move(relation));
}

/// Puts a qualifier before all columns of the sources.
Status Block::qualify(Expression& tree) const {
  return rewrite(tree, [this](Expression& node) -> Result<bool> {
    if (node.kind != Kind::kColumn) return false;
    if (const auto source = scope_.source_of(node)) node.qualifier = qualifier_of(*source);
    return true;
  });
}

/// Whether two expressions are equal, where a column may be qualified in one of them only.
bool Block::is_same(const Expression& a, const Expression& b) const {
  const auto qualified = [this](Expression tree) {
    static_cast<void>(qualify(tree));  // no node fails
    return tree;
  };
  return a == b || qualified(a) == qualified(b);
}

Query Block::query_like(SqlQuery query) {
  std::swap(query_, query);
  Query result = make_query();
  std::swap(query_, query);
  return result;
}

Status Block::continue_with_calls(SqlQuery before, ColumnsOfCalls& columns,
                                  const std::string& what) {
  if (columns.list().empty()) columns.add(number(0));
  before.select = columns.list();
  PRESSO_ASSIGN(KeptRows kept, query::keep(query_like(std::move(before)), lowering_.options(),
                                           columns.row_number()));
  PRESSO_ASSIGN(Relation rows, columns.with_calls(lowering_.keep(std::move(kept), what)));
  continue_from(std::move(rows));
  return {};
}

/// What is left is what one Query does.
Query Block::make_query() const {
  Query query = lowering_.query_of(scope_.sources[0]);
  for (std::size_t i = 0; i < query_.joins.size(); ++i) {
    const SqlJoin& join = query_.joins[i];
    const Relation& relation = scope_.sources[i + 1];
    if (join.using_columns.empty()) {
      query.join(relation.tables, relation.names, join.kind, join.on);
    } else {
      query.join_using(relation.tables, relation.names, join.kind, join.using_columns);
    }
    query.as(relation.alias);
  }
  if (query_.where) query.where(*query_.where);
  query.select(query_.select);
  for (const NamedExpression& key : query_.group_by) {
    query.group_by(std::vector<Expression>{key.expression});
  }
  if (query_.distinct) query.distinct();
  if (query_.having) query.having(*query_.having);
  query.order_by(query_.order_by);
  query.limit(query_.limit, query_.offset);
  return query;
}

}  // namespace presso::query
