// SPDX-License-Identifier: MIT
// Implements presso/line_time.h. A format is a list of items that are read one after another; the
// finder tries each of a list of formats at the beginning of each of a line's first words.
#include "presso/line_time.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "format/civil_date.h"

namespace presso {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDaySeconds = 86'400;
constexpr std::uint8_t kMostWords = 8;

/// In the order in which they are preferred where as many lines have them.
constexpr const char* kFormats[] = {
    "%Y-%m-%dT%H:%M:%S%z",     "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%d %H:%M:%S%z",     "%Y-%m-%d %H:%M:%S %z",
    "%Y-%m-%d %H:%M:%S",       "%Y-%m-%d-%H.%M.%S",
    "%Y-%m-%d-%H:%M:%S",       "%Y-%m-%d_%H:%M:%S",
    "%Y-%m-%d, %H:%M:%S",      "%Y/%m/%d %H:%M:%S %z",
    "%Y/%m/%d %H:%M:%S",       "%Y/%m/%d-%H:%M:%S",
    "%Y.%m.%d %H:%M:%S",       "%Y.%m.%d-%H.%M.%S",
    "%d/%b/%Y:%H:%M:%S %z",    "%d/%b/%Y:%H:%M:%S",
    "%d/%b/%Y %H:%M:%S",       "%d-%b-%Y %H:%M:%S",
    "%d %b %Y %H:%M:%S",       "%a, %d %b %Y %H:%M:%S %z",
    "%a %b %d %H:%M:%S %z %Y", "%a %b %d %H:%M:%S %Y",
    "%b %d %H:%M:%S %Y",       "%b %d %Y %H:%M:%S",
    "%b %d, %Y %I:%M:%S %p",   "%b %d, %Y %H:%M:%S",
    "%d.%m.%Y %H:%M:%S",       "%d/%m/%Y %I:%M:%S %p",
    "%m/%d/%Y %I:%M:%S %p",    "%d/%m/%Y %H:%M:%S",
    "%m/%d/%Y %H:%M:%S",       "%d-%m-%Y %H:%M:%S",
    "%m-%d-%Y %H:%M:%S",       "%Y%m%dT%H%M%S%z",
    "%Y%m%dT%H%M%S",           "%Y%m%d-%H:%M:%S:%L",
    "%Y%m%d-%H:%M:%S",         "%Y%m%d %H:%M:%S",
    "%Y%m%d %H%M%S",           "%y/%m/%d %H:%M:%S",
    "%y-%m-%d %H:%M:%S",       "%y%m%d %H:%M:%S",
    "%y%m%d %H%M%S",           "%b %d %H:%M:%S",
    "%?%m%d %H:%M:%S",         "%m-%d %H:%M:%S",
    "%d/%m %H:%M:%S",          "%m/%d %H:%M:%S",
    "%d.%m %H:%M:%S",          "%m.%d %H:%M:%S",
    "%d.%m. %H:%M:%S",         "%s",
};
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
  if (rest.starts_with("UTC") || rest.starts_with("GMT")) return at += 3, true;
  if (*at != '+' && *at != '-') return false;
  const bool is_west = *at == '-';
  const char* after = at + 1;
  std::int64_t hours = 0;
  std::int64_t minutes = 0;
  if (!take_number(after, end, 2, 2, hours)) return false;
  const char* behind = after;
  if (behind != end && *behind == ':') ++behind;
  if (take_number(behind, end, 2, 2, minutes)) after = behind;
  if (hours > 15 || minutes > 59) return false;
  at = after;
  offset = (hours * 60 + minutes) * 60;
  if (is_west) offset = -offset;
  return true;
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
  if (number > INT64_MAX / unit) return false;
  nanos = number * unit;
  std::int64_t fraction = 0;
  if (unit == kSecond && end - at > 1 && *at == '.' && is_digit(at[1])) {
    take_fraction(++at, end, fraction);
    if (nanos > INT64_MAX - fraction) return false;
    nanos += fraction;
  }
  return true;
}

}  // namespace

