// SPDX-License-Identifier: MIT
// Implements presso/line_time.h. A format is a list of items that are read one after another; the
// finder tries each of a list of formats at the beginning of each of a line's first words.
#include "presso/line_time.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

#include "format/civil_date.h"

namespace presso {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDaySeconds = 86'400;
constexpr std::uint8_t kMostWords = 8;    // in front of the times of a form
constexpr unsigned kMostWordsTried = 16;  // where a line has no time at its usual place

/// In the order in which they are preferred where as many lines have them. A zone, or AM and PM,
/// that follow are added.
constexpr const char* kFormats[] = {
    "%Y-%m-%dT%H:%M:%S",     "%Y-%m-%d %H:%M:%S",       "%Y-%m-%d-%H.%M.%S",
    "%Y-%m-%d-%H:%M:%S",     "%Y-%m-%d_%H:%M:%S",       "%Y-%m-%d, %H:%M:%S",
    "%Y/%m/%d %H:%M:%S",     "%Y/%m/%d-%H:%M:%S",       "%Y.%m.%d %H:%M:%S",
    "%Y.%m.%d-%H.%M.%S",     "%d/%b/%Y:%H:%M:%S",       "%d/%b/%Y %H:%M:%S",
    "%d-%b-%Y %H:%M:%S",     "%d %b %Y %H:%M:%S",       "%d. %b %Y %H:%M:%S",
    "%a, %d %b %Y %H:%M:%S", "%a %b %d %H:%M:%S %z %Y", "%a %b %d %H:%M:%S %Y",
    "%a %b %d %Y %H:%M:%S",  "%b %d %H:%M:%S %Y",       "%b %d %Y %H:%M:%S",
    "%b %d, %Y %H:%M:%S",    "%d.%m.%Y %H:%M:%S",       "%d/%m/%Y %H:%M:%S",
    "%m/%d/%Y %H:%M:%S",     "%d/%m/%Y-%H:%M:%S",       "%m/%d/%Y-%H:%M:%S",
    "%d-%m-%Y %H:%M:%S",     "%m-%d-%Y %H:%M:%S",       "%Y%m%dT%H%M%S",
    "%Y%m%d-%H:%M:%S:%L",    "%Y%m%d-%H:%M:%S",         "%Y%m%d %H:%M:%S",
    "%Y%m%d-%H%M%S",         "%Y%m%d %H%M%S",           "%y/%m/%d %H:%M:%S",
    "%d/%m/%y %H:%M:%S",     "%m/%d/%y %H:%M:%S",       "%y-%m-%d %H:%M:%S",
    "%y%m%d %H:%M:%S",       "%y%m%d %H%M%S",           "%b %d %H:%M:%S",
    "%d %b %H:%M:%S",        "%?%m%d %H:%M:%S",         "%m-%d %H:%M:%S",
    "%d/%m %H:%M:%S",        "%m/%d %H:%M:%S",          "%d.%m %H:%M:%S",
    "%m.%d %H:%M:%S",        "%d.%m. %H:%M:%S",         "%s",
};
/// In a line that begins with its severity, as klog writes it.
constexpr std::string_view kKlogFormat = "%?%m%d %H:%M:%S";
constexpr std::string_view kSeverities = "IWEFD";
/// Names that fields with the time have.
constexpr const char* kKeys[] = {
    "@timestamp", "timestamp", "time",      "ts",         "datetime", "date",
    "Timestamp",  "Time",      "eventTime", "event_time", "asctime",  "__REALTIME_TIMESTAMP",
    "@t",         "t",         "created",   "created_at",
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
char lowered(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

bool is_opening(char c) {
  return c == '[' || c == '(' || c == '"' || c == '\'';
}

bool is_number(char specifier) {
  return specifier != 0 && std::strchr("YymdHIMSfLs", specifier) != nullptr;
}

/// A number of `least` to `most` digits.
bool take_number(const char*& at, const char* end, unsigned least, unsigned most,
                 std::int64_t& number) {
  unsigned digits = 0;
  number = 0;
  for (; digits < most && at != end && is_digit(*at); ++at, ++digits) {
    number = number * 10 + (*at - '0');
  }
  return digits >= least;
}

/// Digits after a point, as nanoseconds; those beyond the ninth are passed over.
bool take_fraction(const char*& at, const char* end, std::int64_t& nanos) {
  std::int64_t unit = kSecond / 10;
  nanos = 0;
  const char* const begin = at;
  for (; at != end && is_digit(*at); ++at, unit /= 10) nanos += (*at - '0') * unit;
  return at != begin;
}

/// A name of which the first three letters tell the number; all its letters are taken.
bool take_name(const char*& at, const char* end, std::string_view names, std::int64_t& number) {
  if (end - at < 3) return false;
  const char text[3] = {lowered(at[0]), lowered(at[1]), lowered(at[2])};
  const std::size_t found = names.find(std::string_view(text, 3));
  if (found == names.npos || found % 3 != 0) return false;
  number = static_cast<std::int64_t>(found / 3) + 1;
  for (at += 3; at != end && is_letter(*at); ++at) {
  }
  return true;
}

/// "Z", "UTC", "GMT", "+02:00", "-0700", "+02", in seconds east of UTC.
bool take_zone(const char*& at, const char* end, std::int64_t& offset) {
  offset = 0;
  if (at == end) return false;
  if (*at == 'Z') return ++at, true;
  const std::string_view rest(at, static_cast<std::size_t>(end - at));
  const bool is_named = rest.starts_with("UTC") || rest.starts_with("GMT");
  if (is_named) at += 3;
  if (at == end || (*at != '+' && *at != '-')) return is_named;
  const bool is_west = *at == '-';
  const char* after = at + 1;
  std::int64_t hours = 0;
  std::int64_t minutes = 0;
  if (!take_number(after, end, 2, 2, hours)) return is_named;
  const char* behind = after;
  if (behind != end && *behind == ':') ++behind;
  if (take_number(behind, end, 2, 2, minutes)) after = behind;
  if (hours > 15 || minutes > 59) return false;
  at = after;
  offset = (hours * 60 + minutes) * 60;
  if (is_west) offset = -offset;
  return true;
}

/// What follows a time and belongs to it.
enum class Following { kNothing, kZone, kZoneAfterBlanks, kHalf };
Following following(const char* at, const char* end) {
  const char* const begin = at;
  while (at != end && is_blank(*at)) ++at;
  if (at == end) return Following::kNothing;
  const auto ends_at = [end](const char* after) { return after == end || !is_letter(*after); };
  const char half = lowered(*at);
  if ((half == 'a' || half == 'p') && end - at > 1) {
    const char* const after = at[1] == '.' && end - at > 2 ? at + 2 : at + 1;
    if (lowered(*after) == 'm' && ends_at(after + 1)) return Following::kHalf;
  }
  const bool has_sign = *at == '+' || *at == '-';
  const char* zone = at;
  std::int64_t offset = 0;
  if (!take_zone(zone, end, offset) || !ends_at(zone)) return Following::kNothing;
  // "-15" is a zone right after the time only.
  if (has_sign && (zone - at < 5 && at != begin)) return Following::kNothing;
  if (zone != end && is_digit(*zone)) return Following::kNothing;
  return at == begin ? Following::kZone : Following::kZoneAfterBlanks;
}

/// A number of seconds since 1970 of nine or ten digits, perhaps with a fraction, or of finer units
/// with more digits.
bool take_epoch(const char*& at, const char* end, std::int64_t& nanos) {
  const char* const begin = at;
  std::int64_t number = 0;
  if (!take_number(at, end, 9, 19, number) || number < 0) return false;
  const auto digits = at - begin;
  std::int64_t unit = kSecond;
  for (const int most : {10, 13, 16}) {
    if (digits > most) unit /= 1000;
  }
  // Other numbers are of another kind.
  constexpr std::int64_t kFirst = 631'152'000;  // 1990
  constexpr std::int64_t kEnd = 4'102'444'800;  // 2100
  const std::int64_t seconds = number / (kSecond / unit);
  if (seconds < kFirst || seconds >= kEnd) return false;
  nanos = number * unit;
  std::int64_t fraction = 0;
  if (unit == kSecond && end - at > 1 && *at == '.' && is_digit(at[1])) {
    take_fraction(++at, end, fraction);
    nanos += fraction;
  }
  return true;
}

}  // namespace

Result<TimeReader> TimeReader::make(TimeForm form, std::int64_t latest) {
  TimeReader reader;
  reader.latest_ = latest;
  std::string_view format = form.format;
  // What opens a time is passed over in lines, too.
  while (!format.empty() && is_opening(format[0])) format.remove_prefix(1);
  while (!format.empty() && is_blank(format[0])) format.remove_prefix(1);
  const auto has = [&](std::string_view any_of) {
    return std::any_of(reader.items_.begin(), reader.items_.end(), [&](const Item& item) {
      return item.specifier != 0 && any_of.find(item.specifier) != any_of.npos;
    });
  };
  for (std::size_t i = 0; i < format.size(); ++i) {
    Item item;
    if (is_blank(format[i])) {
      item.literal = ' ';
      if (i > 0 && is_blank(format[i - 1])) continue;
    } else if (format[i] != '%') {
      item.literal = format[i];
    } else if (++i < format.size() && std::strchr("YymdbBaAHIMSfLpzs?", format[i]) != nullptr) {
      item.specifier = format[i] == 'B' ? 'b' : format[i] == 'A' ? 'a' : format[i];
    } else if (i < format.size() && (format[i] == 'e' || format[i] == '%' || format[i] == 'T')) {
      if (format[i] == 'T') {
        for (const char c : {'H', ':', 'M', ':'}) {
          reader.items_.push_back(c == ':' ? Item{.literal = c} : Item{.specifier = c});
        }
      }
      item.specifier = format[i] == 'e' ? 'd' : format[i] == 'T' ? 'S' : '\0';
      item.literal = '%';
    } else {
      const std::string what = i < format.size() ? std::string{'%', format[i]} : "a % at its end";
      return make_error(ErrorCode::kInvalidArgument,
                        "the format '" + form.format + "' has " + what +
                            "; known are %Y %y %m %d %e %b %H %I %M %S %T %f %L %p %a %z %s %? %%");
    }
    if (item.specifier != 0 && !reader.items_.empty() && is_number(item.specifier) &&
        is_number(reader.items_.back().specifier)) {
      reader.items_.back().is_fixed = true;
    }
    reader.items_.push_back(item);
  }
  for (std::size_t i = 0; i + 2 < reader.items_.size(); ++i) {
    if (reader.items_[i].specifier == 'S' && reader.items_[i + 1].specifier == 0) {
      const char after = reader.items_[i + 2].specifier;
      reader.items_[i].is_whole = after == 'f' || after == 'L';
    }
  }
  const bool tells_all = has("s") || (has("d") && has("mb") && has("HI"));
  if (!tells_all) {
    return make_error(ErrorCode::kInvalidArgument,
                      "the format '" + form.format + "' has no month, day and hour");
  }
  reader.has_zone_ = has("zs");
  reader.has_half_ = has("p");
  reader.lacks_year_ = !has("Yys");
  const auto is_hour = [](const Item& item) {
    return item.specifier == 'H' || item.specifier == 'I';
  };
  const auto hour = std::find_if(reader.items_.begin(), reader.items_.end(), is_hour);
  reader.clock_ = static_cast<std::size_t>(hour - reader.items_.begin());
  constexpr std::size_t kSeconds = 4;  // after the hour: the items of "%H:%M:%S"
  reader.has_plain_clock_ = form.format.find("%H:%M:%S") != form.format.npos &&
                            !reader.items_[reader.clock_ + kSeconds].is_whole;
  reader.quoted_key_ = '"' + form.key + '"';
  reader.form_ = std::move(form);
  return reader;
}

bool TimeReader::read_item(const Item& item, const char*& at, const char* end, Parts& parts) const {
  const unsigned least = item.is_fixed ? 2 : 1;
  std::int64_t number = 0;
  switch (item.specifier) {
    case 'Y':
      return take_number(at, end, 4, 4, parts.year);
    case 'y':
      if (!take_number(at, end, 2, 2, parts.year)) return false;
      parts.year += parts.year < 69 ? 2000 : 1900;
      return true;
    case 'm':
      return take_number(at, end, least, 2, parts.month);
    case 'b':
      return take_name(at, end, "janfebmaraprmayjunjulaugsepoctnovdec", parts.month);
    case 'd':
      return take_number(at, end, least, 2, parts.day);
    case 'a':
      return take_name(at, end, "montuewedthufrisatsun", number);
    case 'H':
    case 'I':
      return take_number(at, end, least, 2, parts.hour) && parts.hour < 24;
    case 'M':
      return take_number(at, end, least, 2, parts.minute) && parts.minute < 60;
    case 'S':
      if (!take_number(at, end, least, 2, parts.second) || parts.second > 60) return false;
      if (!item.is_whole && end - at > 1 && (*at == '.' || *at == ',') && is_digit(at[1])) {
        return take_fraction(++at, end, parts.nanos);
      }
      return true;
    case 'f':
      return take_fraction(at, end, parts.nanos);
    case 'L':
      if (!take_number(at, end, 1, 3, number)) return false;
      parts.nanos = number * (kSecond / 1000);
      return true;
    case 'p': {
      // "AM", "a.m."
      if (at == end || (lowered(*at) != 'a' && lowered(*at) != 'p')) return false;
      parts.is_afternoon = lowered(*at) == 'p';
      const bool has_points = ++at != end && *at == '.';
      if (has_points) ++at;
      if (at == end || lowered(*at) != 'm') return false;
      if (++at != end && has_points && *at == '.') ++at;
      return true;
    }
    case 'z':
      return take_zone(at, end, parts.offset);
    case 's':
      return take_epoch(at, end, parts.epoch.emplace());
    case '?':
      return at != end && at++ != end;
    default:
      break;
  }
  if (at == end) return false;
  if (item.literal != ' ') return *at++ == item.literal;
  if (!is_blank(*at)) return false;
  while (at != end && is_blank(*at)) ++at;
  return true;
}

std::optional<std::int64_t> TimeReader::time_of(const Parts& parts) const {
  if (parts.epoch) return parts.epoch;
  std::int64_t hour = parts.hour;
  if (parts.is_afternoon) {
    if (hour < 1 || hour > 12) return std::nullopt;
    hour = hour % 12 + (*parts.is_afternoon ? 12 : 0);
  }
  const std::int64_t in_day = parts.in_day() + (hour - parts.hour) * 3600 * kSecond;
  const auto month = static_cast<std::uint32_t>(parts.month);
  const auto day = static_cast<std::uint32_t>(parts.day);
  const auto in_year = [&](std::int64_t year) -> std::optional<std::int64_t> {
    // Nanoseconds reach from 1677-09-21 to 2262-04-11.
    if (year < 1678 || year > 2261) return std::nullopt;
    const auto whole = static_cast<std::uint32_t>(year);
    if (!civil::exists(whole, month, day)) return std::nullopt;
    return (civil::days_of(whole, month, day) * kDaySeconds - parts.offset) * kSecond + in_day;
  };
  if (!lacks_year_) return in_year(parts.year);
  const std::int64_t day_of_latest = latest_ / kSecond / kDaySeconds;
  const std::int64_t last = civil::date_of(day_of_latest).year + 1;
  // A leap day is at most eight years away.
  for (std::int64_t year = last; year > last - 10; --year) {
    const auto time = in_year(year);
    if (time && *time - in_day <= latest_ + kDaySeconds * kSecond) return time;
  }
  return std::nullopt;
}

bool TimeReader::read_items(std::size_t first, std::size_t last, const char*& at, const char* end,
                            Parts& parts) const {
  for (std::size_t i = first; i < last; ++i) {
    if (!read_item(items_[i], at, end, parts)) return false;
  }
  return true;
}

/// "18:01:47,978" in one step; false where it is not all there.
bool TimeReader::take_clock(const char*& at, const char* end, Parts& parts) {
  if (end - at < 8 || at[2] != ':' || at[5] != ':') return false;
  const auto two = [](const char* from) {
    const unsigned tens = static_cast<unsigned>(from[0] - '0');
    const unsigned ones = static_cast<unsigned>(from[1] - '0');
    return tens < 10 && ones < 10 ? tens * 10 + ones : 100;
  };
  const unsigned hour = two(at);
  const unsigned minute = two(at + 3);
  const unsigned second = two(at + 6);
  if (hour > 23 || minute > 59 || second > 60) return false;
  parts.hour = hour;
  parts.minute = minute;
  parts.second = second;
  at += 8;
  if (end - at > 1 && (*at == '.' || *at == ',') && is_digit(at[1])) {
    take_fraction(++at, end, parts.nanos);
  }
  return true;
}

/// From the hour on.
std::optional<std::int64_t> TimeReader::read_end(const char* at, const char* end, Parts& parts,
                                                 const Memo& memo) const {
  constexpr std::size_t kClockItems = 5;
  const std::size_t first =
      has_plain_clock_ && take_clock(at, end, parts) ? clock_ + kClockItems : clock_;
  if (!read_items(first, items_.size(), at, end, parts)) return std::nullopt;
  const bool is_clock = !has_zone_ && !has_half_;
  if (is_clock && following(at, end) != Following::kNothing) return std::nullopt;
  if (at != end && (is_digit(*at) || is_letter(*at))) return std::nullopt;
  const bool is_same_day = !memo.begin_.empty() && parts.year == memo.parts_.year &&
                           parts.offset == memo.parts_.offset && !parts.is_afternoon;
  return is_same_day ? memo.day_ + parts.in_day() : time_of(parts);
}

/// Behind marks that open a time: "[", "(", a quote, syslog's "<34>".
const char* TimeReader::begin_of(const char* at, const char* end) {
  if (at != end && *at == '<') {
    const char* after = at + 1;
    while (after != end && is_digit(*after)) ++after;
    if (after != end && *after == '>') at = after + 1;
  }
  while (at != end && is_opening(*at)) ++at;
  return at;
}

std::optional<std::int64_t> TimeReader::read(const char* at, const char* end, const char* line,
                                             Memo& memo) const {
  at = begin_of(at, end);
  memo.begin_ = {};
  Parts parts;
  if (!read_items(0, clock_, at, end, parts)) return std::nullopt;
  const char* const clock = at;
  const auto time = read_end(at, end, parts, memo);
  if (time && clock_ < items_.size()) {
    memo.begin_ = {line, static_cast<std::size_t>(clock - line)};
    memo.parts_ = parts;
    memo.day_ = *time - parts.in_day();
  }
  return time;
}

namespace {

/// Where the word begins that has `before` words in front of it; `end` where there is none.
const char* word_begin(const char* at, const char* end, unsigned before) {
  while (at != end && is_blank(*at)) ++at;
  for (unsigned word = 0; word < before; ++word) {
    while (at != end && !is_blank(*at)) ++at;
    while (at != end && is_blank(*at)) ++at;
  }
  return at;
}

/// Behind the string that begins at `at`.
const char* string_end(const char* at, const char* end) {
  for (++at; at != end && *at != '"'; ++at) {
    if (*at == '\\' && at + 1 != end) ++at;
  }
  return at == end ? end : at + 1;
}

/// Where the value of an object's own field begins, the first of that name; `end` if it has none.
/// `at`: its brace.
const char* json_value_begin(const char* at, const char* end, std::string_view quoted) {
  int depth = 0;
  for (; at != end; ++at) {
    if (*at == '{' || *at == '[') ++depth;
    if (*at == '}' || *at == ']') --depth;
    if (*at != '"') continue;
    const char* const after = string_end(at, end);
    const std::string_view text(at, static_cast<std::size_t>(after - at));
    const char* const colon = word_begin(after, end, 0);
    if (depth == 1 && text == quoted && colon != end && *colon == ':') {
      return word_begin(colon + 1, end, 0);
    }
    at = after - 1;
  }
  return end;
}

/// Where the value of a field begins: "key": value in JSON, key=value elsewhere. `end` where there
/// is none.
const char* value_begin(std::string_view line, std::string_view key, std::string_view quoted) {
  const char* const end = line.data() + line.size();
  const char* at = word_begin(line.data(), end, 0);
  if (at != end && *at == '{') return json_value_begin(at, end, quoted);
  while (at != end) {
    const std::string_view rest(at, static_cast<std::size_t>(end - at));
    if (rest.starts_with(key) && rest.size() > key.size() && rest[key.size()] == '=') {
      return at + key.size() + 1;
    }
    while (at != end && !is_blank(*at)) at = *at == '"' ? string_end(at, end) : at + 1;
    at = word_begin(at, end, 0);
  }
  return end;
}

std::string_view text_of(Bytes line) {
  std::string_view text(reinterpret_cast<const char*>(line.data()), line.size());
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::optional<std::int64_t> TimeReader::time_of(Bytes line) const {
  Memo memo;
  return time_of(line, memo);
}

std::optional<std::int64_t> TimeReader::time_of(Bytes line, Memo& memo) const {
  const std::string_view text = text_of(line);
  if (text.empty()) return std::nullopt;
  const char* const end = text.data() + text.size();
  if (!memo.begin_.empty() && text.starts_with(memo.begin_)) {
    Parts parts = memo.parts_;
    parts.nanos = 0;
    // What does not go on as a time may have one elsewhere, as in lines without a memo.
    const auto time = read_end(text.data() + memo.begin_.size(), end, parts, memo);
    if (time) return time;
  }
  if (!form_.key.empty()) {
    const char* const at = value_begin(text, form_.key, quoted_key_);
    return at == end ? std::nullopt : read(at, end, text.data(), memo);
  }
  const char* const usual = word_begin(text.data(), end, form_.words);
  if (const auto time = read(usual, end, text.data(), memo)) return time;
  // The number of words in front may differ; what is indented goes on with the line before.
  if (is_blank(text[0]) || clock_ == items_.size()) return std::nullopt;
  const char* at = text.data();
  for (unsigned words = 0; words < kMostWordsTried && at != end; ++words) {
    if (const auto time = read(at, end, text.data(), memo)) return time;
    at = word_begin(at, end, 1);
  }
  return std::nullopt;
}

/// Counts, for each format and each place, the lines that have a time there.
class TimeFormFinder {
 public:
  TimeFormFinder(Bytes text, const TimeHint& hint) : hint_(hint) {
    std::string_view rest(reinterpret_cast<const char*>(text.data()),
                          std::min(text.size(), kTimeSampleBytes));
    const bool is_cut = rest.size() < text.size();
    std::vector<std::string_view> indented;
    while (!rest.empty() && lines_.size() < kMostLines) {
      const std::size_t end = rest.find('\n');
      if (end == rest.npos && is_cut && !lines_.empty()) break;
      const std::string_view line = rest.substr(0, end);
      // Lines of a trace, which have no time, are indented.
      const bool is_indented = !line.empty() && is_blank(line[0]);
      std::vector<std::string_view>& kind = is_indented ? indented : lines_;
      if (kind.size() < kMostLines && line.find_first_not_of(" \t\r") != line.npos) {
        kind.push_back(line);
      }
      rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
    }
    if (lines_.empty()) lines_ = std::move(indented);
    if (!hint.format.empty()) {
      Result<TimeReader> reader = TimeReader::make({0, "", hint.format}, 0);
      if (reader.ok()) readers_.push_back(std::move(*reader));
      return;
    }
    for (const char* const format : kFormats) {
      readers_.push_back(*TimeReader::make({0, "", format}, 0));
    }
  }

  /// Behind words, or in one of the fields that usually have the time.
  std::optional<TimeForm> find() {
    if (!hint_.key.empty()) {
      count_field(hint_.key);
      return best_;
    }
    const auto is_json = [](std::string_view line) { return line.starts_with('{'); };
    const auto objects = std::count_if(lines_.begin(), lines_.end(), is_json);
    const bool has_words = static_cast<std::size_t>(objects) * 2 <= lines_.size();
    for (std::uint8_t words = 0; has_words && words < kMostWords; ++words) {
      count({words, "", ""}, [words](std::string_view line) {
        return word_begin(line.data(), line.data() + line.size(), words);
      });
    }
    if (best_count_ * 2 < lines_.size()) {
      for (const char* const key : kKeys) count_field(key);
    }
    return best_;
  }

 private:
  static constexpr std::size_t kMostLines = 300;

  void count_field(const std::string& key) {
    const std::string quoted = '"' + key + '"';
    count({0, key, ""}, [&](std::string_view line) { return value_begin(line, key, quoted); });
  }

  /// Lines that have a time of a format, by what follows it, and the latest of these times.
  struct Count {
    std::size_t lines[4] = {};
    std::int64_t latest[4] = {};
  };

  template <class Place>
  void count(TimeForm form, const Place& place) {
    std::vector<Count> counts(readers_.size());
    for (const std::string_view line : lines_) {
      const char* const end = line.data() + line.size();
      const char* const at = place(line);
      if (at == end) continue;
      for (std::size_t i = 0; i < readers_.size(); ++i) count_line(readers_[i], at, end, counts[i]);
    }
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      for (std::size_t after = 0; after < std::size(counts[i].lines); ++after) {
        const std::size_t lines = counts[i].lines[after];
        if (lines <= best_count_) continue;
        const bool is_convincing = lines * lines_of_each(readers_[i]) >= lines_.size();
        if (hint_.format.empty() && (!is_convincing || is_doubtful(i, after, counts))) continue;
        best_count_ = lines;
        form.format = with_following(readers_[i].form().format, static_cast<Following>(after));
        best_ = form;
      }
    }
  }

  void count_line(const TimeReader& reader, const char* at, const char* end, Count& count) const {
    const bool is_klog = hint_.format.empty() && reader.form().format == kKlogFormat;
    if (is_klog && kSeverities.find(*at) == kSeverities.npos) return;
    TimeReader::Parts parts;
    const char* after = reader.begin_of(at, end);
    if (!reader.read_items(0, reader.items_.size(), after, end, parts)) return;
    const bool may_follow = !reader.has_zone_ && !reader.has_half_ && hint_.format.empty();
    const Following follows = may_follow ? following(after, end) : Following::kNothing;
    const bool is_cut = after != end && (is_digit(*after) || is_letter(*after));
    if (follows == Following::kNothing && is_cut) return;
    const auto time = reader.time_of(parts);
    // A year of two digits that is to come is another part of the date.
    const bool is_short = reader.form().format.find("%y") != std::string::npos;
    if (!time || (is_short && *time > now_ + 2 * kDaySeconds * kSecond)) return;
    const auto kind = static_cast<std::size_t>(follows);
    ++count.lines[kind];
    count.latest[kind] = std::max(count.latest[kind], *time);
  }

  static std::string with_following(std::string format, Following following) {
    if (following == Following::kZone) return format + "%z";
    if (following == Following::kZoneAfterBlanks) return format + " %z";
    if (following == Following::kNothing) return format;
    const std::size_t hour = format.find("%H");
    if (hour != format.npos) format[hour + 1] = 'I';
    return format + " %p";
  }

  /// One in this number of lines must have a time of this format. A year is never there by chance,
  /// a number may be anything.
  static std::size_t lines_of_each(const TimeReader& reader) {
    if (!reader.lacks_year() && reader.form().format != "%s") return kMostLines;
    return reader.lacks_year() ? 10 : 2;
  }

  /// Whether the same lines can be read with parts of the date exchanged. Day and month need
  /// evidence; between a year and a day of two digits the later times are right.
  bool is_doubtful(std::size_t format, std::size_t after, const std::vector<Count>& counts) const {
    const std::string text = kFormats[format];
    if (text.starts_with("%m-%d ")) return false;  // as ISO 8601 and Android have them
    if (text.find("%m") == text.npos || text.find("%d") == text.npos) return false;
    for (const auto& [one, other] :
         {std::pair('d', 'm'), std::pair('y', 'm'), std::pair('y', 'd')}) {
      std::string exchanged = text;
      for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i - 1] != '%') continue;
        if (text[i] == one) exchanged[i] = other;
        if (text[i] == other) exchanged[i] = one;
      }
      const auto* const same =
          std::find_if(std::begin(kFormats), std::end(kFormats),
                       [&](const char* known) { return exchanged == known && exchanged != text; });
      if (same == std::end(kFormats)) continue;
      const Count& of_other = counts[static_cast<std::size_t>(same - std::begin(kFormats))];
      if (of_other.lines[after] != counts[format].lines[after]) continue;
      if (one == 'd' || other == 'm' || of_other.latest[after] > counts[format].latest[after]) {
        return true;
      }
    }
    // All three orders of day, month and year.
    if (text.starts_with("%y/%m/%d")) return ties_with("%m/%d/%y", format, after, counts);
    if (text.starts_with("%m/%d/%y")) return ties_with("%y/%m/%d", format, after, counts);
    return false;
  }
  static bool ties_with(std::string_view date, std::size_t format, std::size_t after,
                        const std::vector<Count>& counts) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (!std::string_view(kFormats[i]).starts_with(date)) continue;
      if (counts[i].lines[after] == counts[format].lines[after]) return true;
    }
    return false;
  }

  const TimeHint& hint_;
  std::vector<std::string_view> lines_;
  std::vector<TimeReader> readers_;
  const std::int64_t now_ = std::chrono::duration_cast<std::chrono::nanoseconds>(
                                std::chrono::system_clock::now().time_since_epoch())
                                .count();
  std::size_t best_count_ = 0;
  std::optional<TimeForm> best_;
};

std::optional<TimeForm> find_time_form(Bytes text, const TimeHint& hint) {
  const auto found = TimeFormFinder(text, hint).find();
  if (found || hint.format.empty() || text.empty()) return found;
  return TimeForm{0, hint.key, hint.format};
}

}  // namespace presso
