// SPDX-License-Identifier: MIT
// allow(long-file): the rules of types are one subject, and a fifth of the lines are comments.
//
// Implements builder.h, which makes typed nodes of expressions, without CAST (builder_casts.cpp)
// and comparisons of dates (builder_moments.cpp). In order: interval arithmetic, types of columns
// and families, constants, conversions, arithmetic, unification of types, truth, choices.
//
// Interval arithmetic follows Moore (1966): for a monotonic operation the extremes of the result
// are found among the results for the ends of the operands' intervals. If one of these overflows
// 128 bits or 38 digits, the interval is unknown and each row is checked instead.
#include "query/compute/builder.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "query/compute/intervals.h"
#include "query/compute/written_value.h"

namespace presso::query {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kDaySeconds = 86400;

// Groups of families. "Whole" numbers are those that are stored as an integer, decimals included; a
// "moment" is a date or a timestamp.
bool is_number(Family family) {
  return family == Family::kInteger || family == Family::kDecimal || family == Family::kDouble;
}
bool is_whole(Family family) {
  return family == Family::kInteger || family == Family::kDecimal;
}
bool is_moment_family(Family family) {
  return family == Family::kDate || family == Family::kTime;
}

/// An interval of doubles; one that NaN makes meaningless becomes -infinity to infinity.
Range real_range(double least, double most) {
  Range range;
  range.known = !std::isnan(least) && !std::isnan(most);
  range.least_real = range.known ? least : -kInfinity;
  range.most_real = range.known ? most : kInfinity;
  return range;
}

/// Computes `apply` for the four pairs of ends and takes the least and greatest result. Returns
/// false, so that the interval stays unknown, where `apply` reports an overflow or a result has
/// more than 38 digits.
template <class Apply>
bool corners(const Range& a, const Range& b, Apply apply, Range& result) {
  if (!a.known || !b.known) return false;
  const Int128 as[] = {a.least, a.most};
  const Int128 bs[] = {b.least, b.most};
  bool first = true;
  for (const Int128 x : as) {
    for (const Int128 y : bs) {
      Int128 value = 0;
      if (apply(x, y, &value)) return false;
      result.least = first ? value : std::min(result.least, value);
      result.most = first ? value : std::max(result.most, value);
      first = false;
    }
  }
  const Int128 limit = power_of_ten(kMostDigits);
  result.known = result.least > -limit && result.most < limit;
  return result.known;
}

/// The interval of an operation on whole numbers; false where it is not known. A quotient or
/// remainder is never larger than the dividend, which holds for every divisor except zero.
bool range_of(Step step, const Range& a, const Range& b, Range& result) {
  switch (step) {
    case Step::kAdd:
      return corners(
          a, b, [](Int128 x, Int128 y, Int128* r) { return __builtin_add_overflow(x, y, r); },
          result);
    case Step::kSubtract:
      return corners(
          a, b, [](Int128 x, Int128 y, Int128* r) { return __builtin_sub_overflow(x, y, r); },
          result);
    case Step::kMultiply:
      return corners(
          a, b, [](Int128 x, Int128 y, Int128* r) { return __builtin_mul_overflow(x, y, r); },
          result);
    default: {  // division and remainder: no larger than the dividend
      if (!a.known) return false;
      const Int128 most = std::max(a.most, -a.least);
      result = whole_range(-most, most);
      return true;
    }
  }
}

/// As corners() for doubles. Infinity minus infinity, or zero times infinity, is NaN and gives up.
template <class Apply>
Range real_corners(const Range& a, const Range& b, Apply apply) {
  if (!a.known || !b.known) return real_range(-kInfinity, kInfinity);
  double least = kInfinity;
  double most = -kInfinity;
  for (const double x : {a.least_real, a.most_real}) {
    for (const double y : {b.least_real, b.most_real}) {
      const double value = apply(x, y);
      if (std::isnan(value)) return real_range(-kInfinity, kInfinity);
      least = std::min(least, value);
      most = std::max(most, value);
    }
  }
  return real_range(least, most);
}

/// Only sums, differences and products are followed; a quotient may be anything, as the divisor may
/// come near zero.
Range real_range_of(Step step, const Range& a, const Range& b) {
  switch (step) {
    case Step::kAdd:
      return real_corners(a, b, [](double x, double y) { return x + y; });
    case Step::kSubtract:
      return real_corners(a, b, [](double x, double y) { return x - y; });
    case Step::kMultiply:
      return real_corners(a, b, [](double x, double y) { return x * y; });
    default:
      return real_range(-kInfinity, kInfinity);
  }
}

/// The least interval that contains both; unknown if one of them is.
Range union_of(const Range& a, const Range& b) {
  if (!a.known || !b.known) return {};
  Range range = a;
  range.least = std::min(range.least, b.least);
  range.most = std::max(range.most, b.most);
  range.least_real = std::min(range.least_real, b.least_real);
  range.most_real = std::max(range.most_real, b.most_real);
  return range;
}

}  // namespace

/// All types that are not listed are integers of some width, signed or not.
Family family_of(ColumnType type) {
  switch (type) {
    case ColumnType::kBool:
      return Family::kBool;
    case ColumnType::kFloat:
    case ColumnType::kDouble:
      return Family::kDouble;
    case ColumnType::kDate32:
      return Family::kDate;
    case ColumnType::kTimestamp:
      return Family::kTime;
    case ColumnType::kDecimal64:
    case ColumnType::kDecimal128:
      return Family::kDecimal;
    case ColumnType::kUtf8:
    case ColumnType::kBinary:
      return Family::kString;
    default:
      return Family::kInteger;
  }
}

