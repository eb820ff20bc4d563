// SPDX-License-Identifier: MIT
// Looks up the names and types of a whole query and turns expressions into nodes of graphs
// (query/compute/graph.h). In a query with groups each expression of the answer is taken apart: a
// part that equals a key is that key, arguments of aggregates are computed from the table's rows,
// and the rest is computed from keys and aggregates, one row for each group.
//
// Runs once for each query, before data is read; errors show the place in the query's text. Binding
// joins is left to bind_joins.cpp. Tested through tests/unit/query/answer/query_test.cpp and
// tests/unit/query/run/join_test.cpp.
#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "query/bind/join_parts.h"
#include "query/bind/shown.h"
#include "query/compute/intervals.h"
#include "query/expression/list_items.h"
#include "query/plan/join_plan.h"
#include "query/plan/query_spec.h"

namespace presso::query {
namespace {

using expression_detail::position_of;
using Kind = Expression::Kind;

/// An error for the user's query, with the place of `where`.
Error refused(std::string what, const Expression& where) {
  return at_place(make_error(ErrorCode::kInvalidArgument, std::move(what)), where);
}

/// Whether an aggregate function occurs anywhere in the expression, which makes a query one of
/// groups.
bool has_aggregate(const Expression& expression) {
  return is_aggregate(expression) ||
         std::any_of(expression.arguments.begin(), expression.arguments.end(), has_aggregate);
}

/// Error for an item of the list of aggregates that calls another function, such as median(x).
Status check_is_aggregate(const Expression& expression) {
  if (expression.kind != Kind::kFunction || has_aggregate(expression)) return {};
  return refused(
      "there is no aggregate '" + expression.text + "'; there are count, sum, avg, min and max",
      expression);
}

/// Names that the query gives to columns of its answer ("... AS total"). They may be used where no
/// column of a table has the name; in ORDER BY they take precedence over columns. A name that
/// differs in case gives way to columns.
class Aliases {
 public:
  void add(const std::string& name, NodeId id) {
    names_.add(name, aliases_.size());
    aliases_.emplace_back(name, id);
  }

  /// The first alias with exactly this name.
  std::optional<NodeId> find(const Expression& expression) const {
    for (const std::size_t i : called(expression)) {
      if (aliases_[i].first == expression.text) return aliases_[i].second;
    }
    return std::nullopt;
  }

  /// The alias whose name equals this one regardless of case, if there is only one.
  std::optional<NodeId> find_similar(const Expression& expression) const {
    const auto similar = called(expression);
    if (similar.size() != 1) return std::nullopt;
    return aliases_[similar[0]].second;
  }

 private:
  /// The aliases that an expression may mean: it must be a name without a qualifier.
  std::span<const std::size_t> called(const Expression& expression) const {
    if (expression.kind != Kind::kColumn || !expression.qualifier.empty()) return {};
    return names_.find(expression.text);
  }

  NameIndex names_;
  std::vector<std::pair<std::string, NodeId>> aliases_;
};

/// Looks up expressions over the rows of tables. With `use_aliases`, which ORDER BY sets, names of
/// the answer's columns are known as well.
class PlainBinder final : public Binder {
 public:
  using Binder::Binder;
  Aliases aliases;
  bool use_aliases = false;

 protected:
  Result<std::optional<NodeId>> replacement(const Expression& expression) override {
    // WHERE and the list of columns itself see no aliases, as SQL has it.
    if (!use_aliases) return std::optional<NodeId>();
    if (const auto known = aliases.find(expression)) return known;
    const auto similar = aliases.find_similar(expression);
    return similar && !find_column(expression).ok() ? similar : std::nullopt;
  }
};

/// Looks up expressions over groups: nodes of `query.output`, whose columns are the keys, then the
/// aggregates. Aggregates are added to the query as they occur; equal ones are computed once. Keys
/// must be added before expressions are looked up.
class GroupBinder final : public Binder {
 public:
  /// `none` must be empty: columns of the tables cannot be seen outside of keys and aggregates.
  /// `rows` bounds the rows of a group and thereby the range of counts and sums.
  GroupBinder(BoundQuery& query, Binder& input, const std::vector<InputColumn>& none,
              std::uint64_t rows)
      : Binder(*query.output, none), query_(query), input_(input), rows_(rows) {}

