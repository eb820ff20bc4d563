// SPDX-License-Identifier: MIT
// Binding: from the tree of an expression, as it was parsed, to nodes of a graph. Names become
// columns, literals get types, operators and functions become steps.
//
// All errors are kInvalidArgument. They carry the place in the expression's text
// (Error::byte_offset), and where a name is nearly right they suggest the right one. Binding never
// reads rows; what it needs to know of a table is in InputColumn. Types and conversions are the
// business of builder.h, on which this stands. Aggregates and group keys are added by subclasses
// (query/bind). Tested by tests/unit/query/compute/compute_test.cpp.
//
// The order of events for `where day < '2024-01-01'`: find_column() finds `day`; the literal is
// bound as a string; bind_comparison() sees that day is no string column, so Builder::unify() reads
// the literal as a date; the result is a kLess of a column and a constant, which the planner
// (query/plan) then turns into an interval of the column's packed values.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "format/columns/json_path.h"
#include "presso/expression.h"
#include "query/compute/builder.h"

namespace presso::query {

/// A column that expressions may name, with everything that binding needs to know about it. For a
/// query of one table these are the table's columns; for a join, those of all tables one after
/// another.
struct InputColumn {
  std::string name;
  ColumnSchema schema;
  Range range;             ///< the interval of its values, from the zones of all row groups
  bool nullable = true;    ///< whether it may have nulls, also those that an outer join adds
  std::size_t source = 0;  ///< number of the joined table that it belongs to
  bool hidden = false;     ///< found by a qualified name only, and not part of `*`
  /// For USING in full joins: the unqualified name means the first value that is not null among
  /// this column and these.
  std::vector<std::size_t> otherwise = {};
  /// If not empty, the column cannot be used at this place and this is the reason, as part of an
  /// error message: "it is of the right side of a semi join".
  std::string unusable = {};
  /// For USING in right joins: the unqualified name means this other column.
  std::optional<std::size_t> stands_for = {};
};

/// For each joined table the names that may stand before the point in `table.column`: its alias, or
/// its own name.
using Qualifiers = std::vector<std::vector<std::string>>;

/// The table that the qualifier of `expression` means: one that is called exactly so, else the only
/// one whose name differs in case at most. Error: there is none, or several.
Result<std::size_t> find_source(const Qualifiers& qualifiers, const Expression& expression);

/// Places of names, found without regard to the case of ASCII letters in constant time.
class NameIndex {
 public:
  void add(const std::string& name, std::size_t place);
  /// Returns the places of names that differ from `name` in case at most, in the order of add().
  std::span<const std::size_t> find(const std::string& name) const;

 private:
  std::unordered_map<std::string, std::vector<std::size_t>> places_;
};

/// Binds the expressions of one query, one after another, into one graph. It is cheap to make,
/// holds references only and is used by one thread. Subclasses override the three protected
/// functions to give expressions of groups a meaning.
class Binder {
 public:
  /// `graph` and `columns` are kept by reference and must outlive the binder; names of columns must
  /// not change. `qualifiers` is indexed by InputColumn::source; empty: columns have no qualified
  /// names.
  Binder(Graph& graph, const std::vector<InputColumn>& columns, Qualifiers qualifiers = {});
  virtual ~Binder() = default;

  /// Binds an expression of any type. Nodes that were added before an error stay in the graph
  /// unused.
  Result<NodeId> bind(const Expression& expression);
  /// Binds an expression that must be a truth value (or a bare NULL); other types are an error.
  Result<NodeId> bind_condition(const Expression& expression);
  /// Returns the index of the column that a name means. An exact name wins; otherwise a single
  /// column that differs in case only is taken. Ambiguous, unusable and unknown names are errors.
  Result<std::size_t> find_column(const Expression& expression) const;
  /// Whether the name is that of a column.
  virtual bool is_column(const Expression& name) const;
  /// The column of a name that is no column's but a field's, which `path`, keys alone, leads to.
  std::optional<Expression> field_of(const Expression& name, JsonPath& path) const;
  /// The builder over the same graph, for callers that add steps of their own.
  const Builder& builder() const { return build_; }

