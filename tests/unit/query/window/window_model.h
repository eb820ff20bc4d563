// SPDX-License-Identifier: MIT
// Window functions by their definitions, row by row and without regard to time: what the operator
// is compared with.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <variant>

#include "query/window/window.h"

namespace presso::query::window_model {

/// Null, a whole number (also bools, days, units of time, decimals without their point), a double,
/// or a text.
using Value = std::variant<std::monostate, Int128, double, std::string>;
using Values = std::vector<Value>;

inline bool is_null(const Value& value) {
  return value.index() == 0;
}

/// Below 0, 0 or above 0; NaN comes last.
inline int order_of(const Value& a, const Value& b) {
  if (const double* left = std::get_if<double>(&a)) {
    const double right = std::get<double>(b);
    if (std::isnan(*left) || std::isnan(right)) return std::isnan(*left) - std::isnan(right);
    return *left < right ? -1 : right < *left ? 1 : 0;
  }
  return a < b ? -1 : b < a ? 1 : 0;
}

inline bool are_equal(const Value& a, const Value& b) {
  return is_null(a) || is_null(b) ? is_null(a) == is_null(b) : order_of(a, b) == 0;
}

struct ModelTable {
  TableSchema schema;
  std::vector<Values> columns;
  std::size_t rows() const { return columns.front().size(); }
};

class Model {
 public:
  Model(const ModelTable& table, const WindowCall& call) : table_(table), call_(call) {}

  Values run() {
    Values results(table_.rows());
    std::vector<bool> done(table_.rows());
    for (std::size_t row = 0; row < table_.rows(); ++row) {
      if (done[row]) continue;
      partition_.clear();
      for (std::size_t other = row; other < table_.rows(); ++other) {
        if (same(call_.partition, row, other)) partition_.push_back(other);
      }
      for (const std::size_t other : partition_) done[other] = true;
      std::stable_sort(partition_.begin(), partition_.end(),
                       [&](std::size_t a, std::size_t b) { return before(a, b); });
      for (std::size_t at = 0; at < partition_.size(); ++at) {
        const bool shown = !call_.once || partition_[at] == row;
        if (shown) results[partition_[at]] = value(at);
      }
    }
    return results;
  }

 private:
  const Value& get(std::size_t column, std::size_t row) const {
    return table_.columns[column][row];
  }
  const Value& argument(std::size_t i, std::size_t row) const {
    return get(call_.arguments[i], row);
  }
  bool same(const std::vector<std::size_t>& columns, std::size_t a, std::size_t b) const {
    return std::all_of(columns.begin(), columns.end(), [&](std::size_t column) {
      return are_equal(get(column, a), get(column, b));
    });
  }
  bool before(std::size_t a, std::size_t b) const {
    for (const WindowOrder& key : call_.order) {
      const Value& left = get(key.column, a);
      const Value& right = get(key.column, b);
      if (are_equal(left, right)) continue;
      if (is_null(left) || is_null(right)) return is_null(left) == key.nulls_first;
      return key.descending ? order_of(left, right) > 0 : order_of(left, right) < 0;
    }
    return false;
  }
  bool peers(std::size_t a, std::size_t b) const {
    return !before(partition_[a], partition_[b]) && !before(partition_[b], partition_[a]);
  }
  /// Number of the group of a place, from 0.
  std::int64_t group(std::size_t at) const {
    std::int64_t group = 0;
    for (std::size_t i = 1; i <= at; ++i) group += peers(i - 1, i) ? 0 : 1;
    return group;
  }

