// SPDX-License-Identifier: MIT
// Scanners go through a field once, part by part. A spelling is first built from the parts that
// were found, and then printed: only if that gives the text is it taken.
#include "compress/table/text/field_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include "compress/table/text/text_checks.h"
#include "format/ascii.h"
#include "format/civil_date.h"
#include "format/columns/digits.h"
#include "format/columns/spelling.h"
#include "format/columns/value_patterns.h"
#include "format/columns/value_text.h"

namespace presso {
namespace {

constexpr std::size_t kMostText = 64;  ///< longer fields are strings

bool equals_word(Bytes text, std::string_view word) {
  return ascii::same_letters(text_of(text), word);
}

/// Takes a text from front to back.
class Cursor {
 public:
  explicit Cursor(Bytes text) : text_(text) {}

  Byte take_blanks() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return static_cast<Byte>(at_ - begin);
  }
  bool take(char byte) {
    const bool is_next = at_ < text_.size() && text_[at_] == static_cast<Byte>(byte);
    at_ += is_next;
    return is_next;
  }
  char take_any(std::string_view bytes) {
    if (at_ == text_.size() || bytes.find(static_cast<char>(text_[at_])) == bytes.npos) return 0;
    return static_cast<char>(text_[at_++]);
  }
  Bytes take_digits(std::size_t most = kMostText) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && at_ - begin < most && is_digit(text_[at_])) ++at_;
    return text_.subspan(begin, at_ - begin);
  }
  Bytes since(std::size_t begin) const { return text_.subspan(begin, at_ - begin); }
  Bytes rest() const { return text_.subspan(at_); }
  void skip(std::size_t bytes) { at_ += bytes; }
  std::size_t at() const { return at_; }
  bool at_end() const { return at_ == text_.size(); }

 private:
  static bool is_digit(Byte byte) { return byte >= '0' && byte <= '9'; }

  Bytes text_;
  std::size_t at_ = 0;
};

std::uint32_t small_number(Bytes digits) {
  std::uint32_t number = 0;
  for (const Byte digit : digits) number = number * 10 + (digit - '0');
  return number;
}

/// An exponent, if there is one; false where it has no digits.
bool take_exponent(Cursor& cursor, NumberText& number) {
  const std::size_t begin = cursor.at();
  if (cursor.take_any("eE") == 0) return true;
  cursor.take_any("+-");
  if (cursor.take_digits().empty()) return false;
  number.exponent = cursor.since(begin);
  number.has_exponent = true;
  return true;
}

/// Digits before the point, which may stand in groups of three.
bool take_whole(Cursor& cursor, NumberText& number, Commas commas) {
  number.whole = cursor.take_digits();
  const Bytes rest = cursor.rest();
  if (commas != Commas::kGroups || rest.empty() || rest[0] != ',') return true;
  if (number.whole.empty() || number.whole.size() > 3 || number.whole[0] == '0') return false;
  Byte* end = std::copy(number.whole.begin(), number.whole.end(), number.joined);
  while (cursor.take(',')) {
    const Bytes group = cursor.take_digits();
    if (group.size() != 3) return false;
    end = std::copy(group.begin(), group.end(), end);
  }
  number.group = ',';
  number.whole = {number.joined, static_cast<std::size_t>(end - number.joined)};
  return true;
}

bool take_special(Cursor& cursor, NumberText& number) {
  const Bytes rest = cursor.rest();
  for (const std::string_view word : {"infinity", "inf", "nan"}) {
    if (rest.size() < word.size() || !equals_word(rest.first(word.size()), word)) continue;
    cursor.skip(word.size());
    number.whole = rest.first(word.size());
    return number.is_special = true;
  }
  return false;
}

// --- times

/// A year of two digits is one of 1969 to 2068, as POSIX has it.
std::uint32_t full_year(std::uint32_t year) {
  return year + (year < 69 ? 2000 : 1900);
}

