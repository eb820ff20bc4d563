// SPDX-License-Identifier: MIT
// Recognises conditions in the expression graph that columns can answer without evaluating an
// expression. Comparisons of a column with a literal are moved below conversions (a scale, a unit
// of time, a wider integer) by converting the literal instead, so that they can be made on stored
// values.
#include "query/plan/filter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "format/columns/zone_image.h"
#include "query/compute/node_text.h"

namespace presso::query {
namespace {

using Kind = Filter::Kind;

/// Stands for "no bound"; far enough from every value, and small enough for arithmetic in 128 bits.
constexpr Int128 kFar = Int128{1} << 120;

/// The integers of [least, most]; empty if least > most.
struct Bounds {
  Int128 least = -kFar;
  Int128 most = kFar;
};

/// The range in which the argument of `node` must lie so that the node's value lies in `bounds`, or
/// nullopt if there is no such range. Rounding goes inwards when a value was multiplied, and
/// outwards over the whole unit when a time was truncated.
std::optional<Bounds> bounds_below(const Node& node, const Bounds& bounds) {
  const auto divided = [&bounds](Int128 factor) {
    return Bounds{-floor_divide(-bounds.least, factor), floor_divide(bounds.most, factor)};
  };
  switch (node.step) {
    case Step::kToInt128:
      return bounds;
    case Step::kScaleUp:
      return divided(power_of_ten(static_cast<unsigned>(node.parameter)));
    case Step::kTimeToUnit:
      if (node.parameter > 0) return divided(node.parameter);
      if (bounds.most >= kFar / Int128{-node.parameter} ||
          bounds.least <= -kFar / Int128{-node.parameter}) {
        return std::nullopt;
      }
      return Bounds{bounds.least * -node.parameter, (bounds.most + 1) * -node.parameter - 1};
    default:
      return std::nullopt;
  }
}

/// A column that was found below conversions, and the set that its stored values must lie in.
struct ColumnBounds {
  std::size_t column = 0;
  IntervalSet intervals = IntervalSet::all();
};

/// Descends through conversions from a node to a column, translating the bounds at each step.
/// nullopt: something else than conversions stands on the way, or the column is not an integer of
/// at most 64 bits (decimal128 columns are left to programs).
std::optional<ColumnBounds> whole_bounds(const Graph& graph, NodeId id, Bounds bounds) {
  const Node* node = &graph.at(id);
  while (node->kind == Node::Kind::kStep) {
    const auto below = bounds_below(*node, bounds);
    if (!below) return std::nullopt;
    bounds = *below;
    node = &graph.at(node->arguments[0]);
  }
  const bool possible = node->kind == Node::Kind::kColumn &&
                        node->schema.type != ColumnType::kDecimal128 &&
                        (node->physical == Physical::kInt64 || node->physical == Physical::kInt128);
  if (!possible) return std::nullopt;
  return ColumnBounds{node->column, integers_between(node->schema.type, bounds.least, bounds.most)};
}

/// The images of doubles that fulfil a comparison with `value`. In this order NaN is greater than
/// all numbers and all NaNs are equal, as in the whole query language.
IntervalSet real_interval(Step step, bool column_first, double value) {
  const std::uint64_t last_number = double_image(std::numeric_limits<double>::infinity());
  const bool nan = std::isnan(value);
  const std::uint64_t first = nan ? last_number + 1 : double_image(value);
  const std::uint64_t last = nan ? ~std::uint64_t{0} : first;
  if (step == Step::kEqual) return IntervalSet::between(first, last);
  const IntervalSet not_above = IntervalSet::between(0, last);
  const IntervalSet below = IntervalSet::between(first, ~std::uint64_t{0}).complement();
  if (column_first) return step == Step::kLess ? below : not_above;
  return step == Step::kLess ? not_above.complement() : below.complement();
}

/// Bounds for `column op literal` and `literal op column`. nullopt for other forms. Step::kLess of
/// integers becomes <= by moving the bound by 1.
std::optional<ColumnBounds> comparison_bounds(const Graph& graph, const Node& node) {
  const bool ordered =
      node.step == Step::kEqual || node.step == Step::kLess || node.step == Step::kLessEqual;
  if (!ordered) return std::nullopt;
  const bool column_first = graph.is_constant(node.arguments[1]);
  if (column_first == graph.is_constant(node.arguments[0])) return std::nullopt;
  const NodeId other = node.arguments[column_first ? 0 : 1];
  const Node& literal = graph.at(node.arguments[column_first ? 1 : 0]);
  if (literal.is_null) return std::nullopt;
  if (literal.physical == Physical::kDouble) {
    if (!graph.is_column(other)) return std::nullopt;
    return ColumnBounds{graph.at(other).column,
                        real_interval(node.step, column_first, literal.real)};
  }
  if (literal.physical != Physical::kInt64 && literal.physical != Physical::kInt128)
    return std::nullopt;
  const Int128 beyond = node.step == Step::kLess ? 1 : 0;
  Bounds bounds;
  if (node.step == Step::kEqual || column_first) bounds.most = literal.integer - beyond;
  if (node.step == Step::kEqual || !column_first) bounds.least = literal.integer + beyond;
  return whole_bounds(graph, other, bounds);
}

/// Bounds for `column IN (integers)`: one interval for each value, those that touch merged.
std::optional<ColumnBounds> set_bounds(const Graph& graph, const Node& node) {
  if (node.step != Step::kInIntegers) return std::nullopt;
  std::optional<ColumnBounds> all;
  // Long lists stay programs, which look values up in a set.
  const bool few = node.integers.size() <= kMostIntervals;
  if (!few) return std::nullopt;
  for (const Int128 value : node.integers) {
    const auto one = whole_bounds(graph, node.arguments[0], {value, value});
    if (!one) return std::nullopt;
    if (!all) {
      all = one;
    } else {
      all->intervals = all->intervals.union_with(one->intervals);
    }
  }
  return all;
}

/// Builds the Filter tree of a truth-valued node. `negated` is the parity of the NOTs above it:
/// instead of wrapping parts in NOT, AND and OR swap and leaves are complemented. This is valid in
/// three-valued logic because only "true" counts: a leaf that is NULL fails, negated or not.
class FilterMaker {
 public:
  explicit FilterMaker(const Graph& graph) : graph_(graph) {}

