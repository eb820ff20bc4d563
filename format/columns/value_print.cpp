// SPDX-License-Identifier: MIT
// Values to text (value_text.h). Texts of fixed length are put together in registers; others are
// written eight digits at a time, also beyond their end where that is simpler: callers leave
// kMaxValueText bytes of room. Each printer returns the length of the text.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <type_traits>

#include "format/civil_date.h"
#include "format/columns/digits.h"
#include "format/columns/value_patterns.h"

namespace presso {
namespace {

/// The lower `bytes` bytes of a word that was put together as text.
void put(char* to, std::uint64_t word, std::size_t bytes) {
  std::memcpy(to, &word, bytes);
}

/// For strings, which are printed elsewhere (row_text.h).
std::size_t print_nothing(const ColumnSchema&, const Byte*, char*) {
  return 0;
}

std::size_t print_bool(const ColumnSchema& column, const Byte* value, char* to) {
  const std::string_view word = bool_word(column.text, *value != 0);
  std::memcpy(to, word.data(), word.size());
  return word.size();
}

/// '-' is written in any case and kept if the number is negative, so that there is no branch.
template <class T>
std::size_t print_integer(const ColumnSchema&, const Byte* value, char* to) {
  const T number = load<T>(value);
  std::uint64_t magnitude = static_cast<std::uint64_t>(number);
  std::size_t sign = 0;
  if constexpr (std::is_signed_v<T>) {
    *to = '-';
    sign = number < 0;
    if (number < 0) magnitude = 0 - magnitude;
  }
  return sign + digits::print(magnitude, to + sign);
}

/// Writes '-' if `number` is negative, moves `to` on and returns the magnitude.
std::uint64_t print_sign(std::int64_t number, char*& to) {
  *to = '-';
  to += number < 0;
  const auto bits = static_cast<std::uint64_t>(number);
  return number < 0 ? 0 - bits : bits;
}

/// Decimals of scale 2, which money has: the divisor is a constant here.
std::size_t print_cents(const ColumnSchema&, const Byte* value, char* const to) {
  char* at = to;
  const std::uint64_t magnitude = print_sign(load<std::int64_t>(value), at);
  at += digits::print(magnitude / 100, at);
  const std::uint64_t cents = magnitude % 100;
  put(at, '.' | (cents / 10 + '0') << 8 | (cents % 10 + '0') << 16, 4);
  return static_cast<std::size_t>(at + 3 - to);
}

/// Decimals of any scale from 1 to 19.
std::size_t print_decimal64(const ColumnSchema& column, const Byte* value, char* const to) {
  char* at = to;
  const std::uint64_t magnitude = print_sign(load<std::int64_t>(value), at);
  // Whole part and fraction are printed apart.
  const std::uint64_t unit = digits::power(column.scale);
  at += digits::print(magnitude / unit, at);
  *at++ = '.';
  digits::print_padded(magnitude % unit, column.scale, at);
  return static_cast<std::size_t>(at + column.scale - to);
}

/// The printer for decimals of this scale in 64 bits.
PrintValue decimal64_printer(Byte scale);

/// Writes `magnitude`, at most 39 digits and at least `least`, so that it ends at `end`;
/// returns where it begins.
char* print_backwards(Uint128 magnitude, std::size_t least, char* const end) {
  char* const stop = end - least;
  char* at = end;
  while (magnitude != 0 || at > stop) {
    *--at = static_cast<char>('0' + static_cast<int>(magnitude % 10));
    magnitude /= 10;
  }
  return at;
}

/// Numbers that fit into 64 bits take the fast way; others are divided digit by digit.
std::size_t print_decimal128(const ColumnSchema& column, const Byte* value, char* to) {
  const auto number = load<Int128>(value);
  const auto bits = static_cast<Uint128>(number);
  const std::size_t scale = std::min(column.scale, kMaxScale);
  if (number == static_cast<std::int64_t>(number) && scale < std::size(digits::kPowers.at)) {
    return decimal64_printer(column.scale)(column, value, to);  // nearly all; the low half is it
  }
  char text[40];
  char* const end = text + sizeof text;
  char* const begin = print_backwards(number < 0 ? 0 - bits : bits, scale + 1, end);
  char* at = to;
  if (number < 0) *at++ = '-';
  at = std::copy(begin, end - scale, at);
  if (scale > 0) *at++ = '.';
  return static_cast<std::size_t>(std::copy(end - scale, end, at) - to);
}

/// A multiple of 10^-6 below 10^9 has at most 15 digits, and is then its own shortest form
/// (parse_short_real() says why). Returns 0 for numbers that this does not decide.
std::size_t print_short_real(double number, char* const to) {
  constexpr std::size_t kScale = 6;
  constexpr auto kUnit = digits::power(kScale);
  // Comparisons are written so that NaN fails them.
  const double size = std::fabs(number);
  if (!(size < 1e9) || (size < 1e-4 && size != 0)) return 0;
  const auto millionths = static_cast<std::uint64_t>(size * kUnit + 0.5);
  if (static_cast<double>(millionths) / kUnit != size) return 0;
  char* at = to;
  *at = '-';
  at += std::signbit(number);
  at += digits::print(millionths / kUnit, at);
  const std::uint64_t part = millionths % kUnit;
  if (part == 0) return static_cast<std::size_t>(at - to);
  *at = '.';
  const std::uint64_t text = digits::digits_of(static_cast<std::uint32_t>(part * 100));
  put(at + 1, text | digits::kZeros, 8);
  const int zeros = std::countl_zero(text) / 8;  // at the end, those after the millionths included
  return static_cast<std::size_t>(at + 9 - zeros - to);
}

// Numbers that print_short_real() does not decide are printed by std::to_chars: the shortest text
// that reads back as the same number.
template <class T>
std::size_t print_real(const ColumnSchema&, const Byte* value, char* to) {
  const T number = load<T>(value);
  const T size = std::fabs(number);
  char* const end = to + kMaxValueText;
  if (std::isnan(number)) {
    std::memcpy(to, "nan", 3);
    return 3;
  }
  if constexpr (sizeof(T) == 8) {
    const std::size_t length = print_short_real(number, to);
    if (length > 0) return length;
  }
  constexpr T kPlainEnd = sizeof(T) == 8 ? T(1e16) : T(1e7);
  const bool plain = size == 0 || (size >= T(1e-4) && size < kPlainEnd) || std::isinf(number);
  const std::chars_format form = plain ? std::chars_format::fixed : std::chars_format::scientific;
  return static_cast<std::size_t>(std::to_chars(to, end, number, form).ptr - to);
}

/// ValueText::kPointReal: whole numbers without an exponent get ".0".
template <class T>
std::size_t print_point_real(const ColumnSchema& column, const Byte* value, char* to) {
  const std::size_t length = print_real<T>(column, value, to);
  if (!is_whole_text({reinterpret_cast<const Byte*>(to), length})) return length;
  std::memcpy(to + length, ".0", 2);
  return length + 2;
}

/// Prints a day outside of the years 1 to 9999, which the parser refuses.
std::size_t print_far_date(const civil::Date& date, const DatePattern& pattern, char* const to) {
  char* at = to;
  const auto print_year = [&] {
    const std::uint64_t year = print_sign(date.year, at);
    if (year >= 10000) {
      at += digits::print(year, at);
    } else {
      digits::print_padded(year, 4, at);
      at += 4;
    }
  };
  const auto print_two = [&](std::uint32_t number) {
    digits::print_padded(number, 2, at);
    at += 2;
  };
  if (pattern.year == 0) print_year();
  if (pattern.year == 0) *at++ = pattern.mark;
  print_two(pattern.month < pattern.day ? date.month : date.day);
  *at++ = pattern.mark;
  print_two(pattern.month < pattern.day ? date.day : date.month);
  if (pattern.year != 0) *at++ = pattern.mark;
  if (pattern.year != 0) print_year();
  return static_cast<std::size_t>(at - to);
}

/// Prints a day in the places that the pattern gives.
std::size_t print_days(std::int64_t days, const DatePattern& pattern, char* to) {
  const civil::Date date = civil::date_of(days);
  if (days < civil::kFirstDay || days > civil::kLastDay) return print_far_date(date, pattern, to);
  const auto year = static_cast<std::uint32_t>(date.year);
  const std::uint64_t pairs = year / 100 | (year % 100) << 16 | std::uint64_t{date.month} << 32 |
                              std::uint64_t{date.day} << 48;
  const std::uint64_t text = digits::digits_of_pairs(pairs) | digits::kZeros;
  put(to + pattern.year, text, 4);
  put(to + pattern.month, text >> 32, 2);
  put(to + pattern.day, text >> 48, 2);
  to[pattern.mark1] = pattern.mark;
  to[pattern.mark2] = pattern.mark;
  return kDateText;
}

/// A value is days since 1970-01-01.
std::size_t print_date(const ColumnSchema& column, const Byte* value, char* to) {
  return print_days(load<std::int32_t>(value), date_pattern(column.text), to);
}

/// Prints a time of day, such as 23:59:59, from its seconds.
void print_time(std::uint32_t seconds, char* to) {
  const std::uint64_t pairs =
      seconds / 3600 | std::uint64_t{seconds / 60 % 60} << 16 | std::uint64_t{seconds % 60} << 32;
  const std::uint64_t text = digits::digits_of_pairs(pairs) | digits::kZeros;
  put(to,
      (text & 0xFFFF) | std::uint64_t{':'} << 16 | (text >> 16 & 0xFFFF) << 24 |
          std::uint64_t{':'} << 40 | (text >> 32 & 0xFFFF) << 48,
      kTimeText);
}

/// `Digits` is how many digits follow the point, a template argument so that divisors are
/// constants.
template <std::size_t Digits>
std::size_t print_timestamp(const ColumnSchema& column, const Byte* value, char* const to) {
  constexpr auto kUnit = static_cast<std::int64_t>(digits::power(Digits));
  constexpr std::int64_t kDay = 86'400 * kUnit;
  const auto number = load<std::int64_t>(value);
  // Rounded down, also before 1970.
  std::int64_t days = number / kDay;
  std::int64_t rest = number % kDay;
  days -= rest < 0;
  rest += rest < 0 ? kDay : 0;
  char* at = to + print_days(days, kYearFirst, to);
  *at++ = time_letter(column.text);
  print_time(static_cast<std::uint32_t>(rest / kUnit), at);
  at += kTimeText;
  if constexpr (Digits > 0) {
    *at++ = '.';
    digits::print_padded(static_cast<std::uint64_t>(rest % kUnit), Digits, at);
    at += Digits;
  }
  *at = 'Z';
  at += column.text == ValueText::kLetterTimeZ;
  return static_cast<std::size_t>(at - to);
}

/// The unit tells how many digits follow the point.
PrintValue timestamp_printer(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kMilli:
      return print_timestamp<3>;
    case TimeUnit::kMicro:
      return print_timestamp<6>;
    case TimeUnit::kNano:
      return print_timestamp<9>;
    default:
      return print_timestamp<0>;
  }
}

/// Scales above 19, which no int64 needs, go the way of 128 bits.
std::size_t print_wide_decimal64(const ColumnSchema& column, const Byte* value, char* to) {
  const Int128 number = load<std::int64_t>(value);
  Byte bytes[sizeof number];
  store(bytes, number);
  return print_decimal128(column, bytes, to);
}

PrintValue decimal64_printer(Byte scale) {
  if (scale == 0) return print_integer<std::int64_t>;
  if (scale == 2) return print_cents;
  return scale < std::size(digits::kPowers.at) ? print_decimal64 : print_wide_decimal64;
}

}  // namespace