  std::int64_t number(const FrameBound& bound, std::size_t at) const {
    if (!bound.offset.column) return static_cast<std::int64_t>(bound.offset.number);
    return static_cast<std::int64_t>(std::get<Int128>(get(*bound.offset.column, partition_[at])));
  }
  /// Whether place `other` is not before the frame's begin (`is_end`: not after its end).
  bool within(const FrameBound& bound, std::size_t at, std::size_t other, bool is_end) const {
    using Kind = FrameBound::Kind;
    if (bound.kind == Kind::kUnboundedPreceding || bound.kind == Kind::kUnboundedFollowing) {
      return true;
    }
    const int sign = bound.kind == Kind::kPreceding ? -1 : bound.kind == Kind::kFollowing ? 1 : 0;
    const auto compare = [&](auto place, auto target) {
      return is_end ? place <= target : place >= target;
    };
    switch (call_.frame->unit) {
      case WindowFrame::Unit::kRows:
        return compare(static_cast<std::int64_t>(other),
                       static_cast<std::int64_t>(at) + (sign == 0 ? 0 : sign * number(bound, at)));
      case WindowFrame::Unit::kGroups:
        return compare(group(other), group(at) + (sign == 0 ? 0 : sign * number(bound, at)));
      default:
        break;
    }
    if (sign == 0) return compare(group(other), group(at));
    const WindowOrder& key = call_.order[0];
    const Value& here = get(key.column, partition_[at]);
    const Value& there = get(key.column, partition_[other]);
    if (is_null(here)) return compare(group(other), group(at));
    if (is_null(there)) return is_end ? key.nulls_first : !key.nulls_first;
    const int direction = key.descending ? -1 : 1;
    if (const double* real = std::get_if<double>(&here)) {
      const Value target = *real + direction * sign *
                                       (bound.offset.column ? static_cast<double>(number(bound, at))
                                                            : bound.offset.real);
      const int order = direction * order_of(there, target);
      return is_end ? order <= 0 : order >= 0;
    }
    Int128 unit = 1;
    const ColumnSchema& schema = table_.schema.columns[key.column];
    for (unsigned i = 0; i < schema.scale; ++i) unit *= 10;
    Int128 offset = number(bound, at) * unit;
    if (schema.type == ColumnType::kTimestamp) offset = bound.offset.nanos / 1'000'000;
    if (bound.offset.is_interval && schema.type == ColumnType::kDate32) offset = bound.offset.days;
    const Int128 target = std::get<Int128>(here) + direction * sign * offset;
    return compare(direction * std::get<Int128>(there), direction * target);
  }

  std::vector<std::size_t> frame(std::size_t at) const {
    std::vector<std::size_t> rows;
    for (std::size_t other = 0; other < partition_.size(); ++other) {
      bool in = true;
      if (call_.once) {
        in = true;
      } else if (!call_.frame) {
        in = call_.order.empty() || group(other) <= group(at);
      } else {
        in = within(call_.frame->begin, at, other, false) &&
             within(call_.frame->end, at, other, true);
        const WindowFrame::Exclude exclude = call_.frame->exclude;
        const bool peer = peers(at, other);
        if (exclude == WindowFrame::Exclude::kCurrentRow && at == other) in = false;
        if (exclude == WindowFrame::Exclude::kGroup && peer) in = false;
        if (exclude == WindowFrame::Exclude::kTies && peer && at != other) in = false;
      }
      if (in) rows.push_back(partition_[other]);
    }
    return rows;
  }

  Value value(std::size_t at) const {
    if (call_.kind <= WindowKind::kLead) return placed(at);
    std::vector<std::size_t> rows = frame(at);
    const auto drop = [&](auto out) {
      rows.erase(std::remove_if(rows.begin(), rows.end(), out), rows.end());
    };
    if (call_.kind <= WindowKind::kNthValue) {
      if (call_.ignore_nulls) drop([&](std::size_t row) { return is_null(argument(0, row)); });
      return chosen(rows, partition_[at]);
    }
    if (call_.filter) {
      drop([&](std::size_t row) {
        const Value& keeps = get(*call_.filter, row);
        return is_null(keeps) || std::get<Int128>(keeps) == 0;
      });
    }
    const bool two =
        call_.kind == WindowKind::kArgMin || call_.kind == WindowKind::kArgMax ||
        (call_.kind >= WindowKind::kCovarSamp && call_.kind <= WindowKind::kRegrIntercept);
    const bool nulls_count = call_.kind == WindowKind::kCountRows ||
                             call_.kind == WindowKind::kFirst || call_.kind == WindowKind::kLast ||
                             call_.kind == WindowKind::kList;
    if (!nulls_count) {
      drop([&](std::size_t row) {
        return is_null(argument(0, row)) || (two && is_null(argument(1, row)));
      });
    }
    if (call_.distinct || call_.kind == WindowKind::kApproxCountDistinct) {
      std::vector<std::size_t> once;
      for (const std::size_t row : rows) {
        const bool known = std::any_of(once.begin(), once.end(), [&](std::size_t other) {
          return are_equal(argument(0, row), argument(0, other));
        });
        if (!known) once.push_back(row);
      }
      rows = once;
    }
    return aggregated(rows);
  }