  Aliases aliases;
  bool use_aliases = false;

  /// Adds a key of the groups. `name` may refer to it wherever no column has this name.
  void add_key(NodeId key, const std::string& name) {
    Node node = query_.input->at(key);
    key_places_.emplace(key, query_.keys.size());
    query_.keys.push_back(key);
    key_names_.add(name, add_column(std::move(node)));
  }

  /// The number of the key that is this node of the input graph.
  std::optional<std::size_t> find_key(NodeId node) const {
    const auto found = key_places_.find(node);
    if (found == key_places_.end()) return std::nullopt;
    return found->second;
  }

 protected:
  /// What an expression stands for: an alias, or, if it equals a key as a whole, the column of that
  /// key. Literals and expressions with aggregates are never keys. nullopt: it is looked up part by
  /// part.
  Result<std::optional<NodeId>> replacement(const Expression& expression) override {
    std::optional<NodeId> similar;
    if (use_aliases) {
      if (const auto known = aliases.find(expression)) return known;
      similar = aliases.find_similar(expression);
    }
    const bool literal = expression.kind != Kind::kColumn && expression.arguments.empty();
    if (literal || query_.keys.empty() || has_aggregate(expression)) return similar;
    const auto bound = input_.bind(expression);
    if (bound.ok()) {
      if (const auto key = find_key(*bound)) return std::optional(columns_[*key]);
      return similar;
    }
    if (const auto known = key_names_.find(expression)) return known;
    return similar ? similar : key_names_.find_similar(expression);
  }

  bool is_column(const Expression& name) const override { return input_.is_column(name); }

  /// A column that is not within an aggregate and not part of a key has no single value in a group:
  /// an error, unless the name itself is wrong, which is reported first.
  Result<NodeId> bind_column(const Expression& expression) override {
    PRESSO_ASSIGN(const NodeId bound, input_.bind(expression));  // says what is wrong with the name
    (void)bound;
    return refused("the column '" + expression.text +
                       "' has many values in a group: group by it, too, or take an "
                       "aggregate of it (min, max, count, ...)",
                   expression);
  }

  /// The least or greatest interval of days and times.
  Result<NodeId> bind_interval_aggregate(const Expression& expression,
                                         const IntervalParts& interval) {
    const Node& months = input_.builder().at(interval.months);
    const bool has_months = months.kind != Node::Kind::kConstant || months.integer != 0;
    if (has_months || (expression.text != "min" && expression.text != "max")) {
      return at_place(interval_refused(), expression);
    }
    AggregateCall call;
    call.kind = expression.text == "min" ? AggregateKind::kMin : AggregateKind::kMax;
    PRESSO_ASSIGN(call.argument, interval_length(input_.builder(), interval));
    const NodeId length = column_of(call);
    return interval_of_length(builder(), length);
  }

  /// Checks the arguments of an aggregate function and adds a column for its result.
  Result<NodeId> bind_aggregate(const Expression& expression) override {
    const std::string& name = expression.text;
    AggregateCall call;
    const bool star =
        expression.arguments.size() == 1 && expression.arguments[0].kind == Kind::kStar;
    // count(*) and count() count rows and need no argument.
    if (name == "count" && (star || expression.arguments.empty())) return column_of(call);
    if (expression.arguments.size() != 1 || star) {
      return refused(name + "() takes one argument", expression);
    }
    if (expression.distinct && name != "count" && name != "min" && name != "max") {
      return refused("DISTINCT goes with count() only", expression);
    }
    PRESSO_ASSIGN(NodeId argument, input_.bind(expression.arguments[0]));
    const Builder& build = input_.builder();
    if (const auto interval = interval_of(build, argument); interval && name != "count") {
      return bind_interval_aggregate(expression, *interval);
    }
    Family family = build.at(argument).family;
    // An aggregate of the literal NULL is computed as one of integers.
    if (family == Family::kNull) {
      PRESSO_ASSIGN(argument, build.cast(argument, schema_of(Family::kInteger)));
      family = Family::kInteger;
    }
    if (name == "count") {
      call.kind = expression.distinct ? AggregateKind::kCountDistinct : AggregateKind::kCount;
    } else if (name == "min" || name == "max") {
      call.kind = name == "min" ? AggregateKind::kMin : AggregateKind::kMax;
    } else {
      call.kind = name == "sum" ? AggregateKind::kSum : AggregateKind::kAverage;
      // Sums of truth values count how often they are true.
      if (family == Family::kBool) {
        PRESSO_ASSIGN(argument, build.cast(argument, schema_of(Family::kInteger)));
        family = Family::kInteger;
      }
      if (family != Family::kInteger && family != Family::kDecimal && family != Family::kDouble) {
        return refused(name + "() takes numbers; this is " + build.type_of(argument), expression);
      }
    }
    call.argument = argument;
    return column_of(call);
  }