/// The types in which results are stored and printed. Truth, dates and strings have one type each.
ColumnSchema schema_of(Family family, Byte scale) {
  ColumnSchema schema;
  switch (family) {
    case Family::kBool:
      schema.type = ColumnType::kBool;
      break;
    case Family::kInteger:
      schema.type = ColumnType::kInt64;
      break;
    case Family::kDecimal:
      schema.type = ColumnType::kDecimal128;
      schema.precision = kMostDigits;
      schema.scale = scale;
      break;
    case Family::kDouble:
      schema.type = ColumnType::kDouble;
      break;
    case Family::kDate:
      schema.type = ColumnType::kDate32;
      break;
    case Family::kTime:
      schema.type = ColumnType::kTimestamp;
      break;
    default:
      break;
  }
  return schema;
}

/// Decimals are limited by their digits, 18 or 38, not by their bits.
Range range_of_type(ColumnType type) {
  const unsigned bits = 8 * value_bytes(type);
  switch (family_of(type)) {
    case Family::kDecimal:
      return type == ColumnType::kDecimal64
                 ? whole_range(-power_of_ten(18) + 1, power_of_ten(18) - 1)
                 : whole_range(-power_of_ten(38) + 1, power_of_ten(38) - 1);
    case Family::kInteger:
    case Family::kDate:
    case Family::kTime:
      if (!is_signed(type)) return whole_range(0, (Int128{1} << bits) - 1);
      return whole_range(-(Int128{1} << (bits - 1)), (Int128{1} << (bits - 1)) - 1);
    case Family::kDouble:
      return real_range(-kInfinity, kInfinity);
    default:
      return {};
  }
}

/// `name` and `quoting` are cleared because two nodes that differ in them only must be equal.
Node column_node(std::size_t column, const ColumnSchema& schema, const Range& range,
                 bool nullable) {
  Node node;
  node.kind = Node::Kind::kColumn;
  node.column = column;
  node.family = family_of(schema.type);
  node.schema = schema;
  node.schema.name.clear();
  node.schema.quoting = Quoting::kNeeded;
  node.nullable = nullable;
  node.range = range;
  switch (node.family) {
    case Family::kBool:
      node.physical = Physical::kBool;
      break;
    case Family::kDouble:
      node.physical = Physical::kDouble;
      break;
    case Family::kString:
      node.physical = Physical::kString;
      break;
    default:
      if (!node.range.known) node.range = range_of_type(schema.type);
      node.physical = fits_int64(node.range) ? Physical::kInt64 : Physical::kInt128;
      break;
  }
  return node;
}

/// The physical form is arbitrary: the first use with another node replaces it (as_null_of).
NodeId Builder::null() const {
  Node node;
  node.is_null = true;
  node.physical = Physical::kString;
  return graph_.add(node);
}

NodeId Builder::boolean(bool value) const {
  Node node;
  node.family = Family::kBool;
  node.physical = Physical::kBool;
  node.schema = schema_of(Family::kBool);
  node.integer = value ? 1 : 0;
  return graph_.add(node);
}

/// A literal beyond int64 is typed as decimal(38,0), as there is no wider integer type to print it
/// by.
NodeId Builder::integer(Int128 value) const {
  Node node;
  node.family = Family::kInteger;
  node.integer = value;
  const bool narrow = fits_int64(whole_range(value, value));
  node.physical = narrow ? Physical::kInt64 : Physical::kInt128;
  node.schema = narrow ? schema_of(Family::kInteger) : schema_of(Family::kDecimal);
  return graph_.add(node);
}

NodeId Builder::decimal(Int128 value, unsigned scale) const {
  Node node;
  node.family = Family::kDecimal;
  node.integer = value;
  node.physical = fits_int64(whole_range(value, value)) ? Physical::kInt64 : Physical::kInt128;
  node.schema = schema_of(Family::kDecimal, static_cast<Byte>(scale));
  return graph_.add(node);
}

NodeId Builder::real(double value) const {
  Node node;
  node.family = Family::kDouble;
  node.physical = Physical::kDouble;
  node.schema = schema_of(Family::kDouble);
  node.real = value;
  return graph_.add(node);
}

NodeId Builder::string(std::string text) const {
  Node node;
  node.family = Family::kString;
  node.physical = Physical::kString;
  node.schema = schema_of(Family::kString);
  node.text = std::move(text);
  return graph_.add(node);
}

NodeId Builder::date(std::int64_t days) const {
  Node node;
  node.family = Family::kDate;
  node.schema = schema_of(Family::kDate);
  node.integer = days;
  return graph_.add(node);
}

/// A timestamp literal. One beyond 64 bits is kept in 128, for comparisons only.
NodeId Builder::timestamp(Int128 units, TimeUnit unit) const {
  Node node;
  node.family = Family::kTime;
  node.schema = schema_of(Family::kTime);
  node.schema.unit = unit;
  node.integer = units;
  if (!fits_int64(whole_range(units, units))) node.physical = Physical::kInt128;
  return graph_.add(node);
}

bool Builder::are_alike(NodeId a, NodeId b) const {
  const auto is_any = [this](NodeId id) {
    return at(id).family == Family::kNull ||
           (graph_.is_constant(id) && at(id).family == Family::kString);
  };
  if (is_any(a) || is_any(b)) return true;
  if (is_moment_family(at(a).family)) return is_moment_family(at(b).family);
  const auto counts = [this](NodeId id) {
    return is_number(at(id).family) || at(id).family == Family::kBool;
  };
  return counts(a) ? counts(b) : at(a).family == at(b).family;
}

