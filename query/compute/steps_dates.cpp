// SPDX-License-Identifier: MIT
// Steps on dates and timestamps: their parts, truncation, adding months. Dates are days since
// 1970-01-01, timestamps units (of a second or less) since then, in UTC and without leap seconds.
// The calendar is the proleptic Gregorian one (format/civil_date.h), weeks are those of ISO
// 8601, and Sunday is day 0. Each row costs a conversion to year, month and day; there is no vector
// code. Tested by compute_test.cpp (ReckonsWithDates, SaysWhereMomentsOverflow).
#include <algorithm>

#include "query/compute/moments.h"
#include "query/compute/steps.h"

namespace presso::query {
namespace {

/// How many of a number belong together, as years in a century; the first one begins with 1.
std::int64_t ordinal(std::int64_t year, std::int64_t length) {
  return year > 0 ? (year - 1) / length + 1 : year / length - 1;
}

/// The second of the minute, in units of 10^-digits seconds.
std::int64_t second_in(const Units& units, const Moment& moment, unsigned digits) {
  if (units.is_date) return 0;
  const std::int64_t in_minute = moment.in_day % (60 * units.in_second);
  return static_cast<std::int64_t>(power_of_ten(digits) * in_minute / units.in_second);
}

/// The value since 1970, in units of 10^-digits seconds, rounded down.
Int128 epoch_in(const Units& units, std::int64_t value, unsigned digits) {
  const Int128 fine = power_of_ten(digits) * value * (units.is_date ? kSecondsOfDay : 1);
  return floor_divide(fine, units.in_second);
}

/// The value of one part; parts of the time are 0 for dates.
Int128 date_part_of(DatePart part, const Units& units, std::int64_t value) {
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
      return epoch_in(units, value, 0);
    case DatePart::kIsoDayOfWeek:
      return (day_of_week(moment.days) + 6) % 7 + 1;
    case DatePart::kIsoYear:
      return iso_year_of(moment.days);
    case DatePart::kYearWeek:
      return iso_year_of(moment.days) * 100 + week_of(moment.days);
    case DatePart::kDecade:
      return date.year / 10;
    case DatePart::kCentury:
      return ordinal(date.year, 100);
    case DatePart::kMillennium:
      return ordinal(date.year, 1000);
    case DatePart::kEra:
      return date.year > 0 ? 1 : 0;
    case DatePart::kMillisecond:
      return second_in(units, moment, 3);
    case DatePart::kMicrosecond:
      return second_in(units, moment, 6);
    case DatePart::kNanosecond:
      return second_in(units, moment, 9);
    case DatePart::kEpochMillis: {  // rounded to nearest, half away from zero
      const Int128 micros = epoch_in(units, value, 6);
      return (micros + (micros < 0 ? -500 : 500)) / 1'000;
    }
    case DatePart::kEpochMicros:
      return epoch_in(units, value, 6);
    case DatePart::kEpochNanos:
      return epoch_in(units, value, 9);
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
    case DatePart::kDecade:
      days = civil::days_of_far(date.year / 10 * 10, 1, 1);
      break;
    case DatePart::kCentury:
      days = civil::days_of_far(date.year / 100 * 100, 1, 1);
      break;
    case DatePart::kMillennium:
      days = civil::days_of_far(date.year / 1000 * 1000, 1, 1);
      break;
    case DatePart::kIsoYear:
      days = monday_of(civil::days_of_far(iso_year_of(days), 1, 4));
      break;
    case DatePart::kWeek:
    case DatePart::kYearWeek:
      days = monday_of(days);
      break;
    case DatePart::kMillisecond:
      step = std::max<std::int64_t>(1, units.in_second / 1'000);
      break;
    case DatePart::kMicrosecond:
      step = std::max<std::int64_t>(1, units.in_second / 1'000'000);
      break;
    case DatePart::kHour:
      step = 3600 * units.in_second;
      break;
    case DatePart::kMinute:
      step = 60 * units.in_second;
      break;
    case DatePart::kSecond:
    case DatePart::kEpoch:
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
  for (std::uint32_t i = 0; i < c.count; ++i) {
    // Rows under nulls hold arbitrary values; fail() ignores those rows.
    to[i] = 0;
    if (is_far(units, a[i])) {
      c.fail(i);
    } else if (c.node.step == Step::kDatePart) {
      const Int128 value = date_part_of(part, units, a[i]);
      to[i] = static_cast<std::int64_t>(value);
      if (to[i] != value) c.fail(i);
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
