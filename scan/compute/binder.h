// SPDX-License-Identifier: MIT
// From the tree of an expression to nodes of a graph: names become columns, functions become steps,
// literals take types. Errors are kInvalidArgument with the place in the text (Error::byte_offset)
// and say what was meant where a name is nearly right.
// Tested by tests/unit/scan/compute/binder_test.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "presso/expression.h"
#include "scan/compute/builder.h"

namespace presso::query {

/// What expressions may name.
struct InputColumn {
  std::string name;
  ColumnSchema schema;
  Range range;  ///< of its values, where it is known
  bool nullable = true;
};

class Binder {
 public:
  /// Both are kept by reference. `qualifiers`: what may stand before the point of a name.
  Binder(Graph& graph, const std::vector<InputColumn>& columns,
         std::vector<std::string> qualifiers = {});
  virtual ~Binder() = default;

  Result<NodeId> bind(const Expression& expression);
  /// A truth value.
  Result<NodeId> bind_condition(const Expression& expression);
  const Builder& builder() const { return build_; }

 protected:
  /// What stands for a whole expression, before its parts are looked at (groups' keys).
  virtual Result<std::optional<NodeId>> replacement(const Expression& expression);
  /// An aggregate function's value. By default an error: there are no groups here.
  virtual Result<NodeId> bind_aggregate(const Expression& expression);
  virtual Result<NodeId> bind_column(const Expression& expression);
  /// The number of the column that is meant; errors have the place.
  Result<std::size_t> find_column(const Expression& expression) const;

 private:
  Result<NodeId> bind_parts(const Expression& expression);
  Result<NodeId> bind_literal(const Expression& expression) const;
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
  std::vector<std::string> qualifiers_;
};

/// Whether a function is an aggregate: sum, count, min, max, avg.
bool is_aggregate(const Expression& expression);
/// The function `name` of these values. Errors have no place.
Result<NodeId> build_function(const Builder& build, const Graph& graph, const std::string& name,
                              std::vector<NodeId> arguments);
/// All of them, for documents and completions.
std::vector<std::string> function_names();
/// An error with the expression's place, unless it has one.
Error at_place(Error error, const Expression& expression);

}  // namespace presso::query
