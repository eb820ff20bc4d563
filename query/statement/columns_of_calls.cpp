// SPDX-License-Identifier: MIT
// Implements columns_of_calls.h.
#include "query/statement/columns_of_calls.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "format/suggest.h"
#include "query/compute/intervals.h"

namespace presso::query {
namespace {

using Kind = Expression::Kind;
using Op = Expression::Op;

struct NamedKind {
  std::string_view name;
  WindowKind kind;
};

/// Functions that only windows have.
constexpr NamedKind kWindowNames[] = {
    {"row_number", WindowKind::kRowNumber},
    {"rank", WindowKind::kRank},
    {"dense_rank", WindowKind::kDenseRank},
    {"rank_dense", WindowKind::kDenseRank},
    {"percent_rank", WindowKind::kPercentRank},
    {"cume_dist", WindowKind::kCumeDist},
    {"ntile", WindowKind::kNtile},
    {"lag", WindowKind::kLag},
    {"lead", WindowKind::kLead},
    {"first_value", WindowKind::kFirstValue},
    {"last_value", WindowKind::kLastValue},
    {"nth_value", WindowKind::kNthValue},
};

/// Aggregates that only the window operator computes; with GROUP BY each group is a partition.
constexpr NamedKind kAggregateNames[] = {
    {"any_value", WindowKind::kAnyValue},
    {"first", WindowKind::kFirst},
    {"last", WindowKind::kLast},
    {"arbitrary", WindowKind::kFirst},
    {"arg_min", WindowKind::kArgMin},
    {"min_by", WindowKind::kArgMin},
    {"argmin", WindowKind::kArgMin},
    {"arg_max", WindowKind::kArgMax},
    {"max_by", WindowKind::kArgMax},
    {"argmax", WindowKind::kArgMax},
    {"median", WindowKind::kMedian},
    {"quantile", WindowKind::kQuantileDisc},
    {"quantile_disc", WindowKind::kQuantileDisc},
    {"percentile_disc", WindowKind::kQuantileDisc},
    {"quantile_cont", WindowKind::kQuantileCont},
    {"percentile_cont", WindowKind::kQuantileCont},
    {"approx_quantile", WindowKind::kQuantileCont},
    {"mode", WindowKind::kMode},
    {"mad", WindowKind::kMad},
    {"string_agg", WindowKind::kStringAgg},
    {"group_concat", WindowKind::kStringAgg},
    {"listagg", WindowKind::kStringAgg},
    {"list", WindowKind::kList},
    {"array_agg", WindowKind::kList},
    {"bool_and", WindowKind::kBoolAnd},
    {"every", WindowKind::kBoolAnd},
    {"bool_or", WindowKind::kBoolOr},
    {"product", WindowKind::kProduct},
    {"var_samp", WindowKind::kVarSamp},
    {"variance", WindowKind::kVarSamp},
    {"var_pop", WindowKind::kVarPop},
    {"stddev", WindowKind::kStddevSamp},
    {"stddev_samp", WindowKind::kStddevSamp},
    {"stddev_pop", WindowKind::kStddevPop},
    {"covar_samp", WindowKind::kCovarSamp},
    {"covar_pop", WindowKind::kCovarPop},
    {"corr", WindowKind::kCorr},
    {"regr_slope", WindowKind::kRegrSlope},
    {"regr_intercept", WindowKind::kRegrIntercept},
    {"skewness", WindowKind::kSkewness},
    {"kurtosis", WindowKind::kKurtosis},
    {"approx_count_distinct", WindowKind::kApproxCountDistinct},
};

/// Aggregates of a Query that windows have, too.
constexpr NamedKind kNativeNames[] = {
    {"count", WindowKind::kCount}, {"sum", WindowKind::kSum}, {"avg", WindowKind::kAvg},
    {"mean", WindowKind::kAvg},    {"min", WindowKind::kMin}, {"max", WindowKind::kMax},
};

template <std::size_t size>
std::optional<WindowKind> find_in(const NamedKind (&names)[size], const std::string& name) {
  const auto* found = std::find_if(std::begin(names), std::end(names),
                                   [&name](const NamedKind& each) { return each.name == name; });
  return found == std::end(names) ? std::nullopt : std::optional(found->kind);
}

std::string unknown_function(const std::string& name) {
  std::vector<std::string> names;
  for (const NamedKind& each : kWindowNames) names.emplace_back(each.name);
  for (const NamedKind& each : kAggregateNames) names.emplace_back(each.name);
  for (const NamedKind& each : kNativeNames) names.emplace_back(each.name);
  return "there is no window function '" + name + "'" + did_you_mean(name, names);
}

}  // namespace

std::optional<WindowKind> aggregate_kind(const std::string& name) {
  return find_in(kAggregateNames, name);
}

Expression ColumnsOfCalls::add(const Expression& tree) {
  return at_place_of(column(list_[place_of(tree)].name), tree);
}

std::size_t ColumnsOfCalls::place_of(const Expression& tree) {
  for (std::size_t i = 0; i < list_.size(); ++i) {
    if (list_[i].expression == tree) return i;
  }
  list_.push_back({tree, lowering_.new_name()});
  return list_.size() - 1;
}

/// WITHIN GROUP (ORDER BY x) gives the first argument of quantiles and mode, and the order of all
/// others.
Result<Expression> ColumnsOfCalls::add_call(const Expression& call, const Window& window,
                                            bool once) {
  WindowCall result;
  auto kind = find_in(kNativeNames, call.text);
  if (!kind) kind = aggregate_kind(call.text);
  if (!kind && !once) kind = find_in(kWindowNames, call.text);
  if (!kind) return lowering_.shown(refused_at(call, unknown_function(call.text)));
  // Rows that are numbered as they come need no window, which would hold all of them.
  const bool numbers_all = *kind == WindowKind::kRowNumber && window.partition.empty() &&
                           window.order.empty() && window.frame.empty() &&
                           call.details->filter.empty() && call.details->order.empty();
  if (numbers_all) {
    if (row_number_.empty()) row_number_ = lowering_.new_name();
    return at_place_of(operation(Op::kAdd, {column(row_number_), number(1)}), call);
  }
  const bool is_total = !once && !call.distinct && find_in(kNativeNames, call.text) &&
                        window.partition.empty() && window.order.empty() && window.frame.empty() &&
                        call.details->filter.empty() && call.details->order.empty();
  if (is_total) return add_total(call);
  result.kind = *kind;
  result.once = once;
  result.distinct = call.distinct;
  std::vector<Expression> arguments = call.arguments;
  std::vector<SortExpression> order = window.order;
  if (call.details != nullptr) {
    result.ignore_nulls = call.details->ignores_nulls;
    if (!call.details->filter.empty()) result.filter = place_of(call.details->filter[0]);
    const bool sorted_argument = result.kind == WindowKind::kQuantileCont ||
                                 result.kind == WindowKind::kQuantileDisc ||
                                 result.kind == WindowKind::kMode;
    if (sorted_argument && arguments.size() < 2 && call.details->order.size() == 1) {
      arguments.insert(arguments.begin(), call.details->order[0].expression);
      const bool reversed = call.details->order[0].descending && arguments.size() == 2;
      if (reversed) {
        arguments[1] = operation(Op::kSubtract, {number(1), std::move(arguments[1])});
      }
    } else if (order.empty()) {
      order = call.details->order;
    } else if (!call.details->order.empty()) {
      return lowering_.shown(refused_at(call, "ORDER BY stands in the call or in OVER, not both"));
    }
    if (!call.details->over.empty() && !window.frame.empty()) {
      PRESSO_ASSIGN(result.frame, frame_of(window.frame[0]));
    }
    // The order within a call is that of the values, whatever the window's frame is.
    if (!once && window.order.empty() && !order.empty() && !result.frame) {
      result.frame.emplace();
      result.frame->unit = WindowFrame::Unit::kRows;
      result.frame->end.kind = FrameBound::Kind::kUnboundedFollowing;
    }
  }
  const bool star = arguments.size() == 1 && arguments[0].kind == Kind::kStar;
  if (result.kind == WindowKind::kCount && (star || arguments.empty())) {
    result.kind = WindowKind::kCountRows;
    arguments.clear();
  }
  for (const Expression& argument : arguments) result.arguments.push_back(place_of(argument));
  for (const Expression& key : window.partition) {
    const bool literal = key.kind != Kind::kColumn && key.arguments.empty();
    if (!literal) result.partition.push_back(place_of(key));
  }
  for (const SortExpression& key : order) {
    result.order.push_back({place_of(key.expression), key.descending, key.nulls_first});
  }
  Expression without_place = call;
  if (once) {
    without_place.details = std::make_shared<const CallDetails>(
        call.details == nullptr ? CallDetails() : *call.details);
  }
  for (std::size_t i = 0; i < known_.size(); ++i) {
    const bool same = known_[i].first == without_place && calls_[i].partition == result.partition &&
                      calls_[i].order == result.order;
    if (same) return at_place_of(column(known_[i].second), call);
  }
  result.name = lowering_.new_name();
  known_.emplace_back(std::move(without_place), result.name);
  calls_.push_back(std::move(result));
  places_.push_back(call);
  return at_place_of(column(calls_.back().name), call);
}

/// The column whose name stands for an aggregate over all rows until its value is known.
Expression ColumnsOfCalls::add_total(Expression call) {
  const Expression place = call;
  call.details = nullptr;
  const bool is_star = !call.arguments.empty() && call.arguments[0].kind == Kind::kStar;
  for (Expression& argument : call.arguments) {
    if (!is_star) argument = add(argument);
  }
  for (const NamedExpression& each : totals_) {
    if (each.expression == call) return at_place_of(column(each.name), place);
  }
  totals_.push_back({std::move(call), lowering_.new_name()});
  return at_place_of(column(totals_.back().name), place);
}

/// A constant, or a column that has the distance of each row.
Result<FrameOffset> ColumnsOfCalls::offset_of(const Expression& tree) {
  FrameOffset offset;
  if (tree.kind == Kind::kInterval) {
    const auto interval = read_interval(tree.text + ' ' + tree.type);
    if (!interval) return lowering_.shown(refused_at(tree, "this is no interval"));
    offset.is_interval = true;
    offset.months = interval->months;
    offset.days = interval->days;
    offset.nanos = interval->micros * 1000;
    return offset;
  }
  if (tree.kind != Kind::kNumber) {
    offset.column = place_of(tree);
    return offset;
  }
  offset.real = std::strtod(tree.text.c_str(), nullptr);
  bool point = false;
  for (const char letter : tree.text) {
    if (letter == '.') point = true;
    if (letter < '0' || letter > '9') continue;
    if (offset.scale == 18 || offset.number > Int128{1} << 100) break;
    offset.number = offset.number * 10 + (letter - '0');
    if (point) ++offset.scale;
  }
  return offset;
}

Result<WindowFrame> ColumnsOfCalls::frame_of(const presso::WindowFrame& frame) {
  WindowFrame result;
  result.unit = frame.unit;
  result.exclude = frame.exclude;
  result.begin.kind = frame.begin.kind;
  result.end.kind = frame.end.kind;
  const auto has_offset = [](const FrameBound& bound) {
    return bound.kind == FrameBound::Kind::kPreceding || bound.kind == FrameBound::Kind::kFollowing;
  };
  if (has_offset(result.begin)) {
    PRESSO_ASSIGN(result.begin.offset, offset_of(frame.begin.offset));
  }
  if (has_offset(result.end)) {
    PRESSO_ASSIGN(result.end.offset, offset_of(frame.end.offset));
  }
  return result;
}

/// Each call is checked by itself first, so that an error shows its place.
Result<Relation> ColumnsOfCalls::with_calls(Relation rows) const {
  if (calls_.empty()) return rows;
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    const auto type = window_type(calls_[i], rows.schema());
    if (!type.ok()) return lowering_.shown(refused_at(places_[i], type.error().what));
  }
  PRESSO_ASSIGN(KeptRows done, with_windows(*rows.kept, calls_, lowering_.options()));
  return lowering_.keep(std::move(done), "the same with window functions");
}

}  // namespace presso::query