Result<TimeReader> TimeReader::make(TimeForm form, std::int64_t latest) {
  TimeReader reader;
  reader.latest_ = latest;
  std::string_view format = form.format;
  const auto has = [&](std::string_view any_of) {
    return std::any_of(reader.items_.begin(), reader.items_.end(), [&](const Item& item) {
      return item.specifier != 0 && any_of.find(item.specifier) != any_of.npos;
    });
  };
  for (std::size_t i = 0; i < format.size(); ++i) {
    Item item;
    if (format[i] != '%') {
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
  const bool tells_all = has("s") || (has("d") && has("mb") && has("HI"));
  if (!tells_all) {
    return make_error(ErrorCode::kInvalidArgument,
                      "the format '" + form.format + "' has no month, day and hour");
  }
  reader.has_zone_ = has("zs");
  reader.lacks_year_ = !has("Yys");
  const auto is_hour = [](const Item& item) {
    return item.specifier == 'H' || item.specifier == 'I';
  };
  const auto hour = std::find_if(reader.items_.begin(), reader.items_.end(), is_hour);
  reader.clock_ = static_cast<std::size_t>(hour - reader.items_.begin());
  reader.has_plain_clock_ = form.format.find("%H:%M:%S") != form.format.npos;
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
      if (end - at > 1 && (*at == '.' || *at == ',') && is_digit(at[1])) {
        return take_fraction(++at, end, parts.nanos);
      }
      return true;
    case 'f':
      return take_fraction(at, end, parts.nanos);
    case 'L':
      if (!take_number(at, end, 1, 3, number)) return false;
      parts.nanos = number * (kSecond / 1000);
      return true;
    case 'p':
      if (end - at < 2 || lowered(at[1]) != 'm') return false;
      if (lowered(*at) != 'a' && lowered(*at) != 'p') return false;
      parts.is_afternoon = lowered(*at) == 'p';
      at += 2;
      return true;
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
  if (at != end && (is_digit(*at) || is_letter(*at))) return std::nullopt;
  const bool is_same_day = !memo.begin_.empty() && parts.year == memo.parts_.year &&
                           parts.offset == memo.parts_.offset && !parts.is_afternoon;
  return is_same_day ? memo.day_ + parts.in_day() : time_of(parts);
}

/// The time at `at`, behind marks that open it: "[", "(", a quote, syslog's "<34>".
std::optional<std::int64_t> TimeReader::read(const char* at, const char* end, const char* line,
                                             Memo& memo) const {
  if (at != end && *at == '<') {
    const char* after = at + 1;
    while (after != end && is_digit(*after)) ++after;
    if (after != end && *after == '>') at = after + 1;
  }
  while (at != end && (*at == '[' || *at == '(' || *at == '"' || *at == '\'')) ++at;
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

/// Where the value of a field begins: "key": value in JSON, key=value elsewhere. `end` where there
/// is none.
const char* value_begin(std::string_view line, std::string_view key, std::string_view quoted) {
  const char* const end = line.data() + line.size();
  const bool is_json = *word_begin(line.data(), end, 0) == '{';
  const std::string_view name = is_json ? quoted : key;
  for (std::size_t at = line.find(name); at != line.npos; at = line.find(name, at + 1)) {
    const char before = at == 0 ? ' ' : line[at - 1];
    const char* after = line.data() + at + name.size();
    if (is_json) after = word_begin(after, end, 0);
    if (after == end || *after != (is_json ? ':' : '=')) continue;
    if (is_json ? before == '\\' : !is_blank(before)) continue;
    return word_begin(after + 1, end, 0);
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
    return read_end(text.data() + memo.begin_.size(), end, parts, memo);
  }
  const char* const at = form_.key.empty() ? word_begin(text.data(), end, form_.words)
                                           : value_begin(text, form_.key, quoted_key_);
  if (at == end) return std::nullopt;
  return read(at, end, text.data(), memo);
}

/// Counts, for each format and each place, the lines that have a time there.
class TimeFormFinder {
 public:
  TimeFormFinder(Bytes text, const TimeHint& hint) : hint_(hint) {
    std::string_view rest(reinterpret_cast<const char*>(text.data()),
                          std::min(text.size(), kTimeSampleBytes));
    const bool is_cut = rest.size() < text.size();
    while (!rest.empty() && lines_.size() < kMostLines) {
      const std::size_t end = rest.find('\n');
      if (end == rest.npos && is_cut && !lines_.empty()) break;
      const std::string_view line = rest.substr(0, end);
      if (line.find_first_not_of(" \t\r") != line.npos) lines_.push_back(line);
      rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
    }
    // Lines of a trace, which have no time, are indented.
    const auto is_indented = [](std::string_view line) { return is_blank(line[0]); };
    if (!std::all_of(lines_.begin(), lines_.end(), is_indented)) std::erase_if(lines_, is_indented);
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

  template <class Place>
  void count(TimeForm form, const Place& place) {
    std::vector<std::size_t> counts(readers_.size());
    TimeReader::Memo memo;
    for (const std::string_view line : lines_) {
      const char* const end = line.data() + line.size();
      const char* const at = place(line);
      if (at == end) continue;
      for (std::size_t i = 0; i < readers_.size(); ++i) {
        counts[i] += readers_[i].read(at, end, at, memo).has_value() ? 1u : 0u;
      }
    }
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      if (counts[i] <= best_count_) continue;
      const bool is_convincing = counts[i] * lines_of_each(readers_[i]) >= lines_.size();
      if (hint_.format.empty() && (!is_convincing || is_doubtful(i, counts))) continue;
      best_count_ = counts[i];
      form.format = readers_[i].form().format;
      best_ = form;
    }
  }

  /// One in this number of lines must have a time of this format. A year is never there by chance,
  /// a number may be anything.
  static std::size_t lines_of_each(const TimeReader& reader) {
    if (!reader.lacks_year() && reader.form().format != "%s") return kMostLines;
    return reader.lacks_year() ? 10 : 2;
  }

  /// Whether the same lines can be read with day and month exchanged.
  static bool is_doubtful(std::size_t format, const std::vector<std::size_t>& counts) {
    std::string other = kFormats[format];
    if (other.starts_with("%m-%d ")) return false;  // as ISO 8601 and Android have them
    const std::size_t day = other.find("%d");
    const std::size_t month = other.find("%m");
    if (day == other.npos || month == other.npos || day + month > 6) return false;
    std::swap(other[day + 1], other[month + 1]);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (other == kFormats[i]) return counts[i] == counts[format];
    }
    return false;
  }

  const TimeHint& hint_;
  std::vector<std::string_view> lines_;
  std::vector<TimeReader> readers_;
  std::size_t best_count_ = 0;
  std::optional<TimeForm> best_;
};

std::optional<TimeForm> find_time_form(Bytes text, const TimeHint& hint) {
  return TimeFormFinder(text, hint).find();
}

}  // namespace presso