  Value placed(std::size_t at) const {
    const auto rows = static_cast<std::int64_t>(partition_.size());
    std::int64_t first = 0;
    while (!peers(static_cast<std::size_t>(first), at)) ++first;
    switch (call_.kind) {
      case WindowKind::kRowNumber:
        return Int128{at} + 1;
      case WindowKind::kRank:
        return Int128{first} + 1;
      case WindowKind::kDenseRank:
        return Int128{group(at)} + 1;
      case WindowKind::kPercentRank:
        return rows == 1 ? 0.0 : static_cast<double>(first) / static_cast<double>(rows - 1);
      case WindowKind::kCumeDist: {
        std::size_t last = at;
        while (last + 1 < partition_.size() && peers(last + 1, at)) ++last;
        return static_cast<double>(last + 1) / static_cast<double>(rows);
      }
      case WindowKind::kNtile:
        return tile(at);
      default:
        return shifted(at);
    }
  }
  /// Deals the rows out to tiles, the larger ones first.
  Value tile(std::size_t at) const {
    if (is_null(argument(0, partition_[at]))) return {};
    const auto tiles = static_cast<std::size_t>(std::get<Int128>(argument(0, partition_[at])));
    std::size_t end = 0;
    for (std::size_t one = 0; one < tiles; ++one) {
      end += partition_.size() / tiles + (one < partition_.size() % tiles ? 1 : 0);
      if (at < end) return Int128{one} + 1;
    }
    return {};
  }
  Value shifted(std::size_t at) const {
    const std::size_t row = partition_[at];
    Int128 steps = 1;
    if (call_.arguments.size() > 1) {
      if (is_null(argument(1, row))) return {};
      steps = std::get<Int128>(argument(1, row));
    }
    if (call_.kind == WindowKind::kLag) steps = -steps;
    Int128 to = Int128{at};
    const Int128 direction = steps < 0 ? -1 : 1;
    const auto inside = [&] { return to >= 0 && to < Int128{partition_.size()}; };
    while (steps != 0) {
      to += direction;
      if (!inside()) break;
      const bool null = is_null(argument(0, partition_[static_cast<std::size_t>(to)]));
      if (!call_.ignore_nulls || !null) steps -= direction;
    }
    if (inside()) return argument(0, partition_[static_cast<std::size_t>(to)]);
    return call_.arguments.size() > 2 ? argument(2, row) : Value();
  }
  Value chosen(const std::vector<std::size_t>& rows, std::size_t row) const {
    Int128 at = 1;
    if (call_.kind == WindowKind::kLastValue) at = Int128{rows.size()};
    if (call_.kind == WindowKind::kNthValue) {
      if (is_null(argument(1, row))) return {};
      at = std::get<Int128>(argument(1, row));
    }
    if (at < 1 || at > Int128{rows.size()}) return {};
    return argument(0, rows[static_cast<std::size_t>(at) - 1]);
  }

  Value aggregated(const std::vector<std::size_t>& rows) const;
  double real(const Value& value, std::size_t i) const;
  Value summed(const std::vector<std::size_t>& rows) const;
  Value moment(const std::vector<std::size_t>& rows) const;
  Value moment_of_two(const std::vector<std::size_t>& rows) const;
  Value quantile(const std::vector<std::size_t>& rows) const;
  Value middle(Values values, double share) const;
  Value deviation(const std::vector<std::size_t>& rows) const;
  Value mode(const std::vector<std::size_t>& rows) const;
  Value extreme(const std::vector<std::size_t>& rows) const;
  Value joined(const std::vector<std::size_t>& rows) const;

