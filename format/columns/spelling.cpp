// SPDX-License-Identifier: MIT
// Prints values in other ways than print_value(). The digits come from print_value() or from the
// standard library; signs, points, groups and blanks are put around them here.
#include "format/columns/spelling.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "format/civil_date.h"
#include "format/columns/digits.h"
#include "format/columns/value_patterns.h"

namespace presso {
namespace {

constexpr std::size_t kMostDigits = 64;  ///< of a number, sign and point included
constexpr std::size_t kMostBlanks = 48;  ///< before or after a value

/// Puts a text together. kMaxSpelledText has room for all that is printed here, because digits and
/// blanks are limited.
class TextMaker {
 public:
  explicit TextMaker(char* to) : begin_(to), at_(to) {}

  void add(char byte) { *at_++ = byte; }
  void add(std::string_view text) { at_ = std::copy(text.begin(), text.end(), at_); }
  void add_blanks(std::size_t count) { at_ = std::fill_n(at_, std::min(count, kMostBlanks), ' '); }
  /// A number with at least `least` digits.
  void add_number(std::uint64_t number, std::size_t least) {
    if (number < 100 && least <= 2) {  // parts of dates and times
      if (number >= 10 || least == 2) add(static_cast<char>('0' + number / 10));
      return add(static_cast<char>('0' + number % 10));
    }
    const std::size_t size = digits::print(number, at_);
    if (size < least) {
      std::memmove(at_ + (least - size), at_, size);
      std::fill_n(at_, least - size, '0');
    }
    at_ += std::max(size, least);
  }
  std::size_t size() const { return static_cast<std::size_t>(at_ - begin_); }

