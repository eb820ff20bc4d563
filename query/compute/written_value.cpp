// SPDX-License-Identifier: MIT
// Implements written_value.h, reading and printing of values as people write them, with a small
// hand-written reader for each family. The take_*() functions remove what they have read from the
// front of `text` and return false, with `text` in any state, where it does not begin with that.
#include "query/compute/written_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "format/ascii.h"
#include "format/civil_date.h"
#include "format/columns/value_text.h"
#include "query/compute/whole_real.h"

namespace presso::query {
namespace {

constexpr Int128 kNanosInDay = Int128{86400} * 1'000'000'000;

/// Without the ASCII white space around it.
std::string_view trimmed(Bytes text) {
  std::string_view view(reinterpret_cast<const char*>(text.data()), text.size());
  const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  while (!view.empty() && is_space(view.front())) view.remove_prefix(1);
  while (!view.empty() && is_space(view.back())) view.remove_suffix(1);
  return view;
}

/// Removes one wanted character.
bool take(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

/// Takes `least` to `most` digits off the front.
template <class Number>
bool take_number(std::string_view& text, std::size_t least, std::size_t most, Number& number) {
  std::size_t n = 0;
  number = 0;
  while (n < text.size() && n < most && text[n] >= '0' && text[n] <= '9') {
    number = number * 10 + static_cast<Number>(text[n++] - '0');
  }
  text.remove_prefix(n);
  return n >= least;
}

/// "2024-01-31" or "2024/1/31"; the day must exist in the proleptic Gregorian calendar.
bool take_date(std::string_view& text, std::int64_t& days) {
  constexpr std::size_t kMostYearDigits = 12;  // timestamps of seconds reach the year 292277026596
  std::int64_t year = 0;
  std::uint32_t month = 0;
  std::uint32_t day = 0;
  const bool negative = take(text, '-');
  if (!take_number(text, 4, kMostYearDigits, year)) return false;
  if (negative) year = -year;
  const char mark = text.empty() ? '\0' : text.front();
  if (mark != '-' && mark != '/') return false;
  if (!take(text, mark) || !take_number(text, 1, 2, month)) return false;
  if (!take(text, mark) || !take_number(text, 1, 2, day)) return false;
  if (month < 1 || month > 12 || day < 1 || day > civil::days_in_far(year, month)) return false;
  days = civil::days_of_far(year, month, day);
  return true;
}

/// "12:30", "12:30:59" or "12:30:59.123456789", as nanoseconds since midnight. Further digits are
/// cut off. A leap second (":60") is refused.
bool take_time(std::string_view& text, std::int64_t& nanos) {
  std::uint32_t hour = 0;
  std::uint32_t minute = 0;
  std::uint32_t second = 0;
  if (!take_number(text, 1, 2, hour) || !take(text, ':')) return false;
  if (!take_number(text, 2, 2, minute)) return false;
  if (take(text, ':') && !take_number(text, 2, 2, second)) return false;
  if (hour > 23 || minute > 59 || second > 59) return false;
  std::int64_t part = 0;
  if (take(text, '.')) {
    std::size_t n = 0;
    for (; n < text.size() && text[n] >= '0' && text[n] <= '9'; ++n) {
      if (n < 9) part = part * 10 + (text[n] - '0');
    }
    if (n == 0) return false;
    for (std::size_t i = n; i < 9; ++i) part *= 10;
    text.remove_prefix(n);
  }
  nanos = ((std::int64_t{hour} * 60 + minute) * 60 + second) * 1'000'000'000 + part;
  return true;
}

/// "Z", "UTC", "+01:00", "-0130", "+01", also after a blank, as nanoseconds east of Greenwich.
bool take_offset(std::string_view& text, std::int64_t& nanos) {
  nanos = 0;
  take(text, ' ');
  if (take(text, 'Z')) return true;
  for (const std::string_view name : {"UTC", "GMT"}) {
    if (!text.starts_with(name)) continue;
    text.remove_prefix(name.size());
    return true;
  }
  const bool is_west = !text.empty() && text.front() == '-';
  if (!is_west && (text.empty() || text.front() != '+')) return false;
  text.remove_prefix(1);
  std::uint32_t hours = 0;
  std::uint32_t minutes = 0;
  if (!take_number(text, 2, 2, hours)) return false;
  const bool has_colon = take(text, ':');
  if ((has_colon || !text.empty()) && !take_number(text, 2, 2, minutes)) return false;
  constexpr std::uint32_t kMostHours = 15;
  if (hours > kMostHours || minutes > 59) return false;
  nanos = (std::int64_t{hours} * 60 + minutes) * 60 * 1'000'000'000;
  if (is_west) nanos = -nanos;
  return true;
}

/// A date, optionally with a time after a blank or "T", and with a "Z" that changes nothing: all
/// times are in UTC. `with_offset`: or with another offset, which is taken off. The whole text must
/// be read.
std::optional<WrittenMoment> moment_of(std::string_view text, bool with_offset) {
  std::int64_t days = 0;
  std::int64_t in_day = 0;
  if (!take_date(text, days)) return std::nullopt;
  if (!text.empty()) {
    if (!take(text, ' ') && !take(text, 'T')) return std::nullopt;
    if (!take_time(text, in_day)) return std::nullopt;
    std::int64_t offset = 0;
    if (with_offset && !text.empty()) {
      if (!take_offset(text, offset)) return std::nullopt;
    } else {
      take(text, 'Z');
    }
    if (!text.empty()) return std::nullopt;
    return WrittenMoment{days * kNanosInDay + in_day - Int128{offset}, true};
  }
  return WrittenMoment{days * kNanosInDay, false};
}

/// The day that is written, without a time and an offset; refuses days beyond the 32 bits of a
/// stored date.
bool read_date(std::string_view text, std::int64_t& days) {
  if (!moment_of(text, true) || !take_date(text, days)) return false;
  return days == static_cast<std::int32_t>(days);
}

/// Rounds down to the type's unit; refuses what does not fit into 64 bits of it. Texts of
/// timestamps with a time zone may have an offset.
bool read_timestamp(std::string_view text, const Node& type, std::int64_t& value) {
  const auto moment = moment_of(text, !type.schema.zone.empty());
  if (!moment) return false;
  const Int128 units = floor_divide(moment->nanos, nanos_in_unit(type));
  value = static_cast<std::int64_t>(units);
  return value == units;
}

/// The words that DuckDB accepts, in any case: true, t, yes, y, 1 and their opposites.
bool read_bool(std::string_view text, Byte& value) {
  const std::string word = ascii::lower(text);
  const bool yes = word == "true" || word == "t" || word == "yes" || word == "y" || word == "1";
  const bool no = word == "false" || word == "f" || word == "no" || word == "n" || word == "0";
  value = yes ? 1 : 0;
  return yes || no;
}

/// The whole text must be a number; one that is too large for a double is refused, not infinity.
bool read_real(std::string_view text, double& value) {
  take(text, '+');
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem == std::errc::result_out_of_range && end == text.data() + text.size()) return false;
  return problem == std::errc() && end == text.data() + text.size();
}

/// Reads integers and decimals of a scale, also with an exponent, exactly.
bool read_scaled(std::string_view text, unsigned scale, Int128& number) {
  const std::size_t mark = text.find_first_of("eE");
  unsigned of_text = 0;
  if (!read_decimal(text.substr(0, mark), number, of_text)) return false;
  int exponent = 0;
  if (mark != text.npos) {
    std::string_view power = text.substr(mark + 1);
    if (power.size() > 1 && power[1] != '-') take(power, '+');
    const auto [end, problem] =
        std::from_chars(power.data(), power.data() + power.size(), exponent);
    if (problem != std::errc() || end != power.data() + power.size()) return false;
    exponent = std::clamp(exponent, -1000, 1000);
  }
  const int from = static_cast<int>(of_text) - exponent;
  const int to = static_cast<int>(scale) + std::max(0, -from);
  return rescale(number, static_cast<unsigned>(std::max(0, from)), static_cast<unsigned>(to));
}

/// "1/31/2024", "31.12.2024" and "31-12-2024", with or without a time.
bool is_date_with_last_year(std::string_view text) {
  int first = 0;
  int second = 0;
  int year = 0;
  if (!take_number(text, 1, 2, first) || text.empty()) return false;
  const char mark = text.front();
  const bool is_mark = mark == '/' || mark == '.' || mark == '-';
  return is_mark && take(text, mark) && take_number(text, 1, 2, second) && take(text, mark) &&
         take_number(text, 4, 4, year) && (text.empty() || text.front() == ' ') && first >= 1 &&
         second >= 1 && std::min(first, second) <= 12 && std::max(first, second) <= 31;
}

}  // namespace

std::string digits_of(Int128 number) {
  char text[kMaxValueText];
  ColumnSchema column;
  column.type = ColumnType::kDecimal128;
  column.precision = 38;
  return {text, print_value(column, reinterpret_cast<const Byte*>(&number), text)};
}

/// Digits after the point of a second: 0, 3, 6 or 9.
unsigned unit_digits_of(TimeUnit unit) {
  return 3 * static_cast<unsigned>(unit);
}

/// Powers of ten are exact in 128 bits, so dates and all units can be compared without rounding.
Int128 nanos_in_unit(const Node& moment) {
  if (moment.family == Family::kDate) return kNanosInDay;
  return power_of_ten(9 - unit_digits_of(moment.schema.unit));
}

std::optional<WrittenMoment> read_moment(Bytes text, bool with_offset) {
  return moment_of(trimmed(text), with_offset);
}

std::optional<std::string_view> meant_type(std::string_view text) {
  if (const auto moment = moment_of(text, false)) return moment->has_time ? "timestamp" : "date";
  if (is_date_with_last_year(text)) return "";
  double real = 0;
  if (!read_real(text, real)) return std::nullopt;
  const std::size_t first = text.find_first_not_of("+-");
  const std::string_view digits = text.substr(first == text.npos ? text.size() : first);
  const auto is_digit = [&](std::size_t i) {
    return i < digits.size() && digits[i] >= '0' && digits[i] <= '9';
  };
  const bool is_code = is_digit(1) && digits[0] == '0';
  const bool is_word = !is_digit(0) && !is_digit(1);  // nan, inf
  if (is_code || is_word) return std::nullopt;
  return "double";
}

bool read_decimal(std::string_view text, Int128& number, unsigned& scale) {
  const bool negative = take(text, '-');
  if (!negative) take(text, '+');
  number = 0;
  scale = 0;
  bool after_point = false;
  std::size_t digits = 0;
  for (const char c : text) {
    if (c == '.' && !after_point) {
      after_point = true;
      continue;
    }
    if (c < '0' || c > '9') return false;
    ++digits;
    // One more digit would make more than 38.
    if (number >= power_of_ten(kMostDigits - 1)) return false;
    number = number * 10 + (c - '0');
    scale += after_point ? 1 : 0;
  }
  if (negative) number = -number;
  return digits > 0;
}

bool rescale(Int128& number, unsigned from, unsigned to) {
  if (to >= from) {
    if (to - from > kMostDigits) return number == 0;
    const Int128 factor = power_of_ten(to - from);
    return !__builtin_mul_overflow(number, factor, &number) && number < power_of_ten(kMostDigits) &&
           number > -power_of_ten(kMostDigits);
  }
  if (from - to > kMostDigits) {
    number = 0;
    return true;
  }
  const Int128 factor = power_of_ten(from - to);
  const Int128 rest = number % factor;
  number /= factor;
  if (rest >= factor / 2) {
    ++number;
  } else if (-rest >= factor / 2) {
    --number;
  }
  return true;
}

/// Everything that is not listed is a whole number, whose limits are the type's interval.
bool read_value(const Node& type, Bytes text, Byte* to) {
  const std::string_view word = trimmed(text);
  std::int64_t value = 0;
  switch (type.family) {
    case Family::kBool:
      return read_bool(word, *to);
    case Family::kDouble: {
      double real = 0;
      if (!read_real(word, real)) return false;
      if (type.schema.type == ColumnType::kFloat)
        real = static_cast<double>(static_cast<float>(real));
      store(to, real);
      return true;
    }
    case Family::kDate:
      if (!read_date(word, value)) return false;
      store(to, value);
      return true;
    case Family::kTime:
      if (!read_timestamp(word, type, value)) return false;
      store(to, value);
      return true;
    default: {
      Int128 number = 0;
      if (!read_scaled(word, type.schema.scale, number)) return false;
      if (type.range.known && (number < type.range.least || number > type.range.most)) return false;
      if (type.physical == Physical::kInt128) {
        store(to, number);
      } else {
        store(to, static_cast<std::int64_t>(number));
        return static_cast<std::int64_t>(number) == number;
      }
      return true;
    }
  }
}

/// Integers, dates, timestamps and decimals are cut to the low bytes of their 128-bit form.
void store_value(const ColumnSchema& type, const VectorView& values, std::uint32_t row, Byte* to) {
  if (type.type == ColumnType::kBool) {
    *to = values.as<Byte>()[row];
    return;
  }
  if (values.physical == Physical::kDouble) {
    const double value = values.as<double>()[row];
    if (type.type == ColumnType::kFloat) {
      store(to, static_cast<float>(value));
    } else {
      store(to, value);
    }
    return;
  }
  const Int128 value = values.physical == Physical::kInt128
                           ? values.as<Int128>()[row]
                           : Int128{values.as<std::int64_t>()[row]};
  std::memcpy(to, &value, value_bytes(type.type));
}

std::size_t write_value(const Node& type, const VectorView& values, std::uint32_t row, char* to) {
  alignas(16) Byte stored[16];
  store_value(type.schema, values, row, stored);
  return print_value(type.schema, stored, to);
}

}  // namespace presso::query
