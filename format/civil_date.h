// SPDX-License-Identifier: MIT
// Converts days since 1970-01-01 to year, month and day of the Gregorian calendar and back. Inside,
// years begin in March, so that the leap day is the last of a year; a year and a month are then
// each a multiplication that yields quotient and remainder at once (the idea is Neri and
// Schneider's, "Euclidean affine functions", 2022). About 3 ns either way.
// Tested through tests/unit/format/columns/value_text_test.cpp, day by day.
#pragma once

#include <cstdint>

namespace presso::civil {

constexpr std::int64_t kFirstDay = -719'162;  ///< 0001-01-01
constexpr std::int64_t kLastDay = 2'932'896;  ///< 9999-12-31
constexpr std::int64_t kDaysOf400Years = 146'097;
constexpr std::int64_t kDaysToMarch0 = 719'468;  ///< from 0000-03-01 to 1970-01-01

/// A day of the Gregorian calendar, which is extended to all times.
struct Date {
  std::int64_t year = 0;
  std::uint32_t month = 0;  ///< 1 to 12
  std::uint32_t day = 0;    ///< 1 to 31
};

/// date_of() for days from kFirstDay to kLastDay.
constexpr Date date_of_near(std::int32_t days) {
  const auto quarters = static_cast<std::uint32_t>(days + kDaysToMarch0) * 4 + 3;
  const std::uint32_t century = quarters / kDaysOf400Years;
  const std::uint32_t in_century = quarters % kDaysOf400Years | 3;
  // in_century / 1461, and the remainder, by a multiplication with 2^32 / 1461.
  const std::uint64_t years = std::uint64_t{in_century} * 2'939'745;
  const std::uint32_t day_of_year = static_cast<std::uint32_t>(years) / 2'939'745 / 4;
  // Months of 30.6 days: 2141 / 2^16 is 1 / 30.61.
  const std::uint32_t months = day_of_year * 2141 + 197'913;
  const bool next_year = day_of_year >= 306;  // January and February
  return {std::int64_t{century} * 100 + static_cast<std::int64_t>(years >> 32) + next_year,
          (months >> 16) - (next_year ? 12 : 0), (months & 0xFFFF) / 2141 + 1};
}

/// `days` may be any number of days that an int64 of seconds reaches: whole cycles of 400 years
/// are taken off first.
constexpr Date date_of(std::int64_t days) {
  if (days >= kFirstDay && days <= kLastDay) return date_of_near(static_cast<std::int32_t>(days));
  std::int64_t cycles = days / kDaysOf400Years;
  std::int64_t rest = days % kDaysOf400Years;
  if (rest < 0) {
    rest += kDaysOf400Years;
    --cycles;
  }
  Date date = date_of_near(static_cast<std::int32_t>(rest));
  date.year += cycles * 400;
  return date;
}

constexpr bool is_leap(std::uint32_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 16 == 0);
}
constexpr std::uint32_t days_in(std::uint32_t year, std::uint32_t month) {
  return month == 2 ? 28u + is_leap(year) : 30u + ((month + month / 8) & 1);
}

/// Whether such a day exists in the years 1 to 9999.
constexpr bool exists(std::uint32_t year, std::uint32_t month, std::uint32_t day) {
  return year - 1 < 9999 && month - 1 < 12 && day - 1 < days_in(year, month);
}

/// The inverse of date_of(), for a day of which exists() is true.
constexpr std::int32_t days_of(std::uint32_t year, std::uint32_t month, std::uint32_t day) {
  if (month < 3) {
    --year;
    month += 12;
  }
  const std::uint32_t before_month = (979 * month - 2919) / 32;  // from the first of March
  const std::uint32_t days =
      year * 365 + year / 4 - year / 100 + year / 400 + before_month + day - 1;
  return static_cast<std::int32_t>(days) - static_cast<std::int32_t>(kDaysToMarch0);
}

/// Cycles of 400 years, each with the same calendar, that lie between the years 1 to 400 and
/// `year`.
constexpr std::int64_t cycles_to(std::int64_t year) {
  return (year - 1) / 400 - ((year - 1) % 400 < 0 ? 1 : 0);
}
/// days_in() and days_of() for any year whose days an int64 holds.
constexpr std::uint32_t days_in_far(std::int64_t year, std::uint32_t month) {
  return days_in(static_cast<std::uint32_t>(year - cycles_to(year) * 400), month);
}
constexpr std::int64_t days_of_far(std::int64_t year, std::uint32_t month, std::uint32_t day) {
  const std::int64_t cycles = cycles_to(year);
  return days_of(static_cast<std::uint32_t>(year - cycles * 400), month, day) +
         cycles * kDaysOf400Years;
}

}  // namespace presso::civil