 private:
  char* begin_;
  char* at_;
};

// --- numbers

/// Numbers of at most 15 digits are printed as integers: no two of them are the same double.
std::size_t print_short_fixed(double number, std::size_t digits, char* to) {
  if (digits > 15 || !(number < 1e15)) return 0;
  const auto unit = digits::power(digits);
  const double scaled = number * static_cast<double>(unit);
  if (!(scaled < 1e15)) return 0;
  const auto whole = static_cast<std::uint64_t>(scaled + 0.5);
  if (static_cast<double>(whole) / static_cast<double>(unit) != number) return 0;
  const std::size_t size = digits::print(whole / unit, to);
  if (digits == 0) return size;
  to[size] = '.';
  digits::print_padded(whole % unit, digits, to + size + 1);
  return size + 1 + digits;
}

std::size_t print_double(double number, const NumberSpelling& spelling, char* to) {
  char* const end = to + kMostDigits;
  std::to_chars_result made{};
  switch (spelling.notation) {
    case 'f':
      if (const std::size_t size = print_short_fixed(number, spelling.digits, to)) return size;
      made = std::to_chars(to, end, number, std::chars_format::fixed, spelling.digits);
      break;
    case 's':
      made = std::to_chars(to, end, number, std::chars_format::scientific);
      break;
    case 'e':
      made = std::to_chars(to, end, number, std::chars_format::scientific, spelling.digits);
      break;
    default:
      made = std::to_chars(to, end, number, std::chars_format::fixed);
      break;
  }
  return made.ec == std::errc{} ? static_cast<std::size_t>(made.ptr - to) : 0;
}

/// The number's digits, without its sign, in `to`; returns their length.
std::size_t print_magnitude(const ColumnSchema& column, const Byte* value,
                            const NumberSpelling& spelling, char* to, bool& negative) {
  if (column.type == ColumnType::kDouble && spelling.notation != 'i') {
    const auto number = load<double>(value);
    negative = std::signbit(number);
    if (std::isfinite(number)) return print_double(std::fabs(number), spelling, to);
  }
  const std::size_t size = print_value(column, value, to);
  negative = size > 0 && to[0] == '-';
  if (negative) std::memmove(to, to + 1, size - 1);
  return size - (negative ? 1 : 0);
}

/// The digits before the point, in groups of three if that is asked for.
void add_whole(TextMaker& text, std::string_view whole, char group) {
  if (group == 0) return text.add(whole);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (i > 0 && (whole.size() - i) % 3 == 0) text.add(group);
    text.add(whole[i]);
  }
}

void add_exponent(TextMaker& text, std::string_view exponent, const NumberSpelling& spelling) {
  text.add((spelling.flags & NumberSpelling::kUpperE) != 0 ? 'E' : 'e');
  exponent.remove_prefix(1);
  if (exponent.front() == '-') text.add('-');
  if (exponent.front() == '+' && (spelling.flags & NumberSpelling::kPlusExponent) != 0) {
    text.add('+');
  }
  exponent.remove_prefix(1);
  while (exponent.size() > 1 && exponent.front() == '0') exponent.remove_prefix(1);
  for (std::size_t i = exponent.size(); i < std::min<std::size_t>(spelling.exponent_digits, 4);
       ++i) {
    text.add('0');
  }
  text.add(exponent);
}

/// Prints a double with a number of digits after the point, the commonest spelling; 0 for others.
std::size_t print_simple(const ColumnSchema& column, const Byte* value, std::string_view spelling,
                         char* to) {
  if (column.type != ColumnType::kDouble || spelling.size() != 3 || spelling[1] != 'f') return 0;
  const auto number = load<double>(value);
  to[0] = '-';
  const std::size_t sign = std::signbit(number) ? 1 : 0;
  const std::size_t size =
      print_short_fixed(std::fabs(number), static_cast<Byte>(spelling[2]), to + sign);
  return size == 0 ? 0 : size + sign;
}

std::size_t print_number(const ColumnSchema& column, const Byte* value,
                         const NumberSpelling& spelling, char* to) {
  char digits[kMostDigits + kMaxValueText];
  bool negative = false;
  const std::size_t size = print_magnitude(column, value, spelling, digits, negative);
  std::string_view number(digits, size);
  const std::string_view mantissa = number.substr(0, number.find('e'));
  const std::string_view exponent = number.substr(mantissa.size());
  std::string_view whole = mantissa.substr(0, mantissa.find('.'));
  const std::string_view part = mantissa.substr(std::min(whole.size() + 1, mantissa.size()));
  if (whole == "0" && !part.empty() && (spelling.flags & NumberSpelling::kNoZero) != 0) whole = {};
  TextMaker text(to);
  text.add_blanks(spelling.before);
  if (negative) text.add('-');
  if (!negative && (spelling.flags & NumberSpelling::kPlus) != 0) text.add('+');
  add_whole(text, whole, spelling.group);
  if (!part.empty() || (spelling.flags & NumberSpelling::kPoint) != 0) {
    text.add((spelling.flags & NumberSpelling::kComma) != 0 ? ',' : '.');
  }
  text.add(part);
  if (!exponent.empty()) add_exponent(text, exponent, spelling);
  text.add_blanks(spelling.after);
  return text.size();
}

// --- dates and times

/// A value as a day and what is left of it.
struct Moment {
  std::int64_t days = 0;
  std::uint64_t seconds = 0;
  std::uint64_t part = 0;       ///< in units
  std::size_t part_digits = 0;  ///< of the unit
};

/// Division that rounds down, also before 1970.
std::int64_t take_rest(std::int64_t& number, std::int64_t by) {
  std::int64_t rest = number % by;
  number /= by;
  if (rest < 0) {
    rest += by;
    --number;
  }
  return rest;
}

Moment moment_of(const ColumnSchema& column, const Byte* value, int offset_minutes) {
  Moment moment;
  if (column.type == ColumnType::kDate32) {
    moment.days = load<std::int32_t>(value);
    return moment;
  }
  moment.part_digits = 3 * static_cast<std::size_t>(column.unit);
  auto number = load<std::int64_t>(value);
  moment.part = static_cast<std::uint64_t>(
      take_rest(number, static_cast<std::int64_t>(digits::power(moment.part_digits))));
  // The offset is added to the time of day, since the value may be near the greatest int64.
  std::int64_t seconds = take_rest(number, 86'400) + std::int64_t{offset_minutes} * 60;
  moment.seconds = static_cast<std::uint64_t>(take_rest(seconds, 86'400));
  moment.days = number + seconds;
  return moment;
}

void add_date(TextMaker& text, const civil::Date& date, const TimeSpelling& spelling) {
  const std::size_t least = (spelling.flags & TimeSpelling::kNoZeros) != 0 ? 1 : 2;
  const auto add_year = [&] {
    if ((spelling.flags & TimeSpelling::kShortYear) != 0) {
      return text.add_number(static_cast<std::uint64_t>(date.year % 100 + 100) % 100, 2);
    }
    if (date.year < 0) text.add('-');
    text.add_number(static_cast<std::uint64_t>(std::abs(date.year)), 4);
  };
  if (spelling.order == 0) {
    add_year();
    text.add(spelling.mark);
  }
  text.add_number(spelling.order == 2 ? date.day : date.month, least);
  text.add(spelling.mark);
  text.add_number(spelling.order == 2 ? date.month : date.day, least);
  if (spelling.order != 0) {
    text.add(spelling.mark);
    add_year();
  }
}

void add_clock(TextMaker& text, const Moment& moment, const TimeSpelling& spelling) {
  std::uint64_t hour = moment.seconds / 3600;
  const bool afternoon = hour >= 12;
  const bool twelve = (spelling.flags & TimeSpelling::kTwelveHours) != 0;
  if (twelve) hour = (hour + 11) % 12 + 1;
  text.add_number(hour, (spelling.flags & TimeSpelling::kShortHour) != 0 ? 1 : 2);
  text.add(':');
  text.add_number(moment.seconds / 60 % 60, 2);
  if (spelling.clock >= 2) {
    text.add(':');
    text.add_number(moment.seconds % 60, 2);
  }
  const std::size_t digits = std::min<std::size_t>(spelling.fraction, 18);
  if (digits > 0) {
    text.add('.');
    const std::size_t kept = std::min(digits, moment.part_digits);
    const std::uint64_t part = moment.part / digits::power(moment.part_digits - kept);
    if (kept > 0) text.add_number(part, kept);
    for (std::size_t i = kept; i < digits; ++i) text.add('0');
  }
  if (!twelve) return;
  if ((spelling.flags & TimeSpelling::kBlankHalf) != 0) text.add(' ');
  const bool lower = (spelling.flags & TimeSpelling::kLowerHalf) != 0;
  text.add(lower ? (afternoon ? "pm" : "am") : (afternoon ? "PM" : "AM"));
}

void add_zone(TextMaker& text, const TimeSpelling& spelling) {
  if ((spelling.flags & TimeSpelling::kBlankZone) != 0) text.add(' ');
  if (spelling.zone == 'Z') return text.add('Z');
  const auto minutes = static_cast<std::uint64_t>(std::abs(spelling.offset()));
  text.add(spelling.offset() < 0 ? '-' : '+');
  text.add_number(minutes / 60, 2);
  if (spelling.zone == '2') return;
  if (spelling.zone == ':') text.add(':');
  text.add_number(minutes % 60, 2);
}

std::size_t print_moment(const ColumnSchema& column, const Byte* value,
                         const TimeSpelling& spelling, char* to) {
  const Moment moment = moment_of(column, value, spelling.zone == 0 ? 0 : spelling.offset());
  TextMaker text(to);
  text.add_blanks(spelling.before);
  add_date(text, civil::date_of(moment.days), spelling);
  if (spelling.clock > 0) {
    text.add(spelling.between);
    add_clock(text, moment, spelling);
  }
  if (spelling.zone != 0) add_zone(text, spelling);
  text.add_blanks(spelling.after);
  return text.size();
}

}  // namespace

std::size_t print_spelled(const ColumnSchema& column, const Byte* value, std::string_view spelling,
                          char* to) {
  const char kind = spelling.empty() ? kUsualSpelling : spelling.front();
  if (kind == kNumberKind && !is_date_or_time(column.type)) {
    if (const std::size_t size = print_simple(column, value, spelling, to)) return size;
    return print_number(column, value, read_spelling<NumberSpelling>(spelling), to);
  }
  if (kind == kTimeKind && is_date_or_time(column.type)) {
    return print_moment(column, value, read_spelling<TimeSpelling>(spelling), to);
  }
  return print_value(column, value, to);
}

}  // namespace presso