/// Truth values beside numbers are 0 and 1, where values are compared.
void Builder::count_truths(std::vector<NodeId>& nodes) const {
  const bool any_number = std::any_of(nodes.begin(), nodes.end(),
                                      [this](NodeId id) { return is_number(at(id).family); });
  for (NodeId& id : nodes) {
    if (!any_number || at(id).family != Family::kBool) continue;
    id = step(Step::kBoolToInteger, Family::kInteger, {id}, 0, whole_range(0, 1));
  }
}

/// The error for two values that have no common type.
Error Builder::not_alike(NodeId a, NodeId b) const {
  return refused("cannot compare or combine " + type_of(a) + " with " + type_of(b) +
                 "; use cast(...)");
}

std::string Builder::type_of(NodeId a) const {
  if (at(a).family == Family::kNull) return "null";
  if (interval_of(*this, a)) return "interval";
  return type_name(at(a).schema);
}

/// The physical form of whole numbers is left at 64 bits; whoever may need 128 sets it.
Node Builder::step_node(Step step, Family family, std::vector<NodeId> arguments) const {
  Node node;
  node.kind = Node::Kind::kStep;
  node.step = step;
  node.family = family;
  node.schema = schema_of(family);
  node.nullable = std::any_of(arguments.begin(), arguments.end(),
                              [this](NodeId id) { return at(id).nullable; });
  node.arguments = std::move(arguments);
  switch (family) {
    case Family::kBool:
      node.physical = Physical::kBool;
      break;
    case Family::kDouble:
      node.physical = Physical::kDouble;
      break;
    case Family::kString:
      node.physical = Physical::kString;
      break;
    default:
      break;
  }
  return node;
}

/// Used for steps that need no rule of types beyond what their caller has checked.
NodeId Builder::step(Step step, Family family, std::vector<NodeId> arguments,
                     std::int64_t parameter, Range range) const {
  Node node = step_node(step, family, std::move(arguments));
  node.parameter = parameter;
  node.range = range;
  if (family == Family::kTime) node.schema = at(node.arguments[0]).schema;
  return graph_.add(std::move(node));
}

/// Fills what the kernel and the type say of a node that has its arguments.
NodeId Builder::called(const Kernel& kernel, const ColumnSchema& type, Node node) const {
  node.kernel = &kernel;
  node.schema = type;
  node.nullable = node.nullable || kernel.makes_nulls;
  if (is_number(node.family) || is_moment_family(node.family)) {
    if (!node.range.known) node.range = range_of_type(type.type);
    if (node.family != Family::kDouble && !fits_int64(node.range)) {
      node.physical = Physical::kInt128;
    }
  }
  return graph_.add(std::move(node));
}

NodeId Builder::call(const Kernel& kernel, const ColumnSchema& type, std::vector<NodeId> arguments,
                     Range range, std::int64_t parameter) const {
  Node node = step_node(Step::kCall, family_of(type.type), std::move(arguments));
  node.range = range;
  node.parameter = parameter;
  return called(kernel, type, std::move(node));
}

NodeId Builder::call(const Kernel& kernel, const ColumnSchema& type, std::vector<NodeId> arguments,
                     std::shared_ptr<const void> prepared, std::string key) const {
  Node node = step_node(Step::kCall, family_of(type.type), std::move(arguments));
  node.prepared = std::move(prepared);
  node.test_key = std::move(key);
  return called(kernel, type, std::move(node));
}

/// Nulls are hashed as well, so the result is never null.
NodeId Builder::bucket(std::vector<NodeId> keys, std::int64_t buckets) const {
  Range range;
  range.known = true;
  range.most = buckets - 1;
  Node node = step_node(Step::kBucket, Family::kInteger, std::move(keys));
  node.parameter = buckets;
  node.range = range;
  node.nullable = false;
  node.schema.type = ColumnType::kInt32;
  return graph_.add(std::move(node));
}

/// Copies the node with another type; the copy is a node of its own, since types are part of its
/// key.
NodeId Builder::with_schema(NodeId a, const ColumnSchema& schema) const {
  Node node = at(a);
  if (node.kind == Node::Kind::kColumn) return a;
  node.schema = schema;
  node.schema.name.clear();
  node.family = family_of(schema.type);
  return graph_.add(std::move(node));
}

/// A null constant of the type of `like`, so that steps see operands of one physical form.
NodeId Builder::as_null_of(const Node& like) const {
  Node node;
  node.family = like.family;
  node.physical = like.physical;
  node.schema = like.schema;
  node.is_null = true;
  return graph_.add(std::move(node));
}

/// A column whose zones fit 64 bits may have to meet one that needs 128.
NodeId Builder::to_int128(NodeId a) const {
  if (at(a).physical == Physical::kInt128) return a;
  Node node = step_node(Step::kToInt128, at(a).family, {a});
  node.schema = at(a).schema;
  node.range = at(a).range;
  node.physical = Physical::kInt128;
  return graph_.add(std::move(node));
}

/// Multiplies so that `scale` digits stand after the point. `scale` is not less than the present
/// one; integers have scale 0.
NodeId Builder::to_scale(NodeId a, unsigned scale) const {
  const unsigned of = at(a).schema.scale;
  const unsigned more = scale - std::min(of, scale);
  if (more == 0 && at(a).family == Family::kDecimal) return a;
  if (more == 0 && scale == 0) return a;
  Range range;
  const bool known = range_of(Step::kMultiply, at(a).range,
                              whole_range(power_of_ten(more), power_of_ten(more)), range);
  // A sum of groups is stored in 128 bits even where its interval is narrow.
  const bool narrow = known && fits_int64(range) && at(a).physical == Physical::kInt64;
  if (!narrow) a = to_int128(a);
  Node node = step_node(Step::kScaleUp, Family::kDecimal, {a});
  node.schema = schema_of(Family::kDecimal, static_cast<Byte>(scale));
  node.parameter = more;
  if (known) node.range = range;
  node.physical = narrow ? Physical::kInt64 : Physical::kInt128;
  return graph_.add(std::move(node));
}