 private:
  /// Adds a column to the output graph with the type of `node`; everything else of the node is
  /// cleared.
  NodeId add_column(Node node) {
    node.kind = Node::Kind::kColumn;
    node.column = query_.group_columns.size();
    node.arguments.clear();
    node.parameter = 0;
    node.integers.clear();
    node.test.reset();
    node.test_key.clear();
    node.text.clear();
    node.is_null = false;
    query_.group_columns.push_back(node);
    columns_.push_back(query_.output->add(std::move(node)));
    return columns_.back();
  }

  /// The column of an aggregate; an equal one that exists already is reused.
  NodeId column_of(const AggregateCall& call) {
    const auto [known, is_new] =
        aggregate_places_.emplace(std::pair(call.kind, call.argument), query_.aggregates.size());
    if (!is_new) return columns_[query_.keys.size() + known->second];
    query_.aggregates.push_back(call);
    return add_column(result_of(call));
  }

  /// The type and range of an aggregate's result. All results except counts may be NULL, since a
  /// group may have only NULLs.
  Node result_of(const AggregateCall& call) const {
    Node node;
    if (call.argument) node = query_.input->at(*call.argument);
    node.nullable = true;
    switch (call.kind) {
      case AggregateKind::kMin:
      case AggregateKind::kMax:
        return node;
      case AggregateKind::kAverage:
        node = column_node(0, schema_of(Family::kDouble), {}, true);
        return node;
      case AggregateKind::kSum:
        if (node.family == Family::kDouble) {
          return column_node(0, schema_of(Family::kDouble), {}, true);
        }
        return sum_of(node);
      default: {
        Range range;
        range.known = true;
        range.most = static_cast<Int128>(rows_);
        return column_node(0, schema_of(Family::kInteger), range, false);
      }
    }
  }

  /// The type and range of a sum. Its range follows from the argument's range and the number of
  /// rows, so that later arithmetic can use narrow integers where it is safe. A range that
  /// decimal128 cannot hold becomes that of decimal128; an actual overflow is an error when the sum
  /// is computed.
  Node sum_of(const Node& argument) const {
    const Byte scale = argument.family == Family::kDecimal ? argument.schema.scale : Byte{0};
    Range range;
    const auto count = static_cast<Int128>(rows_);
    // The sum of all rows lies within the argument's range times the number of rows.
    const Int128 limit = power_of_ten(kMostDigits);
    range.known = argument.range.known &&
                  !__builtin_mul_overflow(argument.range.least, count, &range.least) &&
                  !__builtin_mul_overflow(argument.range.most, count, &range.most);
    // A group may have only some of the rows, so its sum lies between 0 and the sum of all.
    range.least = std::min<Int128>(range.least, argument.range.least);
    range.most = std::max<Int128>(range.most, argument.range.most);
    if (!range.known || range.least <= -limit || range.most >= limit) {
      range = range_of_type(ColumnType::kDecimal128);
    }
    range.least = std::min<Int128>(range.least, 0);
    range.most = std::max<Int128>(range.most, 0);
    Node node = column_node(0, schema_of(Family::kDecimal, scale), range, true);
    node.family = argument.family;
    node.physical = Physical::kInt128;
    return node;
  }