/// Three numbers with the same mark between them, one of them a year.
bool take_date(Cursor& cursor, TimeText& time) {
  const Bytes one = cursor.take_digits(5);
  time.mark = cursor.take_any("-/.");
  const Bytes two = cursor.take_digits(3);
  if (time.mark == 0 || !cursor.take(time.mark)) return false;
  const Bytes three = cursor.take_digits(5);
  time.year_last = one.size() <= 2;
  if (!time.year_last && time.mark == '.') return false;  // 2020.3.13 is a version
  const Bytes year = time.year_last ? three : one;
  const Bytes first = time.year_last ? one : two;
  const Bytes second = time.year_last ? two : three;
  const bool short_year = year.size() == 2 && time.mark != '.';
  const auto fits = [](Bytes digits) { return digits.size() == 1 || digits.size() == 2; };
  if (!fits(first) || !fits(second) || !(year.size() == 4 || short_year)) return false;
  time.year = short_year ? full_year(small_number(year)) : small_number(year);
  time.first = small_number(first);
  time.second = small_number(second);
  if (short_year) time.flags |= TimeSpelling::kShortYear;
  // Numbers below 10 with and without a zero in one text are no spelling.
  const auto is_short = [](Bytes digits) { return digits.size() == 1; };
  if (is_short(first) || is_short(second)) time.flags |= TimeSpelling::kNoZeros;
  time.is_even = !(is_short(first) && second[0] == '0') && !(is_short(second) && first[0] == '0');
  // The day stands first where the mark is a point.
  time.month_first = time.mark != '.' && civil::exists(time.year, time.first, time.second);
  time.day_first = time.year_last && civil::exists(time.year, time.second, time.first);
  time.year_first = short_year && one.size() == 2 &&
                    civil::exists(full_year(time.first), time.second, small_number(three));
  return time.month_first || time.day_first;
}

/// AM or PM, of which the hour has to be one of 1 to 12.
bool take_half(Cursor& cursor, std::uint32_t& hour, TimeText& time) {
  const Bytes rest = cursor.rest();
  const std::size_t blank = !rest.empty() && rest[0] == ' ' ? 1 : 0;
  if (rest.size() < blank + 2) return true;
  const Bytes word = rest.subspan(blank, 2);
  const bool morning = equals_word(word, "am");
  if (!morning && !equals_word(word, "pm")) return true;
  cursor.skip(blank + 2);
  if (hour == 0 || hour > 12) return false;
  hour = hour % 12 + (morning ? 0 : 12);
  time.flags |= TimeSpelling::kTwelveHours;
  if (blank != 0) time.flags |= TimeSpelling::kBlankHalf;
  if (word[1] == 'm') time.flags |= TimeSpelling::kLowerHalf;
  return true;
}

bool take_clock(Cursor& cursor, TimeText& time) {
  const Bytes hours = cursor.take_digits(2);
  if (hours.empty() || !cursor.take(':')) return false;
  const Bytes minutes = cursor.take_digits(2);
  Bytes seconds;
  if (cursor.take(':')) seconds = cursor.take_digits(2);
  time.clock = seconds.empty() ? 1 : 2;
  if (minutes.size() != 2 || (time.clock == 2 && seconds.size() != 2)) return false;
  if (time.clock == 2 && cursor.take('.')) {
    const Bytes fraction = cursor.take_digits();
    if (fraction.empty() || fraction.size() > 9) return false;
    time.fraction_digits = static_cast<Byte>(fraction.size());
    time.fraction = small_number(fraction);
  }
  std::uint32_t hour = small_number(hours);
  if (hours.size() == 1) time.flags |= TimeSpelling::kShortHour;
  if (!take_half(cursor, hour, time)) return false;
  if (hour > 23 || small_number(minutes) > 59 || small_number(seconds) > 59) return false;
  time.seconds = hour * 3600 + small_number(minutes) * 60 + small_number(seconds);
  return true;
}

bool take_zone(Cursor& cursor, TimeText& time) {
  const Bytes rest = cursor.rest();
  if (rest.size() > 1 && rest[0] == ' ' && (rest[1] == '+' || rest[1] == '-' || rest[1] == 'Z')) {
    cursor.skip(1);
    time.flags |= TimeSpelling::kBlankZone;
  }
  if (cursor.take('Z')) {
    time.zone = 'Z';
    return true;
  }
  const char sign = cursor.take_any("+-");
  if (sign == 0) return true;
  const Bytes hours = cursor.take_digits(2);
  const bool colon = cursor.take(':');
  const Bytes minutes = cursor.take_digits(2);
  if (hours.size() != 2 || minutes.size() == 1 || (colon && minutes.empty())) return false;
  time.zone = colon ? ':' : minutes.empty() ? '2' : 'h';
  time.offset = static_cast<int>(small_number(hours) * 60 + small_number(minutes));
  if (time.offset > 18 * 60 || small_number(minutes) > 59) return false;
  if (sign == '-') time.offset = -time.offset;
  time.is_even &= sign == '+' || time.offset != 0;  // -00:00 has no spelling
  return true;
}