/// Fewer digits divide (kScaleDown), more digits multiply. The interval is widened by one at both
/// ends for the rounding.
NodeId Builder::rounded_to_scale(NodeId a, unsigned scale) const {
  const unsigned of = at(a).schema.scale;
  if (of <= scale) return to_scale(a, scale);
  Node node = step_node(Step::kScaleDown, Family::kDecimal, {a});
  node.schema = schema_of(Family::kDecimal, static_cast<Byte>(scale));
  node.parameter = of - scale;
  node.physical = at(a).physical;
  if (at(a).range.known) {
    const Int128 by = power_of_ten(of - scale);
    node.range = whole_range(at(a).range.least / by - 1, at(a).range.most / by + 1);
  }
  return graph_.add(std::move(node));
}

/// The ceiling is computed as -floor(-a), so that one step serves both.
NodeId Builder::floor_of_decimal(NodeId a, bool above) const {
  if (above) a = whole_arithmetic(Step::kSubtract, integer(0), a);
  Node node = step_node(Step::kFloorScaled, Family::kDecimal, {a});
  node.parameter = at(a).schema.scale;
  node.physical = at(a).physical;
  node.schema = schema_of(Family::kDecimal, 0);
  if (at(a).range.known) {
    const Int128 by = power_of_ten(at(a).schema.scale);
    node.range = whole_range(at(a).range.least / by - 1, at(a).range.most / by + 1);
  }
  const NodeId floor = graph_.add(std::move(node));
  return above ? whole_arithmetic(Step::kSubtract, integer(0), floor) : floor;
}

/// The interval is widened a little, because its ends are rounded in a way that the rows may not
/// be.
NodeId Builder::to_real(NodeId a) const {
  const Node& from = at(a);
  if (from.family == Family::kDouble) return a;
  if (from.family == Family::kNull) return as_null_of(at(real(0)));
  if (from.family == Family::kBool) {
    return to_real(step(Step::kBoolToInteger, Family::kInteger, {a}, 0, whole_range(0, 1)));
  }
  Node node = step_node(Step::kIntegerToReal, Family::kDouble, {a});
  node.parameter = from.schema.scale;
  if (from.range.known) {
    const double by = static_cast<double>(power_of_ten(from.schema.scale));
    const double least = static_cast<double>(from.range.least) / by;
    const double most = static_cast<double>(from.range.most) / by;
    // Wider than rounding can reach.
    const double slack = 1e-12 * std::max(std::fabs(least), std::fabs(most));
    node.range = real_range(least - slack, most + slack);
  }
  return graph_.add(std::move(node));
}

/// Makes sure that values lie between `least` and `most`, the limits of the type `schema`. If the
/// interval shows that they do, only the type changes; otherwise a kToInt64 step checks each row
/// and the interval is cut to the limits.
NodeId Builder::check_range(NodeId a, Int128 least, Int128 most, const ColumnSchema& schema) const {
  const Node& from = at(a);
  const bool fits = from.range.known && from.range.least >= least && from.range.most <= most;
  if (fits && from.physical == Physical::kInt64) {
    return with_schema(a, schema);
  }
  Node node = step_node(Step::kToInt64, family_of(schema.type), {a});
  node.schema = schema;
  node.range = whole_range(std::max(least, from.range.known ? from.range.least : least),
                           std::min(most, from.range.known ? from.range.most : most));
  if (node.range.least > node.range.most) node.range = whole_range(least, most);
  node.physical = fits_int64(node.range) ? Physical::kInt64 : Physical::kInt128;
  return graph_.add(std::move(node));
}

/// For places that need 64 bits, such as the arguments of substr().
NodeId Builder::to_int64(NodeId a) const {
  if (at(a).physical == Physical::kInt64) return a;
  const Range range = range_of_type(ColumnType::kInt64);
  return check_range(a, range.least, range.most, schema_of(Family::kInteger));
}

Result<NodeId> Builder::to_bool(NodeId a) const {
  if (at(a).family == Family::kBool) return a;
  if (at(a).family == Family::kNull) return as_null_of(at(boolean(false)));
  return refused("this is " + type_of(a) + ", where a condition must stand");
}

/// Printing is a step; it fails for no value.
NodeId Builder::to_string(NodeId a) const {
  if (const auto interval = interval_of(*this, a)) return interval_text(*this, *interval);
  if (at(a).family == Family::kString) return a;
  if (at(a).family == Family::kNull) return as_null_of(at(string("")));
  return step(Step::kPrint, Family::kString, {a});
}

// --- arithmetic

/// Both operands become doubles first. Division by zero and overflow follow IEEE 754 and never
/// fail.
NodeId Builder::real_arithmetic(Step step, NodeId a, NodeId b) const {
  a = to_real(a);
  b = to_real(b);
  Node node = step_node(step, Family::kDouble, {a, b});
  node.range = real_range_of(step, at(a).range, at(b).range);
  return graph_.add(std::move(node));
}