  Filter make(NodeId id, bool negated) const {
    const Node& node = graph_.at(id);
    if (node.kind == Node::Kind::kConstant) {
      Filter filter;
      filter.kind = !node.is_null && (node.integer != 0) != negated ? Kind::kTrue : Kind::kFalse;
      return filter;
    }
    if (node.kind == Node::Kind::kStep) {
      if (node.step == Step::kNot) return make(node.arguments[0], !negated);
      if (node.step == Step::kAnd || node.step == Step::kOr) {
        const bool conjunction = (node.step == Step::kAnd) != negated;
        // A row for which one branch of an OR fails with an error may pass by another branch; only
        // a program, which sees all branches of a row, can tell.
        if (!conjunction && graph_.may_fail(id)) return expression(id, negated);
        return combined(id, conjunction, negated);
      }
      if (std::optional<Filter> leaf = column_leaf(node, negated))
        return simplified(std::move(*leaf));
    }
    return expression(id, negated);
  }

 private:
  /// The filter for a node that is a test of one column, or nullopt if an expression must be
  /// evaluated.
  std::optional<Filter> column_leaf(const Node& node, bool negated) const {
    Filter filter;
    const auto set = [&](const ColumnBounds& bounds) {
      filter.kind = Kind::kIntervals;
      filter.column = bounds.column;
      filter.intervals = negated ? bounds.intervals.complement() : bounds.intervals;
      return filter;
    };
    if (node.step >= Step::kEqual && node.step <= Step::kLessEqual) {
      const bool with_null =
          std::any_of(node.arguments.begin(), node.arguments.end(), [this](NodeId argument) {
            return graph_.is_constant(argument) && graph_.at(argument).is_null;
          });
      // A comparison with NULL is NULL for all rows, negated or not.
      if (with_null) {
        filter.kind = Kind::kFalse;
        return filter;
      }
      if (const auto bounds = comparison_bounds(graph_, node)) return set(*bounds);
      return std::nullopt;
    }
    if (const auto bounds = set_bounds(graph_, node)) return set(*bounds);
    if (node.arguments.empty() || !graph_.is_column(node.arguments[0])) return std::nullopt;
    filter.column = graph_.at(node.arguments[0]).column;
    filter.negated = negated;
    if (node.step == Step::kIsNull) {
      filter.kind = Kind::kNull;
      return filter;
    }
    if (node.step == Step::kStringTest) {
      filter.kind = Kind::kText;
      filter.test = node.test;
      return filter;
    }
    return std::nullopt;
  }

  /// The filter of last resort: a program for the whole node.
  Filter expression(NodeId id, bool negated) const {
    Filter filter;
    filter.kind = Kind::kExpression;
    filter.node = id;
    filter.negated = negated;
    filter.program = std::make_shared<const Program>(graph_, std::vector<NodeId>{id});
    return filter;
  }

  /// AND or OR of the parts' filters. Constants are folded, nested AND within AND is flattened, and
  /// ranges of the same column are merged. A single part stands for the whole.
  Filter combined(NodeId id, bool conjunction, bool negated) const {
    const Node& node = graph_.at(id);
    Filter filter;
    filter.node = id;
    filter.negated = negated;
    filter.kind = conjunction ? Kind::kAnd : Kind::kOr;
    const Kind neutral = conjunction ? Kind::kTrue : Kind::kFalse;
    const Kind decisive = conjunction ? Kind::kFalse : Kind::kTrue;
    for (const NodeId argument : node.arguments) {
      Filter part = make(argument, negated);
      if (part.kind == neutral) continue;
      if (part.kind == decisive) return part;
      if (part.kind == filter.kind) {
        for (Filter& inner : part.parts) add(filter, std::move(inner));
      } else {
        add(filter, std::move(part));
      }
    }
    // Merged ranges may have become empty or complete, which may decide the whole.
    for (Filter& part : filter.parts) {
      part = simplified(std::move(part));
      if (part.kind == decisive) return std::move(part);
    }
    if (filter.parts.empty()) {
      filter.kind = neutral;
    } else if (filter.parts.size() == 1) {
      return std::move(filter.parts[0]);
    }
    return filter;
  }

