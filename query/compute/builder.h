// SPDX-License-Identifier: MIT
// Makes typed nodes: finds the common type of operands, converts them, and works out between which
// values results lie, which decides whether 64 bits suffice. Errors are kInvalidArgument without a
// place; binder.h, which knows the text, adds it.
//
// The rules of types: integer op decimal is decimal, with a double it is double. Decimals are added
// in the greater scale, their scales add up in products, and they have 38 digits. `/` is of
// doubles. Nothing else is converted silently, but literals: a string literal takes the type of
// what it is compared with. Tested by tests/unit/query/compute/binder_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "presso/error.h"
#include "query/compute/graph.h"

namespace presso::query {

class Builder {
 public:
  explicit Builder(Graph& graph) : graph_(graph) {}

  const Node& at(NodeId id) const { return graph_.at(id); }

  NodeId null() const;
  NodeId boolean(bool value) const;
  NodeId integer(Int128 value) const;
  NodeId decimal(Int128 value, unsigned scale) const;
  NodeId real(double value) const;
  NodeId string(std::string text) const;
  NodeId date(std::int64_t days) const;
  /// A timestamp. One that 64 bits do not hold may only be an operand of compare() and in().
  NodeId timestamp(Int128 units, TimeUnit unit) const;

  /// kAdd, kSubtract, kMultiply, kDivideReal, kDivideInteger, kModulo.
  Result<NodeId> arithmetic(Step step, NodeId a, NodeId b) const;
  Result<NodeId> negate(NodeId a) const;
  Result<NodeId> absolute(NodeId a) const;
  /// kEqual, kNotEqual, kLess, kLessEqual, kIsDistinct. Dates and timestamps are compared exactly,
  /// whatever their units are and however far a literal lies beyond what the other side can have.
  Result<NodeId> compare(Step step, NodeId a, NodeId b) const;
  Result<NodeId> all_of(std::vector<NodeId> parts) const;
  Result<NodeId> any_of(std::vector<NodeId> parts) const;
  Result<NodeId> negation_of(NodeId a) const;
  NodeId is_null(NodeId a) const;
  Result<NodeId> in(NodeId a, std::vector<NodeId> set) const;
  Result<NodeId> choose(std::vector<NodeId> whens, std::vector<NodeId> thens,
                        NodeId otherwise) const;
  Result<NodeId> coalesce(std::vector<NodeId> parts) const;
  Result<NodeId> string_test(NodeId a, const StringCondition& condition) const;
  Result<NodeId> cast(NodeId a, const ColumnSchema& type) const;
  /// A step of strings and whatever, whose result has this type; `range` may be unknown.
  NodeId step(Step step, Family family, std::vector<NodeId> arguments, std::int64_t parameter = 0,
              Range range = {}) const;

  /// Which of `buckets` parts the values fall into, int32: the same for equal values, whatever
  /// their width. Nulls have one, too.
  NodeId bucket(std::vector<NodeId> keys, std::int64_t buckets) const;

  /// A timestamp and so many of its units.
  NodeId add_units(NodeId moment, Int128 units) const;

  NodeId to_real(NodeId a) const;
  /// A truth value; error for what is none. A null is one.
  Result<NodeId> to_bool(NodeId a) const;
  /// A string: what is none is printed; nulls stay nulls.
  NodeId to_string(NodeId a) const;
  /// Integers or decimals as kInt128.
  NodeId to_int128(NodeId a) const;
  /// Integers or decimals as kInt64, checked where they may not fit.
  NodeId to_int64(NodeId a) const;
  /// Integers or decimals with this many digits behind the point, half away from zero.
  NodeId rounded_to_scale(NodeId a, unsigned scale) const;
  /// The whole number below (or above) a decimal of scale 1 or more.
  NodeId floor_of_decimal(NodeId a, bool above) const;
  /// The same node with another type by which it is stored.
  NodeId with_schema(NodeId a, const ColumnSchema& schema) const;
  /// All in one family and physical form. Error: there is none. Names of types in errors.
  Status unify(std::vector<NodeId>& nodes) const;
  /// Makes two operands alike so that they can be compared: as unify() does, but timestamps of
  /// different units get 128 bits where 64 may not hold them in the finer unit.
  Status unify_compared(std::vector<NodeId>& operands) const;

  /// "int64", "decimal(38,2)", "null": for messages.
  std::string type_of(NodeId a) const;

 private:
  Node step_node(Step step, Family family, std::vector<NodeId> arguments) const;
  NodeId as_null_of(const Node& like) const;
  NodeId to_scale(NodeId a, unsigned scale) const;
  NodeId check_range(NodeId a, Int128 least, Int128 most, const ColumnSchema& schema) const;
  NodeId whole_arithmetic(Step step, NodeId a, NodeId b) const;
  NodeId real_arithmetic(Step step, NodeId a, NodeId b) const;
  Result<NodeId> date_arithmetic(Step step, NodeId a, NodeId b) const;
  ColumnSchema schema_of_all(const std::vector<NodeId>& nodes) const;
  Range range_of_all(const std::vector<NodeId>& nodes) const;
  Result<NodeId> literal_as(NodeId literal, NodeId like) const;
  Result<NodeId> literal_time(const Node& literal, Int128 nanos, NodeId like) const;
  Status unify_times(std::vector<NodeId>& nodes) const;
  NodeId to_unit(NodeId a, TimeUnit unit) const;
  NodeId to_wide_unit(NodeId a, TimeUnit unit) const;
  bool fits_unit(NodeId a, TimeUnit unit) const;
  bool is_moment_literal(NodeId a) const;
  Result<Int128> nanos_of(NodeId literal, NodeId beside) const;
  NodeId units_like(NodeId moment, Int128 units) const;
  NodeId comparison(Step step, NodeId a, NodeId b) const;
  Result<std::optional<NodeId>> compare_literal(Step step, NodeId a, NodeId b) const;
  NodeId compare_nanos(Step step, NodeId moment, Int128 nanos, bool literal_first) const;
  Result<std::optional<NodeId>> moment_in(NodeId a, const std::vector<NodeId>& set) const;
  NodeId cast_to_integer(NodeId a, const ColumnSchema& type) const;
  NodeId cast_to_decimal(NodeId a, const ColumnSchema& type) const;
  Result<NodeId> cast_other(NodeId a, const ColumnSchema& type) const;

  Graph& graph_;
};

/// The family of a column's values.
Family family_of(ColumnType type);
/// The type of a family's computed values, decimals of 38 digits with this scale.
ColumnSchema schema_of(Family family, Byte scale = 0);
/// The node of a column of a table, whose physical form follows from its type and range.
Node column_node(std::size_t column, const ColumnSchema& schema, const Range& range, bool nullable);
/// The values that integers of a type can have.
Range range_of_type(ColumnType type);

}  // namespace presso::query