/// Decides the width of an operation on integers and decimals, in this order: 64 bits unchecked,
/// where operands and result fit by their intervals; 64 bits checked, for integers whose result may
/// not fit (an integer that overflows int64 is an error, as in DuckDB); 128 bits for decimals and
/// for operands that are wide already, checked unless the interval is known. A product whose scale
/// would exceed 38 digits is computed with doubles.
NodeId Builder::whole_arithmetic(Step step, NodeId a, NodeId b) const {
  const bool decimals = at(a).family == Family::kDecimal || at(b).family == Family::kDecimal;
  unsigned scale = 0;
  if (decimals && step == Step::kMultiply) {
    scale = at(a).schema.scale + at(b).schema.scale;
    if (scale > kMostDigits) return real_arithmetic(step, a, b);
  } else if (decimals) {
    scale = std::max(at(a).schema.scale, at(b).schema.scale);
    a = to_scale(a, scale);
    b = to_scale(b, scale);
  }
  Range range;
  const bool known = range_of(step, at(a).range, at(b).range, range);
  const bool wide_input =
      at(a).physical == Physical::kInt128 || at(b).physical == Physical::kInt128;
  // Integers stay in 64 bits even where they may overflow: then each row is checked, and an
  // overflow is an error. Decimals change to 128 bits instead, as their type promises 38 digits.
  const bool narrow = known && fits_int64(range) && !wide_input;
  const bool checked_narrow = !narrow && !decimals && !wide_input;
  if (!narrow && !checked_narrow) {
    a = to_int128(a);
    b = to_int128(b);
  }
  Node node = step_node(step, decimals ? Family::kDecimal : Family::kInteger, {a, b});
  node.physical = narrow || checked_narrow ? Physical::kInt64 : Physical::kInt128;
  const bool wide_result = node.physical == Physical::kInt128;
  if (step == Step::kDivideInteger) scale = 0;  // a whole quotient has no fraction
  node.schema = decimals || wide_result ? schema_of(Family::kDecimal, static_cast<Byte>(scale))
                                        : schema_of(Family::kInteger);
  node.parameter = narrow || (known && wide_result) ? 0 : 1;
  node.range = known && !checked_narrow ? range
               : wide_result            ? range_of_type(ColumnType::kDecimal128)
                                        : range_of_type(ColumnType::kInt64);
  return graph_.add(std::move(node));
}

/// date + integer, date - integer and date - date count in days. Timestamps take part with
/// intervals only, which Binder::bind_interval_sum handles before this.
Result<NodeId> Builder::date_arithmetic(Step step, NodeId a, NodeId b) const {
  if (step == Step::kAdd && at(b).family == Family::kDate) std::swap(a, b);
  if (step != Step::kAdd && step != Step::kSubtract) {
    return refused("dates are not multiplied or divided");
  }
  const bool difference = at(b).family == Family::kDate && at(a).family == Family::kDate;
  if (difference && step == Step::kSubtract) {
    Node node = step_node(step, Family::kInteger, {a, b});
    Range range;
    if (range_of(step, at(a).range, at(b).range, range)) node.range = range;
    return graph_.add(std::move(node));
  }
  if (at(a).family != Family::kDate || at(b).family != Family::kInteger) {
    return refused("there is no " + type_of(a) + (step == Step::kAdd ? " + " : " - ") + type_of(b) +
                   "; an INTERVAL may be added to a date or timestamp, days as a number to a date");
  }
  const NodeId sum = whole_arithmetic(step, with_schema(a, schema_of(Family::kDate)), to_int64(b));
  const Range days = range_of_type(ColumnType::kDate32);
  return check_range(sum, days.least, days.most, schema_of(Family::kDate));
}

/// Always checked: timestamps reach the ends of int64 (year 2262 in nanoseconds).
NodeId Builder::add_units(NodeId moment, Int128 units) const {
  Node node = step_node(Step::kAdd, Family::kTime, {moment, integer(units)});
  node.schema = at(moment).schema;
  node.range = range_of_type(ColumnType::kInt64);
  node.parameter = 1;
  return graph_.add(std::move(node));
}

/// A null takes the type of the other operand, so that `x + NULL` is a null of x's type.
Result<NodeId> Builder::arithmetic(Step step, NodeId a, NodeId b) const {
  if (at(a).family == Family::kNull && at(b).family == Family::kNull) return null();
  if (at(a).family == Family::kNull) a = as_null_of(at(b));
  if (at(b).family == Family::kNull) b = as_null_of(at(a));
  if (is_moment_family(at(a).family) || is_moment_family(at(b).family))
    return date_arithmetic(step, a, b);
  for (const NodeId operand : {a, b}) {
    if (!is_number(at(operand).family)) {
      return refused("this is " + type_of(operand) + ", where a number must stand; CAST converts");
    }
  }
  const bool real = at(a).family == Family::kDouble || at(b).family == Family::kDouble;
  if (real || step == Step::kDivideReal) return real_arithmetic(step, a, b);
  return whole_arithmetic(step, a, b);
}

/// Whole numbers are subtracted from zero, which reuses the interval and width rules of
/// subtraction.
Result<NodeId> Builder::negate(NodeId a) const {
  if (at(a).family == Family::kNull) return a;
  if (!is_number(at(a).family)) {
    return refused("this is " + type_of(a) + ", where a number must stand; CAST converts");
  }
  if (at(a).family != Family::kDouble) return whole_arithmetic(Step::kSubtract, integer(0), a);
  Node node = step_node(Step::kNegate, Family::kDouble, {a});
  if (at(a).range.known) node.range = real_range(-at(a).range.most_real, -at(a).range.least_real);
  return graph_.add(std::move(node));
}

