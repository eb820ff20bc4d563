// SPDX-License-Identifier: MIT
// From the tree of an expression to nodes of a graph: names become columns, functions become steps,
// literals take types. Errors are kInvalidArgument with the place in the text (Error::byte_offset)
// and say what was meant where a name is nearly right.
// Tested by tests/unit/query/compute/binder_test.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "presso/expression.h"
#include "query/compute/builder.h"

namespace presso::query {

/// What expressions may name.
struct InputColumn {
  std::string name;
  ColumnSchema schema;
  Range range;  ///< of its values, where it is known
  bool nullable = true;
  std::size_t source = 0;  ///< which of the joined tables it is of
  bool hidden = false;     ///< only a qualified name finds it, and `*` leaves it out
  /// Without a qualifier the name means this column's value, or where it is null that of the first
  /// of these that has one (USING in full joins).
  std::vector<std::size_t> otherwise = {};
  /// Why it cannot be used here, where it cannot: "it is of the right side of a semi join".
  std::string unusable = {};
  /// Without a qualifier the name means this column (USING in right joins).
  std::optional<std::size_t> stands_for = {};
};

/// What may stand before the point of the names of each table's columns.
using Qualifiers = std::vector<std::vector<std::string>>;

/// The table that the qualifier of `expression` means: one that is called exactly so, else the only
/// one whose name differs in case at most. Error: there is none, or several.
Result<std::size_t> find_source(const Qualifiers& qualifiers, const Expression& expression);

/// Places of names, found without regard to the case of ASCII letters in constant time.
class NameIndex {
 public:
  void add(const std::string& name, std::size_t place);
  /// The places of names that differ from `name` in case at most, as they were added.
  std::span<const std::size_t> find(const std::string& name) const;

 private:
  std::unordered_map<std::string, std::vector<std::size_t>> places_;
};

class Binder {
 public:
  /// Both are kept by reference; names of columns must not change. `qualifiers`: by
  /// InputColumn::source.
  Binder(Graph& graph, const std::vector<InputColumn>& columns, Qualifiers qualifiers = {});
  virtual ~Binder() = default;

  Result<NodeId> bind(const Expression& expression);
  /// A truth value.
  Result<NodeId> bind_condition(const Expression& expression);
  /// The number of the column that is meant; errors have the place.
  Result<std::size_t> find_column(const Expression& expression) const;
  const Builder& builder() const { return build_; }

 protected:
  /// What stands for a whole expression, before its parts are looked at (groups' keys).
  virtual Result<std::optional<NodeId>> replacement(const Expression& expression);
  /// An aggregate function's value. By default an error: there are no groups here.
  virtual Result<NodeId> bind_aggregate(const Expression& expression);
  virtual Result<NodeId> bind_column(const Expression& expression);

 private:
  std::span<const std::size_t> columns_called(const std::string& name) const;
  Error no_column(const Expression& expression, std::optional<std::size_t> source,
                  std::size_t similar) const;
  bool is_meant(std::size_t column, std::optional<std::size_t> source) const;
  Error ambiguous(const Expression& expression, const std::vector<std::size_t>& found) const;
  NodeId column_value(std::size_t column) const;
  Result<NodeId> bind_parts(const Expression& expression);
  Result<NodeId> bind_literal(const Expression& expression) const;
  Result<NodeId> bind_timestamp(const Expression& expression, bool compared) const;
  Result<NodeId> bind_compared(const Expression& expression);
  Result<NodeId> bind_operator(const Expression& expression);
  Result<NodeId> bind_comparison(Step step, NodeId a, NodeId b) const;
  Result<NodeId> bind_text_test(const Expression& expression);
  Result<NodeId> bind_interval_sum(const Expression& expression, std::size_t interval);
  Result<NodeId> bind_function(const Expression& expression);
  Result<NodeId> bind_case(const Expression& expression);
  Result<NodeId> bind_cast(const Expression& expression);
  Result<std::vector<NodeId>> bind_all(std::span<const Expression> expressions);

  Graph& graph_;
  Builder build_;
  const std::vector<InputColumn>& columns_;
  Qualifiers qualifiers_;
  mutable std::optional<NameIndex> names_;  ///< of columns_, made when the first name is looked up
};

/// Whether a function is an aggregate: sum, count, min, max, avg.
bool is_aggregate(const Expression& expression);
/// The function `name` of these values. Errors have no place.
Result<NodeId> build_function(const Builder& build, const Graph& graph, const std::string& name,
                              std::vector<NodeId> arguments);
/// An error with the expression's place, unless it has one.
Error at_place(Error error, const Expression& expression);

}  // namespace presso::query
