// SPDX-License-Identifier: MIT
// Cost formulas for conditions, from the directory of one row group and from measured rates
// (QueryRates). All costs are nanoseconds for each row. The constants below were fitted to
// lab/programs/query/plan_sweep.
#include "query/plan/condition_cost.h"

#include <algorithm>

#include "query/plan/device_plan.h"

namespace presso::query {
namespace {

using Kind = Filter::Kind;

/// The cost of testing a vector, all calls included, as a multiple of the comparison loop's cost.
constexpr double kSteps = 1.6;
/// Cost of a row of tokens, in multiples of decoding one number: its number of codes is decoded and
/// summed up to a position. kTokenCode is the cost of unpacking one code.
constexpr double kTokenRow = 17;
constexpr double kTokenCode = 2;
/// Cost of sweeping token codes, as a multiple of sweeping the decoded text, and the nanoseconds
/// for reading a row in which the literal was found.
constexpr double kCodeSweep = 0.35;
constexpr double kSweptRowNs = 8;

/// Selectivities that are assumed for conditions about which the directory tells nothing.
constexpr double kUnknownShare = 0.3;
constexpr double kUnknownText = 0.1;

/// Size and form of a column, averaged over the rows of a row group.
struct ColumnWeight {
  /// Stored bytes for each row, summed over all streams of the column.
  double stored = 1;
  /// Bytes of a row's string before encoding.
  double text = 8;
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

/// The share of the range [least, most] that the intervals cover, which is their selectivity if
/// values are spread evenly.
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
  sum.strings_ns += one.strings_ns;
  sum.strings += one.strings;
  sum.by_rows += one.by_rows;
}

/// Cost of packed numbers, which the kernel compares without decoding them; `times` comparisons for
/// each row.
DeviceCost packed_cost(const GpuQueryRates& rates, double stored_bytes, double times) {
  DeviceCost cost;
  cost.vector_ns = rates.compare_width_ns(8 * stored_bytes) * times;
  cost.read_ns = rates.byte_ns * stored_bytes;
  return cost;
}

/// Cost of reading a bitmap with one bit for each row, into which another kernel has written its
/// result.
DeviceCost bits_cost(const GpuQueryRates& rates) {
  return packed_cost(rates, 1.0 / 8, 1);
}

/// Cost of a string test on a GPU. Dictionary codes are looked up in a set within the kernel.
/// Tokens and text are tested beforehand by kernels of their own, which leave a bitmap; all text is
/// decoded, whichever rows are left.
DeviceCost device_text_cost(const GpuQueryRates& rates, const ColumnWeight& weight) {
  const Representation representation = weight.representation;
  const bool is_coded = representation != Representation::kToken &&
                        representation != Representation::kBytes &&
                        representation != Representation::kNull;
  // The set is looked up with codes as they are packed.
  DeviceCost cost = is_coded ? packed_cost(rates, weight.stored, 1) : bits_cost(rates);
  cost.strings = 1;
  if (representation == Representation::kToken) {
    cost.strings_ns = rates.token_byte_ns * weight.stored;
    cost.by_rows = 1;
  } else if (representation == Representation::kBytes) {
    constexpr double kDecoding = 0.75;  // of the time, on an H200
    cost.once_ns = kDecoding * rates.text_byte_ns * weight.text;
    cost.strings_ns = rates.text_byte_ns * weight.text - cost.once_ns;
    cost.by_rows = 1;
  }
  return cost;
}

/// Cost of a condition that contains an expression, all of which is evaluated by a program. Kernels
/// test such conditions after all conditions on columns, so columns are read only where rows are
/// left. A comparison of a column within it takes two steps of the program: loading and comparing.
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

bool tests_by_rows(const GroupReader& group, const Filter& filter) {
  if (!filter.is_leaf()) {
    return std::any_of(filter.parts.begin(), filter.parts.end(),
                       [&group](const Filter& part) { return tests_by_rows(group, part); });
  }
  if (filter.kind != Kind::kText) return false;
  const Representation representation = group.chunk(filter.column).representation;
  return representation == Representation::kToken || representation == Representation::kBytes;
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
    // Join keys are added after planning, by with_conditions(), and so have no cost here.
    case Kind::kKeys:
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

/// The validity bitmap is decoded together with a column's values; the bytes of its blocks are
/// counted with the column's. Costs nothing if no row or every row is NULL.
double ConditionEstimator::nulls_cost(std::size_t column) const {
  const ColumnChunk& chunk = group_.chunk(column);
  return chunk.nulls == 0 || chunk.nulls == group_.rows() ? 0 : rates_.compare_ns / 2;
}

/// Each interval is one comparison of the packed vector.
ConditionCost ConditionEstimator::interval_cost(const Filter& filter) const {
  ConditionCost cost;
  cost.vector_ns =
      kSteps * rates_.compare_ns * static_cast<double>(filter.intervals.intervals().size()) +
      nulls_cost(filter.column);
  cost.read_ns = rates_.read_ns * weigh(group_, filter.column).stored;
  return cost;
}

/// Text in blocks of bytes or tokens is either swept or read row by row, which the planner chooses
/// between; dictionary codes are looked up in a set that was made beforehand.
ConditionCost ConditionEstimator::text_cost(const Filter& filter, double share) const {
  const ColumnWeight weight = weigh(group_, filter.column);
  ConditionCost cost;
  switch (weight.representation) {
    case Representation::kToken:
      cost = token_cost(filter, share);
      break;
    case Representation::kBytes:
      // A block of bytes is decoded as a whole, and the text of each live vector is copied from it.
      cost.read_ns = rates_.read_ns * weight.stored + rates_.byte_ns * weight.text;
      cost.dense_ns = filter.test->byte_cost_ns() * weight.text;
      cost.sparse_ns = 10 + 2 * cost.dense_ns;
      break;
    case Representation::kNull:
      break;
    // The dictionary is tested once, which is not counted; each row costs a look-up of its code.
    default:
      cost.vector_ns = kSteps * rates_.compare_ns;
      cost.read_ns = rates_.read_ns * weight.stored;
  }
  cost.vector_ns += nulls_cost(filter.column);
  return cost;
}

/// Cost of testing token codes. A code takes 12 bits, 1.5 bytes. Sweeping codes for a literal, or
/// running an automaton over them, is about twice as fast as over the text; if few rows are alive,
/// these are read one by one. The constants were fitted to half of plan_sweep's points and checked
/// against the other half.
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

/// Columns are decoded for each vector; the program costs its number of steps, plus two, for each
/// live row.
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