/// Only the least value of a width has no absolute value, so the check is needed only where the
/// interval is unknown or contains it.
Result<NodeId> Builder::absolute(NodeId a) const {
  if (at(a).family == Family::kNull) return a;
  if (!is_number(at(a).family)) {
    return refused("this is " + type_of(a) + ", where a number must stand; CAST converts");
  }
  Node node = step_node(Step::kAbs, at(a).family, {a});
  node.schema = at(a).family == Family::kInteger && at(a).physical == Physical::kInt64
                    ? schema_of(Family::kInteger)
                    : at(a).schema;
  node.physical = at(a).physical;
  const Range& range = at(a).range;
  if (at(a).family == Family::kDouble) {
    if (range.known) {
      node.range = real_range(0, std::max(std::fabs(range.least_real), std::fabs(range.most_real)));
    }
  } else {
    // The limits of the width in which the value is held, which may be narrower than its type.
    const bool narrow = node.physical == Physical::kInt64;
    const Int128 limit = range_of_type(narrow ? ColumnType::kInt64 : ColumnType::kDecimal128).most;
    const Int128 most = range.known ? std::max(range.most, -range.least) : limit;
    node.parameter = most <= limit && range.known ? 0 : 1;
    node.range = whole_range(0, std::min(most, limit));
  }
  return graph_.add(std::move(node));
}

// --- one type for several

/// Dates and coarser timestamps in a finer unit: a multiplication, which fails where a moment lies
/// beyond what 64 bits reach in that unit.
NodeId Builder::to_unit(NodeId a, TimeUnit unit) const {
  Int128 factor = 1;
  if (at(a).family == Family::kDate) {
    factor = kDaySeconds * power_of_ten(unit_digits_of(unit));
  } else {
    if (at(a).schema.unit == unit) return a;
    factor = power_of_ten(unit_digits_of(unit) - unit_digits_of(at(a).schema.unit));
  }
  Node node = step_node(Step::kTimeToUnit, Family::kTime, {a});
  node.schema.unit = unit;
  node.parameter = static_cast<std::int64_t>(factor);
  Range range;
  // An interval that overflows says that the step may fail; the result then lies anywhere in int64.
  if (range_of(Step::kMultiply, at(a).range, whole_range(factor, factor), range) &&
      fits_int64(range)) {
    node.range = range;
  } else {
    node.range = range_of_type(ColumnType::kInt64);
  }
  return graph_.add(std::move(node));
}

/// Moments are compared in the finest unit among them; dates alone stay days.
Status Builder::unify_times(std::vector<NodeId>& nodes) const {
  bool any_time = false;
  TimeUnit unit = TimeUnit::kSecond;
  for (const NodeId id : nodes) {
    if (!is_moment_family(at(id).family)) {
      return not_alike(nodes[0], id);
    }
    any_time = any_time || at(id).family == Family::kTime;
    if (at(id).family == Family::kTime) unit = std::max(unit, at(id).schema.unit);
  }
  if (!any_time) return {};
  for (NodeId& id : nodes) id = to_unit(id, unit);
  return {};
}

/// A timestamp with as many digits as the text has, so that nothing of it is cut off.
Result<NodeId> Builder::literal_time(const Node& literal, Int128 nanos, NodeId like) const {
  Node value;
  value.family = Family::kTime;
  value.schema = at(like).schema;
  while (nanos % nanos_in_unit(value) != 0) {
    value.schema.unit = static_cast<TimeUnit>(static_cast<Byte>(value.schema.unit) + 1);
  }
  value.integer = nanos / nanos_in_unit(value);
  if (fits_int64(whole_range(value.integer, value.integer))) return graph_.add(std::move(value));
  return refused("'" + literal.text + "' does not fit into " + type_name(value.schema));
}

/// Reads a string literal in the type of the node beside it. Numbers keep the literal's own scale,
/// and timestamps its own unit, so that no digit is lost before a comparison: `price = '1.005'` is
/// false for a price with two digits, it does not compare with 1.00.
Result<NodeId> Builder::literal_as(NodeId literal, NodeId like) const {
  const Node& constant = at(literal);
  if (constant.is_null) return as_null_of(at(like));
  Node type = at(like);
  Node value;
  value.family = type.family;
  value.schema = type.family == Family::kDecimal ? schema_of(Family::kDecimal, type.schema.scale)
                                                 : type.schema;
  value.physical = type.physical;
  type.range = {};
  type.schema = value.schema;
  const Bytes text(reinterpret_cast<const Byte*>(constant.text.data()), constant.text.size());
  alignas(16) Byte read[16] = {};
  if (is_whole(type.family)) {  // of any scale
    Int128 number = 0;
    unsigned scale = 0;
    if (read_decimal(constant.text, number, scale)) {
      return scale == 0 ? integer(number) : decimal(number, scale);
    }
  } else if (type.family == Family::kTime) {
    const auto moment = read_moment(text);
    if (moment) return literal_time(constant, moment->nanos, like);
  } else if (read_value(type, text, read)) {
    switch (type.physical) {
      case Physical::kBool:
        value.integer = read[0];
        break;
      case Physical::kDouble:
        value.real = load<double>(read);
        break;
      default:
        value.integer = load<std::int64_t>(read);
        break;
    }
    return graph_.add(std::move(value));
  }
  return refused("'" + constant.text + "' is not a value of type " + type_of(like) +
                 ", which is needed here");
}

