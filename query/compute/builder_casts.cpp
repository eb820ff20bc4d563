// SPDX-License-Identifier: MIT
// CAST: the conversions that a query asks for explicitly. A target that may be too narrow adds a
// step that checks each row, and a row that does not fit is an error, never a silently different
// value. Rounding follows DuckDB: decimals round half away from zero, doubles become integers half
// to even. Implements the casts of builder.h; tested by compute_test.cpp (CastsWhatFits).
#include <algorithm>

#include "query/compute/builder.h"
#include "query/compute/intervals.h"
#include "query/compute/written_value.h"

namespace presso::query {

/// From truth values (0 and 1), integers, decimals and doubles; the caller has excluded the rest.
NodeId Builder::cast_to_integer(NodeId a, const ColumnSchema& type) const {
  const Range range = range_of_type(type.type);
  switch (at(a).family) {
    case Family::kBool:
      a = step(Step::kBoolToInteger, Family::kInteger, {a}, 0, range_of_type(ColumnType::kInt8));
      break;
    case Family::kDouble: {
      Node node = step_node(Step::kRealToInteger, Family::kInteger, {a});
      node.physical = Physical::kInt128;
      a = graph_.add(std::move(node));
      break;
    }
    case Family::kDecimal:
      a = rounded_to_scale(a, 0);
      break;
    default:
      break;
  }
  return check_range(a, range.least, range.most, type);
}

/// Doubles are multiplied by 10^scale and rounded; whole numbers change their scale exactly or are
/// rounded. The limit is that of the type's bits (18 or 38 digits), not of its precision.
NodeId Builder::cast_to_decimal(NodeId a, const ColumnSchema& type) const {
  if (at(a).family == Family::kDouble) {
    Node node = step_node(Step::kRealToInteger, Family::kDecimal, {a});
    node.physical = Physical::kInt128;
    node.parameter = type.scale;
    node.schema = schema_of(Family::kDecimal, type.scale);
    a = graph_.add(std::move(node));
  } else {
    if (at(a).family == Family::kBool) a = cast_to_integer(a, schema_of(Family::kInteger));
    a = rounded_to_scale(a, type.scale);
  }
  const Range range = range_of_type(type.type);
  return check_range(a, range.least, range.most, type);
}

/// Casts to truth values, dates and timestamps. A timestamp loses digits, and becomes a date, by
/// rounding down, so that moments before 1970 fall into the right unit, too. Pairs of types without
/// a meaning (a date as a number) are an error.
Result<NodeId> Builder::cast_other(NodeId a, const ColumnSchema& type) const {
  const Family to = family_of(type.type);
  const Family from = at(a).family;
  if (to == Family::kBool && (from == Family::kInteger || from == Family::kDecimal)) {
    return step(Step::kIntegerToBool, Family::kBool, {a});
  }
  if (to == Family::kBool && from == Family::kDouble) {
    return comparison(Step::kNotEqual, a, real(0));
  }
  if (to == Family::kTime && from == Family::kDate) {
    return with_schema(to_unit(a, type.unit), type);
  }
  if (to == Family::kTime && from == Family::kTime) {
    if (type.unit >= at(a).schema.unit) return with_schema(to_unit(a, type.unit), type);
    const unsigned fewer = unit_digits_of(at(a).schema.unit) - unit_digits_of(type.unit);
    Node node = step_node(Step::kTimeToUnit, Family::kTime, {a});
    node.schema = type;
    node.parameter = -static_cast<std::int64_t>(power_of_ten(fewer));
    return graph_.add(std::move(node));
  }
  if (to == Family::kDate && from == Family::kTime) {
    const Int128 day = 86400 * power_of_ten(unit_digits_of(at(a).schema.unit));
    Node node = step_node(Step::kTimeToUnit, Family::kDate, {a});
    node.parameter = -static_cast<std::int64_t>(day);
    const Range& range = at(a).range;
    if (range.known) {
      node.range.known = true;
      node.range.least = range.least / day - 1;
      node.range.most = range.most / day;
    }
    return graph_.add(std::move(node));
  }
  return make_error(ErrorCode::kInvalidArgument, type_of(a) + " cannot be made " + type_name(type));
}

/// A value that is looked for may not be there, which is null; json_exists() then is false.
NodeId Builder::json(Step step, Family family, std::vector<NodeId> arguments,
                     std::int64_t parameter) const {
  Node node = step_node(step, family, std::move(arguments));
  node.parameter = parameter;
  node.nullable |= family != Family::kBool;
  if (step == Step::kJsonExtract) node.schema.text = ValueText::kRawJson;
  // What stands within UTF-8 is UTF-8, also without its escapes.
  node.schema.valid_utf8 = family == Family::kString && at(node.arguments[0]).schema.valid_utf8;
  if (family == Family::kInteger) node.range = whole_range(0, Int128{1} << 32);
  return graph_.add(std::move(node));
}

/// Strings are read by kParse and written by kPrint, whatever the other type is; JSON text is that
/// of the string or number in it. A cast to the
/// node's own family without a width changes nothing. A float is stored as a double that was
/// rounded.
Result<NodeId> Builder::cast(NodeId a, const ColumnSchema& type) const {
  const Family to = family_of(type.type);
  const Family from = at(a).family;
  if (from == Family::kNull) {
    Node like = column_node(0, type, {}, true);
    return as_null_of(like);
  }
  // Text is no list or dictionary of Arrow any more, though its bytes are the same.
  const bool is_typed = from == Family::kString && !at(a).schema.arrow_type.empty();
  if (to == Family::kString && is_typed) {
    Node node = step_node(Step::kConcat, to, {a});
    node.schema.valid_utf8 = at(a).schema.valid_utf8;
    return graph_.add(std::move(node));
  }
  if (to == Family::kString) return to_string(a);
  if (interval_of(*this, a)) return interval_refused();
  if (from == Family::kString) {
    if (at(a).schema.text == ValueText::kRawJson) a = json(Step::kJsonText, from, {a}, 1);
    Node node = step_node(Step::kParse, to, {a});
    const Node like = column_node(0, type, {}, true);
    node.schema = like.schema;
    node.physical = like.physical;
    node.range = like.range;
    return graph_.add(std::move(node));
  }
  const bool number = from == Family::kBool || from == Family::kInteger ||
                      from == Family::kDecimal || from == Family::kDouble;
  if (number && to == Family::kInteger) return cast_to_integer(a, type);
  if (number && to == Family::kDecimal) return cast_to_decimal(a, type);
  if (number && to == Family::kDouble) {
    const NodeId real = to_real(a);
    if (type.type == ColumnType::kDouble) return with_schema(real, type);
    Node node = step_node(Step::kRealToFloat, Family::kDouble, {real});
    node.schema = type;
    return graph_.add(std::move(node));
  }
  if (from == to && to != Family::kTime) return a;
  return cast_other(a, type);
}

/// The value that is cast stands beside the cast, because what fails in it is no failure of the
/// cast and stays one.
Result<NodeId> Builder::try_cast(NodeId a, const ColumnSchema& type) const {
  PRESSO_ASSIGN(const NodeId converted, cast(a, type));
  return null_where_fails(converted, a);
}

NodeId Builder::null_where_fails(NodeId a, NodeId source) const {
  if (!graph_.may_fail(a)) return a;
  Node node = step_node(Step::kTry, at(a).family, {a, source});
  node.schema = at(a).schema;
  node.physical = at(a).physical;
  node.range = at(a).range;
  node.nullable = true;
  return graph_.add(std::move(node));
}

}  // namespace presso::query
