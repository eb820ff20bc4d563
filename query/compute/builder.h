// SPDX-License-Identifier: MIT
// Makes typed nodes: finds the common type of operands, inserts conversions, and computes the
// interval in which results lie, from which it follows whether 64 bits suffice and whether
// overflows must be checked. Errors are kInvalidArgument without a place; binder.h, which knows the
// text, adds it.
//
// The rules of types follow DuckDB. An integer and a decimal give a decimal, with a double they
// give a double. Sums of decimals have the greater scale, products the sum of the scales; all have
// up to 38 digits, and a result with more digits is an error of that row. `/` is always of doubles.
// Nothing else is converted silently, with one exception: a string literal takes the type of what
// it is compared with, so that `day < '2024-01-01'` works.
//
// Tested by tests/unit/query/compute/compute_test.cpp.
//
// Types of results, for operands a and b (i: integer, d(s): decimal of scale s, r: double):
//
//    a + b, a - b    i i -> int64   i d(s) -> decimal(38, s)   d(s) d(t) -> decimal(38, max(s, t))
//    a * b           i i -> int64   i d(s) -> decimal(38, s)   d(s) d(t) -> decimal(38, s + t)
//    a / b           always double; a // b of decimals has scale 0
//    any with r      double
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "presso/error.h"
#include "query/compute/graph.h"

namespace presso::query {

/// Adds nodes to one graph. It has no state of its own, so it may be made anywhere and copied; as
/// it changes the graph it is used by one thread at a time. Functions that return a NodeId cannot
/// fail, those that return Result refuse operands of types that do not fit.
class Builder {
 public:
  explicit Builder(Graph& graph) : graph_(graph) {}

  const Node& at(NodeId id) const { return graph_.at(id); }
  /// The moment of the query, as Graph::moment().
  std::int64_t moment() const { return graph_.moment(); }

  // Constants. null() has the family kNull and takes a type when it is unified with another node.
  NodeId null() const;
  NodeId boolean(bool value) const;
  NodeId integer(Int128 value) const;
  /// The value is number / 10^scale.
  NodeId decimal(Int128 value, unsigned scale) const;
  NodeId real(double value) const;
  NodeId string(std::string text) const;
  /// Days since 1970-01-01.
  NodeId date(std::int64_t days) const;
  /// A timestamp. One that 64 bits do not hold may only be an operand of compare() and in().
  NodeId timestamp(Int128 units, TimeUnit unit) const;

  /// `step` is one of kAdd, kSubtract, kMultiply, kDivideReal, kDivideInteger, kModulo. Operands
  /// are numbers, or a date or timestamp with what may be added to it; a null operand gives null.
  Result<NodeId> arithmetic(Step step, NodeId a, NodeId b) const;
  /// Numbers only; kept exact for integers and decimals.
  Result<NodeId> negate(NodeId a) const;
  Result<NodeId> absolute(NodeId a) const;
  /// kEqual, kNotEqual, kLess, kLessEqual, kIsDistinct. Dates and timestamps are compared exactly,
  /// whatever their units are and however far a literal lies beyond what the other side can have.
  Result<NodeId> compare(Step step, NodeId a, NodeId b) const;
  /// AND and OR of any number of truth values; of none they are true and false.
  Result<NodeId> all_of(std::vector<NodeId> parts) const;
  Result<NodeId> any_of(std::vector<NodeId> parts) const;
  Result<NodeId> negation_of(NodeId a) const;
  /// A constant false if the node cannot be null.
  NodeId is_null(NodeId a) const;
  /// Whether `a` equals one of `set`, with SQL's rule that a null in the set makes "no" a null.
  /// Sets of literals become one test (strings) or one binary search (whole numbers); others an OR.
  Result<NodeId> in(NodeId a, std::vector<NodeId> set) const;
  /// CASE WHEN whens[i] THEN thens[i] ... ELSE otherwise. All values get one type.
  Result<NodeId> choose(std::vector<NodeId> whens, std::vector<NodeId> thens,
                        NodeId otherwise) const;
  /// The first part that is not null; all parts get one type.
  Result<NodeId> coalesce(std::vector<NodeId> parts) const;
  /// Compiles the condition (a pattern that cannot be compiled is an error with a place in the
  /// pattern).
  Result<NodeId> string_test(NodeId a, const StringCondition& condition) const;
  /// CAST(a AS type), for every pair of types that has a meaning. What may not fit is checked row
  /// by row.
  Result<NodeId> cast(NodeId a, const ColumnSchema& type) const;
  /// TRY_CAST: as cast(), but null where the value does not fit or cannot be read.
  Result<NodeId> try_cast(NodeId a, const ColumnSchema& type) const;
  /// `a`, or null in rows in which it has no result though `source` has one.
  NodeId null_where_fails(NodeId a, NodeId source) const;
  /// A step whose operands are known to have the right types. A timestamp has the unit of its first
  /// argument. An unknown `range` makes no claim about the result.
  NodeId step(Step step, Family family, std::vector<NodeId> arguments, std::int64_t parameter = 0,
              Range range = {}) const;

  /// The result of a kernel, of the given type. Integers without a known range lie anywhere in
  /// that of the type; timestamps have the unit of `type`.
  NodeId call(const Kernel& kernel, const ColumnSchema& type, std::vector<NodeId> arguments,
              Range range = {}, std::int64_t parameter = 0) const;
  /// With what the kernel reads for every row; equal preparations have equal keys.
  NodeId call(const Kernel& kernel, const ColumnSchema& type, std::vector<NodeId> arguments,
              std::shared_ptr<const void> prepared, std::string key) const;
  /// A step over JSON text and, unless it is about the whole text, a path. With `parameter` 1
  /// kJsonExtract gives null for JSON's null, and kJsonText keeps numbers as they are written.
  NodeId json(Step step, Family family, std::vector<NodeId> arguments,
              std::int64_t parameter = 0) const;