// --- values

/// The number of digits from the first that is not 0.
std::size_t significant_digits(const NumberText& number) {
  const auto without_zeros = [](Bytes digits) {
    while (!digits.empty() && digits.front() == '0') digits = digits.subspan(1);
    return digits.size();
  };
  const std::size_t whole = without_zeros(number.whole);
  return whole > 0 ? whole + number.part.size() : without_zeros(number.part);
}

/// The digits before and after the point as one number, of at most 19 digits.
std::uint64_t mantissa_of(const NumberText& number) {
  std::uint64_t whole = 0;
  std::uint64_t part = 0;
  if (!number.whole.empty()) digits::parse(number.whole.data(), number.whole.size(), whole);
  if (!number.part.empty()) digits::parse(number.part.data(), number.part.size(), part);
  return whole * digits::power(number.part.size()) + part;
}

/// Whether the digits before the point are as many as the number needs.
bool has_no_extra_zeros(const NumberText& number) {
  return number.whole.size() <= 1 || number.whole[0] != '0';
}

NumberSpelling spelling_of(const NumberText& number) {
  NumberSpelling spelling;
  spelling.before = number.before;
  spelling.after = number.after;
  const auto set = [&](bool is_so, Byte flag) {
    if (is_so) spelling.flags |= flag;
  };
  set(number.plus, NumberSpelling::kPlus);
  set(number.whole.empty(), NumberSpelling::kNoZero);
  set(number.point && number.part.empty(), NumberSpelling::kPoint);
  set(number.comma, NumberSpelling::kComma);
  spelling.group = number.group;
  if (number.has_exponent) {
    const bool sign = number.exponent[1] == '+' || number.exponent[1] == '-';
    set(number.exponent[0] == 'E', NumberSpelling::kUpperE);
    set(number.exponent[1] == '+', NumberSpelling::kPlusExponent);
    spelling.exponent_digits = static_cast<Byte>(number.exponent.size() - (sign ? 2 : 1));
  }
  return spelling;
}

/// Integers and decimals: the plain text, with zeros after the point as the scale asks.
std::string exact_text(const ColumnSchema& column, const NumberText& number) {
  std::string text = plain_number(number);
  if (is_decimal(column.type) && column.scale > number.part.size()) {
    if (text.find('.') == text.npos) text += '.';
    text.append(column.scale - number.part.size(), '0');
  }
  // Neither integers nor decimals have a zero below 0.
  const bool zero = text.find_first_not_of("-0.") == text.npos;
  if (zero && text.front() == '-') text.erase(0, 1);
  return text;
}

/// How a date or time is written, as far as its parts say.
TimeSpelling spelling_of(const TimeText& time, bool month_first) {
  TimeSpelling spelling;
  spelling.order = time.year_last ? (month_first ? 1 : 2) : 0;
  spelling.mark = time.mark;
  spelling.flags = time.flags;
  spelling.clock = time.clock;
  spelling.between = time.between;
  spelling.fraction = time.fraction_digits;
  spelling.zone = time.zone;
  spelling.before = time.before;
  spelling.after = time.after;
  spelling.offset_low = static_cast<Byte>(time.offset & 0xFF);
  spelling.offset_high = static_cast<Byte>(time.offset >> 8 & 0xFF);
  return spelling;
}

/// What the spelling of a column says of commas.
Commas commas_of(std::string_view spelling) {
  const auto number = read_spelling<NumberSpelling>(spelling);
  if (number.kind != kNumberKind) return Commas::kNone;
  if (number.group == ',') return Commas::kGroups;
  return (number.flags & NumberSpelling::kComma) != 0 ? Commas::kPoint : Commas::kNone;
}

}  // namespace

bool scan_number(Bytes text, NumberText& number, Commas commas) {
  if (text.empty() || text.size() > kMostText) return false;
  Cursor cursor(text);
  number.before = cursor.take_blanks();
  const char sign = cursor.take_any("+-");
  number.negative = sign == '-';
  number.plus = sign == '+';
  if (!take_whole(cursor, number, commas)) return false;
  number.comma = commas == Commas::kPoint && cursor.take(',');
  if (number.comma || cursor.take('.')) {
    number.point = true;
    number.part = cursor.take_digits();
  }
  if (number.whole.empty() && number.part.empty()) {
    if (number.point || !take_special(cursor, number)) return false;
  } else if (!take_exponent(cursor, number)) {
    return false;
  }
  number.after = cursor.take_blanks();
  return cursor.at_end();
}

