// SPDX-License-Identifier: MIT
// A query in two states: QuerySpec as it was asked, with names, and BoundQuery after its names and
// types were looked up (query/bind). Neither refers to data; both may be moved between threads.
// Tested through tests/unit/query/answer/query_test.cpp and tests/unit/query/run/join_test.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "presso/query.h"
#include "presso/sql.h"
#include "query/compute/binder.h"
#include "query/group/grouping.h"
#include "query/order/ordering.h"
#include "query/plan/filter_plan.h"

namespace presso::query {

/// A parsed part of a query with the text that it came from, in which errors show their place. The
/// text is empty for trees that were built by code.
template <class Parsed>
struct FromText {
  Parsed parsed;
  std::string text;
};

/// How a table is joined to all tables that stand before it in the query.
struct JoinSpec {
  SqlJoin::Kind kind = SqlJoin::Kind::kInner;
  /// Keys: the first expression is of the tables before, the second of this one.
  std::vector<std::pair<Expression, Expression>> pairs;
  /// The condition of ON, if any, and the columns of USING.
  std::optional<Expression> on;
  std::vector<Expression> using_columns;
  /// The text that errors are shown in.
  std::string text;
};

/// A query as it was asked. Members correspond to SQL's clauses.
struct QuerySpec {
  /// One for each table from the second on.
  std::vector<JoinSpec> joins;
  /// Several conditions are joined by AND.
  std::vector<FromText<Expression>> conditions;
  std::vector<FromText<NamedExpression>> select;
  /// DISTINCT: each row of the answer occurs once.
  bool distinct = false;
  std::vector<FromText<NamedExpression>> group_by;
  std::vector<FromText<NamedExpression>> aggregates;
  std::vector<FromText<Expression>> having;
  std::vector<FromText<SortExpression>> order_by;
  std::uint64_t limit = ~std::uint64_t{0};
  std::uint64_t offset = 0;
  /// The table to scan in its order; if unset, the table with the most rows that conditions leave.
  std::optional<std::size_t> root;
};

/// The type of the partial states that an argument holds, if an aggregate is computed from partial
/// results; for counts the argument holds counts.
struct StatesGiven {
  Physical physical = Physical::kInt64;
  Byte scale = 0;
};

/// One aggregate of a grouped query. Without an argument it is count(*).
struct AggregateCall {
  AggregateKind kind = AggregateKind::kCountRows;
  /// A node of the input's graph.
  std::optional<NodeId> argument;
  /// Returns partial states in place of final sums (query/group/sum_states.h).
  bool gives_states = false;
  /// Set if the argument holds partial states instead of values.
  std::optional<StatesGiven> of_states;
};

struct BoundJoins;

/// Makes the names of the answer's columns unique.
class UniqueNames {
 public:
  /// Returns `name` if it is free, else the first free one of name_2, name_3, ... The result is
  /// taken from then on. Amortised O(1).
  std::string take(const std::string& name);

 private:
  /// The names taken, each with the next number to try.
  std::unordered_map<std::string, std::size_t> taken_;
};

/// A query whose names and types are known. Nodes of `input` are computed from columns of the
/// tables. If the query has groups, the nodes of `output` are computed from each group's keys and
/// aggregates, which are its columns in this order. Owns its graphs; programs and filters refer to
/// them.
struct BoundQuery {
  BoundQuery();
  ~BoundQuery();
  BoundQuery(BoundQuery&&) noexcept;
  BoundQuery& operator=(BoundQuery&&) noexcept;

  /// Columns of the tables, those of joined tables one after another.
  std::vector<InputColumn> columns;
  /// nullptr if there is a single source.
  std::unique_ptr<BoundJoins> joins;
  std::unique_ptr<Graph> input = std::make_unique<Graph>();
  /// nullptr without groups.
  std::unique_ptr<Graph> output;
  /// Nodes of `input`, joined by AND; if there are joins, conditions on joined rows.
  std::vector<NodeId> conditions;
  /// Nodes of `input`.
  std::vector<NodeId> keys;
  std::vector<AggregateCall> aggregates;
  /// The columns of `output`: the keys, then the aggregates.
  std::vector<Node> group_columns;
  /// HAVING. This and the following nodes are of last_graph().
  std::optional<NodeId> having;
  std::vector<NodeId> results;
  std::vector<NodeId> sort_nodes;
  /// OrderKey::column is an index into sort_nodes.
  std::vector<OrderKey> sort_keys;
  /// The columns of the answer.
  TableSchema schema;
  /// Names that the answer's columns have taken.
  UniqueNames names;
  std::uint64_t limit = ~std::uint64_t{0};
  std::uint64_t offset = 0;
  /// An upper bound for the rows that may be grouped: the rows of the table, or all pairs.
  std::uint64_t most_rows = 0;

  /// The number of rows that must be produced, including those that OFFSET drops; saturates.
  std::uint64_t last_row() const {
    return limit > ~std::uint64_t{0} - offset ? ~std::uint64_t{0} : limit + offset;
  }
  bool grouped() const { return output != nullptr; }
  /// The graph that results, HAVING and ORDER BY are computed in.
  const Graph& last_graph() const { return grouped() ? *output : *input; }
};

/// Adds a result column to the answer: a node of the last graph, under a unique variant of `name`.
void add_result(BoundQuery& query, NodeId id, const std::string& name);

/// The facts about one table of the query: a file, or several with the same columns.
struct SourceFacts {
  std::vector<InputColumn> columns;
  /// Names that may stand before its columns; messages use the first one.
  std::vector<std::string> qualifiers;
  std::uint64_t rows = 0;
};

/// A file's name without folder and suffixes, by which its columns may be qualified.
std::string stem_of(const std::string& name);

/// Looks up all names and types of `spec`, which needs one source, and one more for each join.
/// Errors: kInvalidArgument, with the place in the query's text.
Result<BoundQuery> bind_query(const QuerySpec& spec, std::vector<SourceFacts> sources);

}  // namespace presso::query
