// SPDX-License-Identifier: MIT
#include "query/plan/condition_cost.h"

#include <algorithm>

#include "query/plan/device_plan.h"

namespace presso::query {
namespace {

using Kind = Filter::Kind;

/// What comparing a vector costs from the plan down to the loop, in parts of the loop.
constexpr double kSteps = 1.6;
/// Of a row of tokens, in parts of decoding a number: its number of codes is decoded, and becomes a
/// place; unpacking a code.
constexpr double kTokenRow = 17;
constexpr double kTokenCode = 2;
/// Sweeping codes, in parts of sweeping their text; reading a row in which the literal stands.
constexpr double kCodeSweep = 0.35;
constexpr double kSweptRowNs = 8;

/// Shares of conditions of which nothing is known.
constexpr double kUnknownShare = 0.3;
constexpr double kUnknownText = 0.1;

/// Of a row of a column.
struct ColumnWeight {
  double stored = 1;  ///< bytes, of all streams
  double text = 8;    ///< bytes of its string
  Representation representation = Representation::kPlain;
  double distinct = 0;
};

ColumnWeight weigh(const GroupReader& group, std::size_t column) {
  ColumnWeight weight;
  const auto rows = static_cast<double>(std::max<std::uint32_t>(group.rows(), 1));
  const ColumnChunk& chunk = group.chunk(column);
  weight.stored = static_cast<double>(group.cost(column, 0, group.rows()).bytes) / rows;
  weight.text = static_cast<double>(chunk.value_bytes) / rows;
  weight.representation = chunk.representation;
  weight.distinct = chunk.distinct;
  return weight;
}

/// The share of [least, most] that intervals take.
double share_of(const IntervalSet& intervals, std::uint64_t least, std::uint64_t most) {
  const double width = static_cast<double>(most - least) + 1;
  double share = 0;
  for (const Interval& interval : intervals.intervals()) {
    if (interval.least > most || interval.most < least) continue;
    const std::uint64_t low = std::max(interval.least, least);
    const std::uint64_t high = std::min(interval.most, most);
    share += (static_cast<double>(high - low) + 1) / width;
  }
  return std::min(share, 1.0);
}

void operator+=(DeviceCost& sum, const DeviceCost& one) {
  sum.vector_ns += one.vector_ns;
  sum.row_ns += one.row_ns;
  sum.read_ns += one.read_ns;
  sum.once_ns += one.once_ns;
  sum.strings += one.strings;
  sum.by_rows += one.by_rows;
}

/// Packed numbers, which are compared where they lie.
DeviceCost packed_cost(const GpuQueryRates& rates, double stored_bytes, double times) {
  DeviceCost cost;
  cost.vector_ns = rates.compare_width_ns(8 * stored_bytes) * times;
  cost.read_ns = rates.byte_ns * stored_bytes;
  return cost;
}

/// A bit for each row, which says what other kernels have found.
DeviceCost bits_cost(const GpuQueryRates& rates) {
  return packed_cost(rates, 1.0 / 8, 1);
}

/// Strings that are no dictionary's are tested in all rows, before the kernel.
DeviceCost device_text_cost(const GpuQueryRates& rates, const ColumnWeight& weight) {
  const Representation representation = weight.representation;
  const bool is_coded = representation != Representation::kToken &&
                        representation != Representation::kBytes &&
                        representation != Representation::kNull;
  // Codes are looked up in a set.
  DeviceCost cost = is_coded ? packed_cost(rates, weight.stored, 1) : bits_cost(rates);
  cost.strings = 1;
  if (representation == Representation::kToken) {
    cost.once_ns = rates.token_byte_ns * weight.stored;
    cost.by_rows = 1;
  } else if (representation == Representation::kBytes) {
    cost.once_ns = rates.text_byte_ns * weight.text;
    cost.by_rows = 1;
  }
  return cost;
}

/// A condition with an expression in it, all of which is computed: its columns are read where rows
/// are left, since it comes behind all conditions on columns. Conditions on columns in it take two
/// steps, loading and comparing.
DeviceCost computed_cost(const GroupReader& group, const GpuQueryRates& rates,
                         const Filter& filter) {
  DeviceCost cost;
  if (!filter.is_leaf()) {
    for (const Filter& part : filter.parts) cost += computed_cost(group, rates, part);
    return cost;
  }
  if (filter.kind == Kind::kTrue || filter.kind == Kind::kFalse) return cost;
  if (filter.kind != Kind::kExpression) {
    cost.vector_ns = rates.byte_ns * weigh(group, filter.column).stored;
    cost.row_ns = 2 * rates.step_ns;
    return cost;
  }
  const std::vector<std::size_t>& inputs = filter.program->inputs();
  for (const std::size_t column : inputs) {
    cost.vector_ns += rates.byte_ns * weigh(group, column).stored;
  }
  cost.row_ns = rates.step_ns * static_cast<double>(filter.program->steps() + inputs.size() + 1);
  return cost;
}

}  // namespace

DeviceCost device_cost(const GroupReader& group, const GpuQueryRates& rates, const Filter& filter) {
  DeviceCost cost;
  if (has_expression(filter)) {
    cost = computed_cost(group, rates, filter);
    cost.is_expression = true;
    return cost;
  }
  switch (filter.kind) {
    case Kind::kTrue:
    case Kind::kFalse:
      return cost;
    case Kind::kIntervals:
      return packed_cost(rates, weigh(group, filter.column).stored,
                         static_cast<double>(filter.intervals.intervals().size()));
    case Kind::kText:
      return device_text_cost(rates, weigh(group, filter.column));
    case Kind::kNull:
    case Kind::kKeys:
      return bits_cost(rates);
    default:
      for (const Filter& part : filter.parts) cost += device_cost(group, rates, part);
      return cost;
  }
}

double ConditionEstimator::selectivity(const Filter& filter) const {
  switch (filter.kind) {
    case Kind::kTrue:
      return 1;
    case Kind::kFalse:
      return 0;
    case Kind::kIntervals: {
      const ColumnZone zone = group_.zone(filter.column, 0, group_.rows());
      const bool known = (zone.flags & kZoneKnown) != 0 && (zone.flags & kZoneNoValue) == 0;
      return known ? share_of(filter.intervals, zone.least, zone.most) : kUnknownShare;
    }
    case Kind::kText: {
      double share = kUnknownText;
      if (!filter.test->exact_strings().empty()) {
        const double distinct = std::max(weigh(group_, filter.column).distinct, 1.0);
        share = std::min(1.0, static_cast<double>(filter.test->exact_strings().size()) / distinct);
      }
      return filter.negated ? 1 - share : share;
    }
    case Kind::kNull: {
      const double nulls = static_cast<double>(group_.chunk(filter.column).nulls) /
                           std::max<double>(group_.rows(), 1);
      return filter.negated ? 1 - nulls : nulls;
    }
    case Kind::kExpression:
    case Kind::kKeys:
      return kUnknownShare;
    default: {
      const bool conjunction = filter.kind == Kind::kAnd;
      double share = 1;
      for (const Filter& part : filter.parts) {
        share *= conjunction ? selectivity(part) : 1 - selectivity(part);
      }
      return conjunction ? share : 1 - share;
    }
  }
}

ConditionCost ConditionEstimator::cost(const Filter& filter, double share) const {
  switch (filter.kind) {
    case Kind::kIntervals:
      return interval_cost(filter);
    case Kind::kText:
      return text_cost(filter, share);
    case Kind::kNull: {
      ConditionCost cost;
      cost.vector_ns = rates_.bitmap_ns + nulls_cost(filter.column);
      return cost;
    }
    case Kind::kExpression:
      return expression_cost(filter);
    case Kind::kKeys:  // are no part of what is planned: with_conditions()
      return {};
    default: {
      ConditionCost sum;
      for (const Filter& part : filter.parts) {
        const ConditionCost one = cost(part, share);
        sum.vector_ns += one.vector_ns;
        sum.row_ns += one.row_ns;
        sum.read_ns += one.read_ns;
        sum.dense_ns += one.dense_ns;
        sum.sparse_ns += one.sparse_ns;
      }
      return sum;
    }
  }
}

/// Bits of validity are decoded beside a column's values; their blocks are in its stored bytes.
double ConditionEstimator::nulls_cost(std::size_t column) const {
  const ColumnChunk& chunk = group_.chunk(column);
  return chunk.nulls == 0 || chunk.nulls == group_.rows() ? 0 : rates_.compare_ns / 2;
}

ConditionCost ConditionEstimator::interval_cost(const Filter& filter) const {
  ConditionCost cost;
  cost.vector_ns =
      kSteps * rates_.compare_ns * static_cast<double>(filter.intervals.intervals().size()) +
      nulls_cost(filter.column);
  cost.read_ns = rates_.read_ns * weigh(group_, filter.column).stored;
  return cost;
}

ConditionCost ConditionEstimator::text_cost(const Filter& filter, double share) const {
  const ColumnWeight weight = weigh(group_, filter.column);
  ConditionCost cost;
  switch (weight.representation) {
    case Representation::kToken:
      cost = token_cost(filter, share);
      break;
    case Representation::kBytes:
      // Blocks are decoded as a whole; texts of a vector are copied from them.
      cost.read_ns = rates_.read_ns * weight.stored + rates_.byte_ns * weight.text;
      cost.dense_ns = filter.test->byte_cost_ns() * weight.text;
      cost.sparse_ns = 10 + 2 * cost.dense_ns;
      break;
    case Representation::kNull:
      break;
    default:  // codes are looked up in a set; the dictionary is asked once
      cost.vector_ns = kSteps * rates_.compare_ns;
      cost.read_ns = rates_.read_ns * weight.stored;
  }
  cost.vector_ns += nulls_cost(filter.column);
  return cost;
}

/// A code has 12 bits. Codes are swept for a literal's, or read by an automaton, twice as fast as
/// their text; of few rows each is read. The constants fit half of the points of plan_sweep.
ConditionCost ConditionEstimator::token_cost(const Filter& filter, double share) const {
  const ColumnWeight weight = weigh(group_, filter.column);
  const double codes = weight.stored / 1.5;
  const double text_ns = filter.test->byte_cost_ns() * weight.text;
  const bool is_swept = filter.test->byte_cost_ns() < 0.3;
  const double found = filter.negated ? 1 - share : share;
  ConditionCost cost;
  cost.read_ns = rates_.read_ns * weight.stored + kTokenRow * rates_.decode_ns;
  cost.vector_ns = kTokenCode * rates_.decode_ns * codes;
  cost.dense_ns = is_swept ? kCodeSweep * text_ns + kSweptRowNs * found : 0.5 * text_ns;
  cost.sparse_ns = 10 + 2 * codes;
  return cost;
}

ConditionCost ConditionEstimator::expression_cost(const Filter& filter) const {
  ConditionCost cost;
  for (const std::size_t column : filter.program->inputs()) {
    const ColumnWeight weight = weigh(group_, column);
    cost.read_ns += rates_.read_ns * weight.stored;
    cost.vector_ns += rates_.decode_ns + nulls_cost(column);
    if (weight.representation == Representation::kToken ||
        weight.representation == Representation::kBytes) {
      cost.vector_ns += rates_.byte_ns * weight.text;
    }
  }
  cost.row_ns = rates_.compute_ns * static_cast<double>(filter.program->steps() + 2);
  return cost;
}

}  // namespace presso::query