/// In three steps: find the node that gives the type; convert nulls and string literals to it; then
/// bring numbers to the strongest kind among them (double before decimal before integer), to the
/// greatest scale, and to 128 bits if one of them needs that.
Status Builder::unify(std::vector<NodeId>& nodes) const {
  for (const NodeId id : nodes) {
    if (interval_of(*this, id)) return interval_refused();
  }
  // The type is given by the first node that is neither null nor a string literal.
  const auto has_any_type = [this](NodeId id) {
    return at(id).kernel != nullptr && at(id).kernel->has_any_type;
  };
  const auto gives_type = [&](NodeId id) {
    return at(id).family != Family::kNull && !has_any_type(id) &&
           !(graph_.is_constant(id) && at(id).family == Family::kString);
  };
  auto like = std::find_if(nodes.begin(), nodes.end(), gives_type);
  if (like == nodes.end()) {
    like = std::find_if(nodes.begin(), nodes.end(),
                        [this](NodeId id) { return at(id).family != Family::kNull; });
  }
  if (like == nodes.end()) return {};
  const NodeId type = *like;
  for (NodeId& id : nodes) {
    if (at(id).family == Family::kNull) {
      id = as_null_of(at(type));
    } else if (has_any_type(id)) {
      Node failing = at(id);
      failing.family = at(type).family;
      failing.physical = at(type).physical;
      failing.schema = at(type).schema;
      failing.range = at(type).range;
      id = graph_.add(std::move(failing));
    } else if (graph_.is_constant(id) && at(id).family == Family::kString &&
               at(type).family != Family::kString) {
      PRESSO_ASSIGN(id, literal_as(id, type));
    }
  }
  if (is_moment_family(at(type).family)) return unify_times(nodes);
  // First find the strongest kind of number and the greatest scale, then convert all nodes to them.
  bool real = false;
  bool decimals = false;
  bool wide = false;
  unsigned scale = 0;
  for (const NodeId id : nodes) {
    const bool fits =
        is_number(at(type).family) ? is_number(at(id).family) : at(id).family == at(type).family;
    if (!fits) {
      return not_alike(type, id);
    }
    real = real || at(id).family == Family::kDouble;
    decimals = decimals || at(id).family == Family::kDecimal;
    scale = std::max<unsigned>(scale, at(id).schema.scale);
  }
  if (!is_number(at(type).family)) return {};
  for (NodeId& id : nodes) {
    if (real) {
      id = to_real(id);
    } else if (decimals) {
      id = to_scale(id, scale);
    }
    wide = wide || at(id).physical == Physical::kInt128;
  }
  if (wide) {
    for (NodeId& id : nodes) id = to_int128(id);
  }
  return {};
}

// --- truth

/// The node of a comparison whose operands are of one type. "is distinct from" is never null.
/// Used directly where operands have been made alike already.
NodeId Builder::comparison(Step step, NodeId a, NodeId b) const {
  Node node = step_node(step, Family::kBool, {a, b});
  if (step == Step::kIsDistinct) node.nullable = false;
  return graph_.add(std::move(node));
}

Result<NodeId> Builder::compare(Step step, NodeId a, NodeId b) const {
  PRESSO_TRY(compare_intervals(*this, a, b));
  PRESSO_ASSIGN(const auto compared, compare_literal(step, a, b));
  if (compared) return *compared;
  std::vector<NodeId> operands = {a, b};
  count_truths(operands);
  PRESSO_TRY(unify_compared(operands));
  if (at(operands[0]).family == Family::kNull) {
    return step == Step::kIsDistinct ? boolean(false) : to_bool(null());
  }
  return comparison(step, operands[0], operands[1]);
}

/// All parts are one step, so that a vector is passed over once per part and no intermediate is
/// stored.
Result<NodeId> Builder::all_of(std::vector<NodeId> parts) const {
  for (NodeId& part : parts) {
    PRESSO_ASSIGN(part, to_bool(part));
  }
  if (parts.empty()) return boolean(true);
  if (parts.size() == 1) return parts[0];
  return graph_.add(step_node(Step::kAnd, Family::kBool, std::move(parts)));
}

/// See all_of().
Result<NodeId> Builder::any_of(std::vector<NodeId> parts) const {
  for (NodeId& part : parts) {
    PRESSO_ASSIGN(part, to_bool(part));
  }
  if (parts.empty()) return boolean(false);
  if (parts.size() == 1) return parts[0];
  return graph_.add(step_node(Step::kOr, Family::kBool, std::move(parts)));
}

Result<NodeId> Builder::negation_of(NodeId a) const {
  PRESSO_ASSIGN(a, to_bool(a));
  return graph_.add(step_node(Step::kNot, Family::kBool, {a}));
}

/// Folding to false lets a condition `x is null` disappear where zones show that x has no nulls.
NodeId Builder::is_null(NodeId a) const {
  if (!at(a).nullable) return boolean(false);
  Node node = step_node(Step::kIsNull, Family::kBool, {a});
  node.nullable = false;
  return graph_.add(std::move(node));
}

/// Strings: one StringTest with a set, which columns answer by their dictionary. Whole numbers:
/// from three literals on, a binary search. Everything else, also a set with a null or a column in
/// it, is an OR of equalities, which gives SQL's nulls without further rules.
Result<NodeId> Builder::in(NodeId a, std::vector<NodeId> set) const {
  if (interval_of(*this, a)) {
    for (NodeId& one : set) {
      PRESSO_ASSIGN(one, compare(Step::kEqual, a, one));
    }
    return any_of(std::move(set));
  }
  const bool literals = std::all_of(set.begin(), set.end(), [this](NodeId id) {
    return graph_.is_constant(id) && at(id).family != Family::kNull && !at(id).is_null;
  });
  if (literals && at(a).family == Family::kString && set.size() > 1) {
    StringCondition condition;
    condition.kind = StringCondition::Kind::kIn;
    for (const NodeId id : set) {
      if (at(id).family != Family::kString) {
        return not_alike(a, id);
      }
      condition.set.push_back(at(id).text);
    }
    return string_test(a, condition);
  }
  PRESSO_ASSIGN(const auto moment, moment_in(a, set));
  if (moment) return *moment;
  std::vector<NodeId> all = {a};
  all.insert(all.end(), set.begin(), set.end());
  count_truths(all);
  PRESSO_TRY(unify(all));
  const bool whole =
      at(all[0]).physical == Physical::kInt64 || at(all[0]).physical == Physical::kInt128;
  // Two equalities are cheaper than a search; from three on the set is sorted and searched.
  if (literals && whole && set.size() > 2) {
    Node node = step_node(Step::kInIntegers, Family::kBool, {all[0]});
    for (std::size_t i = 1; i < all.size(); ++i) node.integers.push_back(at(all[i]).integer);
    std::sort(node.integers.begin(), node.integers.end());
    return graph_.add(std::move(node));
  }
  std::vector<NodeId> equalities;
  for (std::size_t i = 1; i < all.size(); ++i) {
    PRESSO_ASSIGN(const NodeId equality, compare(Step::kEqual, all[0], all[i]));
    equalities.push_back(equality);
  }
  return any_of(std::move(equalities));
}