  BoundQuery& query_;
  Binder& input_;
  std::uint64_t rows_;
  Aliases key_names_;
  /// Number in query_.keys of a node.
  std::unordered_map<NodeId, std::size_t> key_places_;
  std::map<std::pair<AggregateKind, std::optional<NodeId>>, std::size_t> aggregate_places_;
  /// Nodes of the output graph that read group_columns, by number.
  std::vector<NodeId> columns_;
};

/// The node of one key of ORDER BY: a position in the answer, a name, or an expression.
Result<NodeId> sort_node(BoundQuery& query, Binder& binder, const SortExpression& sort) {
  if (const auto position = position_of(sort.expression)) {
    if (*position == 0 || *position > query.results.size()) {
      return refused("the answer has " + std::to_string(query.results.size()) + " columns",
                     sort.expression);
    }
    return query.results[*position - 1];
  }
  return binder.bind(sort.expression);
}

/// Looks up ORDER BY. Constants are dropped; an expression that occurs twice is computed once.
Status bind_order(BoundQuery& query, Binder& binder, const QuerySpec& spec) {
  for (const auto& [sort, text] : spec.order_by) {
    PRESSO_ASSIGN(NodeId id, shown(sort_node(query, binder, sort), text));
    if (const auto interval = interval_of(binder.builder(), id)) {
      PRESSO_ASSIGN(id, interval_length(binder.builder(), *interval));
    }
    if (query.last_graph().is_constant(id)) continue;
    auto place = std::find(query.sort_nodes.begin(), query.sort_nodes.end(), id);
    const auto number = static_cast<std::size_t>(place - query.sort_nodes.begin());
    if (place == query.sort_nodes.end()) query.sort_nodes.push_back(id);
    query.sort_keys.push_back({number, sort.descending, sort.nulls_first});
  }
  return {};
}

/// A column that a star stands for, with the quoting that its source file used.
struct StarColumn {
  NamedExpression column;
  Quoting quoting = Quoting::kNeeded;
};

/// The columns that `*` or `table.*` stands for. Columns that share their name with another one are
/// called table.name.
Result<std::vector<StarColumn>> star_columns(const BoundQuery& query, const Expression& star,
                                             const Qualifiers& qualifiers) {
  std::optional<std::size_t> source;
  if (!star.qualifier.empty()) {
    PRESSO_ASSIGN(source, find_source(qualifiers, star));
  }
  const auto is_shown = [&](const InputColumn& column) {
    return column.unusable.empty() && (source ? column.source == *source : !column.hidden);
  };
  std::unordered_map<std::string_view, std::size_t> count;
  for (const InputColumn& column : query.columns) count[column.name] += is_shown(column) ? 1 : 0;
  std::vector<StarColumn> columns;
  for (const InputColumn& column : query.columns) {
    if (!is_shown(column)) continue;
    const bool shared = count[column.name] > 1;
    Expression name = presso::column(column.name);
    if (shared || source) name.qualifier = qualifiers[column.source].back();
    std::string shown_name =
        shared ? qualifiers[column.source].front() + "." + column.name : column.name;
    columns.push_back({{std::move(name), std::move(shown_name)}, column.schema.quoting});
  }
  if (columns.empty()) return refused("there is no table '" + star.qualifier + "'", star);
  return columns;
}

/// Adds the columns of a star to the answer, with the quoting of the file that they come from, so
/// that CSV written again looks alike.
Status add_star(BoundQuery& query, PlainBinder& binder, const Expression& star,
                const Qualifiers& qualifiers) {
  PRESSO_ASSIGN(const std::vector<StarColumn> columns, star_columns(query, star, qualifiers));
  for (const auto& [column, quoting] : columns) {
    PRESSO_ASSIGN(const NodeId id, binder.bind(column.expression));
    add_result(query, id, column.name);
    query.schema.columns.back().quoting = quoting;
  }
  return {};
}

/// Rewrites SELECT DISTINCT as a query that groups by everything that is selected. Errors: with
/// GROUP BY or aggregates, where DISTINCT is refused.
Result<QuerySpec> distinct_as_groups(QuerySpec spec, const BoundQuery& query,
                                     const Qualifiers& qualifiers) {
  const auto problem = [](const char* what, const FromText<NamedExpression>& item) {
    return shown(refused(what, item.parsed.expression), item.text);
  };
  if (!spec.group_by.empty()) {
    return problem("DISTINCT goes without GROUP BY, which makes each group once",
                   spec.group_by.front());
  }
  std::vector<FromText<NamedExpression>> selected;
  for (FromText<NamedExpression>& item : spec.select) {
    const Expression& expression = item.parsed.expression;
    if (has_aggregate(expression)) {
      return problem("DISTINCT goes without aggregates; GROUP BY makes each group once", item);
    }
    if (expression.kind != Kind::kStar) {
      selected.push_back(std::move(item));
      continue;
    }
    auto columns = star_columns(query, expression, qualifiers);
    if (!columns.ok()) return shown(std::move(columns.error()), item.text);
    for (StarColumn& one : *columns) selected.push_back({std::move(one.column), item.text});
  }
  for (const FromText<NamedExpression>& item : selected) {
    const Expression& key = item.parsed.expression;
    // A literal is left out: as a key, a number would mean a position.
    if (key.kind == Kind::kColumn || !key.arguments.empty()) spec.group_by.push_back(item);
  }
  if (spec.group_by.empty()) {
    // Only literals are selected: without rows there is no group, as with any key.
    Expression any;
    any.kind = Kind::kBool;
    any.text = "true";
    spec.group_by.push_back({{std::move(any), ""}, selected.front().text});
  }
  spec.select = std::move(selected);
  return spec;
}

/// Looks up a query without groups. An empty list selects all columns.
Status bind_plain(BoundQuery& query, PlainBinder& binder, const QuerySpec& spec,
                  const Qualifiers& qualifiers) {
  for (const auto& [item, text] : spec.select) {
    if (item.expression.kind == Kind::kStar) {
      Status added = add_star(query, binder, item.expression, qualifiers);
      if (!added.ok()) return shown(std::move(added.error()), text);
      continue;
    }
    PRESSO_ASSIGN(const NodeId id, shown(binder.bind(item.expression), text));
    add_result(query, id, item.name);
    binder.aliases.add(item.name, id);
  }
  if (spec.select.empty()) {
    Status added = add_star(query, binder, Expression(), qualifiers);
    if (!added.ok()) return shown(std::move(added.error()), "");
  }
  if (!spec.having.empty()) {
    return make_error(ErrorCode::kInvalidArgument,
                      "HAVING is about groups, of which there are none; WHERE chooses rows");
  }
  binder.use_aliases = true;
  return bind_order(query, binder, spec);
}

/// Looks up a key of GROUP BY: a column, an expression, or the position or name of a selected
/// column. `selected` has the names of the selected columns; columns of tables take precedence.
Result<NodeId> bind_key(Binder& input, const Expression& key, const QuerySpec& spec,
                        const NameIndex& selected) {
  if (const auto position = position_of(key)) {
    if (*position == 0 || *position > spec.select.size()) {
      return refused("what is selected has no column " + key.text, key);
    }
    return input.bind(spec.select[*position - 1].parsed.expression);
  }
  Result<NodeId> bound = input.bind(key);
  if (bound.ok() || key.kind != Kind::kColumn) return bound;
  const auto similar = selected.find(key.text);
  for (const std::size_t i : similar) {
    const NamedExpression& item = spec.select[i].parsed;
    if (item.name == key.text) return input.bind(item.expression);
  }
  if (similar.size() == 1) return input.bind(spec.select[similar[0]].parsed.expression);
  return bound;
}

/// Looks up a query with groups: keys first, then what is selected, then HAVING and ORDER BY, which
/// may use aliases. `rows` bounds the rows of a group.
Status bind_grouped(BoundQuery& query, PlainBinder& input, const QuerySpec& spec,
                    std::uint64_t rows) {
  static const std::vector<InputColumn> kNone;
  query.output = std::make_unique<Graph>();
  GroupBinder binder(query, input, kNone, rows);
  // For each key that was given: its number and name.
  std::vector<std::pair<std::size_t, std::string>> columns;
  NameIndex selected;
  for (std::size_t i = 0; i < spec.select.size(); ++i) selected.add(spec.select[i].parsed.name, i);
  for (const auto& [key, text] : spec.group_by) {
    PRESSO_ASSIGN(NodeId id, shown(bind_key(input, key.expression, spec, selected), text));
    if (interval_of(input.builder(), id)) {
      return shown(at_place(interval_refused(), key.expression), text);
    }
    if (input.builder().at(id).family == Family::kNull) {
      PRESSO_ASSIGN(id, input.builder().cast(id, schema_of(Family::kInteger)));
    }
    const auto known = binder.find_key(id);
    columns.emplace_back(known.value_or(query.keys.size()), key.name);
    if (!known) binder.add_key(id, key.name);
  }
  const auto add = [&](const FromText<NamedExpression>& from) -> Status {
    const NamedExpression& item = from.parsed;
    PRESSO_ASSIGN(const NodeId id, shown(binder.bind(item.expression), from.text));
    add_result(query, id, item.name);
    binder.aliases.add(item.name, id);
    return {};
  };
  if (spec.select.empty()) {
    for (const auto& [key, name] : columns) {
      add_result(query, query.output->add(query.group_columns[key]), name);
    }
  }
  for (const auto& item : spec.select) {
    PRESSO_TRY(add(item));
  }
  for (const auto& item : spec.aggregates) {
    Status added = add(item);
    if (added.ok()) continue;
    const Status is_aggregate = check_is_aggregate(item.parsed.expression);
    return is_aggregate.ok() ? std::move(added.error()) : shown(is_aggregate.error(), item.text);
  }
  binder.use_aliases = true;
  std::vector<NodeId> conditions;
  for (const auto& [condition, text] : spec.having) {
    PRESSO_ASSIGN(const NodeId id, shown(binder.bind_condition(condition), text));
    conditions.push_back(id);
  }
  if (!conditions.empty()) {
    PRESSO_ASSIGN(const NodeId all, binder.builder().all_of(conditions));
    query.having = all;
  }
  return bind_order(query, binder, spec);
}

}  // namespace

std::string UniqueNames::take(const std::string& name) {
  const auto [known, is_new] = taken_.emplace(name, 2);
  if (is_new) return name;
  std::size_t& number = known->second;  // stays where it is when the map grows
  for (;;) {
    std::string unique = name + "_" + std::to_string(number++);
    if (taken_.emplace(unique, 2).second) return unique;
  }
}

void add_result(BoundQuery& query, NodeId id, const std::string& name) {
  const Node& node = query.last_graph().at(id);
  ColumnSchema column = node.schema;
  // A column of NULLs alone has no type of its own and is given as strings.
  if (node.family == Family::kNull) column = schema_of(Family::kString);
  column.name = query.names.take(name);
  column.nullable = true;
  query.results.push_back(id);
  query.schema.columns.push_back(std::move(column));
}

/// Defined here, where BoundJoins is complete.
BoundQuery::BoundQuery() = default;
BoundQuery::~BoundQuery() = default;
BoundQuery::BoundQuery(BoundQuery&&) noexcept = default;
BoundQuery& BoundQuery::operator=(BoundQuery&&) noexcept = default;

namespace {

/// The names that may qualify columns of each source, the private one included.
Qualifiers qualifiers_of(const std::vector<SourceFacts>& sources) {
  Qualifiers qualifiers;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    qualifiers.push_back(sources[i].qualifiers);
    qualifiers.back().push_back(private_qualifier(i));  // for add_star() and joins
  }
  return qualifiers;
}

/// An upper bound of the rows that may be grouped: for joins, all combinations, with one more row
/// of each table for outer joins. Saturates at 2^63 - 1.
std::uint64_t most_rows_of(const std::vector<SourceFacts>& sources) {
  if (sources.size() == 1) return sources[0].rows;
  std::uint64_t rows = 1;
  for (const SourceFacts& source : sources) {
    // Each table counts one row more: the row of NULLs that an outer join adds.
    if (__builtin_mul_overflow(rows, source.rows + 1, &rows)) rows = ~std::uint64_t{0} >> 1;
  }
  return rows;
}

/// Looks up one source by itself, as a query of its own: its columns and the conditions on it.
Result<BoundSource> bind_scan(SourceFacts facts, std::size_t number, std::vector<Rest> conditions) {
  BoundSource source;
  source.name = facts.qualifiers.empty() ? std::string("table ").append(std::to_string(number + 1))
                                         : facts.qualifiers.front();
  source.rows = facts.rows;
  QuerySpec spec;
  for (auto& [condition, text] : conditions) {
    spec.conditions.push_back({std::move(condition), std::move(text)});
  }
  facts.qualifiers.push_back(private_qualifier(number));
  PRESSO_ASSIGN(source.scan, bind_query(spec, {std::move(facts)}));
  return source;
}

/// Looks up everything; `scans` is set if the query has joins.
Result<BoundQuery> bind_whole(const QuerySpec& spec, const std::vector<SourceFacts>& sources,
                              std::optional<JoinScans> scans) {
  BoundQuery query;
  PRESSO_ASSIGN(query.columns, joined_columns(spec, sources, spec.joins.size()));
  query.limit = spec.limit;
  query.offset = spec.offset;
  const Qualifiers qualifiers = qualifiers_of(sources);
  const std::uint64_t rows = most_rows_of(sources);
  query.most_rows = rows;
  PlainBinder binder(*query.input, query.columns, qualifiers);
  if (scans) {
    PRESSO_TRY(bind_joins(query, spec, sources, std::move(*scans), binder));
  } else {
    for (const auto& [condition, text] : spec.conditions) {
      PRESSO_ASSIGN(const NodeId id, shown(binder.bind_condition(condition), text));
      query.conditions.push_back(id);
    }
  }
  const auto of_groups = [](const FromText<NamedExpression>& item) {
    return has_aggregate(item.parsed.expression);
  };
  // A query has groups if GROUP BY or an aggregate occurs anywhere; without keys, all rows are one
  // group.
  const bool of_all = std::any_of(spec.having.begin(), spec.having.end(),
                                  [](const auto& item) { return has_aggregate(item.parsed); });
  if (spec.distinct) {
    PRESSO_ASSIGN(const QuerySpec groups, distinct_as_groups(spec, query, qualifiers));
    PRESSO_TRY(bind_grouped(query, binder, groups, rows));
    return query;
  }
  const bool grouped = !spec.group_by.empty() || !spec.aggregates.empty() || of_all ||
                       std::any_of(spec.select.begin(), spec.select.end(), of_groups);
  PRESSO_TRY(grouped ? bind_grouped(query, binder, spec, rows)
                     : bind_plain(query, binder, spec, qualifiers));
  return query;
}

}  // namespace