bool scan_time(Bytes text, TimeText& time) {
  if (text.size() < 6 || text.size() > kMostText) return false;
  Cursor cursor(text);
  time.before = cursor.take_blanks();
  if (!take_date(cursor, time)) return false;
  const Bytes rest = cursor.rest();
  const bool letter = !rest.empty() && rest[0] == 'T';
  if (letter || (rest.size() > 1 && rest[0] == ' ' && rest[1] != ' ')) {
    time.between = static_cast<char>(rest[0]);
    time.has_time = true;
    cursor.skip(1);
    if (!take_clock(cursor, time) || !take_zone(cursor, time)) return false;
  }
  time.after = cursor.take_blanks();
  return cursor.at_end();
}

bool is_any_null_word(Bytes text, ColumnType type) {
  constexpr std::string_view kWords[] = {"NA", "N/A", "n/a",  "NULL", "null",     "Null", "None",
                                         "-",  "\\N", "#N/A", "#NA",  "#N/A N/A", "<NA>", "NaT"};
  constexpr std::string_view kNotNumbers[] = {"NaN", "nan", "-NaN", "-nan"};
  const std::string_view word = text_of(text);
  if (word.empty() || word.front() == ' ') return word.find_first_not_of(' ') == word.npos;
  const auto is_in = [&](const auto& words) {
    return std::find(std::begin(words), std::end(words), word) != std::end(words);
  };
  const bool words_or_times = type == ColumnType::kBool || is_date_or_time(type);
  return is_in(kWords) || (words_or_times && is_in(kNotNumbers));
}

std::string plain_number(const NumberText& number) {
  std::string text(number.negative ? "-" : "");
  text += number.whole.empty() ? "0" : text_of(number.whole);
  if (!number.part.empty()) text.append(".").append(text_of(number.part));
  return text.append(text_of(number.exponent));
}

FieldReader::FieldReader(const ColumnSchema& column, const TimeFormat* format)
    : column_(column),
      parse_(value_parser(column)),
      commas_(commas_of(column.spelling)),
      format_(format) {}

bool FieldReader::read(Bytes text, Byte* value) {
  switch (column_.type) {
    case ColumnType::kBool:
      return read_bool(text, value);
    case ColumnType::kDate32:
    case ColumnType::kTimestamp:
      return read_time(text, value);
    case ColumnType::kUtf8:
    case ColumnType::kBinary:
      return false;
    default:
      return read_number(text, value);
  }
}

bool FieldReader::accepts(Bytes text) {
  NumberText number;
  if (column_.type == ColumnType::kDouble && scan_number(text, number, commas_) &&
      !number.has_exponent) {
    return !number.is_code();
  }
  Byte value[16];
  return read(text, value);
}

/// The value has no spelling.
bool FieldReader::spell_usual() {
  spelling_bytes_ = 0;
  return true;
}

/// The text itself must be kept.
bool FieldReader::spell_field() {
  spelling_bytes_ = 1;
  spelling_[0] = kFieldKind;
  return true;
}

/// Takes the spelling if it surely gives the text, or if printing shows that it does.
template <class Spelling>
bool FieldReader::spell(const Spelling& spelling, bool surely, Bytes text, const Byte* value) {
  const std::string_view bytes = presso::spelling_bytes(spelling);
  if (!surely) {
    char printed[kMaxSpelledText];
    const std::size_t size = print_spelled(column_, value, bytes, printed);
    if (std::string_view(printed, size) != text_of(text)) return false;
  }
  spelling_bytes_ = bytes.size();
  std::copy(bytes.begin(), bytes.end(), spelling_);
  return true;
}

bool FieldReader::spell_number(const NumberText& number, std::string_view notations, bool surely,
                               Bytes text, const Byte* value) {
  NumberSpelling tried = spelling_of(number);
  for (const char notation : notations) {
    tried.notation = notation;
    const bool has_digits = notation == 'f' || notation == 'e';
    tried.digits = has_digits ? static_cast<Byte>(number.part.size()) : 0;
    if (spell(tried, surely, text, value)) return true;
  }
  return spell_field();
}

