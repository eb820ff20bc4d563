// SPDX-License-Identifier: MIT
// A query as it was asked, and after its names and types were looked up.
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

/// Something with the text that it was parsed from (empty for trees), in which errors are shown.
template <class Parsed>
struct FromText {
  Parsed parsed;
  std::string text;
};

/// How a table is joined to all that stand before it.
struct JoinSpec {
  SqlJoin::Kind kind = SqlJoin::Kind::kInner;
  /// Equal on both sides: the first of the tables before, the second of this one.
  std::vector<std::pair<Expression, Expression>> pairs;
  std::optional<Expression> on;
  std::vector<Expression> using_columns;
  std::string text;  ///< in which errors are shown
};

struct QuerySpec {
  std::vector<JoinSpec> joins;  ///< of the second table, the third, ...
  std::vector<FromText<Expression>> conditions;
  std::vector<FromText<NamedExpression>> select;
  bool distinct = false;  ///< each row of the answer once
  std::vector<FromText<NamedExpression>> group_by;
  std::vector<FromText<NamedExpression>> aggregates;
  std::vector<FromText<Expression>> having;
  std::vector<FromText<SortExpression>> order_by;
  std::uint64_t limit = ~std::uint64_t{0};
  std::uint64_t offset = 0;
  /// The source whose rows are read in their order; else it is chosen by their numbers.
  std::optional<std::size_t> root;
};

/// What an argument of an aggregate is states of, where it is such; of a count it is counts.
struct StatesGiven {
  Physical physical = Physical::kInt64;
  Byte scale = 0;
};

struct AggregateCall {
  AggregateKind kind = AggregateKind::kCountRows;
  std::optional<NodeId> argument;  ///< in the input's graph
  bool gives_states = false;       ///< in place of sums (query/group/sum_states.h)
  std::optional<StatesGiven> of_states;
};

struct BoundJoins;

/// Gives each column of an answer a name that no other one has.
class UniqueNames {
 public:
  /// `name`, or the first of name_2, name_3, ... that is free.
  std::string take(const std::string& name);

 private:
  std::unordered_map<std::string, std::size_t> taken_;  ///< and the next number to try
};

/// Nodes of `input` are computed of the tables' columns. With groups, what comes out of them is
/// computed by nodes of `output`, whose columns are the keys and then the aggregates.
struct BoundQuery {
  BoundQuery();
  ~BoundQuery();
  BoundQuery(BoundQuery&&) noexcept;
  BoundQuery& operator=(BoundQuery&&) noexcept;

  std::vector<InputColumn> columns;   ///< of the tables, those of joined ones one after another
  std::unique_ptr<BoundJoins> joins;  ///< nullptr: there is one source
  std::unique_ptr<Graph> input = std::make_unique<Graph>();
  std::unique_ptr<Graph> output;   ///< nullptr without groups
  std::vector<NodeId> conditions;  ///< of `input`; behind the joins, where there are any
  std::vector<NodeId> keys;        ///< of `input`
  std::vector<AggregateCall> aggregates;
  std::vector<Node> group_columns;  ///< the columns of `output`
  std::optional<NodeId> having;     ///< of the last graph, as what follows
  std::vector<NodeId> results;
  std::vector<NodeId> sort_nodes;
  std::vector<OrderKey> sort_keys;  ///< OrderKey::column: in sort_nodes
  TableSchema schema;               ///< of the answer
  UniqueNames names;                ///< of the answer's columns
  std::uint64_t limit = ~std::uint64_t{0};
  std::uint64_t offset = 0;
  std::uint64_t most_rows = 0;  ///< that may come to groups: those of the tables, or all pairs

  /// How many rows are made, those that are left out in front included.
  std::uint64_t last_row() const {
    return limit > ~std::uint64_t{0} - offset ? ~std::uint64_t{0} : limit + offset;
  }
  bool grouped() const { return output != nullptr; }
  const Graph& last_graph() const { return grouped() ? *output : *input; }
};

/// Adds a column to the answer: a node of the last graph, under a name that no other column has.
void add_result(BoundQuery& query, NodeId id, const std::string& name);

/// Rows of one file, or of several with the same columns, as a query names them.
struct SourceFacts {
  std::vector<InputColumn> columns;
  std::vector<std::string> qualifiers;  ///< the first is that by which messages call it
  std::uint64_t rows = 0;
};

/// One source, and one more for each join of `spec`. Errors: kInvalidArgument with the place in the
/// text.
Result<BoundQuery> bind_query(const QuerySpec& spec, std::vector<SourceFacts> sources);

}  // namespace presso::query
