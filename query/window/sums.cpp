// SPDX-License-Identifier: MIT
// Counts, sums and averages, bool_and() and bool_or(): exact, so that rows can be removed again.
// Doubles are added as whole numbers of a unit that follows from the partition's values; where 127
// bits do not hold them all, as sums of any size (query/group/long_sum.h), at ten times the cost.
#include <bit>
#include <cmath>
#include <limits>

#include "query/group/long_sum.h"
#include "query/group/ratio.h"
#include "query/window/aggregates.h"

namespace presso::query {
namespace {

/// count(*), count(x).
class FrameCount final : public WindowAggregate {
 public:
  explicit FrameCount(const WindowInput& input) : input_(input) {}
  void clear() override { count_ = 0; }
  void add(std::uint32_t first, std::uint32_t end) override { count_ += seen(first, end); }
  bool removes() const override { return true; }
  void remove(std::uint32_t first, std::uint32_t end) override { count_ -= seen(first, end); }
  Status write(std::uint32_t row, WindowResult& result) override {
    result.set(row, count_);
    return {};
  }

 private:
  std::int64_t seen(std::uint32_t first, std::uint32_t end) const {
    if (input_.sees_all) return end - first;
    std::int64_t count = 0;
    for (std::uint32_t row = first; row < end; ++row) count += input_.sees(row) ? 1 : 0;
    return count;
  }

  const WindowInput& input_;
  std::int64_t count_ = 0;
};

class BoolCount final : public WindowAggregate {
 public:
  explicit BoolCount(const WindowInput& input) : input_(input) {}
  void clear() override { of_[0] = of_[1] = 0; }
  void add(std::uint32_t first, std::uint32_t end) override { count(first, end, 1); }
  bool removes() const override { return true; }
  void remove(std::uint32_t first, std::uint32_t end) override { count(first, end, -1); }
  Status write(std::uint32_t row, WindowResult& result) override {
    if (of_[0] + of_[1] == 0) return {};
    const bool is_and = input_.call->kind == WindowKind::kBoolAnd;
    result.set(row, static_cast<Byte>(is_and ? of_[0] == 0 : of_[1] != 0));
    return {};
  }

 private:
  void count(std::uint32_t first, std::uint32_t end, std::int64_t by) {
    for (std::uint32_t row = first; row < end; ++row) {
      if (input_.sees(row)) of_[input_.arguments[0].at<Byte>(row) != 0 ? 1 : 0] += by;
    }
  }

  const WindowInput& input_;
  std::int64_t of_[2] = {0, 0};  ///< rows that are false, and true
};

Int128 greatest_decimal() {
  Int128 power = 1;
  for (int i = 0; i < 38; ++i) power *= 10;
  return power - 1;
}

/// Sums of whole numbers and decimals. `Value`: their form; `Sum`: Int128 for values of 64 bits,
/// WideSum for those of 128.
template <class Value, class Sum>
class IntegerSum final : public WindowAggregate {
 public:
  explicit IntegerSum(const WindowInput& input)
      : input_(input), values_(input.arguments[0].view.as<Value>()) {}
  void clear() override {
    sum_ = {};
    count_ = 0;
  }
  void add(std::uint32_t first, std::uint32_t end) override {
    for (std::uint32_t row = first; row < end; ++row) {
      if (!input_.sees_all && !input_.sees(row)) continue;
      change(values_[row]);
      ++count_;
    }
  }
  bool removes() const override { return true; }
  void remove(std::uint32_t first, std::uint32_t end) override {
    for (std::uint32_t row = first; row < end; ++row) {
      if (!input_.sees_all && !input_.sees(row)) continue;
      change(-Int128{values_[row]});
      --count_;
    }
  }
  Status write(std::uint32_t row, WindowResult& result) override {
    if (count_ == 0) return {};
    if (input_.call->kind == WindowKind::kAvg) {
      result.set(row, grouping::average_rounded(wide(), input_.arguments[0].schema.scale, count_));
      return {};
    }
    Int128 sum = 0;
    if constexpr (std::is_same_v<Sum, Int128>) {
      sum = sum_;
    } else {
      const auto top = sum_.high >> 63;
      if (top != 0 && top != -1) return too_large();
      sum = static_cast<Int128>((static_cast<Uint128>(sum_.high) << 64) | sum_.low);
    }
    static const Int128 kGreatest = greatest_decimal();
    if (sum > kGreatest || sum < -kGreatest) return too_large();
    result.set(row, sum);
    return {};
  }

 private:
  static Error too_large() {
    return make_error(ErrorCode::kInvalidArgument, "the sum does not fit into 38 digits");
  }
  void change(Int128 by) {
    if constexpr (std::is_same_v<Sum, Int128>) {
      sum_ += by;
    } else {
      sum_.add(by);
    }
  }
  grouping::WideSum wide() const {
    if constexpr (std::is_same_v<Sum, Int128>) {
      grouping::WideSum sum;
      sum.add(sum_);
      return sum;
    } else {
      return sum_;
    }
  }