/// A decimal number of at most 15 digits is the shortest text of the double nearest to it, and
/// prints back with its own number of digits; up to 22 powers of ten the quotient is that double
/// (Clinger's fast path, 1990). All others are read by the standard library and printed again.
bool FieldReader::read_double(const NumberText& number, Bytes text, Byte* value) {
  const std::size_t part = number.part.size();
  const bool is_short = significant_digits(number) <= 15 && number.whole.size() + part <= 19;
  const bool last_zero = part > 0 && number.part.back() == '0';
  if (is_short && !number.has_exponent && has_no_extra_zeros(number)) {
    const std::uint64_t mantissa = mantissa_of(number);
    const double size = static_cast<double>(mantissa) / static_cast<double>(digits::power(part));
    store(value, number.negative ? -size : size);
    const bool plain = !number.plus && number.before + number.after == 0 && !number.whole.empty() &&
                       number.point == (part > 0) && number.group == 0 && !number.comma;
    const bool point_form = column_.text == ValueText::kPointReal;
    const bool shortest = point_form ? part > 0 && (!last_zero || part == 1) : !last_zero;
    if (plain && shortest && (size >= 1e-4 || mantissa == 0)) return spell_usual();
    return spell_number(number, part > 0 ? "f" : "g", true, text, value);
  }
  if (parse_(column_, text, value)) return spell_usual();
  const std::string plain = plain_number(number);
  double real = 0;
  const auto read = std::from_chars(plain.data(), plain.data() + plain.size(), real);
  if (read.ec != std::errc{} || read.ptr != plain.data() + plain.size()) return false;
  store(value, real);
  const bool normal = number.has_exponent && is_short && number.whole.size() == 1 &&
                      number.whole[0] != '0' && std::fabs(real) >= 1e-300 &&
                      number.exponent.size() <= 5 && number.exponent.back() != '0';
  if (normal) return spell_number(number, last_zero ? "e" : "s", true, text, value);
  return spell_number(number,
                      number.has_exponent ? "se"
                      : part > 0          ? "fg"
                                          : "g",
                      false, text, value);
}

/// Reads what only a type that the caller has given makes a number of this type, or of any: 007,
/// 3.0 as an integer, 1.50 as a decimal of one digit, any number as a float. The text is kept.
bool FieldReader::convert_number(NumberText& number, Byte* value) {
  if (number.is_special) return false;
  while (number.whole.size() > 1 && number.whole[0] == '0') number.whole = number.whole.subspan(1);
  const bool real = column_.type == ColumnType::kDouble || column_.type == ColumnType::kFloat;
  if (real) {
    const std::string plain = plain_number(number);
    double wide = 0;
    float narrow = 0;
    const bool is_float = column_.type == ColumnType::kFloat;
    const char* const end = plain.data() + plain.size();
    const auto read = is_float ? std::from_chars(plain.data(), end, narrow)
                               : std::from_chars(plain.data(), end, wide);
    if (read.ec != std::errc{} || read.ptr != end) return false;
    is_float ? store(value, narrow) : store(value, wide);
    return spell_field();
  }
  if (number.has_exponent) return false;
  const std::size_t scale = is_decimal(column_.type) ? column_.scale : 0;
  while (number.part.size() > scale && number.part.back() == '0') {
    number.part = number.part.first(number.part.size() - 1);
  }
  return parse_(column_, bytes_of(exact_text(column_, number)), value) && spell_field();
}

bool FieldReader::read_number(Bytes text, Byte* value) {
  NumberText number;
  if (!scan_number(text, number, commas_)) return false;
  if (number.is_code()) return column_.is_given && convert_number(number, value);
  if (column_.type == ColumnType::kDouble) {
    if (!number.is_special) return read_double(number, text, value);
    const bool nan = ascii::lower(static_cast<char>(number.whole[0])) == 'n';
    const double real =
        nan ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
    store(value, number.negative ? -real : real);
    if (text_of(text) == (nan ? "nan" : number.negative ? "-inf" : "inf")) return spell_usual();
    return spell_field();
  }
  if (column_.type == ColumnType::kFloat) {
    if (parse_(column_, text, value)) return spell_usual();
    return column_.is_given && convert_number(number, value);
  }
  if (number.has_exponent || number.is_special) return false;
  const std::string exact = exact_text(column_, number);
  if (!parse_(column_, bytes_of(exact), value)) {
    return column_.is_given && convert_number(number, value);
  }
  if (text_of(text) == exact) return spell_usual();
  return spell_number(number, "i", false, text, value);
}

