// SPDX-License-Identifier: MIT
// Variances, covariances and what follows from them, and products. A state is the number of rows,
// the means, and sums of powers of the distances from them; two states are merged by the formulas
// of Chan, Golub and LeVeque (1979) and Pebay (2008). Everything has 106 bits (long_real.h), so
// that nothing is lost where values are large and close together.
#include <cmath>
#include <limits>

#include "query/window/aggregates.h"
#include "query/window/long_real.h"

namespace presso::query {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

double root(double value) {
  return std::sqrt(std::max(value, 0.0));
}

/// One column: sums of the second, and with `kHigher` of the third and fourth powers.
template <bool kHigher>
class MomentRows {
 public:
  struct State {
    double count = 0;
    LongReal mean;
    LongReal second;
    LongReal third;
    LongReal fourth;
  };
  explicit MomentRows(const WindowInput& input) : input_(input) {}

  /// Two passes: the mean of the rows, then the distances from it.
  void add(State& state, std::uint32_t first, std::uint32_t end) const {
    State rows;
    each(first, end, [&](double value) {
      rows.count += 1;
      rows.mean += value;
    });
    if (rows.count == 0) return;
    if (rows.count > 1) {
      rows.mean = rows.mean / rows.count;
      each(first, end, [&](double value) {
        const LongReal distance = LongReal(value) - rows.mean;
        const LongReal square = distance * distance;
        rows.second += square;
        if (!kHigher) return;
        rows.third += square * distance;
        rows.fourth += square * square;
      });
    } else if (!std::isfinite(rows.mean.high)) {
      rows.second = rows.third = rows.fourth = kNotANumber;
    }
    merge(state, rows);
  }

  void merge(State& a, const State& b) const {
    if (b.count == 0) return;
    if (a.count == 0) {
      a = b;
      return;
    }
    const LongReal count = LongReal(a.count) + b.count;
    const LongReal distance = b.mean - a.mean;
    const LongReal step = distance / count;
    const LongReal weight = step * distance * a.count * b.count;
    if (kHigher) {
      const LongReal of_a = LongReal(a.count);
      const LongReal of_b = LongReal(b.count);
      a.fourth = a.fourth + b.fourth +
                 weight * step * step * (of_a * of_a - of_a * of_b + of_b * of_b) +
                 LongReal(6) * step * step * (of_a * of_a * b.second + of_b * of_b * a.second) +
                 LongReal(4) * step * (of_a * b.third - of_b * a.third);
      a.third = a.third + b.third + weight * step * (of_a - of_b) +
                LongReal(3) * step * (of_a * b.second - of_b * a.second);
    }
    a.second = a.second + b.second + weight;
    a.mean += step * b.count;
    a.count += b.count;
  }

  void write(const State& state, std::uint32_t row, WindowResult& result) const {
    const double n = state.count;
    const double sum = state.second.value();
    switch (input_.call->kind) {
      case WindowKind::kVarPop:
        return set(row, n > 0, sum / n, result);
      case WindowKind::kStddevPop:
        return set(row, n > 0, root(sum / n), result);
      case WindowKind::kVarSamp:
        return set(row, n > 1, sum / (n - 1), result);
      case WindowKind::kStddevSamp:
        return set(row, n > 1, root(sum / (n - 1)), result);
      case WindowKind::kSkewness:
        return set(row, n > 2 && sum != 0, skewness(state), result);
      default:
        return set(row, n > 3 && sum != 0, kurtosis(state), result);
    }
  }

 private:
  template <class Take>
  void each(std::uint32_t first, std::uint32_t end, const Take& take) const {
    for (std::uint32_t row = first; row < end; ++row) {
      if (input_.sees_all || input_.sees(row)) take(input_.arguments[0].real(row));
    }
  }
  static void set(std::uint32_t row, bool known, double value, WindowResult& result) {
    if (known) result.set(row, value);
  }
  /// The sample's, as DuckDB and Excel have it. Values that are all equal have neither this nor a
  /// kurtosis.
  static double skewness(const State& state) {
    const double n = state.count;
    const double variance = state.second.value() / n;
    const double third = state.third.value() / n;
    return std::sqrt(n * (n - 1)) / (n - 2) * third / std::pow(variance, 1.5);
  }
  static double kurtosis(const State& state) {
    const double n = state.count;
    const double variance = state.second.value() / n;
    const double fourth = state.fourth.value() / n;
    return (n - 1) * ((n + 1) * fourth / (variance * variance) - 3 * (n - 1)) / ((n - 2) * (n - 3));
  }

