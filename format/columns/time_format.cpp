// SPDX-License-Identifier: MIT
// Implements time_format.h.
#include "format/columns/time_format.h"

#include <algorithm>
#include <array>

#include "format/ascii.h"
#include "format/columns/civil_week.h"
#include "format/columns/digits.h"

namespace presso {
namespace {

using civil::day_of_week;
using civil::iso_year_of;
using civil::kDayNames;
using civil::kMonthNames;
using civil::monday_of;
using civil::week_of;

constexpr std::int64_t kNanosOfSecond = 1'000'000'000;
/// All specifiers but those that stand for several.
constexpr std::string_view kSpecifiers = "aAwdbBmyYHIpMSfgnzZjUWGVu";
constexpr std::string_view kUnpadded = "dmyHIMSj";

/// What a specifier stands for, if that is several others.
std::string_view meaning_of(char specifier) {
  switch (specifier) {
    case 'c':
      return "%Y-%m-%d %H:%M:%S";
    case 'x':
      return "%Y-%m-%d";
    case 'X':
    case 'T':
      return "%H:%M:%S";
    case 'h':
      return "%b";
    default:
      return {};
  }
}

bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

std::string padded_number(std::int64_t number, std::size_t width) {
  std::string digits = std::to_string(number);
  if (digits.size() < width && number >= 0) digits.insert(0, width - digits.size(), '0');
  return digits;
}

/// The week of the year, whose first day is `first` (0: Sunday, 1: Monday); days before the first
/// such day are in week 0.
std::int64_t week_from(std::int64_t day_of_year, std::int64_t weekday, std::int64_t first) {
  return (day_of_year + 6 - (weekday - first + 7) % 7) / 7;
}

/// Takes up to `most` digits off the front; at least one must be there.
bool take_digits(std::string_view& text, std::size_t most, std::int64_t& number,
                 std::size_t* count = nullptr) {
  std::size_t n = 0;
  number = 0;
  while (n < text.size() && n < most && text[n] >= '0' && text[n] <= '9') {
    number = number * 10 + (text[n++] - '0');
  }
  text.remove_prefix(n);
  if (count != nullptr) *count = n;
  return n > 0;
}

/// As take_digits(), for a number that lies in [least, last].
bool take_between(std::string_view& text, std::size_t most, std::int64_t least, std::int64_t last,
                  std::int64_t& number) {
  return take_digits(text, most, number) && number >= least && number <= last;
}

/// A fraction of a second: digits that are missing are zeros.
bool take_fraction(std::string_view& text, std::size_t most, std::int64_t& nanos) {
  std::size_t count = 0;
  if (!take_digits(text, most, nanos, &count)) return false;
  nanos *= static_cast<std::int64_t>(digits::power(9 - count));
  return true;
}

/// Takes one of `names`, of which only the first `letters` count, in any case.
template <std::size_t count>
bool take_name(std::string_view& text, const std::string_view (&names)[count], std::size_t letters,
               std::int64_t& number) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view name = names[i].substr(0, letters);
    if (text.size() < name.size()) continue;
    const bool same = std::equal(name.begin(), name.end(), text.begin(),
                                 [](char a, char b) { return ascii::lower(a) == ascii::lower(b); });
    if (!same) continue;
    text.remove_prefix(name.size());
    number = static_cast<std::int64_t>(i);
    return true;
  }
  return false;
}

/// +02, -0530, +05:30:15
bool take_offset(std::string_view& text, std::int64_t& seconds) {
  if (text.empty() || (text[0] != '+' && text[0] != '-')) return false;
  const bool negative = text[0] == '-';
  text.remove_prefix(1);
  std::int64_t part = 0;
  std::size_t count = 0;
  if (!take_digits(text, 2, part, &count) || count != 2) return false;
  seconds = part * 3600;
  for (const std::int64_t unit : {60, 1}) {
    std::string_view rest = text;
    if (rest.starts_with(':')) rest.remove_prefix(1);
    if (!take_digits(rest, 2, part, &count) || count != 2 || part > 59) break;
    seconds += part * unit;
    text = rest;
  }
  if (negative) seconds = -seconds;
  return true;
}

}  // namespace

/// What has been read so far; -1 where nothing has.
struct TimeFormat::Fields {
  std::int64_t year = 1900;
  std::int64_t month = 1;
  std::int64_t day = 1;
  std::int64_t hour = 0;
  std::int64_t minute = 0;
  std::int64_t second = 0;
  std::int64_t nanos = 0;
  std::int64_t offset = 0;  ///< seconds east of UTC
  std::int64_t half = -1;   ///< 0: before noon, 1: after
  bool of_twelve = false;   ///< the hour is one of twelve
  std::int64_t year_day = -1;
  std::int64_t weekday = -1;  ///< 0 is Sunday
  std::int64_t week = -1;
  char week_kind = 0;  ///< U, W or V
  std::int64_t iso_year = -1;
  std::int64_t ignored = 0;  ///< names of days and zones, which decide nothing

  std::optional<std::int64_t> days() const;
};