  const ModelTable& table_;
  const WindowCall& call_;
  std::vector<std::size_t> partition_;  ///< its rows in their order
};

inline double Model::real(const Value& value, std::size_t i) const {
  if (const double* known = std::get_if<double>(&value)) return *known;
  double unit = 1;
  for (unsigned s = 0; s < table_.schema.columns[call_.arguments[i]].scale; ++s) unit *= 10;
  return static_cast<double>(std::get<Int128>(value)) / unit;
}

/// Tests use doubles whose sums long doubles hold exactly.
inline Value Model::summed(const std::vector<std::size_t>& rows) const {
  long double sum = 0;
  Int128 whole = 0;
  bool is_real = false;
  for (const std::size_t row : rows) {
    const Value& value = argument(0, row);
    if (const double* one = std::get_if<double>(&value)) {
      sum += *one;
      is_real = true;
    } else {
      whole += std::get<Int128>(value);
    }
  }
  if (call_.kind == WindowKind::kSum) return is_real ? Value(static_cast<double>(sum)) : whole;
  if (is_real) return static_cast<double>(sum / static_cast<long double>(rows.size()));
  long double unit = 1;
  for (unsigned s = 0; s < table_.schema.columns[call_.arguments[0]].scale; ++s) unit *= 10;
  return static_cast<double>(static_cast<long double>(whole) /
                             (unit * static_cast<long double>(rows.size())));
}

inline Value Model::moment(const std::vector<std::size_t>& rows) const {
  const auto n = static_cast<double>(rows.size());
  long double mean = 0;
  for (const std::size_t row : rows) mean += real(argument(0, row), 0);
  mean /= n;
  long double power[5] = {};
  for (const std::size_t row : rows) {
    const long double distance = real(argument(0, row), 0) - mean;
    for (int i = 2; i < 5; ++i) power[i] += std::pow(distance, static_cast<long double>(i));
  }
  const auto second = static_cast<double>(power[2]);
  const double variance = second / n;
  switch (call_.kind) {
    case WindowKind::kVarPop:
      return variance;
    case WindowKind::kStddevPop:
      return std::sqrt(variance);
    case WindowKind::kVarSamp:
      return n < 2 ? Value() : second / (n - 1);
    case WindowKind::kStddevSamp:
      return n < 2 ? Value() : std::sqrt(second / (n - 1));
    case WindowKind::kSkewness: {
      if (n < 3 || second == 0) return {};
      const double third = static_cast<double>(power[3]) / n;
      return std::sqrt(n * (n - 1)) / (n - 2) * third / std::pow(variance, 1.5);
    }
    default: {
      if (n < 4 || second == 0) return {};
      const double fourth = static_cast<double>(power[4]) / n;
      return (n - 1) * ((n + 1) * fourth / (variance * variance) - 3 * (n - 1)) /
             ((n - 2) * (n - 3));
    }
  }
}

inline Value Model::moment_of_two(const std::vector<std::size_t>& rows) const {
  const auto n = static_cast<double>(rows.size());
  long double y = 0, x = 0, yy = 0, xx = 0, yx = 0;
  for (const std::size_t row : rows) {
    y += real(argument(0, row), 0);
    x += real(argument(1, row), 1);
  }
  y /= n;
  x /= n;
  for (const std::size_t row : rows) {
    const long double from_y = real(argument(0, row), 0) - y;
    const long double from_x = real(argument(1, row), 1) - x;
    yy += from_y * from_y;
    xx += from_x * from_x;
    yx += from_y * from_x;
  }
  switch (call_.kind) {
    case WindowKind::kCovarSamp:
      return n < 2 ? Value() : static_cast<double>(yx) / (n - 1);
    case WindowKind::kCovarPop:
      return static_cast<double>(yx) / n;
    case WindowKind::kCorr:
      return static_cast<double>(yx / std::sqrt(yy * xx));
    case WindowKind::kRegrSlope:
      return static_cast<double>(yx / xx);
    default:
      return xx == 0 ? Value() : static_cast<double>(y - yx / xx * x);
  }
}

inline Value Model::middle(Values values, double share) const {
  const bool down = share < 0;
  std::sort(values.begin(), values.end(), [&](const Value& a, const Value& b) {
    return down ? order_of(b, a) < 0 : order_of(a, b) < 0;
  });
  const double at = static_cast<double>(values.size() - 1) * std::fabs(share);
  const Value& low = values[static_cast<std::size_t>(std::floor(at))];
  const Value& high = values[static_cast<std::size_t>(std::ceil(at))];
  const double part = at - std::floor(at);
  if (std::floor(at) == std::ceil(at)) return low;
  if (const double* real = std::get_if<double>(&low)) {
    return *real * (1 - part) + std::get<double>(high) * part;
  }
  const Int128 from = std::get<Int128>(low);
  const auto range = static_cast<double>(std::get<Int128>(high) - from);
  const bool exact = from > -(Int128{1} << 53) && from < Int128{1} << 53;
  return exact ? static_cast<Int128>(std::fma(range, part, static_cast<double>(from)))
               : from + static_cast<Int128>(range * part);
}

inline Value Model::quantile(const std::vector<std::size_t>& rows) const {
  const ColumnSchema& schema = table_.schema.columns[call_.arguments[0]];
  const double share =
      call_.kind == WindowKind::kMedian ? 0.5 : std::get<double>(argument(1, partition_.front()));
  Values values;
  for (const std::size_t row : rows) values.push_back(argument(0, row));
  if (call_.kind == WindowKind::kQuantileDisc || is_string(schema.type) ||
      schema.type == ColumnType::kBool) {
    std::sort(values.begin(), values.end(), [&](const Value& a, const Value& b) {
      return share < 0 ? order_of(b, a) < 0 : order_of(a, b) < 0;
    });
    const auto n = static_cast<double>(values.size());
    return values[static_cast<std::size_t>(std::max(1.0, n - std::floor(n - std::fabs(share) * n)) -
                                           1)];
  }
  for (Value& value : values) {
    if (schema.type == ColumnType::kDate32) value = std::get<Int128>(value) * 86'400'000'000;
    if (schema.type == ColumnType::kTimestamp) value = std::get<Int128>(value) * 1000;
    if (schema.type == ColumnType::kInt64 || schema.type == ColumnType::kInt32 ||
        is_decimal(schema.type)) {
      value = real(value, 0);
    }
  }
  return middle(values, share);
}

inline Value Model::deviation(const std::vector<std::size_t>& rows) const {
  Values values;
  for (const std::size_t row : rows) values.push_back(real(argument(0, row), 0));
  const Value median = middle(values, 0.5);
  for (Value& value : values) {
    value = std::fabs(std::get<double>(value) - std::get<double>(median));
  }
  return middle(values, 0.5);
}

inline Value Model::mode(const std::vector<std::size_t>& rows) const {
  std::size_t best = 0;
  Value found;
  for (const std::size_t row : rows) {
    const auto times =
        static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [&](std::size_t other) {
          return are_equal(argument(0, row), argument(0, other));
        }));
    if (times > best) found = argument(0, row);
    best = std::max(best, times);
  }
  return found;
}