  const WindowInput& input_;
};

/// Two columns, y and x.
class PairRows {
 public:
  struct State {
    double count = 0;
    LongReal mean_y;
    LongReal mean_x;
    LongReal yy;
    LongReal xx;
    LongReal yx;
  };
  explicit PairRows(const WindowInput& input) : input_(input) {}

  void add(State& state, std::uint32_t first, std::uint32_t end) const {
    State rows;
    each(first, end, [&](double y, double x) {
      rows.count += 1;
      rows.mean_y += y;
      rows.mean_x += x;
    });
    if (rows.count == 0) return;
    rows.mean_y = rows.mean_y / rows.count;
    rows.mean_x = rows.mean_x / rows.count;
    each(first, end, [&](double y, double x) {
      const LongReal from_y = LongReal(y) - rows.mean_y;
      const LongReal from_x = LongReal(x) - rows.mean_x;
      rows.yy += from_y * from_y;
      rows.xx += from_x * from_x;
      rows.yx += from_y * from_x;
    });
    merge(state, rows);
  }
  void merge(State& a, const State& b) const {
    if (b.count == 0) return;
    if (a.count == 0) {
      a = b;
      return;
    }
    const LongReal count = LongReal(a.count) + b.count;
    const LongReal y = b.mean_y - a.mean_y;
    const LongReal x = b.mean_x - a.mean_x;
    const LongReal weight = LongReal(a.count) * b.count / count;
    a.yy = a.yy + b.yy + y * y * weight;
    a.xx = a.xx + b.xx + x * x * weight;
    a.yx = a.yx + b.yx + y * x * weight;
    a.mean_y += y * b.count / count;
    a.mean_x += x * b.count / count;
    a.count += b.count;
  }
  void write(const State& state, std::uint32_t row, WindowResult& result) const {
    const double n = state.count;
    const WindowKind kind = input_.call->kind;
    if (n < (kind == WindowKind::kCovarSamp ? 2 : 1)) return;
    const double yx = state.yx.value();
    const double slope = yx / state.xx.value();
    switch (kind) {
      case WindowKind::kCovarSamp:
        return result.set(row, yx / (n - 1));
      case WindowKind::kCovarPop:
        return result.set(row, yx / n);
      case WindowKind::kCorr:
        return result.set(row, yx / (root(state.xx.value()) * root(state.yy.value())));
      case WindowKind::kRegrSlope:
        return result.set(row, slope);
      default:
        // Where x does not vary, DuckDB has no intercept, although its slope is NaN.
        if (std::isnan(slope)) return;
        return result.set(row, state.mean_y.value() - slope * state.mean_x.value());
    }
  }

 private:
  template <class Take>
  void each(std::uint32_t first, std::uint32_t end, const Take& take) const {
    for (std::uint32_t row = first; row < end; ++row) {
      if (input_.sees_all || input_.sees(row)) {
        take(input_.arguments[0].real(row), input_.arguments[1].real(row));
      }
    }
  }

  const WindowInput& input_;
};

class ProductRows {
 public:
  struct State {
    double product = 1;
    bool any = false;
  };
  explicit ProductRows(const WindowInput& input) : input_(input) {}
  void add(State& state, std::uint32_t first, std::uint32_t end) const {
    for (std::uint32_t row = first; row < end; ++row) {
      if (!input_.sees_all && !input_.sees(row)) continue;
      state.product *= input_.arguments[0].real(row);
      state.any = true;
    }
  }
  void merge(State& state, const State& other) const {
    state.product *= other.product;
    state.any = state.any || other.any;
  }
  void write(const State& state, std::uint32_t row, WindowResult& result) const {
    if (state.any) result.set(row, state.product);
  }

 private:
  const WindowInput& input_;
};

}  // namespace

std::unique_ptr<WindowAggregate> make_moment_aggregate(const WindowInput& input) {
  switch (input.call->kind) {
    case WindowKind::kProduct:
      return std::make_unique<TreeAggregate<ProductRows>>(input);
    case WindowKind::kVarSamp:
    case WindowKind::kVarPop:
    case WindowKind::kStddevSamp:
    case WindowKind::kStddevPop:
      return std::make_unique<TreeAggregate<MomentRows<false>>>(input);
    case WindowKind::kSkewness:
    case WindowKind::kKurtosis:
      return std::make_unique<TreeAggregate<MomentRows<true>>>(input);
    default:
      return std::make_unique<TreeAggregate<PairRows>>(input);
  }
}

}  // namespace presso::query