// The printer is chosen once a column.
PrintValue value_printer(const ColumnSchema& column) {
  const bool is_point = column.text == ValueText::kPointReal;
  switch (column.type) {
    case ColumnType::kBool:
      return print_bool;
    case ColumnType::kInt8:
      return print_integer<std::int8_t>;
    case ColumnType::kInt16:
      return print_integer<std::int16_t>;
    case ColumnType::kInt32:
      return print_integer<std::int32_t>;
    case ColumnType::kInt64:
      return print_integer<std::int64_t>;
    case ColumnType::kUint8:
      return print_integer<std::uint8_t>;
    case ColumnType::kUint16:
      return print_integer<std::uint16_t>;
    case ColumnType::kUint32:
      return print_integer<std::uint32_t>;
    case ColumnType::kUint64:
      return print_integer<std::uint64_t>;
    case ColumnType::kFloat:
      return is_point ? print_point_real<float> : print_real<float>;
    case ColumnType::kDouble:
      return is_point ? print_point_real<double> : print_real<double>;
    case ColumnType::kDate32:
      return print_date;
    case ColumnType::kTimestamp:
      return timestamp_printer(column.unit);
    case ColumnType::kDecimal64:
      return decimal64_printer(column.scale);
    case ColumnType::kDecimal128:
      return print_decimal128;
    default:
      return print_nothing;
  }
}

}  // namespace presso
