// SPDX-License-Identifier: MIT
// Medians and quantiles, median absolute deviations, and modes. Of a whole partition a quantile
// costs a selection, O(n). As a frame moves, rows are counted in a tree by their place in the order
// of values (Fenwick 1994), so that a row costs O(log n). Deviations and modes look at the whole
// frame for each row.
#include <algorithm>
#include <cmath>

#include "query/window/aggregates.h"

namespace presso::query {
namespace {

/// Counts of places of which some are taken: finds the k-th that is.
class PlaceCounts {
 public:
  void reset(std::size_t places) {
    counts_.assign(places + 1, 0);
    highest_ = std::bit_floor(places);
  }
  void change(std::size_t place, std::uint32_t by) {
    for (std::size_t i = place + 1; i < counts_.size(); i += i & (~i + 1)) counts_[i] += by;
  }
  /// The place of number `k` from 0. Precondition: more than k are taken.
  std::size_t find(std::uint64_t k) const {
    std::size_t at = 0;
    for (std::size_t step = highest_; step != 0; step /= 2) {
      if (at + step < counts_.size() && counts_[at + step] <= k) {
        at += step;
        k -= counts_[at];
      }
    }
    return at;
  }

 private:
  std::vector<std::uint32_t> counts_;
  std::size_t highest_ = 0;
};

/// Values between two: rounded towards zero where they are whole numbers of a unit.
Int128 between(Int128 low, Int128 high, double share) {
  constexpr Int128 kExact = Int128{1} << 53;
  const auto range = static_cast<double>(high - low);
  if (low <= -kExact || low >= kExact) return low + static_cast<Int128>(range * share);
  return static_cast<Int128>(std::fma(range, share, static_cast<double>(low)));
}
double between(double low, double high, double share) {
  return low * (1 - share) + high * share;
}

/// The two places of n between which the share lies, and where between them. A negative share
/// counts from the greatest value.
struct Place {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  double share = 0;
};

Place continuous_place(double share, std::uint64_t n) {
  const double at = static_cast<double>(n - 1) * std::fabs(share);
  Place place{static_cast<std::uint64_t>(std::floor(at)), static_cast<std::uint64_t>(std::ceil(at)),
              at - std::floor(at)};
  if (share < 0) place = {n - 1 - place.low, n - 1 - place.high, place.share};
  return place;
}

std::uint64_t discrete_place(double share, std::uint64_t n) {
  const auto count = static_cast<double>(n);
  const double at = std::max(1.0, count - std::floor(count - std::fabs(share) * count)) - 1;
  const auto place = static_cast<std::uint64_t>(at);
  return share < 0 ? n - 1 - place : place;
}

/// The n-th of some values, which are moved.
template <class T>
T value_at(std::vector<T>& values, std::uint64_t place) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(values.begin(), at, values.end(), [](const T& a, const T& b) {
    if constexpr (std::is_same_v<T, double>) return !std::isnan(a) && (std::isnan(b) || a < b);
    return a < b;
  });
  return *at;
}

template <class T>
T quantile_of(std::vector<T>& values, double share) {
  const Place place = continuous_place(share, values.size());
  const T low = value_at(values, place.low);
  return place.low == place.high ? low : between(low, value_at(values, place.high), place.share);
}

/// Converts values of the argument to those of the result, and sets them.
class MiddleValues {
 public:
  explicit MiddleValues(const WindowInput& input)
      : values_(input.arguments[0]), schema_(input.schema) {
    is_real_ = physical_of_type(schema_.type) == Physical::kDouble;
    if (schema_.type != ColumnType::kTimestamp) return;
    constexpr std::int64_t kMicrosOfDay = std::int64_t{86'400} * 1'000'000;
    if (values_.schema.type == ColumnType::kDate32) {
      factor_ = kMicrosOfDay;
    } else {
      for (auto unit = values_.schema.unit; unit < schema_.unit;
           unit = static_cast<TimeUnit>(static_cast<int>(unit) + 1)) {
        factor_ *= 1000;
      }
    }
  }
  /// Whether results are doubles; else whole numbers of a unit.
  bool is_real() const { return is_real_; }
  double real(std::uint32_t row) const { return values_.real(row); }
  Int128 integer(std::uint32_t row) const { return values_.integer(row) * factor_; }
  void set(std::uint32_t row, double value, WindowResult& result) const { result.set(row, value); }
  void set(std::uint32_t row, Int128 value, WindowResult& result) const {
    if (result.physical() == Physical::kInt128) return result.set(row, value);
    result.set(row, static_cast<std::int64_t>(value));
  }

 private:
  const WindowColumn& values_;
  const ColumnSchema& schema_;
  bool is_real_ = false;
  Int128 factor_ = 1;
};

class QuantileAggregate final : public WindowAggregate {
 public:
  explicit QuantileAggregate(const WindowInput& input) : input_(input), middle_(input) {
    const Physical physical = input.arguments[0].view.physical;
    is_discrete_ = input.call->kind == WindowKind::kQuantileDisc || physical == Physical::kString ||
                   physical == Physical::kBool;
  }

