// SPDX-License-Identifier: MIT
// Steps on dates and timestamps: their parts, truncation, adding months. Dates are days since
// 1970-01-01, timestamps units (of a second or less) since then, in UTC and without leap seconds.
// The calendar is the proleptic Gregorian one (format/columns/civil_date.h), weeks are those of ISO
// 8601, and Sunday is day 0. Each row costs a conversion to year, month and day; there is no vector
// code. Tested by compute_test.cpp (ReckonsWithDates, SaysWhereMomentsOverflow).
#include "format/columns/civil_date.h"
#include "query/compute/steps.h"
#include "query/compute/written_value.h"

namespace presso::query {
namespace {

constexpr std::int64_t kSecondsOfDay = 86400;

/// A point in time, split into days and the rest.
struct Moment {
  std::int64_t days = 0;
  std::int64_t in_day = 0;  ///< units since midnight; 0 for dates
};

/// How long a second and a day are in the units of a date or timestamp column. A date's unit is the
/// day.
struct Units {
  bool is_date = true;
  std::int64_t in_second = 1;  ///< meaningless for dates
  std::int64_t in_day = 1;

  explicit Units(const Node& type) : is_date(type.family == Family::kDate) {
    if (is_date) return;
    in_second = static_cast<std::int64_t>(power_of_ten(unit_digits_of(type.schema.unit)));
    in_day = in_second * kSecondsOfDay;
  }
  Moment take_apart(std::int64_t value) const {
    const std::int64_t days = floor_divide(value, in_day);
    return {days, value - days * in_day};
  }
  std::int64_t second_of_day(const Moment& moment) const {
    return is_date ? 0 : moment.in_day / in_second;
  }
};

/// 0 is Sunday.
std::int64_t day_of_week(std::int64_t days) {
  const std::int64_t rest = (days + 4) % 7;  // 1970-01-01 was a Thursday
  return rest < 0 ? rest + 7 : rest;
}
/// The Monday of the ISO week that contains a day.
std::int64_t monday_of(std::int64_t days) {
  return days - (day_of_week(days) + 6) % 7;
}

/// ISO 8601: a week belongs to the year that contains its Thursday.
std::int64_t week_of(std::int64_t days) {
  const std::int64_t thursday = monday_of(days) + 3;
  const std::int64_t year = civil::date_of(thursday).year;
  return (thursday - civil::days_of_far(year, 1, 1)) / 7 + 1;
}

/// The value of one part; parts of the time are 0 for dates.
std::int64_t date_part_of(DatePart part, const Units& units, std::int64_t value) {
  const Moment moment = units.take_apart(value);
  const civil::Date date = civil::date_of(moment.days);
  switch (part) {
    case DatePart::kYear:
      return date.year;
    case DatePart::kQuarter:
      return (date.month + 2) / 3;
    case DatePart::kMonth:
      return date.month;
    case DatePart::kWeek:
      return week_of(moment.days);
    case DatePart::kDay:
      return date.day;
    case DatePart::kHour:
      return units.second_of_day(moment) / 3600;
    case DatePart::kMinute:
      return units.second_of_day(moment) / 60 % 60;
    case DatePart::kSecond:
      return units.second_of_day(moment) % 60;
    case DatePart::kDayOfWeek:
      return day_of_week(moment.days);
    case DatePart::kDayOfYear:
      return moment.days - civil::days_of_far(date.year, 1, 1) + 1;
    case DatePart::kEpoch:
      return units.is_date ? value * kSecondsOfDay : floor_divide(value, units.in_second);
  }
  return 0;
}

/// The first moment of the year, month, hour and so on that contains `value`, in the same units;
/// 128 bits, as it may lie before the first timestamp that exists. Parts without a beginning
/// (kDayOfWeek) and kDay give the beginning of the day.
Int128 begin_of(DatePart part, const Units& units, std::int64_t value) {
  const Moment moment = units.take_apart(value);
  const civil::Date date = civil::date_of(moment.days);
  std::int64_t days = moment.days;
  std::int64_t step = 0;  // length in units; 0: the whole day is cut off
  switch (part) {
    case DatePart::kYear:
      days = civil::days_of_far(date.year, 1, 1);
      break;
    case DatePart::kQuarter:
      days = civil::days_of_far(date.year, (date.month - 1) / 3 * 3 + 1, 1);
      break;
    case DatePart::kMonth:
      days = civil::days_of_far(date.year, date.month, 1);
      break;
    case DatePart::kWeek:
      days = monday_of(days);
      break;
    case DatePart::kHour:
      step = 3600 * units.in_second;
      break;
    case DatePart::kMinute:
      step = 60 * units.in_second;
      break;
    case DatePart::kSecond:
      step = units.in_second;
      break;
    default:
      break;
  }
  if (units.is_date) return days;
  return Int128{days} * units.in_day + (step == 0 ? 0 : moment.in_day / step * step);
}

/// Returns the equal day `months` months later (or earlier), or the last day of that month if it
/// has no such day: 31 January plus one month is 28 or 29 February.
Int128 add_months(const Units& units, std::int64_t value, std::int64_t months) {
  const Moment moment = units.take_apart(value);
  const civil::Date date = civil::date_of(moment.days);
  const std::int64_t month_number = date.year * 12 + (date.month - 1) + months;
  const std::int64_t year = floor_divide(month_number, 12);
  const auto month = static_cast<std::uint32_t>(month_number - year * 12 + 1);
  const std::uint32_t day = std::min(date.day, civil::days_in_far(year, month));
  return Int128{civil::days_of_far(year, month, day)} * units.in_day + moment.in_day;
}

/// Changes the unit of dates and timestamps, by a power of ten or the seconds of a day; rounds
/// down.
template <class T>
void change_unit(const StepContext& c) {
  const T* const a = c.from[0]->as<T>();
  T* const to = c.to.make<T>();
  const T parameter = c.node.parameter;
  for (std::uint32_t i = 0; i < c.count; ++i) {
    if (parameter < 0) {
      to[i] = floor_divide(a[i], -parameter);
    } else if (__builtin_mul_overflow(a[i], parameter, &to[i])) {
      to[i] = 0;
      c.fail(i);
    }
  }
}

}  // namespace

/// Moments more than 2^40 days from 1970 (3 billion years) fail, as years are computed in 64 bits.
/// Months are limited to 120,000, ten thousand years, either way.
void run_date_step(const StepContext& c) {
  if (c.node.step == Step::kTimeToUnit) {
    return c.node.physical == Physical::kInt128 ? change_unit<Int128>(c)
                                                : change_unit<std::int64_t>(c);
  }
  const Units units(*c.arguments[0]);
  const std::int64_t* const a = c.from[0]->as<std::int64_t>();
  std::int64_t* const to = c.to.make<std::int64_t>();
  const auto part = static_cast<DatePart>(c.node.parameter);
  const auto store = [&](Int128 moment, std::uint32_t row) {
    to[row] = static_cast<std::int64_t>(moment);
    // A date column has 32 bits, a timestamp column 64.
    const bool fits =
        units.is_date ? moment == static_cast<std::int32_t>(moment) : moment == to[row];
    if (!fits) c.fail(row);
  };
  // Beyond this, the arithmetic on years and days could overflow.
  constexpr std::int64_t kFarDays = std::int64_t{1} << 40;
  for (std::uint32_t i = 0; i < c.count; ++i) {
    // Rows under nulls hold arbitrary values; fail() ignores those rows.
    const std::int64_t days = floor_divide(a[i], units.in_day);
    to[i] = 0;
    if (days > kFarDays || days < -kFarDays) {
      c.fail(i);
    } else if (c.node.step == Step::kDatePart) {
      to[i] = date_part_of(part, units, a[i]);
    } else if (c.node.step == Step::kTruncate) {
      store(begin_of(part, units, a[i]), i);
    } else {
      const std::int64_t months = c.from[1]->as<std::int64_t>()[i];
      if (months > 120'000 || months < -120'000) {
        c.fail(i);
      } else {
        store(add_months(units, a[i], months), i);
      }
    }
  }
}

}  // namespace presso::query