/// By the day of the year, by the week, or by month and day.
std::optional<std::int64_t> TimeFormat::Fields::days() const {
  if (year_day >= 0) {
    const std::int64_t first = civil::days_of_far(year, 1, 1);
    if (year_day > civil::days_of_far(year + 1, 1, 1) - first) return std::nullopt;
    return first + year_day - 1;
  }
  if (week_kind == 'V' || iso_year >= 0) {
    const std::int64_t first = monday_of(civil::days_of_far(iso_year >= 0 ? iso_year : year, 1, 4));
    const std::int64_t from_monday = weekday < 0 ? 0 : (weekday + 6) % 7;
    return first + (std::max<std::int64_t>(week, 1) - 1) * 7 + from_monday;
  }
  if (week_kind != 0) {
    const std::int64_t begin = week_kind == 'U' ? 0 : 1;
    const std::int64_t first = civil::days_of_far(year, 1, 1);
    const std::int64_t to_begin = (begin - day_of_week(first) + 7) % 7;
    const std::int64_t in_week = weekday < 0 ? 0 : (weekday - begin + 7) % 7;
    return first + to_begin + (week - 1) * 7 + in_week;
  }
  const auto month_number = static_cast<std::uint32_t>(month);
  if (day > civil::days_in_far(year, month_number)) return std::nullopt;
  return civil::days_of_far(year, month_number, static_cast<std::uint32_t>(day));
}

Result<TimeFormat> TimeFormat::compile(std::string_view format) {
  TimeFormat compiled;
  const auto bad = [&](const std::string& what) {
    return make_error(ErrorCode::kInvalidArgument,
                      what + " in the format '" + std::string(format) + "'");
  };
  if (format.empty()) return bad("there is nothing");
  std::string literal;
  const auto end_literal = [&] {
    if (!literal.empty()) compiled.items_.push_back({0, true, std::move(literal)});
    literal.clear();
  };
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      literal += format[i];
      continue;
    }
    const bool unpadded = i + 1 < format.size() && format[i + 1] == '-';
    i += unpadded ? 2 : 1;
    if (i >= format.size()) return bad("a '%' without a letter");
    const char specifier = format[i];
    const std::string_view allowed = unpadded ? kUnpadded : kSpecifiers;
    if (!unpadded && specifier == '%') {
      literal += '%';
    } else if (const auto meaning = meaning_of(specifier); !unpadded && !meaning.empty()) {
      end_literal();
      PRESSO_ASSIGN(TimeFormat parts, compile(meaning));
      std::move(parts.items_.begin(), parts.items_.end(), std::back_inserter(compiled.items_));
    } else if (allowed.find(specifier) != allowed.npos) {
      end_literal();
      compiled.items_.push_back({specifier, !unpadded, {}});
    } else {
      return bad(std::string("an unknown %") + (unpadded ? "-" : "") + specifier);
    }
  }
  end_literal();
  return compiled;
}

bool TimeFormat::has(char specifier) const {
  return std::any_of(items_.begin(), items_.end(),
                     [&](const Item& item) { return item.specifier == specifier; });
}

bool TimeFormat::tells_day() const {
  const bool in_year = (has('d') && (has('m') || has('b') || has('B'))) || has('j') ||
                       ((has('U') || has('W')) && (has('w') || has('u') || has('a') || has('A')));
  const bool in_iso_year = has('G') && has('V') && (has('u') || has('w'));
  return ((has('Y') || has('y')) && in_year) || in_iso_year;
}

ColumnSchema TimeFormat::type() const {
  ColumnSchema type;
  constexpr std::string_view kTimes = "HIMSfgn";
  const bool has_time = std::any_of(kTimes.begin(), kTimes.end(), [&](char c) { return has(c); });
  type.type = has_time ? ColumnType::kTimestamp : ColumnType::kDate32;
  if (!has_time) return type;
  type.text = ValueText::kSpaceTime;
  type.unit = has('n')   ? TimeUnit::kNano
              : has('f') ? TimeUnit::kMicro
              : has('g') ? TimeUnit::kMilli
                         : TimeUnit::kSecond;
  if (!has('z') && !has('Z')) return type;
  type.text = ValueText::kLetterTimeZ;
  type.zone = "UTC";
  return type;
}

