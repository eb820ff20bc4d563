// SPDX-License-Identifier: MIT
// Implements partial_query.h: rewrites a grouped query into one that returns the states of its
// groups for a part of the table, and into one that adds up such states. Only bound queries are
// rewritten; nothing is read here, and the results run like any other query. Declines queries
// without groups and count(DISTINCT).
#include "query/answer/partial_query.h"

#include <algorithm>
#include <map>

#include "query/compute/node_text.h"
#include "query/rows/batch_builder.h"
#include "query/run/explain_joins.h"

namespace presso::query {
namespace {

/// Aggregates whose state is an exact sum with a count.
bool is_sum(AggregateKind kind) {
  return kind == AggregateKind::kSum || kind == AggregateKind::kAverage;
}
/// Aggregates whose states are added up as integers.
bool is_count(AggregateKind kind) {
  return kind == AggregateKind::kCount || kind == AggregateKind::kCountRows;
}

/// A column of bytes that holds states of sums.
Node bytes_node(std::size_t column) {
  ColumnSchema schema;
  schema.type = ColumnType::kBinary;
  return column_node(column, schema, {}, false);
}
/// A column of 64-bit integers that is never NULL: counts and orders.
Node integer_node(std::size_t column) {
  return column_node(column, schema_of(Family::kInteger), range_of_type(ColumnType::kInt64), false);
}

/// A column of groups with the type and range of a node.
Node column_like(const Node& node, std::size_t column) {
  Node of = column_node(column, node.schema, node.range, true);
  of.family = node.family;
  of.physical = node.physical;
  return of;
}

/// The state that is kept in a group for an aggregate. The sum and the average of the same argument
/// share one state: an exact sum with a count.
AggregateCall state_of(const AggregateCall& call) {
  AggregateCall state = call;
  if (is_sum(call.kind)) {
    state.kind = AggregateKind::kSum;
    state.gives_states = true;
  }
  return state;
}

/// The different states of a query, and for each aggregate the number of its state.
struct States {
  std::vector<AggregateCall> calls;
  std::vector<std::size_t> of_aggregate;
};

/// Collects the states. Error: count(DISTINCT), whose parts cannot be added up, and queries without
/// groups.
Result<States> states_of(const BoundQuery& query) {
  if (!query.grouped()) return refused("there are no groups whose parts could be merged");
  States states;
  std::map<std::pair<AggregateKind, std::optional<NodeId>>, std::size_t> known;
  for (const AggregateCall& call : query.aggregates) {
    if (call.kind == AggregateKind::kCountDistinct) {
      return refused(
          "count(distinct x) of parts cannot be added up: group by x, too, merge, and count the "
          "groups");
    }
    const AggregateCall state = state_of(call);
    // Equal states are stored once: avg(x) and sum(x) share theirs.
    const auto [place, is_new] =
        known.emplace(std::pair(state.kind, state.argument), states.calls.size());
    states.of_aggregate.push_back(place->second);
    if (is_new) states.calls.push_back(state);
  }
  return states;
}

/// The name of a state's column, such as "sum(price)".
std::string name_of_state(const AggregateCall& call, const BoundQuery& query,
                          const std::vector<std::string>& names) {
  if (!call.argument) return "count(*)";
  const char* kind = call.kind == AggregateKind::kSum   ? "sum("
                     : call.kind == AggregateKind::kMin ? "min("
                     : call.kind == AggregateKind::kMax ? "max("
                                                        : "count(";
  return kind + node_text(*query.input, *call.argument, names) + ")";
}

/// A column of a partial answer.
struct StateColumn {
  std::string name;
  Node node;
};

/// The columns of a partial answer: keys, then states, with unique names.
std::vector<StateColumn> columns_of(const BoundQuery& query,
                                    const std::vector<AggregateCall>& states) {
  const std::vector<std::string> names = shown_column_names(query);
  std::vector<StateColumn> columns;
  UniqueNames taken;
  const auto add = [&](const std::string& name, Node node) {
    node.schema.name = taken.take(name);
    columns.push_back({node.schema.name, std::move(node)});
  };
  for (const NodeId key : query.keys) {
    add(node_text(*query.input, key, names), column_like(query.input->at(key), columns.size()));
  }
  for (const AggregateCall& call : states) {
    const std::size_t column = columns.size();
    add(name_of_state(call, query, names),
        is_count(call.kind) ? integer_node(column)
        : is_sum(call.kind) ? bytes_node(column)
                            : column_like(query.input->at(*call.argument), column));
  }
  return columns;
}

/// Removes everything that is computed from groups: results, HAVING, order and limit.
void drop_answer(BoundQuery& query) {
  query.output = std::make_unique<Graph>();
  query.group_columns.clear();
  query.having.reset();
  query.results.clear();
  query.sort_nodes.clear();
  query.sort_keys.clear();
  query.schema.columns.clear();
  query.names = {};
  query.limit = ~std::uint64_t{0};
  query.offset = 0;
}

/// Adds a column to the output graph; its number is its place among keys and aggregates.
NodeId add_group_column(BoundQuery& query, Node node) {
  query.group_columns.push_back(node);
  return query.output->add(std::move(node));
}

/// Adds the bucket column if buckets are asked for: a hash of the keys, by which partial answers
/// can be distributed for merging.
void add_bucket(BoundQuery& query, const PartialForm& form) {
  if (form.buckets == 0) return;
  const auto keys = static_cast<std::ptrdiff_t>(query.keys.size());
  const std::vector<NodeId> of(query.results.begin(), query.results.begin() + keys);
  add_result(query, Builder(*query.output).bucket(of, form.buckets), kBucketColumn);
}

/// Buckets need keys: a single group of all rows cannot be distributed.
Status check_form(const BoundQuery& query, const PartialForm& form) {
  if (form.buckets != 0 && query.keys.empty()) {
    return refused("one group of all rows has no keys by which there could be buckets");
  }
  return {};
}

/// Whether merged columns have kept their type. The width of decimals and the kind of strings
/// may differ: tables choose them by themselves.
bool are_same_type(const ColumnSchema& a, const ColumnSchema& b) {
  const bool decimals =
      family_of(a.type) == Family::kDecimal && family_of(b.type) == Family::kDecimal;
  const bool strings = is_string(a.type) && is_string(b.type);
  return (a.type == b.type || decimals || strings) && a.scale == b.scale && a.unit == b.unit;
}

/// Builds the query that merges partial answers of `whole_`. Used once: make().
class Merging {
 public:
  Merging(BoundQuery whole, std::vector<InputColumn> columns, std::uint64_t rows,
          const PartialForm& form)
      : whole_(std::move(whole)), form_(form) {
    merging_.columns = std::move(columns);
    merging_.most_rows = rows;
    for (std::size_t i = 0; i < merging_.columns.size(); ++i) {
      places_.emplace(merging_.columns[i].name, i);
    }
  }