  Status begin(RowRange32 partition, bool constant) override {
    partition_ = partition;
    moves_ = !constant;
    clear_rows();
    if (input_.call->kind != WindowKind::kMedian) {
      const WindowColumn& share = input_.arguments[1];
      const bool known = !share.is_null(partition.begin);
      share_ = known ? share.real(partition.begin) : 2;
      if (!(share_ >= -1 && share_ <= 1)) {
        return make_error(ErrorCode::kInvalidArgument,
                          window_name(input_.call->kind) + "() takes a share from -1 to 1");
      }
    }
    if (moves_) sort_partition();
    return {};
  }
  void clear() override {
    clear_rows();
    if (moves_) counts_.reset(sorted_.size());
  }
  void add(std::uint32_t first, std::uint32_t end) override {
    for (std::uint32_t row = first; row < end; ++row) {
      if (!input_.sees_all && !input_.sees(row)) continue;
      ++count_;
      if (moves_) {
        counts_.change(place_of_[row - partition_.begin], 1);
      } else {
        rows_.push_back(row);
      }
    }
  }
  bool removes() const override { return moves_; }
  void remove(std::uint32_t first, std::uint32_t end) override {
    for (std::uint32_t row = first; row < end; ++row) {
      if (!input_.sees_all && !input_.sees(row)) continue;
      --count_;
      counts_.change(place_of_[row - partition_.begin], ~std::uint32_t{0});
    }
  }
  Status write(std::uint32_t row, WindowResult& result) override {
    if (count_ == 0) return {};
    if (is_discrete_) {
      result.set_from(row, input_.arguments[0].view, row_at(discrete_place(share_, count_)));
      return {};
    }
    const Place place = continuous_place(share_, count_);
    const std::uint32_t low = row_at(place.low);
    const std::uint32_t high = place.high == place.low ? low : row_at(place.high);
    if (middle_.is_real()) {
      const double value = low == high
                               ? middle_.real(low)
                               : between(middle_.real(low), middle_.real(high), place.share);
      middle_.set(row, value, result);
    } else {
      middle_.set(row, between(middle_.integer(low), middle_.integer(high), place.share), result);
    }
    return {};
  }

 private:
  void clear_rows() {
    rows_.clear();
    count_ = 0;
  }
  void sort_partition() {
    sorted_.clear();
    for (std::uint32_t row = partition_.begin; row < partition_.end; ++row) {
      if (input_.sees(row)) sorted_.push_back(row);
    }
    const VectorView& view = input_.arguments[0].view;
    std::sort(sorted_.begin(), sorted_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return comes_before(view, a, b); });
    place_of_.resize(partition_.end - partition_.begin);
    for (std::size_t i = 0; i < sorted_.size(); ++i) {
      place_of_[sorted_[i] - partition_.begin] = static_cast<std::uint32_t>(i);
    }
  }
  /// The row with the value at this place of the frame's.
  std::uint32_t row_at(std::uint64_t place) {
    if (moves_) return sorted_[counts_.find(place)];
    const auto at = rows_.begin() + static_cast<std::ptrdiff_t>(place);
    const VectorView& view = input_.arguments[0].view;
    std::nth_element(rows_.begin(), at, rows_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return comes_before(view, a, b); });
    return *at;
  }

  const WindowInput& input_;
  const MiddleValues middle_;
  bool is_discrete_ = false;
  RowRange32 partition_;
  bool moves_ = false;
  double share_ = 0.5;
  std::uint64_t count_ = 0;
  std::vector<std::uint32_t> rows_;  ///< those that were added, if the frame does not move
  std::vector<std::uint32_t> sorted_;
  std::vector<std::uint32_t> place_of_;
  PlaceCounts counts_;
};

/// Keeps the rows of a frame that the aggregate sees.
class RowsAggregate : public WindowAggregate {
 public:
  void clear() override { rows_.clear(); }
  void add(std::uint32_t first, std::uint32_t end) override {
    for (std::uint32_t row = first; row < end; ++row) {
      if (input_.sees_all || input_.sees(row)) rows_.push_back(row);
    }
  }

 protected:
  explicit RowsAggregate(const WindowInput& input) : input_(input) {}
  const WindowInput& input_;
  std::vector<std::uint32_t> rows_;
};

/// The median of the distances from the median.
class DeviationAggregate final : public RowsAggregate {
 public:
  explicit DeviationAggregate(const WindowInput& input) : RowsAggregate(input) {}
  Status write(std::uint32_t row, WindowResult& result) override {
    if (rows_.empty()) return {};
    std::vector<double> values;
    for (const std::uint32_t i : rows_) values.push_back(input_.arguments[0].real(i));
    const double median = quantile_of(values, 0.5);
    for (double& value : values) value = value < median ? median - value : value - median;
    result.set(row, quantile_of(values, 0.5));
    return {};
  }
};

/// The most frequent value; of several the one whose first row comes first.
class ModeAggregate final : public RowsAggregate {
 public:
  explicit ModeAggregate(const WindowInput& input) : RowsAggregate(input) {}
  Status begin(RowRange32 partition, bool) override {
    partition_ = partition;
    numbers_ = numbers_of_values(input_.arguments[0], partition);
    counts_.assign(numbers_.size() + 1, 0);
    rows_.clear();
    return {};
  }
  Status write(std::uint32_t row, WindowResult& result) override {
    if (rows_.empty()) return {};
    std::uint32_t most = 0;
    for (const std::uint32_t one : rows_) most = std::max(most, ++count(one));
    const auto found = std::find_if(rows_.begin(), rows_.end(),
                                    [&](std::uint32_t one) { return count(one) == most; });
    result.set_from(row, input_.arguments[0].view, *found);
    for (const std::uint32_t one : rows_) count(one) = 0;
    return {};
  }

 private:
  std::uint32_t& count(std::uint32_t row) { return counts_[numbers_[row - partition_.begin]]; }

  RowRange32 partition_;
  std::vector<std::uint32_t> numbers_;
  std::vector<std::uint32_t> counts_;
};

}  // namespace

std::unique_ptr<WindowAggregate> make_quantile_aggregate(const WindowInput& input) {
  switch (input.call->kind) {
    case WindowKind::kMad:
      return std::make_unique<DeviationAggregate>(input);
    case WindowKind::kMode:
      return std::make_unique<ModeAggregate>(input);
    default:
      return std::make_unique<QuantileAggregate>(input);
  }
}

}  // namespace presso::query