 protected:
  /// Called for every expression before its parts are bound. A node that it returns stands for the
  /// whole expression: this is how an expression that equals a key of GROUP BY becomes that key.
  virtual Result<std::optional<NodeId>> replacement(const Expression& expression);
  /// Binds sum(x), count(*) and so on. The base class has no groups, so this is an error there.
  virtual Result<NodeId> bind_aggregate(const Expression& expression);
  /// Binds a column by its name. Overridden where a bare column is only allowed as a key of groups.
  virtual Result<NodeId> bind_column(const Expression& expression);

 private:
  std::span<const std::size_t> columns_called(const std::string& name) const;
  Error no_column(const Expression& expression, std::optional<std::size_t> source,
                  std::size_t similar) const;
  bool is_moment_word(const Expression& expression) const;
  bool is_meant(std::size_t column, std::optional<std::size_t> source) const;
  Error ambiguous(const Expression& expression, const std::vector<std::size_t>& found) const;
  /// The node of a column, with the type and interval that InputColumn states.
  NodeId column_value(std::size_t column) const;
  // One function for each kind of expression; bind() adds the place to their errors.
  Result<NodeId> bind_parts(const Expression& expression);
  Result<NodeId> bind_literal(const Expression& expression) const;
  Result<NodeId> bind_timestamp(const Expression& expression, bool compared) const;
  Result<NodeId> bind_compared(const Expression& expression);
  Result<NodeId> bind_operator(const Expression& expression);
  Result<NodeId> bind_comparison(Step step, NodeId a, NodeId b) const;
  Status check_alike(const Expression& expression, const std::vector<NodeId>& bound) const;
  void warn_of_text(const Expression& expression, const std::vector<NodeId>& bound);
  Result<NodeId> bind_text_test(const Expression& expression);
  Result<NodeId> bind_interval(const Expression& expression) const;
  Result<NodeId> bind_function(const Expression& expression);
  // In binder_json.cpp: a field or an element of a nested value.
  Result<NodeId> bind_path(const Expression& expression);
  Result<NodeId> path_in(NodeId value, const JsonPath& path) const;
  Result<NodeId> bind_case(const Expression& expression);
  Result<NodeId> bind_cast(const Expression& expression);
  Result<NodeId> bind_time_of_day(NodeId value);
  /// Binds expressions in their order; the first error ends it.
  Result<std::vector<NodeId>> bind_all(std::span<const Expression> expressions);

  Graph& graph_;
  Builder build_;
  const std::vector<InputColumn>& columns_;
  Qualifiers qualifiers_;
  mutable std::optional<NameIndex> names_;  ///< of columns_, made when the first name is looked up
};

/// What stands in the brackets of `a[1]` and `a['key']`, or after the point of `a.key`, as part of
/// a path. Places count from 1, as in lists of DuckDB, and from the end where they are negative; 0
/// leads to nothing. Error: something else stands there.
Result<JsonStep> step_of(const Expression& step);
/// Whether the expression calls sum, count, min, max, avg or its other name mean.
bool is_aggregate(const Expression& expression);
/// The call of a function of JSON; nullopt if there is none of this name. Errors are those of
/// build_function().
Result<std::optional<NodeId>> build_json_function(const Builder& build, const std::string& name,
                                                  std::vector<NodeId> arguments);
/// Returns the call of the scalar function `name` with these arguments. An unknown name, a wrong
/// number of arguments or a wrong type is an error without a place; bind() adds it.
Result<NodeId> build_function(const Builder& build, const std::string& name,
                              std::vector<NodeId> arguments);
/// Returns the error with the expression's byte offset, unless it already has a more precise one.
Error at_place(Error error, const Expression& expression);

}  // namespace presso::query
