// SPDX-License-Identifier: MIT
// Names of days and months, and the weeks of ISO 8601. Sunday is day 0. Tested by
// tests/unit/query/compute/functions_test.cpp.
#pragma once

#include <string_view>

#include "format/civil_date.h"

namespace presso::civil {

inline constexpr std::string_view kDayNames[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                 "Thursday", "Friday", "Saturday"};
inline constexpr std::string_view kMonthNames[] = {"January",   "February", "March",    "April",
                                                   "May",       "June",     "July",     "August",
                                                   "September", "October",  "November", "December"};

/// 0 is Sunday.
inline std::int64_t day_of_week(std::int64_t days) {
  const std::int64_t rest = (days + 4) % 7;  // 1970-01-01 was a Thursday
  return rest < 0 ? rest + 7 : rest;
}
/// The Monday of the ISO week that contains a day.
inline std::int64_t monday_of(std::int64_t days) {
  return days - (day_of_week(days) + 6) % 7;
}

/// ISO 8601: a week belongs to the year that contains its Thursday.
inline std::int64_t iso_year_of(std::int64_t days) {
  return date_of(monday_of(days) + 3).year;
}
inline std::int64_t week_of(std::int64_t days) {
  const std::int64_t thursday = monday_of(days) + 3;
  return (thursday - days_of_far(iso_year_of(days), 1, 1)) / 7 + 1;
}

}  // namespace presso::civil
