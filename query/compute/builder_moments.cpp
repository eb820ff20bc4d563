// SPDX-License-Identifier: MIT
// Comparisons of dates and timestamps. A literal is rounded to the unit of what it is compared
// with, so that a column is compared as it is stored: no value is converted, none can overflow, and
// zones and GPUs test the same interval. A literal beyond the 64 bits of that unit is less or
// greater than all values. Two columns of different units are compared in the finer one, in 128
// bits if their ranges need that. Tested by tests/unit/query/compute/compute_test.cpp.
//
// Example: `d < 2024-05-01 12:00:00` for a column of dates. No date equals the literal; it is
// rounded down to 2024-05-01, and as dates up to that day are less than noon of it, the condition
// becomes `d <= 2024-05-01`.
#include <algorithm>
#include <limits>

#include "query/compute/builder.h"
#include "query/compute/written_value.h"

namespace presso::query {
namespace {

/// Limits of stored dates and timestamps, whatever their unit.
constexpr Int128 kLeastMoment = std::numeric_limits<std::int64_t>::min();
constexpr Int128 kMostMoment = std::numeric_limits<std::int64_t>::max();

/// A date or a timestamp; both count from 1970, in days or in their unit.
bool is_moment(const Node& node) {
  return node.family == Family::kDate || node.family == Family::kTime;
}

/// Nanoseconds in a unit: 10^9 for seconds, 10^6 for milliseconds, 10^3 for microseconds, 1 for
/// nanoseconds. Signed and wide, so that products with any stored value are exact.
Int128 nanos_of_unit(TimeUnit unit) {
  return power_of_ten(9 - unit_digits_of(unit));
}

/// Whether `a step b` holds; for literals, which are never null here, so "is distinct from" is <>.
bool holds(Step step, Int128 a, Int128 b) {
  switch (step) {
    case Step::kLess:
      return a < b;
    case Step::kLessEqual:
      return a <= b;
    case Step::kEqual:
      return a == b;
    default:
      return a != b;
  }
}

}  // namespace

/// A date, a timestamp, or a string that may be meant as one.
bool Builder::is_moment_literal(NodeId a) const {
  return graph_.is_constant(a) && !at(a).is_null &&
         (is_moment(at(a)) || at(a).family == Family::kString);
}

/// Returns the nanoseconds since 1970 that a literal means beside a date or timestamp. Error:
/// kInvalidArgument for a string that is neither, or that has a time and stands beside a date.
Result<Int128> Builder::nanos_of(NodeId literal, NodeId beside) const {
  const Node& node = at(literal);
  if (node.family != Family::kString) return node.integer * nanos_in_unit(node);
  const Bytes text(reinterpret_cast<const Byte*>(node.text.data()), node.text.size());
  const auto moment = read_moment(text);
  if (moment && (!moment->has_time || at(beside).family == Family::kTime)) return moment->nanos;
  return make_error(ErrorCode::kInvalidArgument, "'" + node.text + "' is not a value of type " +
                                                     type_of(beside) + ", which is needed here");
}

/// A constant of the type of `moment`.
NodeId Builder::units_like(NodeId moment, Int128 units) const {
  Node node;
  node.family = at(moment).family;
  node.schema = at(moment).schema;
  node.integer = units;
  return graph_.add(std::move(node));
}

/// Compares a date or timestamp with a literal of `nanos` nanoseconds. If no value of the type can
/// equal the literal, = becomes a comparison that is false except for nulls, <> one that is true
/// except for nulls, and < or <= takes the values on the right side of the literal.
NodeId Builder::compare_nanos(Step step, NodeId moment, Int128 nanos, bool literal_first) const {
  const Int128 unit = nanos_in_unit(at(moment));
  const Int128 floor = floor_divide(nanos, unit);
  const Int128 near = std::clamp(floor, kLeastMoment, kMostMoment);
  const NodeId literal = units_like(moment, near);
  const auto compared = [&](Step by, bool first) {
    return first ? comparison(by, literal, moment) : comparison(by, moment, literal);
  };
  if (near * unit == nanos) return compared(step, literal_first);
  // No value equals the literal: it lies between `near` and the next value, or beyond all of them.
  const bool below_all = floor < kLeastMoment;
  switch (step) {
    case Step::kIsDistinct:
      return boolean(true);
    case Step::kEqual:  // false, but null for nulls
      return comparison(Step::kLess, units_like(moment, kMostMoment), moment);
    case Step::kNotEqual:
      return comparison(Step::kLessEqual, moment, units_like(moment, kMostMoment));
    default:
      return compared(literal_first == below_all ? Step::kLessEqual : Step::kLess, literal_first);
  }
}

/// A comparison with a literal. Returns nullopt if neither side is a literal, or if no date or
/// timestamp is beside it; the caller then compares in the usual way. Two literals are compared at
/// once.
Result<std::optional<NodeId>> Builder::compare_literal(Step step, NodeId a, NodeId b) const {
  const bool literal_a = is_moment_literal(a);
  const bool literal_b = is_moment_literal(b);
  const bool moments = is_moment(at(a)) || is_moment(at(b));
  if (!moments || (!literal_a && !literal_b)) return std::optional<NodeId>();
  if (literal_a && literal_b) {
    PRESSO_ASSIGN(const Int128 first, nanos_of(a, b));
    PRESSO_ASSIGN(const Int128 second, nanos_of(b, a));
    return std::optional(boolean(holds(step, first, second)));
  }
  const NodeId moment = literal_a ? b : a;
  if (!is_moment(at(moment))) return std::optional<NodeId>();
  PRESSO_ASSIGN(const Int128 nanos, nanos_of(literal_a ? a : b, moment));
  return std::optional(compare_nanos(step, moment, nanos, literal_a));
}

/// A date or timestamp in a set. Three and more literals become a sorted list that kInIntegers
/// searches, without those that no value can equal; otherwise the set becomes equalities. Returns
/// nullopt if no date or timestamp is before "in".
Result<std::optional<NodeId>> Builder::moment_in(NodeId a, const std::vector<NodeId>& set) const {
  const auto is_literal = [this](NodeId id) { return is_moment_literal(id); };
  const auto is_moment_node = [this](NodeId id) { return is_moment(at(id)); };
  const bool text_in_moments = is_moment_literal(a) && at(a).family == Family::kString &&
                               std::all_of(set.begin(), set.end(), is_moment_node);
  if (!is_moment(at(a)) && !text_in_moments) return std::optional<NodeId>();
  if (!graph_.is_constant(a) && std::all_of(set.begin(), set.end(), is_literal)) {
    Node node = step_node(Step::kInIntegers, Family::kBool, {a});
    for (const NodeId literal : set) {
      PRESSO_ASSIGN(const Int128 nanos, nanos_of(literal, a));
      const Int128 units = floor_divide(nanos, nanos_in_unit(at(a)));
      const bool exists =
          units * nanos_in_unit(at(a)) == nanos && units >= kLeastMoment && units <= kMostMoment;
      if (exists) node.integers.push_back(units);
    }
    std::sort(node.integers.begin(), node.integers.end());
    if (node.integers.size() > 2) return std::optional(graph_.add(std::move(node)));
  }
  std::vector<NodeId> equalities;
  for (const NodeId one : set) {
    PRESSO_ASSIGN(const NodeId equality, compare(Step::kEqual, a, one));
    equalities.push_back(equality);
  }
  PRESSO_ASSIGN(const NodeId any, any_of(std::move(equalities)));
  return std::optional(any);
}

// --- two columns

/// Whether 64 bits hold all values of a date or timestamp in `unit`, which is not coarser than its
/// own. Known ranges (statistics of files) usually say so.
bool Builder::fits_unit(NodeId a, TimeUnit unit) const {
  const Int128 factor = nanos_in_unit(at(a)) / nanos_of_unit(unit);
  const Range& range = at(a).range;
  if (factor == 1) return true;
  return range.known && range.least >= kLeastMoment / factor && range.most <= kMostMoment / factor;
}

/// Converts to `unit` in 128 bits, which cannot overflow.
NodeId Builder::to_wide_unit(NodeId a, TimeUnit unit) const {
  const Int128 factor = nanos_in_unit(at(a)) / nanos_of_unit(unit);
  const Range range = at(a).range.known ? at(a).range : range_of_type(ColumnType::kInt64);
  a = to_int128(a);
  if (factor == 1) return a;
  Node node = step_node(Step::kTimeToUnit, Family::kTime, {a});
  node.schema.unit = unit;
  node.physical = Physical::kInt128;
  node.parameter = static_cast<std::int64_t>(factor);
  node.range.known = true;
  node.range.least = range.least * factor;
  node.range.most = range.most * factor;
  return graph_.add(std::move(node));
}

/// Dates are days whatever else; with timestamps among them, all become the finest unit that
/// occurs.
Status Builder::unify_compared(std::vector<NodeId>& operands) const {
  const auto is_moment_node = [this](NodeId id) { return is_moment(at(id)); };
  if (!std::all_of(operands.begin(), operands.end(), is_moment_node)) return unify(operands);
  const auto is_date = [this](NodeId id) { return at(id).family == Family::kDate; };
  if (std::all_of(operands.begin(), operands.end(), is_date)) return {};
  TimeUnit unit = TimeUnit::kSecond;
  for (const NodeId id : operands) {
    if (!is_date(id)) unit = std::max(unit, at(id).schema.unit);
  }
  const auto fits = [&](NodeId id) { return fits_unit(id, unit); };
  const bool narrow = std::all_of(operands.begin(), operands.end(), fits);
  for (NodeId& id : operands) id = narrow ? to_unit(id, unit) : to_wide_unit(id, unit);
  return {};
}

}  // namespace presso::query