Result<JoinScans> bind_scans(const QuerySpec& spec, std::vector<SourceFacts> sources) {
  BoundQuery query;
  PRESSO_ASSIGN(query.columns, joined_columns(spec, sources, spec.joins.size()));
  const Qualifiers qualifiers = qualifiers_of(sources);
  const PlainBinder binder(*query.input, query.columns, qualifiers);
  JoinScans scans;
  PRESSO_ASSIGN(scans.parts, take_joins_apart(query, spec, sources, binder));
  std::size_t first_column = 0;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::size_t columns = sources[i].columns.size();
    PRESSO_ASSIGN(BoundSource source,
                  bind_scan(std::move(sources[i]), i, std::move(scans.parts.conditions_of[i])));
    source.first_column = first_column;
    first_column += columns;
    scans.sources.push_back(std::move(source));
  }
  return scans;
}

Result<BoundQuery> bind_query(const QuerySpec& spec, const std::vector<SourceFacts>& sources,
                              JoinScans scans) {
  return bind_whole(spec, sources, std::move(scans));
}

Result<BoundQuery> bind_query(const QuerySpec& spec, std::vector<SourceFacts> sources) {
  if (spec.joins.empty()) return bind_whole(spec, sources, std::nullopt);
  PRESSO_ASSIGN(JoinScans scans, bind_scans(spec, sources));
  return bind_whole(spec, sources, std::move(scans));
}

}  // namespace presso::query