/// The key holds everything that tells two compiled tests apart; lengths precede the set's members,
/// so that members cannot run into each other.
Result<NodeId> Builder::string_test(NodeId a, const StringCondition& condition) const {
  if (at(a).family == Family::kNull) return to_bool(a);
  if (at(a).family != Family::kString) {
    return refused("this is " + type_of(a) + ", where a string must stand; CAST converts");
  }
  PRESSO_ASSIGN(StringTest test, StringTest::compile(condition));
  Node node = step_node(Step::kStringTest, Family::kBool, {a});
  node.test = std::make_shared<const StringTest>(std::move(test));
  node.test_key = std::string(1, static_cast<char>(condition.kind)) + condition.text + '\0' +
                  std::string(1, condition.has_escape ? '1' : '0') + condition.escape;
  for (const std::string& one : condition.set) {
    node.test_key += std::to_string(one.size()) + ':' + one;
  }
  return graph_.add(std::move(node));
}

// --- choices

/// Returns the type in which the values of several nodes are stored, for nodes that unify() has
/// made alike: the type that all have, or else the widest of their family.
ColumnSchema Builder::schema_of_all(const std::vector<NodeId>& nodes) const {
  const Node& first = at(nodes[0]);
  const bool narrow = first.physical == Physical::kInt64;
  if (first.family == Family::kInteger && narrow) return schema_of(Family::kInteger);
  const bool same = std::all_of(nodes.begin(), nodes.end(),
                                [&](NodeId id) { return at(id).schema.type == first.schema.type; });
  if (first.family == Family::kString) {
    const bool json = std::all_of(nodes.begin(), nodes.end(), [&](NodeId id) {
      return at(id).schema.text == ValueText::kRawJson ||
             (graph_.is_constant(id) && at(id).is_null);
    });
    const bool same_fields = std::all_of(nodes.begin(), nodes.end(), [&](NodeId id) {
      return at(id).schema.fields == first.schema.fields;
    });
    if (!json || !same_fields) return schema_of(Family::kString);
  }
  if (same || first.family == Family::kDate || first.family == Family::kTime) {
    ColumnSchema schema = first.schema;
    for (const NodeId id : nodes) {
      const ColumnSchema& one = at(id).schema;
      if (one.arrow_type != schema.arrow_type) schema.arrow_type.clear();
      schema.valid_utf8 = schema.valid_utf8 && (one.valid_utf8 || graph_.is_constant(id));
    }
    return schema;
  }
  const bool whole = is_whole(first.family);
  return schema_of(whole ? Family::kDecimal : first.family, first.schema.scale);
}

/// Returns the least interval that holds the values of all nodes; null constants do not count.
Range Builder::range_of_all(const std::vector<NodeId>& nodes) const {
  Range range;
  bool any = false;
  for (const NodeId id : nodes) {
    if (graph_.is_constant(id) && at(id).is_null) continue;
    range = any ? union_of(range, at(id).range) : at(id).range;
    any = true;
  }
  return range;
}

/// The arguments alternate, condition and value, and end with the value of ELSE; kCase expects
/// this. The result may be null only if one of the values may be.
Result<NodeId> Builder::choose(std::vector<NodeId> whens, std::vector<NodeId> thens,
                               NodeId otherwise) const {
  thens.push_back(otherwise);
  PRESSO_TRY(unify(thens));
  if (at(thens[0]).family == Family::kNull) return null();
  std::vector<NodeId> arguments;
  for (std::size_t i = 0; i < whens.size(); ++i) {
    PRESSO_ASSIGN(const NodeId when, to_bool(whens[i]));
    arguments.push_back(when);
    arguments.push_back(thens[i]);
  }
  arguments.push_back(thens.back());
  const Node& first = at(thens[0]);
  Node node = step_node(Step::kCase, first.family, std::move(arguments));
  node.physical = first.physical;
  node.schema = schema_of_all(thens);
  node.range = range_of_all(thens);
  node.nullable =
      std::any_of(thens.begin(), thens.end(), [this](NodeId id) { return at(id).nullable; });
  return graph_.add(std::move(node));
}

/// The result may be null only if all parts may be.
Result<NodeId> Builder::coalesce(std::vector<NodeId> parts) const {
  PRESSO_TRY(unify(parts));
  if (at(parts[0]).family == Family::kNull) return null();
  const Node& first = at(parts[0]);
  Node node = step_node(Step::kCoalesce, first.family, parts);
  node.physical = first.physical;
  node.schema = schema_of_all(parts);
  node.range = range_of_all(parts);
  node.nullable =
      std::all_of(parts.begin(), parts.end(), [this](NodeId id) { return at(id).nullable; });
  return graph_.add(std::move(node));
}

}  // namespace presso::query
