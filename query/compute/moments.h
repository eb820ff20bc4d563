// SPDX-License-Identifier: MIT
// Dates and timestamps as numbers, taken apart into days and what is left of them. The calendar is
// the proleptic Gregorian one (format/civil_date.h).
#pragma once

#include "format/columns/civil_week.h"
#include "query/compute/graph.h"
#include "query/compute/written_value.h"

namespace presso::query {

inline constexpr std::int64_t kSecondsOfDay = 86400;

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

using civil::day_of_week;
using civil::iso_year_of;
using civil::kDayNames;
using civil::kMonthNames;
using civil::monday_of;
using civil::week_of;

/// Whether a moment lies more than 2^40 days (3 billion years) from 1970, beyond which the
/// arithmetic on years and days could overflow.
inline bool is_far(const Units& units, std::int64_t value) {
  constexpr std::int64_t kFarDays = std::int64_t{1} << 40;
  const std::int64_t days = floor_divide(value, units.in_day);
  return days > kFarDays || days < -kFarDays;
}

}  // namespace presso::query
