// SPDX-License-Identifier: MIT
// Text to values (value_text.h). Each parser accepts exactly the one text that value_print.cpp
// writes for a value, and returns false otherwise: the loader then falls back to a string column,
// so that the file's text is kept byte for byte. Fields lie in the middle of other text, so nothing
// outside of `text` is read.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <type_traits>

#include "format/civil_date.h"
#include "format/columns/digits.h"
#include "format/columns/value_patterns.h"

namespace presso {
namespace {

// For strings, of which any text is one.
bool parse_nothing(const ColumnSchema&, Bytes, Byte*) {
  return false;
}

/// Takes the two words of the column's ValueText, which also says their letter case.
bool parse_bool(const ColumnSchema& column, Bytes text, Byte* value) {
  const std::string_view word(reinterpret_cast<const char*>(text.data()), text.size());
  *value = word == bool_word(column.text, true);
  return *value != 0 || word == bool_word(column.text, false);
}

/// Takes '-' off the front.
bool take_sign(Bytes& text) {
  const bool negative = !text.empty() && text[0] == '-';
  text = text.subspan(negative);
  return negative;
}

/// Takes digits without leading zeros; false for other text and for numbers above 64 bits.
bool parse_whole(Bytes text, std::uint64_t& number) {
  if (text.size() - 1 >= 20) return false;  // 0 as well
  if (text[0] == '0' && text.size() > 1) return false;
  return digits::parse(text.data(), text.size(), number);
}

/// Refuses what would not print back: leading zeros, "+" and "-0".
template <class T>
bool parse_integer(const ColumnSchema&, Bytes text, Byte* value) {
  bool negative = false;
  if constexpr (std::is_signed_v<T>) negative = take_sign(text);
  std::uint64_t number = 0;
  if (!parse_whole(text, number)) return false;
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  // Negative: 1 to 2^(bits - 1); 0 wraps around and is too large.
  if (number - negative > kMost) return false;
  store<T>(value, static_cast<T>(negative ? 0 - number : number));
  return true;
}

/// At most eight characters, a point among them: the point is cut out of the register, and one
/// conversion serves both sides of it.
bool parse_short_decimal(Bytes text, std::size_t scale, std::uint64_t& number) {
  // Right-aligned in eight bytes, with the digit 0 in front.
  const std::uint64_t word = digits::word_of(text.data(), text.size());
  const std::uint64_t after_point = ~std::uint64_t{0} << (8 * (8 - scale));
  const std::uint64_t point = word >> (8 * (7 - scale)) & 0xFF;
  const std::uint64_t packed = (word & after_point) | (word << 8 & ~after_point) | '0';
  number = digits::number_of(packed);
  return point == '.' && digits::all_digits(packed);
}

/// As parse_short_decimal(), for longer texts: `text` has at least scale + 2 characters, scale is
/// at least 1. Refuses more than 18 digits.
bool parse_long_decimal(Bytes text, std::size_t scale, std::uint64_t& number) {
  const std::size_t point = text.size() - 1 - scale;
  std::uint64_t whole = 0;
  std::uint64_t part = 0;
  if (point + scale > 18 && !(point == 1 && text[0] == '0')) return false;
  if (scale > 18 || text[point] != '.' || !digits::parse(text.data(), point, whole) ||
      !digits::parse(text.data() + point + 1, scale, part)) {
    return false;
  }
  number = whole * digits::power(scale) + part;
  return true;
}

// "-0.00" has no value of its own and is refused.
bool parse_decimal64(const ColumnSchema& column, Bytes text, Byte* value) {
  const std::size_t scale = column.scale;
  const bool negative = take_sign(text);
  if (text.size() < scale + 2) return false;
  if (text[0] == '0' && text[1] != '.') return false;
  std::uint64_t number = 0;
  const bool parsed = text.size() <= 8 ? parse_short_decimal(text, scale, number)
                                       : parse_long_decimal(text, scale, number);
  if (!parsed || (negative && number == 0)) return false;
  store(value, negative ? 0 - number : number);
  return true;
}

/// Decimals of scale 0: at most 18 digits, as the type promises.
bool parse_whole_decimal64(const ColumnSchema&, Bytes text, Byte* value) {
  const bool negative = take_sign(text);
  std::uint64_t number = 0;
  if (!parse_whole(text, number) || text.size() > 18 || (negative && number == 0)) return false;
  store(value, negative ? 0 - number : number);
  return true;
}

/// Appends up to 38 digits to `number`, 19 at a time.
bool parse_digits128(Bytes text, Uint128& number) {
  while (!text.empty()) {
    const std::size_t n = std::min<std::size_t>(text.size(), 19);
    std::uint64_t piece = 0;
    if (!digits::parse(text.data(), n, piece)) return false;
    number = number * digits::power(n) + piece;
    text = text.subspan(n);
  }
  return true;
}

/// At most 38 digits, of which a single 0 before the point is not counted.
bool parse_decimal128(const ColumnSchema& column, Bytes text, Byte* value) {
  const std::size_t scale = std::min(column.scale, kMaxScale);
  const std::size_t after = scale > 0 ? scale + 1 : 0;
  const bool negative = take_sign(text);
  if (text.size() < after + 1) return false;
  const std::size_t whole = text.size() - after;
  if (text[0] == '0' && whole > 1) return false;
  if (whole + scale > 38 && !(whole == 1 && text[0] == '0')) return false;
  Uint128 number = 0;
  if (!parse_digits128(text.first(whole), number)) return false;
  if (scale > 0 && (text[whole] != '.' || !parse_digits128(text.last(scale), number))) return false;
  if (negative && number == 0) return false;
  store(value, negative ? 0 - number : number);
  return true;
}

/// Plain numbers of at most 15 digits, without zeros at the end of the fraction. No two of them
/// are the same double, so each is its double's shortest form; and the quotient of two numbers
/// that doubles hold exactly is the double nearest to it (Clinger's fast path, 1990). False for
/// texts that this does not decide.
bool parse_short_real(Bytes text, double& number) {
  const bool negative = take_sign(text);
  const std::size_t size = text.size();
  if (size - 1 >= 17) return false;
  const void* const found = std::memchr(text.data(), '.', size);
  const auto* const point = found == nullptr ? text.data() + size : static_cast<const Byte*>(found);
  const auto whole = static_cast<std::size_t>(point - text.data());
  const std::size_t scale = found == nullptr ? 0 : size - whole - 1;
  if (found != nullptr && (scale == 0 || text[size - 1] == '0')) return false;
  // Fifteen digits are exact in a double, leading zeros of the fraction not counted.
  if (whole == 0 || whole > 15 || (text[0] == '0' ? whole > 1 : whole + scale > 15)) return false;
  std::uint64_t digits = 0;
  std::uint64_t part = 0;
  if (scale > 15 || !digits::parse(text.data(), whole, digits)) return false;
  if (scale > 0 && !digits::parse(point + 1, scale, part)) return false;
  digits = digits * digits::power(scale) + part;
  // Below 1e-4 the form has an exponent.
  if (digits * 10'000 < digits::power(scale) && digits != 0) return false;
  number = static_cast<double>(digits) / static_cast<double>(digits::power(scale));
  if (negative) number = -number;
  return true;
}

/// What parse_short_real() does not decide is read by the standard library and printed again, which
/// must give the text: 40 to 60 ns.
template <class T>
bool parse_real(const ColumnSchema& column, Bytes text, Byte* value) {
  if (text.empty() || text.size() > kMaxValueText) return false;
  const char* const begin = reinterpret_cast<const char*>(text.data());
  T number = 0;
  if constexpr (sizeof(T) == 8) {
    if (parse_short_real(text, number)) {
      store(value, number);
      return true;
    }
  }
  const std::from_chars_result read = std::from_chars(begin, begin + text.size(), number);
  if (read.ec != std::errc{} || read.ptr != begin + text.size()) return false;
  store(value, number);
  char printed[kMaxValueText];
  return value_printer(column)(column, value, printed) == text.size() &&
         std::memcmp(printed, begin, text.size()) == 0;
}

/// Like parse_real(), for columns whose whole numbers end in ".0".
template <class T>
bool parse_point_real(const ColumnSchema& column, Bytes text, Byte* value) {
  ColumnSchema plain = column;
  plain.text = ValueText::kPlain;
  const bool ends_in_zero = text.size() > 2 && text[text.size() - 2] == '.' && text.back() == '0';
  if (!ends_in_zero) return !is_whole_text(text) && parse_real<T>(plain, text, value);
  const Bytes whole = text.first(text.size() - 2);
  return is_whole_text(whole) && parse_real<T>(plain, whole, value);
}

/// Takes ten characters in the pattern; false where they are no day of the years 1 to 9999.
bool parse_days(const Byte* text, const DatePattern& pattern, std::int32_t& days) {
  const std::uint64_t word = load<std::uint32_t>(text + pattern.year) |
                             std::uint64_t{load<std::uint16_t>(text + pattern.month)} << 32 |
                             std::uint64_t{load<std::uint16_t>(text + pattern.day)} << 48;
  const std::uint64_t pairs = digits::pairs_of(word);
  const auto year = static_cast<std::uint32_t>(pairs % 256 * 100 + (pairs >> 16) % 256);
  const auto month = static_cast<std::uint32_t>((pairs >> 32) % 256);
  const auto day = static_cast<std::uint32_t>(pairs >> 48);
  const bool marks = text[pattern.mark1] == pattern.mark && text[pattern.mark2] == pattern.mark;
  if (!marks || !digits::all_digits(word) || !civil::exists(year, month, day)) return false;
  days = civil::days_of(year, month, day);
  return true;
}

/// A date in the pattern of the column's ValueText.
bool parse_date(const ColumnSchema& column, Bytes text, Byte* value) {
  std::int32_t days = 0;
  if (text.size() != kDateText || !parse_days(text.data(), date_pattern(column.text), days)) {
    return false;
  }
  store(value, days);
  return true;
}

/// Takes eight characters such as 23:59:59; leap seconds are refused.
bool parse_time(const Byte* text, std::uint32_t& seconds) {
  const auto word = load<std::uint64_t>(text);
  const std::uint64_t text_digits = (word & 0xFFFF) | (word >> 24 & 0xFFFF) << 16 |
                                    (word >> 48) << 32 | std::uint64_t{0x3030} << 48;
  const std::uint64_t pairs = digits::pairs_of(text_digits);
  const auto hour = static_cast<std::uint32_t>(pairs % 256);
  const auto minute = static_cast<std::uint32_t>((pairs >> 16) % 256);
  const auto second = static_cast<std::uint32_t>((pairs >> 32) % 256);
  seconds = hour * 3600 + minute * 60 + second;
  return digits::all_digits(text_digits) && text[2] == ':' && text[5] == ':' && hour < 24 &&
         minute < 60 && second < 60;
}

/// `Digits` is how many digits follow the point, which the unit says; all of them must be there.
template <std::size_t Digits>
bool parse_timestamp(const ColumnSchema& column, Bytes text, Byte* value) {
  constexpr std::size_t kPointAt = kDateText + 1 + kTimeText;
  constexpr std::size_t kLength = kPointAt + (Digits > 0 ? 1 + Digits : 0);
  const bool zulu = column.text == ValueText::kLetterTimeZ;
  if (text.size() != kLength + zulu || (zulu && text[kLength] != 'Z')) return false;
  std::int32_t days = 0;
  std::uint32_t seconds = 0;
  std::uint64_t part = 0;
  if (text[kDateText] != time_letter(column.text) || !parse_days(text.data(), kYearFirst, days) ||
      !parse_time(text.data() + kDateText + 1, seconds)) {
    return false;
  }
  if constexpr (Digits > 0) {
    if (text[kPointAt] != '.' || !digits::parse(&text[kPointAt + 1], Digits, part)) return false;
  }
  // Nanoseconds of far years do not fit into 64 bits and are refused.
  const std::int64_t whole = std::int64_t{days} * 86'400 + seconds;
  const Int128 number = Int128{whole} * digits::power(Digits) + part;
  store(value, static_cast<std::int64_t>(number));
  return number == static_cast<std::int64_t>(number);
}

/// The number of digits after the point is fixed by the unit.
ParseValue timestamp_parser(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kMilli:
      return parse_timestamp<3>;
    case TimeUnit::kMicro:
      return parse_timestamp<6>;
    case TimeUnit::kNano:
      return parse_timestamp<9>;
    default:
      return parse_timestamp<0>;
  }
}

}  // namespace

// The parser is chosen once a column.
ParseValue value_parser(const ColumnSchema& column) {
  const bool is_point = column.text == ValueText::kPointReal;
  switch (column.type) {
    case ColumnType::kBool:
      return parse_bool;
    case ColumnType::kInt8:
      return parse_integer<std::int8_t>;
    case ColumnType::kInt16:
      return parse_integer<std::int16_t>;
    case ColumnType::kInt32:
      return parse_integer<std::int32_t>;
    case ColumnType::kInt64:
      return parse_integer<std::int64_t>;
    case ColumnType::kUint8:
      return parse_integer<std::uint8_t>;
    case ColumnType::kUint16:
      return parse_integer<std::uint16_t>;
    case ColumnType::kUint32:
      return parse_integer<std::uint32_t>;
    case ColumnType::kUint64:
      return parse_integer<std::uint64_t>;
    case ColumnType::kFloat:
      return is_point ? parse_point_real<float> : parse_real<float>;
    case ColumnType::kDouble:
      return is_point ? parse_point_real<double> : parse_real<double>;
    case ColumnType::kDate32:
      return parse_date;
    case ColumnType::kTimestamp:
      return timestamp_parser(column.unit);
    case ColumnType::kDecimal64:
      return column.scale == 0 ? parse_whole_decimal64 : parse_decimal64;
    case ColumnType::kDecimal128:
      return parse_decimal128;
    default:
      return parse_nothing;
  }
}

}  // namespace presso