  const WindowInput& input_;
  const Value* const values_;
  Sum sum_{};
  std::uint64_t count_ = 0;
};

/// The bits of a finite double other than 0: mantissa * 2^exponent, the mantissa with its sign.
struct Split {
  std::int64_t mantissa = 0;
  int exponent = 0;
};

Split split(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const int field = static_cast<int>(bits >> 52 & 2047);
  auto mantissa = static_cast<std::int64_t>(bits & ((std::uint64_t{1} << 52) - 1));
  if (field != 0) mantissa |= std::int64_t{1} << 52;
  return {value < 0 ? -mantissa : mantissa, std::max(field, 1) - 1075};
}

class DoubleSum final : public WindowAggregate {
 public:
  explicit DoubleSum(const WindowInput& input)
      : input_(input), values_(input.arguments[0].view.as<double>()) {}

  /// Chooses the unit: the lowest bit of all values, if sums in it fit into 127 bits.
  Status begin(RowRange32 partition, bool) override {
    int lowest = std::numeric_limits<int>::max();
    int highest = std::numeric_limits<int>::min();
    for (std::uint32_t row = partition.begin; row < partition.end; ++row) {
      if (values_[row] == 0 || !std::isfinite(values_[row]) || !sees(row)) continue;
      const Split parts = split(values_[row]);
      const auto magnitude = static_cast<std::uint64_t>(std::abs(parts.mantissa));
      lowest = std::min(lowest, parts.exponent + std::countr_zero(magnitude));
      highest = std::max(highest, parts.exponent + 64 - std::countl_zero(magnitude));
    }
    const int for_rows = std::bit_width(partition.end - partition.begin);
    fits_ = lowest > highest || highest - lowest + for_rows <= 126;
    unit_ = lowest > highest ? 0 : lowest;
    clear();
    return {};
  }
  void clear() override {
    count_ = nans_ = 0;
    infinities_[0] = infinities_[1] = 0;
    sum_ = 0;
    if (!fits_) long_sum_ = {};
  }
  void add(std::uint32_t first, std::uint32_t end) override { change<1>(first, end); }
  bool removes() const override { return true; }
  void remove(std::uint32_t first, std::uint32_t end) override { change<-1>(first, end); }
  Status write(std::uint32_t row, WindowResult& result) override {
    if (count_ == 0) return {};
    const std::uint64_t divisor = input_.call->kind == WindowKind::kAvg ? count_ : 1;
    result.set(row, value(divisor));
    return {};
  }

 private:
  bool sees(std::uint32_t row) const { return input_.sees_all || input_.sees(row); }
  template <int kSign>
  void change(std::uint32_t first, std::uint32_t end) {
    for (std::uint32_t row = first; row < end; ++row) {
      if (!sees(row)) continue;
      count_ += kSign;
      const double value = values_[row];
      if (value == 0) continue;
      if (std::isnan(value)) {
        nans_ += kSign;
      } else if (std::isinf(value)) {
        infinities_[value < 0 ? 1 : 0] += kSign;
      } else {
        change_by<kSign>(split(value));
      }
    }
  }
  /// The mantissa has zeros below the unit.
  template <int kSign>
  void change_by(const Split& parts) {
    if (!fits_) return long_sum_.add(Int128{kSign * parts.mantissa}, parts.exponent);
    const int up = parts.exponent - unit_;
    const Int128 units = up >= 0 ? Int128{parts.mantissa} << up : Int128{parts.mantissa >> -up};
    sum_ += kSign * units;
  }
  double value(std::uint64_t divisor) const {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    if (nans_ != 0 || (infinities_[0] != 0 && infinities_[1] != 0)) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    if (infinities_[0] != 0) return kInfinite;
    if (infinities_[1] != 0) return -kInfinite;
    if (!fits_) return long_sum_.divided_by(divisor);
    if (divisor == 1) {
      const auto magnitude = static_cast<Uint128>(sum_ < 0 ? -sum_ : sum_);
      const double rounded = grouping::round_once(magnitude, false, unit_);
      return sum_ < 0 ? -rounded : rounded;
    }
    grouping::WideSum sum;
    sum.add(sum_);
    return grouping::average_rounded(sum, 0, divisor, unit_);
  }

  const WindowInput& input_;
  const double* const values_;
  bool fits_ = true;  ///< sum_ counts, else long_sum_
  int unit_ = 0;
  Int128 sum_ = 0;
  grouping::LongSum long_sum_;
  std::uint64_t count_ = 0;
  std::uint64_t nans_ = 0;
  std::uint64_t infinities_[2] = {0, 0};
};

}  // namespace

std::unique_ptr<WindowAggregate> make_sum_aggregate(const WindowInput& input) {
  switch (input.call->kind) {
    case WindowKind::kCountRows:
    case WindowKind::kCount:
    case WindowKind::kApproxCountDistinct:
      return std::make_unique<FrameCount>(input);
    case WindowKind::kBoolAnd:
    case WindowKind::kBoolOr:
      return std::make_unique<BoolCount>(input);
    default:
      break;
  }
  switch (input.arguments[0].view.physical) {
    case Physical::kBool:
      return std::make_unique<IntegerSum<Byte, Int128>>(input);
    case Physical::kInt64:
      return std::make_unique<IntegerSum<std::int64_t, Int128>>(input);
    case Physical::kInt128:
      return std::make_unique<IntegerSum<Int128, grouping::WideSum>>(input);
    default:
      return std::make_unique<DoubleSum>(input);
  }
}

}  // namespace presso::query
