// SPDX-License-Identifier: MIT
// Frames of rows and groups by counting, those of ranges by a binary search for the key.
#include "query/window/frames.h"

#include <algorithm>
#include <cmath>

#include "format/civil_date.h"

namespace presso::query {
namespace {

using Kind = FrameBound::Kind;
using Unit = WindowFrame::Unit;

constexpr std::int64_t kNanosOfDay = std::int64_t{86'400} * 1'000'000'000;

bool has_offset(const FrameBound& bound) {
  return bound.kind == Kind::kPreceding || bound.kind == Kind::kFollowing;
}

Error refuse(const WindowInput& input, const char* why) {
  return make_error(ErrorCode::kInvalidArgument,
                    window_name(input.call->kind) + "(): an offset of the frame " + why);
}

Int128 power_of_ten(unsigned exponent) {
  Int128 power = 1;
  for (unsigned i = 0; i < exponent; ++i) power *= 10;
  return power;
}

Int128 floor_divide(Int128 a, Int128 b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

Int128 saturating_sum(Int128 a, Int128 b) {
  Int128 sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  constexpr auto kMost = static_cast<Int128>(~Uint128{0} >> 1);
  return b > 0 ? kMost : -kMost - 1;
}

/// Converts a number of one scale to another, rounded down.
Int128 rescaled(Int128 number, unsigned from, unsigned to) {
  if (from > to) return floor_divide(number, power_of_ten(from - to));
  Int128 result = 0;
  constexpr auto kMost = static_cast<Int128>(~Uint128{0} >> 1);
  return __builtin_mul_overflow(number, power_of_ten(to - from), &result) ? kMost : result;
}

/// Adds months to a day; the day of the month becomes the last one where the month is shorter.
std::int64_t plus_months(std::int64_t day, std::int64_t months) {
  civil::Date date = civil::date_of(day);
  const std::int64_t count = date.year * 12 + date.month - 1 + months;
  date.year = static_cast<std::int64_t>(floor_divide(count, 12));
  date.month = static_cast<std::uint32_t>(count - date.year * 12) + 1;
  date.day = std::min(date.day, civil::days_in_far(date.year, date.month));
  return civil::days_of_far(date.year, date.month, date.day);
}

/// The offset of a bound from each row of a partition.
class Offsets {
 public:
  Offsets(const WindowInput& input, const FrameBound& bound,
          const std::optional<WindowColumn>& column)
      : input_(input), offset_(bound.offset), column_(column) {}

  /// The offset at a row as a number of rows or groups, at most 2^32.
  Result<std::uint32_t> count(std::uint32_t row) const {
    if (column_) PRESSO_TRY(check(row));
    const Int128 number = column_ ? whole(*column_, row) : offset_.number;
    if (number < 0) return refuse(input_, "is negative");
    return static_cast<std::uint32_t>(std::min<Int128>(number, ~std::uint32_t{0}));
  }
  /// The offset in units of the key, which is a whole number or a decimal.
  Result<Int128> units(std::uint32_t row) const {
    if (column_) PRESSO_TRY(check(row));
    const unsigned scale = input_.key->schema.scale;
    Int128 number = 0;
    if (!column_) {
      number = rescaled(offset_.number, offset_.scale, scale);
    } else if (column_->view.physical == Physical::kDouble) {
      number = static_cast<Int128>(
          std::floor(std::clamp(column_->at<double>(row) * std::pow(10.0, scale), -1.0, 1e38)));
    } else {
      number = rescaled(column_->integer(row), column_->schema.scale, scale);
    }
    if (number < 0) return refuse(input_, "is negative");
    return number;
  }
  Result<double> real(std::uint32_t row) const {
    if (column_) PRESSO_TRY(check(row));
    const double number = column_ ? column_->real(row) : offset_.real;
    if (number < 0) return refuse(input_, "is negative");
    return number;
  }
  /// The moment, in nanoseconds since 1970, that is the offset away from that of a row.
  Result<Int128> moment(std::uint32_t row, int sign) const {
    const ColumnSchema& key = input_.key->schema;
    const bool is_date = key.type == ColumnType::kDate32;
    const Int128 unit = is_date ? Int128{kNanosOfDay} : power_of_ten(9 - 3 * unsigned(key.unit));
    Int128 nanos = input_.key->integer(row) * unit;
    FrameOffset offset = offset_;
    if (!offset.is_interval) {
      PRESSO_ASSIGN(const Int128 days, units(row));
      offset.days = static_cast<std::int64_t>(std::min<Int128>(days, 10'000'000));
      offset.months = offset.nanos = 0;
    }
    if (offset.months < 0 || offset.days < 0 || offset.nanos < 0) {
      return refuse(input_, "is negative");
    }
    if (offset.months != 0) {
      const Int128 day = floor_divide(nanos, kNanosOfDay);
      const Int128 moved = plus_months(static_cast<std::int64_t>(day), sign * offset.months);
      nanos += (moved - day) * kNanosOfDay;
    }
    return nanos + sign * (Int128{offset.days} * kNanosOfDay + offset.nanos);
  }

 private:
  Status check(std::uint32_t row) const {
    if (column_->is_null(row)) return refuse(input_, "is null");
    return {};
  }
  static Int128 whole(const WindowColumn& column, std::uint32_t row) {
    if (column.view.physical != Physical::kDouble) {
      return rescaled(column.integer(row), column.schema.scale, 0);
    }
    return static_cast<Int128>(std::clamp(column.at<double>(row), -1.0, 1e18));
  }

  const WindowInput& input_;
  const FrameOffset& offset_;
  const std::optional<WindowColumn>& column_;
};

/// Finds ends of ranges with an offset among the rows of a partition whose keys are not null.
class RangeFinder {
 public:
  RangeFinder(const WindowInput& input, RowRange32 partition)
      : input_(input), key_(*input.key), valid_(partition) {
    descending_ = input.call->order[0].descending;
    while (valid_.begin < valid_.end && key_.is_null(valid_.begin)) ++valid_.begin;
    while (valid_.begin < valid_.end && key_.is_null(valid_.end - 1)) --valid_.end;
  }

  /// Where the frame of a row begins, or ends if `is_end`. Rows without a key see each other.
  Result<std::uint32_t> find(std::uint32_t row, const FrameBound& bound, const Offsets& offsets,
                             bool is_end) const {
    if (key_.is_null(row)) {
      return is_end ? input_.chunk->group_end(row) : input_.chunk->group_begin(row);
    }
    const int sign = (bound.kind == Kind::kFollowing) == descending_ ? -1 : 1;
    if (key_.view.physical == Physical::kDouble) {
      PRESSO_ASSIGN(const double offset, offsets.real(row));
      const double target = key_.at<double>(row) + sign * offset;
      return search(is_end, target, [&](std::uint32_t i) { return key_.at<double>(i); });
    }
    if (is_date_or_time(key_.schema.type)) {
      PRESSO_ASSIGN(const Int128 target, offsets.moment(row, sign));
      const bool is_date = key_.schema.type == ColumnType::kDate32;
      const Int128 unit =
          is_date ? Int128{kNanosOfDay} : power_of_ten(9 - 3 * unsigned(key_.schema.unit));
      return search(is_end, target, [&](std::uint32_t i) { return key_.integer(i) * unit; });
    }
    PRESSO_ASSIGN(const Int128 offset, offsets.units(row));
    const Int128 target = saturating_sum(key_.integer(row), sign * offset);
    return search(is_end, target, [&](std::uint32_t i) { return key_.integer(i); });
  }

 private:
  /// NaN comes after all numbers.
  template <class T>
  static bool less(T a, T b) {
    if constexpr (std::is_same_v<T, double>) {
      if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
    }
    return a < b;
  }
  template <class T, class KeyOf>
  std::uint32_t search(bool is_end, T target, KeyOf key_of) const {
    std::uint32_t low = valid_.begin;
    std::uint32_t high = valid_.end;
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      const T key = key_of(middle);
      const bool before = descending_ ? less(target, key) : less(key, target);
      const bool after = descending_ ? less(key, target) : less(target, key);
      if (before || (is_end && !after)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  const WindowInput& input_;
  const WindowColumn& key_;
  RowRange32 valid_;
  bool descending_ = false;
};

/// Finds one end of all frames of a partition.
class BoundFinder {
 public:
  BoundFinder(const WindowInput& input, RowRange32 partition, bool is_end)
      : input_(input),
        partition_(partition),
        is_end_(is_end),
        bound_(is_end ? input.call->frame->end : input.call->frame->begin),
        unit_(input.call->frame->unit),
        offsets_(input, bound_, is_end ? input.end_offset : input.begin_offset) {
    if (unit_ == Unit::kRange && has_offset(bound_)) ranges_.emplace(input, partition);
  }

  Result<std::uint32_t> find(std::uint32_t row) const {
    switch (bound_.kind) {
      case Kind::kUnboundedPreceding:
        return partition_.begin;
      case Kind::kUnboundedFollowing:
        return partition_.end;
      case Kind::kCurrentRow:
        if (unit_ == Unit::kRows) return is_end_ ? row + 1 : row;
        return is_end_ ? input_.chunk->group_end(row) : input_.chunk->group_begin(row);
      default:
        break;
    }
    if (ranges_) return ranges_->find(row, bound_, offsets_, is_end_);
    PRESSO_ASSIGN(const std::uint32_t offset, offsets_.count(row));
    return unit_ == Unit::kRows ? in_rows(row, offset) : in_groups(row, offset);
  }

 private:
  std::uint32_t in_rows(std::uint32_t row, std::uint32_t offset) const {
    const std::uint32_t at = is_end_ ? row + 1 : row;
    if (bound_.kind == Kind::kPreceding) {
      return offset > at - partition_.begin ? partition_.begin : at - offset;
    }
    return offset > partition_.end - at ? partition_.end : at + offset;
  }
  std::uint32_t in_groups(std::uint32_t row, std::uint32_t offset) const {
    const std::vector<std::uint32_t>& group_of = input_.chunk->group_of;
    const std::uint32_t first = group_of[partition_.begin];
    const std::uint32_t end = group_of[partition_.end - 1] + 1;
    const std::uint32_t at = group_of[row] + (is_end_ ? 1 : 0);
    const std::uint32_t group = bound_.kind == Kind::kPreceding
                                    ? (offset > at - first ? first : at - offset)
                                    : (offset > end - at ? end : at + offset);
    return input_.chunk->groups[group];
  }

  const WindowInput& input_;
  const RowRange32 partition_;
  const bool is_end_;
  const FrameBound& bound_;
  const Unit unit_;
  const Offsets offsets_;
  std::optional<RangeFinder> ranges_;
};

}  // namespace

bool is_constant_frame(const WindowCall& call) {
  if (call.once) return true;
  if (!call.frame) return call.order.empty();
  const WindowFrame& frame = *call.frame;
  if (frame.exclude != WindowFrame::Exclude::kNothing) return false;
  const bool groups_are_whole = call.order.empty() && frame.unit != Unit::kRows;
  const auto reaches = [&](const FrameBound& bound, Kind unbounded) {
    return bound.kind == unbounded || (groups_are_whole && bound.kind == Kind::kCurrentRow);
  };
  return reaches(frame.begin, Kind::kUnboundedPreceding) &&
         reaches(frame.end, Kind::kUnboundedFollowing);
}

Status find_frames(const WindowInput& input, RowRange32 partition, Frames& frames) {
  frames.constant = is_constant_frame(*input.call);
  if (frames.constant) return {};
  const std::uint32_t rows = partition.end - partition.begin;
  frames.begin.resize(rows);
  frames.end.resize(rows);
  if (!input.call->frame) {
    for (std::uint32_t i = 0; i < rows; ++i) {
      frames.begin[i] = partition.begin;
      frames.end[i] = input.chunk->group_end(partition.begin + i);
    }
    return {};
  }
  const BoundFinder begins(input, partition, false);
  const BoundFinder ends(input, partition, true);
  for (std::uint32_t i = 0; i < rows; ++i) {
    PRESSO_ASSIGN(frames.begin[i], begins.find(partition.begin + i));
    PRESSO_ASSIGN(frames.end[i], ends.find(partition.begin + i));
    frames.end[i] = std::max(frames.begin[i], frames.end[i]);
  }
  return {};
}

}  // namespace presso::query