/// Words in any letter case, of the kind that the column has.
bool FieldReader::read_bool(Bytes text, Byte* value) {
  if (parse_(column_, text, value)) return spell_usual();
  if (text.size() > 5) return false;
  ColumnSchema small = column_;
  small.text = bool_family(column_.text);
  const std::string word = ascii::lower(text_of(text));
  if (parse_value(small, bytes_of(word), value)) return spell_field();
  return column_.is_given && convert_bool(word, value);
}

/// Words of any pair, where the caller has said that they are truth values.
bool FieldReader::convert_bool(std::string_view word, Byte* value) {
  constexpr std::string_view kTrue[] = {"true", "t", "yes", "y", "1"};
  constexpr std::string_view kFalse[] = {"false", "f", "no", "n", "0"};
  const bool is_true = std::find(std::begin(kTrue), std::end(kTrue), word) != std::end(kTrue);
  const bool is_false = std::find(std::begin(kFalse), std::end(kFalse), word) != std::end(kFalse);
  *value = is_true ? 1 : 0;
  return (is_true || is_false) && spell_field();
}

/// Reads by the caller's format. What it gives has a spelling if the numbers stand as in one that
/// is known; a text with names of months is kept.
bool FieldReader::read_by_format(Bytes text, Byte* value) {
  const auto nanos = format_->read(text_of(text));
  if (!nanos) return false;
  const bool date = column_.type == ColumnType::kDate32;
  const __int128 unit = date ? __int128{86'400} * digits::power(9)
                             : __int128{digits::power(9 - 3 * static_cast<int>(column_.unit))};
  if (*nanos % unit != 0) return false;
  const __int128 number = *nanos / unit;
  if (number != static_cast<std::int64_t>(number)) return false;
  const auto whole = static_cast<std::int64_t>(number);
  if (date && whole != static_cast<std::int32_t>(whole)) return false;
  if (date) {
    store(value, static_cast<std::int32_t>(whole));
  } else {
    store(value, whole);
  }
  TimeText time;
  if (!scan_time(text, time)) return spell_field();
  return spell(spelling_of(time, true), false, text, value) ||
         spell(spelling_of(time, false), false, text, value) || spell_field();
}

/// A date whose year is last is read only where the order of day and month is known, apart from
/// 31.12.2024, whose day is first.
bool FieldReader::read_time(Bytes text, Byte* value) {
  if (format_ != nullptr && read_by_format(text, value)) return true;
  if (parse_(column_, text, value)) return spell_usual();
  TimeText time;
  if (!scan_time(text, time)) return false;
  const bool month_first = column_.text == ValueText::kMonthSlashDate;
  const bool day_first =
      column_.text == ValueText::kDaySlashDate || column_.text == ValueText::kDayDotDate;
  if (time.year_last && !month_first && !day_first && time.mark != '.') return false;
  if (time.year_last && !(month_first ? time.month_first : time.day_first)) return false;
  const bool swapped = time.year_last && !month_first;
  const std::int64_t days = civil::days_of(time.year, swapped ? time.second : time.first,
                                           swapped ? time.first : time.second);
  if (column_.type == ColumnType::kDate32) {
    if (time.has_time) return false;
    store(value, static_cast<std::int32_t>(days));
  } else {
    const std::size_t digits = 3 * static_cast<std::size_t>(column_.unit);
    const bool zoned = !column_.zone.empty() || column_.text == ValueText::kLetterTimeZ;
    if (time.fraction_digits > digits || zoned != (time.zone != 0)) return false;
    const std::int64_t seconds = days * 86'400 + time.seconds - std::int64_t{time.offset} * 60;
    const __int128 number = static_cast<__int128>(seconds) * digits::power(digits) +
                            time.fraction * digits::power(digits - time.fraction_digits);
    if (number != static_cast<std::int64_t>(number)) return false;
    store(value, static_cast<std::int64_t>(number));
  }
  return spell(spelling_of(time, month_first), time.is_even, text, value) || spell_field();
}

bool read_value(const ColumnSchema& column, Bytes text, Byte* value, std::string& spelling) {
  FieldReader reader(column);
  const bool read = reader.read(text, value);
  spelling = reader.spelling();
  return read;
}

}  // namespace presso