std::string TimeFormat::written(std::int64_t days, std::int64_t nanos) const {
  const civil::Date date = civil::date_of(days);
  const std::int64_t second = nanos / kNanosOfSecond;
  const std::int64_t fraction = nanos % kNanosOfSecond;
  const std::int64_t hour = second / 3600;
  const std::int64_t weekday = day_of_week(days);
  const std::int64_t year_day = days - civil::days_of_far(date.year, 1, 1) + 1;
  const std::string_view day_name = kDayNames[static_cast<std::size_t>(weekday)];
  const std::string_view month_name = kMonthNames[date.month - 1];
  std::string text;
  for (const Item& item : items_) {
    const auto number = [&](std::int64_t value, std::size_t width) {
      text += padded_number(value, item.padded ? width : 1);
    };
    switch (item.specifier) {
      case 0:
        text += item.text;
        break;
      case 'a':
        text += day_name.substr(0, 3);
        break;
      case 'A':
        text += day_name;
        break;
      case 'b':
        text += month_name.substr(0, 3);
        break;
      case 'B':
        text += month_name;
        break;
      case 'w':
        number(weekday, 1);
        break;
      case 'u':
        number((weekday + 6) % 7 + 1, 1);
        break;
      case 'd':
        number(date.day, 2);
        break;
      case 'm':
        number(date.month, 2);
        break;
      case 'y':
        number(std::abs(date.year % 100), 2);
        break;
      case 'Y':
        number(date.year, 4);
        break;
      case 'G':
        number(iso_year_of(days), 4);
        break;
      case 'V':
        number(week_of(days), 2);
        break;
      case 'U':
        number(week_from(year_day, weekday, 0), 2);
        break;
      case 'W':
        number(week_from(year_day, weekday, 1), 2);
        break;
      case 'j':
        number(year_day, 3);
        break;
      case 'H':
        number(hour, 2);
        break;
      case 'I':
        number((hour + 11) % 12 + 1, 2);
        break;
      case 'p':
        text += hour < 12 ? "AM" : "PM";
        break;
      case 'M':
        number(second / 60 % 60, 2);
        break;
      case 'S':
        number(second % 60, 2);
        break;
      case 'f':
        number(fraction / 1'000, 6);
        break;
      case 'g':
        number(fraction / 1'000'000, 3);
        break;
      case 'n':
        number(fraction, 9);
        break;
      case 'z':
        text += "+00";
        break;
      default:  // %Z: no zone has no name
        break;
    }
  }
  return text;
}

/// White space in the format stands for any white space, or none.
bool TimeFormat::read_item(const Item& item, std::string_view& text, Fields& fields) const {
  switch (item.specifier) {
    case 0:
      for (const char c : item.text) {
        if (is_blank(c)) {
          while (!text.empty() && is_blank(text[0])) text.remove_prefix(1);
        } else if (text.empty() || text[0] != c) {
          return false;
        } else {
          text.remove_prefix(1);
        }
      }
      return true;
    case 'a':
      return take_name(text, kDayNames, 3, fields.ignored);
    case 'A':
      return take_name(text, kDayNames, text.npos, fields.ignored);
    case 'b':
    case 'B':
      if (!take_name(text, kMonthNames, item.specifier == 'b' ? 3 : text.npos, fields.month)) {
        return false;
      }
      ++fields.month;
      return true;
    case 'w':
      return take_between(text, 1, 0, 6, fields.weekday);
    case 'u':
      if (!take_between(text, 1, 1, 7, fields.weekday)) return false;
      fields.weekday %= 7;
      return true;
    case 'd':
      return take_between(text, 2, 1, 31, fields.day);
    case 'm':
      return take_between(text, 2, 1, 12, fields.month);
    case 'y':  // as POSIX has it: 69 is 1969, 68 is 2068
      if (!take_digits(text, 2, fields.year)) return false;
      fields.year += fields.year < 69 ? 2000 : 1900;
      return true;
    case 'Y':
      return take_digits(text, 4, fields.year);
    case 'G':
      return take_digits(text, 4, fields.iso_year);
    case 'V':
    case 'U':
    case 'W':
      fields.week_kind = item.specifier;
      return take_between(text, 2, item.specifier == 'V' ? 1 : 0, 53, fields.week);
    case 'j':
      return take_between(text, 3, 1, 366, fields.year_day);
    case 'H':
      return take_between(text, 2, 0, 23, fields.hour);
    case 'I':
      fields.of_twelve = true;
      return take_between(text, 2, 1, 12, fields.hour);
    case 'p': {
      constexpr std::string_view kHalves[] = {"am", "pm"};
      return take_name(text, kHalves, 2, fields.half);
    }
    case 'M':
      return take_between(text, 2, 0, 59, fields.minute);
    case 'S':
      return take_between(text, 2, 0, 59, fields.second);
    case 'f':
      return take_fraction(text, 6, fields.nanos);
    case 'g':
      return take_fraction(text, 3, fields.nanos);
    case 'n':
      return take_fraction(text, 9, fields.nanos);
    case 'z':
      return take_offset(text, fields.offset);
    default: {  // %Z
      constexpr std::string_view kZones[] = {"UTC", "GMT"};
      return take_name(text, kZones, 3, fields.ignored);
    }
  }
}

std::optional<__int128> TimeFormat::read(std::string_view text) const {
  Fields fields;
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  for (const Item& item : items_) {
    if (!read_item(item, text, fields)) return std::nullopt;
  }
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  if (!text.empty()) return std::nullopt;
  std::int64_t hour = fields.hour;
  if (fields.half >= 0 && fields.of_twelve) hour = hour % 12 + 12 * fields.half;
  const std::optional<std::int64_t> days = fields.days();
  if (!days) return std::nullopt;
  const std::int64_t seconds =
      ((*days * 24 + hour) * 60 + fields.minute) * 60 + fields.second - fields.offset;
  return __int128{seconds} * kNanosOfSecond + fields.nanos;
}

}  // namespace presso