  Result<BoundQuery> make() {
    PRESSO_TRY(check_form(whole_, form_));
    PRESSO_ASSIGN(const States states, states_of(whole_));
    expected_ = columns_of(whole_, states.calls);
    for (const StateColumn& column : expected_) {
      PRESSO_ASSIGN(const NodeId given, given_column(column.name, column.node));
      given_.push_back(given);
    }
    PRESSO_ASSIGN(order_, given_column(form_.order_name, integer_node(0)));
    PRESSO_TRY(form_.again ? give_states(states) : give_answer(states));
    return std::move(merging_);
  }

 private:
  /// The column with this name, checked for its type. Keys and values of min and max may be NULL; a
  /// NULL in a state, a count or the order means a damaged partial answer.
  Result<NodeId> given_column(const std::string& name, const Node& expected) {
    const ColumnSchema& schema = expected.schema;
    const auto place = places_.find(name);
    if (place == places_.end()) {
      return refused("the partial answer has no column '" + name + "', which the query needs");
    }
    const InputColumn* const found = &merging_.columns[place->second];
    const NodeId id = merging_.input->add(
        column_node(place->second, found->schema, found->range, found->nullable));
    if (found->nullable && !expected.nullable) {
      return refused("the column '" + name + "' of a partial answer has nulls: it is cut off");
    }
    if (are_same_type(found->schema, schema)) return id;
    Graph wanted;
    const NodeId like = wanted.add(column_node(0, schema, {}, true));
    return refused("the column '" + name + "' of a partial answer has become " +
                   Builder(*merging_.input).type_of(id) + "; it was " +
                   Builder(wanted).type_of(like));
  }

  /// A column widened to the representation that the whole query's groups have, so that its
  /// expressions can be taken over as they are.
  Result<NodeId> in_form(std::size_t column) {
    const Builder build(*merging_.input);
    const NodeId id = given_[column];
    const Physical wanted = expected_[column].node.physical;
    if (build.at(id).physical == wanted) return id;
    return wanted == Physical::kInt128 ? build.to_int128(id) : build.to_int64(id);
  }

  /// The aggregate that merges states of `call`: counts are added up, min and max are taken again,
  /// and sums are added as states.
  AggregateCall merged(const AggregateCall& call, NodeId state) const {
    AggregateCall of = call;
    of.argument = state;
    if (is_count(call.kind)) of.kind = AggregateKind::kCount;
    // The minimum of minima is the minimum; only sums and counts change.
    if (!is_count(call.kind) && !is_sum(call.kind)) return of;
    of.of_states.emplace();
    if (is_sum(call.kind)) {
      const Node& argument = whole_.input->at(*call.argument);
      const bool decimal = argument.family == Family::kDecimal;
      of.of_states = {argument.physical, decimal ? argument.schema.scale : Byte{0}};
    }
    return of;
  }

  /// Adds the smallest order number of each group, which is that of its first row, as the sort key
  /// that comes after those of the query.
  NodeId add_order() {
    AggregateCall least;
    least.kind = AggregateKind::kMin;
    least.argument = order_;
    merging_.aggregates.push_back(least);
    const std::size_t column = merging_.group_columns.size();
    const NodeId order = add_group_column(merging_, integer_node(column));
    merging_.sort_keys.push_back({merging_.sort_nodes.size(), false, false});
    merging_.sort_nodes.push_back(order);
    return order;
  }