  /// A number from 0 to buckets - 1 (int32) by a hash of the values: equal for equal values
  /// whatever their width, and on all machines, so that distributed queries can bring equal keys
  /// together. Nulls have a bucket, too.
  NodeId bucket(std::vector<NodeId> keys, std::int64_t buckets) const;

  /// A timestamp plus `units` of its own unit, checked for overflow.
  NodeId add_units(NodeId moment, Int128 units) const;

  /// Numbers as doubles. Nulls and other families are returned as they are.
  NodeId to_real(NodeId a) const;
  /// Requires a truth value; a bare NULL becomes one. Other families are an error.
  Result<NodeId> to_bool(NodeId a) const;
  /// Strings stay, other values are printed as a table would print them; nulls stay nulls.
  NodeId to_string(NodeId a) const;
  /// Integers or decimals in 128 bits. The value and the interval do not change.
  NodeId to_int128(NodeId a) const;
  /// Integers or decimals in 64 bits; a step that checks each row is added where the interval is
  /// wider.
  NodeId to_int64(NodeId a) const;
  /// Integers or decimals with `scale` digits after the point, rounded half away from zero.
  NodeId rounded_to_scale(NodeId a, unsigned scale) const;
  /// The greatest whole number that is not above a decimal of scale 1 or more; with `above` the
  /// least one that is not below it.
  NodeId floor_of_decimal(NodeId a, bool above) const;
  /// Returns the node with another type for storing and printing. Its physical form stays, and
  /// columns, whose type is that of the table, are returned unchanged.
  NodeId with_schema(NodeId a, const ColumnSchema& schema) const;
  /// Converts all nodes to one family, scale, unit and physical form. Nulls and string literals
  /// follow the first node that is neither. The error names both types where there is no common
  /// one.
  Status unify(std::vector<NodeId>& nodes) const;
  /// Makes two operands alike so that they can be compared: as unify() does, but timestamps of
  /// different units get 128 bits where 64 may not hold them in the finer unit.
  Status unify_compared(std::vector<NodeId>& operands) const;

  /// The type's name for error messages: "int64", "decimal(38,2)", "null".
  std::string type_of(NodeId a) const;
  /// Whether the types of two values can be compared, and so have a common one: moments of time,
  /// numbers (truth values are some), or the same type. A string literal takes the type of the
  /// other side, and null has any.
  bool are_alike(NodeId a, NodeId b) const;

 private:
  Error not_alike(NodeId a, NodeId b) const;
  NodeId called(const Kernel& kernel, const ColumnSchema& type, Node node) const;
  // Parts of the above. step_node() fills what every step has in common.
  Node step_node(Step step, Family family, std::vector<NodeId> arguments) const;
  void count_truths(std::vector<NodeId>& nodes) const;
  /// A null of the type of `like`.
  NodeId as_null_of(const Node& like) const;
  /// Exact; only to a scale that is not less.
  NodeId to_scale(NodeId a, unsigned scale) const;
  /// Refuses values outside [least, most], row by row if the interval does not settle it.
  NodeId check_range(NodeId a, Int128 least, Int128 most, const ColumnSchema& schema) const;
  /// The operands are integers or decimals; decides 64 or 128 bits and whether to check.
  NodeId whole_arithmetic(Step step, NodeId a, NodeId b) const;
  /// The operands are numbers of any kind.
  NodeId real_arithmetic(Step step, NodeId a, NodeId b) const;
  /// At least one operand is a date or timestamp.
  Result<NodeId> date_arithmetic(Step step, NodeId a, NodeId b) const;
  /// The type and the interval of a node that may have the value of any of these.
  ColumnSchema schema_of_all(const std::vector<NodeId>& nodes) const;
  Range range_of_all(const std::vector<NodeId>& nodes) const;
  /// The string constant `literal` in the type of `like`; an error if it cannot be read so.
  Result<NodeId> literal_as(NodeId literal, NodeId like) const;
  Result<NodeId> literal_time(const Node& literal, Int128 nanos, NodeId like) const;
  /// The part of unify() for dates and timestamps.
  Status unify_times(std::vector<NodeId>& nodes) const;
  /// A date or timestamp in a unit that is not coarser than its own.
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
  // Casts by target family; in builder_casts.cpp.
  NodeId cast_to_integer(NodeId a, const ColumnSchema& type) const;
  NodeId cast_to_decimal(NodeId a, const ColumnSchema& type) const;
  Result<NodeId> cast_other(NodeId a, const ColumnSchema& type) const;

  Graph& graph_;
};

/// Returns the family of a column type. Floats are doubles, and all widths of integers are one
/// family.
Family family_of(ColumnType type);
/// Returns the type that computed values of a family have: int64, decimal(38, scale), double,
/// date32, timestamp in seconds, utf8.
ColumnSchema schema_of(Family family, Byte scale = 0);
/// Returns the node of column `column`. An unknown `range` is replaced by that of the type; the
/// physical form is 64 bits where the range fits into them, even for a decimal128.
Node column_node(std::size_t column, const ColumnSchema& schema, const Range& range, bool nullable);
/// Returns the interval of all values that a type can hold. Unknown for strings and truth values.
Range range_of_type(ColumnType type);

}  // namespace presso::query