  /// Adds a part to an AND or OR. Ranges of the same column are intersected or united into one
  /// unless the result would have more than kMostIntervals intervals.
  void add(Filter& to, Filter part) const {
    if (part.kind == Kind::kIntervals) {
      for (Filter& other : to.parts) {
        if (other.kind != Kind::kIntervals || other.column != part.column) continue;
        IntervalSet merged = to.kind == Kind::kAnd ? other.intervals.intersection(part.intervals)
                                                   : other.intervals.union_with(part.intervals);
        if (merged.intervals().size() > kMostIntervals) continue;
        other.intervals = std::move(merged);
        return;
      }
    }
    to.parts.push_back(std::move(part));
  }

  /// Replaces ranges without a number by kFalse and ranges with all numbers by IS NOT NULL.
  static Filter simplified(Filter filter) {
    if (filter.kind != Kind::kIntervals) return filter;
    return interval_filter(filter.column, std::move(filter.intervals));
  }

  const Graph& graph_;
};

void add_columns(const Filter& filter, std::vector<std::size_t>& columns) {
  if (filter.kind == Kind::kExpression) {
    columns.insert(columns.end(), filter.program->inputs().begin(), filter.program->inputs().end());
  } else if (filter.kind == Kind::kKeys) {
    columns.insert(columns.end(), filter.key_columns.begin(), filter.key_columns.end());
  } else if (filter.kind == Kind::kIntervals || filter.kind == Kind::kText ||
             filter.kind == Kind::kNull) {
    columns.push_back(filter.column);
  }
  for (const Filter& part : filter.parts) add_columns(part, columns);
}

}  // namespace

IntervalSet integers_between(ColumnType type, Int128 least, Int128 most) {
  const Int128 lowest = is_signed(type) ? Int128{std::numeric_limits<std::int64_t>::min()} : 0;
  const Int128 highest = is_signed(type) ? Int128{std::numeric_limits<std::int64_t>::max()}
                                         : Int128{std::numeric_limits<std::uint64_t>::max()};
  if (most < lowest || least > highest) return IntervalSet::none();
  const auto image = [type](Int128 value) {
    return is_signed(type) ? signed_image(static_cast<std::int64_t>(value))
                           : static_cast<std::uint64_t>(value);
  };
  return IntervalSet::between(image(std::max(least, lowest)), image(std::min(most, highest)));
}

bool has_expression(const Filter& filter) {
  return filter.kind == Kind::kExpression ||
         std::any_of(filter.parts.begin(), filter.parts.end(), has_expression);
}

Filter make_filter(const Graph& graph, NodeId condition) {
  return FilterMaker(graph).make(condition, false);
}

Filter interval_filter(std::size_t column, IntervalSet intervals) {
  Filter filter;
  filter.kind = intervals.empty()    ? Kind::kFalse
                : intervals.is_all() ? Kind::kNull
                                     : Kind::kIntervals;
  filter.negated = filter.kind == Kind::kNull;
  filter.column = column;
  filter.intervals = std::move(intervals);
  return filter;
}

std::optional<Filter> range_filter(const Graph& graph, NodeId number, Int128 least, Int128 most) {
  auto bounds = whole_bounds(graph, number, {least, most});
  if (!bounds) return std::nullopt;
  return interval_filter(bounds->column, std::move(bounds->intervals));
}

std::vector<std::size_t> columns_of(const Filter& filter) {
  std::vector<std::size_t> columns;
  add_columns(filter, columns);
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

std::string describe(const Filter& filter, const Graph& graph,
                     const std::vector<std::string>& names) {
  const auto joined = [&](const char* word) {
    std::string text = "(";
    for (const Filter& part : filter.parts) {
      if (text.size() > 1) text += word;
      text += describe(part, graph, names);
    }
    return text + ")";
  };
  switch (filter.kind) {
    case Kind::kTrue:
      return "true";
    case Kind::kFalse:
      return "false";
    case Kind::kIntervals: {
      const std::size_t count = filter.intervals.intervals().size();
      return names[filter.column] + " in " + std::to_string(count) +
             (count == 1 ? " interval" : " intervals");
    }
    case Kind::kText:
      return names[filter.column] + (filter.negated ? " not " : " ") + filter.test->describe();
    case Kind::kNull:
      return names[filter.column] + (filter.negated ? " is not null" : " is null");
    case Kind::kExpression:
      return (filter.negated ? "not " : "") + node_text(graph, filter.node, names);
    case Kind::kKeys:
      return std::string(filter.negated ? "not " : "") + "among keys";
    case Kind::kAnd:
      return joined(" and ");
    default:
      return joined(" or ");
  }
}

}  // namespace presso::query