inline Value Model::extreme(const std::vector<std::size_t>& rows) const {
  const std::size_t key = call_.arguments.size() - 1;
  const bool greatest = call_.kind == WindowKind::kMax || call_.kind == WindowKind::kArgMax;
  std::size_t best = rows.front();
  for (const std::size_t row : rows) {
    const int order = order_of(argument(key, row), argument(key, best));
    if (greatest ? order > 0 : order < 0) best = row;
  }
  return argument(0, best);
}

/// Texts of whole numbers and strings without JSON's escapes only.
inline Value Model::joined(const std::vector<std::size_t>& rows) const {
  const bool is_list = call_.kind == WindowKind::kList;
  std::string separator = ",";
  if (call_.arguments.size() > 1) {
    separator = std::get<std::string>(argument(1, partition_.front()));
  }
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0) text += separator;
    const Value& value = argument(0, rows[i]);
    if (is_null(value)) {
      text += "null";
    } else if (const std::string* one = std::get_if<std::string>(&value)) {
      text += is_list ? '"' + *one + '"' : *one;
    } else {
      text += std::to_string(static_cast<std::int64_t>(std::get<Int128>(value)));
    }
  }
  if (!is_list) return text;
  std::string list = "[";
  list += text;
  return list += "]";
}

inline Value Model::aggregated(const std::vector<std::size_t>& rows) const {
  const auto of_bools = [&](Int128 wanted) {
    return std::any_of(rows.begin(), rows.end(), [&](std::size_t row) {
      return std::get<Int128>(argument(0, row)) == wanted;
    });
  };
  switch (call_.kind) {
    case WindowKind::kCountRows:
    case WindowKind::kCount:
    case WindowKind::kApproxCountDistinct:
      return Int128{rows.size()};
    default:
      if (rows.empty()) return {};
  }
  switch (call_.kind) {
    case WindowKind::kSum:
    case WindowKind::kAvg:
      return summed(rows);
    case WindowKind::kAnyValue:
    case WindowKind::kFirst:
      return argument(0, rows.front());
    case WindowKind::kLast:
      return argument(0, rows.back());
    case WindowKind::kMin:
    case WindowKind::kMax:
    case WindowKind::kArgMin:
    case WindowKind::kArgMax:
      return extreme(rows);
    case WindowKind::kMedian:
    case WindowKind::kQuantileCont:
    case WindowKind::kQuantileDisc:
      return quantile(rows);
    case WindowKind::kMad:
      return deviation(rows);
    case WindowKind::kMode:
      return mode(rows);
    case WindowKind::kStringAgg:
    case WindowKind::kList:
      return joined(rows);
    case WindowKind::kBoolAnd:
      return Int128{of_bools(0) ? 0 : 1};
    case WindowKind::kBoolOr:
      return Int128{of_bools(1) ? 1 : 0};
    case WindowKind::kProduct: {
      double product = 1;
      for (const std::size_t row : rows) product *= real(argument(0, row), 0);
      return product;
    }
    case WindowKind::kCovarSamp:
    case WindowKind::kCovarPop:
    case WindowKind::kCorr:
    case WindowKind::kRegrSlope:
    case WindowKind::kRegrIntercept:
      return moment_of_two(rows);
    default:
      return moment(rows);
  }
}

}  // namespace presso::query::window_model