  /// Completes the merging query so that it returns the answer of the whole query.
  Status give_answer(const States& states) {
    const std::size_t keys = whole_.keys.size();
    for (std::size_t i = 0; i < keys; ++i) {
      PRESSO_ASSIGN(const NodeId key, in_form(i));
      merging_.keys.push_back(key);
    }
    for (std::size_t i = 0; i < whole_.aggregates.size(); ++i) {
      PRESSO_ASSIGN(const NodeId state, in_form(keys + states.of_aggregate[i]));
      merging_.aggregates.push_back(merged(whole_.aggregates[i], state));
    }
    // Everything after grouping stays as it was, since keys and aggregates have the same places and
    // types.
    merging_.output = std::move(whole_.output);
    merging_.group_columns = std::move(whole_.group_columns);
    merging_.having = whole_.having;
    merging_.results = std::move(whole_.results);
    merging_.sort_nodes = std::move(whole_.sort_nodes);
    merging_.sort_keys = std::move(whole_.sort_keys);
    merging_.schema = std::move(whole_.schema);
    merging_.limit = whole_.limit;
    merging_.offset = whole_.offset;
    add_order();
    return {};
  }

  /// Completes the merging query so that it returns a partial answer again, for merging in a tree.
  Status give_states(const States& states) {
    drop_answer(merging_);
    const std::size_t keys = whole_.keys.size();
    for (std::size_t i = 0; i < expected_.size(); ++i) {
      Node column = expected_[i].node;
      // Numbers keep the width in which they were given.
      column.physical = merging_.input->at(given_[i]).physical;
      column.range = merging_.input->at(given_[i]).range;
      if (i < keys) {
        merging_.keys.push_back(given_[i]);
      } else {
        merging_.aggregates.push_back(merged(states.calls[i - keys], given_[i]));
        if (is_count(states.calls[i - keys].kind)) column = integer_node(i);
      }
      add_result(merging_, add_group_column(merging_, std::move(column)), expected_[i].name);
    }
    add_result(merging_, add_order(), form_.order_name);
    add_bucket(merging_, form_);
    return {};
  }

  BoundQuery whole_;
  const PartialForm& form_;
  BoundQuery merging_;
  /// Number of each column of the tables by its name.
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<StateColumn> expected_;
  /// Nodes of the columns that were found, in the order of expected_.
  std::vector<NodeId> given_;
  NodeId order_ = 0;
};

/// The position of the order column: last, or just before the bucket.
std::ptrdiff_t order_place(std::size_t columns, const PartialForm& form) {
  return static_cast<std::ptrdiff_t>(columns - (form.buckets != 0 ? 1 : 0));
}

}  // namespace

Result<BoundQuery> partial_query(BoundQuery whole, const PartialForm& form) {
  PRESSO_TRY(check_form(whole, form));
  PRESSO_ASSIGN(States states, states_of(whole));
  std::vector<StateColumn> columns = columns_of(whole, states.calls);
  drop_answer(whole);
  whole.aggregates = std::move(states.calls);
  for (StateColumn& column : columns) {
    add_result(whole, add_group_column(whole, std::move(column.node)), column.name);
  }
  add_bucket(whole, form);
  return whole;
}

TableSchema partial_schema(const BoundQuery& partial, const PartialForm& form) {
  TableSchema schema = partial.schema;
  ColumnSchema order = schema_of(Family::kInteger);
  order.name = form.order_name;
  schema.columns.insert(schema.columns.begin() + order_place(schema.columns.size(), form),
                        std::move(order));
  return schema;
}

Status check_question(const TableSchema& partial, const PartialForm& form) {
  for (const ColumnSchema& column : partial.columns) {
    if (column.name == form.order_name) return {};
  }
  return refused(
      "no partial answer of this query: it was asked with other joins, conditions, keys or "
      "columns");
}

Result<BoundQuery> merging_query(BoundQuery whole, std::vector<InputColumn> columns,
                                 std::uint64_t rows, const PartialForm& form) {
  return Merging(std::move(whole), std::move(columns), rows, form).make();
}

Status NumberedSink::begin(const TableSchema&) {
  return sink_.begin(schema_);
}

/// Inserts the order column: consecutive numbers from PartialForm::first_order on.
Result<bool> NumberedSink::write(ResultBatch batch, Buffer encoded) {
  ColumnData order;
  order.type = ColumnType::kInt64;
  order.rows = rows_of(batch);
  order.values.resize_discarding(static_cast<std::size_t>(8 * order.rows));
  for (std::uint64_t row = 0; row < order.rows; ++row) {
    store(order.values.data() + 8 * row, form_.first_order + next_++);
  }
  batch.insert(batch.begin() + order_place(batch.size(), form_), std::move(order));
  return sink_.write(std::move(batch), std::move(encoded));
}

}  // namespace presso::query
