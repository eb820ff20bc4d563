// SPDX-License-Identifier: MIT
// Implements time_zone.h.
#include "query/compute/time_zone.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "query/compute/moments.h"

namespace presso::query {
namespace {

/// Reads big-endian numbers from a text; what lies beyond its end is zero.
struct ZoneReader {
  const std::string& bytes;
  std::size_t at = 0;

  std::int64_t number(std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i, ++at) {
      value = value << 8 | (at < bytes.size() ? static_cast<Byte>(bytes[at]) : 0);
    }
    const unsigned unused = 64 - 8 * static_cast<unsigned>(size);
    return static_cast<std::int64_t>(value << unused) >> unused;
  }
};

/// What a block of the file holds; the numbers of its entries.
struct ZoneCounts {
  std::int64_t of_utc, of_standard, leaps, times, types, letters;

  explicit ZoneCounts(ZoneReader& from) {
    from.at += 20;  // magic, version, unused
    for (std::int64_t* count : {&of_utc, &of_standard, &leaps, &times, &types, &letters}) {
      *count = from.number(4);
    }
  }
  bool is_sound(std::size_t bytes) const {
    const auto most = static_cast<std::int64_t>(bytes);
    return times >= 0 && times <= most && types > 0 && types <= 256 && letters >= 0 &&
           letters <= most && leaps >= 0 && leaps <= most && of_utc >= 0 && of_utc <= 256 &&
           of_standard >= 0 && of_standard <= 256;
  }
  std::size_t bytes(std::int64_t of_time) const {
    return static_cast<std::size_t>(times * (of_time + 1) + types * 6 + letters +
                                    leaps * (of_time + 4) + of_standard + of_utc);
  }
};

bool take_whole(std::string_view& text, std::int64_t& number) {
  std::size_t n = 0;
  number = 0;
  for (; n < text.size() && n < 9 && text[n] >= '0' && text[n] <= '9'; ++n) {
    number = number * 10 + (text[n] - '0');
  }
  text.remove_prefix(n);
  return n > 0;
}

/// "3", "-3:30", "+05:45:10", in seconds.
bool take_clock_time(std::string_view& text, std::int64_t& seconds) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::int64_t part = 0;
  if (!take_whole(text, part)) return false;
  seconds = part * 3600;
  for (const std::int64_t unit : {60, 1}) {
    if (!text.starts_with(':')) break;
    text.remove_prefix(1);
    if (!take_whole(text, part)) return false;
    seconds += part * unit;
  }
  if (negative) seconds = -seconds;
  return true;
}

/// "CET" or "<+03>".
bool take_abbreviation(std::string_view& text) {
  if (text.starts_with('<')) {
    const std::size_t end = text.find('>');
    if (end == text.npos) return false;
    text.remove_prefix(end + 1);
    return true;
  }
  std::size_t n = 0;
  while (n < text.size() && std::string_view("+-0123456789,").find(text[n]) == text.npos) ++n;
  text.remove_prefix(n);
  return n > 0;
}

/// Names have letters, digits and a few marks; no part of one begins with a point.
bool is_zone_name(const std::string& name) {
  constexpr std::string_view kMarks = "/_+-";
  return !name.empty() && name[0] != '/' && name.size() < 64 &&
         std::all_of(name.begin(), name.end(), [&](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  kMarks.find(c) != kMarks.npos;
         });
}

}  // namespace

/// The local second of the year's change, since 1970.
std::int64_t TimeZone::Change::in_year(std::int64_t year) const {
  const std::int64_t first = civil::days_of_far(year, 1, 1);
  std::int64_t days = first + day;
  if (kind == 'J') {
    const bool is_leap = civil::days_in_far(year, 2) == 29;
    days = first + day - 1 + (is_leap && day >= 60 ? 1 : 0);
  } else if (kind == 'M') {
    const auto of_year = static_cast<std::uint32_t>(month);
    const std::int64_t begin = civil::days_of_far(year, of_year, 1);
    days = begin + (day - day_of_week(begin) + 7) % 7 + (week - 1) * 7;
    while (days >= begin + civil::days_in_far(year, of_year)) days -= 7;
  }
  return days * kSecondsOfDay + seconds;
}

/// "M3.5.0/3", "J60", "59/2:30"
bool TimeZone::take_change(std::string_view& text, Change& change) {
  if (!text.starts_with(',')) return false;
  text.remove_prefix(1);
  std::int64_t number = 0;
  if (text.starts_with('J') || text.starts_with('M')) {
    change.kind = text[0];
    text.remove_prefix(1);
  }
  if (change.kind == 'M') {
    for (int* part : {&change.month, &change.week}) {
      if (!take_whole(text, number) || !text.starts_with('.')) return false;
      text.remove_prefix(1);
      *part = static_cast<int>(number);
    }
    if (change.month < 1 || change.month > 12 || change.week < 1 || change.week > 5) return false;
  }
  if (!take_whole(text, number) || number > 366) return false;
  change.day = static_cast<int>(number);
  if (!text.starts_with('/')) return true;
  text.remove_prefix(1);
  return take_clock_time(text, change.seconds);
}

/// The rule of POSIX's TZ, whose offsets count westwards: "CET-1CEST,M3.5.0,M10.5.0/3".
std::optional<TimeZone::Rule> TimeZone::parse_rule(std::string_view text) {
  Rule rule;
  if (!take_abbreviation(text) || !take_clock_time(text, rule.standard)) return std::nullopt;
  rule.standard = -rule.standard;
  if (text.empty()) return rule;
  if (!take_abbreviation(text)) return std::nullopt;
  rule.has_summer = true;
  rule.summer = rule.standard + 3600;
  if (!text.starts_with(',')) {
    if (!take_clock_time(text, rule.summer)) return std::nullopt;
    rule.summer = -rule.summer;
  }
  if (!take_change(text, rule.to_summer) || !take_change(text, rule.to_standard)) {
    return std::nullopt;
  }
  return rule;
}

/// The second block, of version 2 and later, has times of 64 bits.
Result<TimeZone> TimeZone::parse(const std::string& bytes) {
  const Error damaged = make_error(ErrorCode::kInvalidArgument, "the zone's file is not TZif 2");
  if (bytes.size() < 88 || !bytes.starts_with("TZif") || bytes[4] < '2') return damaged;
  ZoneReader from{bytes};
  const ZoneCounts old(from);
  if (!old.is_sound(bytes.size())) return damaged;
  from.at += old.bytes(4);
  const ZoneCounts counts(from);
  if (!counts.is_sound(bytes.size()) || from.at + counts.bytes(8) > bytes.size()) return damaged;
  TimeZone zone;
  for (std::int64_t i = 0; i < counts.times; ++i) zone.times_.push_back(from.number(8));
  std::vector<std::int64_t> types;
  for (std::int64_t i = 0; i < counts.times; ++i) types.push_back(from.number(1) & 0xFF);
  std::vector<std::int64_t> offsets;
  for (std::int64_t i = 0; i < counts.types; ++i) {
    offsets.push_back(from.number(4));
    from.at += 2;
  }
  for (const std::int64_t type : types) {
    if (type >= counts.types) return damaged;
    zone.offsets_.push_back(offsets[static_cast<std::size_t>(type)]);
  }
  zone.first_offset_ = offsets[0];
  from.at += static_cast<std::size_t>(counts.letters + counts.leaps * 12 + counts.of_standard +
                                      counts.of_utc);
  const std::size_t begin = from.at + 1;
  const std::size_t end = bytes.find('\n', begin);
  if (end != bytes.npos) {
    zone.rule_ = parse_rule(std::string_view(bytes).substr(begin, end - begin));
  }
  return zone;
}

/// UTC in any letters needs no file.
Result<std::shared_ptr<const TimeZone>> TimeZone::load(const std::string& name) {
  std::string upper = name;
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  if (upper == "UTC" || upper == "GMT" || upper == "Z") {
    return std::shared_ptr<const TimeZone>(new TimeZone());
  }
  const auto missing = [&](const std::string& why) {
    return make_error(ErrorCode::kInvalidArgument, "there is no time zone '" + name + "'" + why);
  };
  if (!is_zone_name(name)) return missing("; they are called like 'Europe/Berlin'");
  const std::string path = "/usr/share/zoneinfo/" + name;
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) {
    return missing(", as " + path + " is no file");
  }
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || bytes.empty()) return missing(", as " + path + " is not there");
  Result<TimeZone> zone = parse(bytes);
  if (!zone.ok()) return missing(": " + zone.error().what);
  return std::shared_ptr<const TimeZone>(new TimeZone(std::move(*zone)));
}

std::int64_t TimeZone::offset_by_rule(std::int64_t utc) const {
  if (!rule_->has_summer) return rule_->standard;
  const std::int64_t local_day = floor_divide(utc + rule_->standard, kSecondsOfDay);
  const std::int64_t year = civil::date_of(local_day).year;
  const std::int64_t begin = rule_->to_summer.in_year(year) - rule_->standard;
  const std::int64_t end = rule_->to_standard.in_year(year) - rule_->summer;
  // South of the equator summer lasts over the end of the year.
  const bool is_summer = begin < end ? utc >= begin && utc < end : utc >= begin || utc < end;
  return is_summer ? rule_->summer : rule_->standard;
}

std::int64_t TimeZone::offset_at(std::int64_t utc) const {
  const auto after = std::upper_bound(times_.begin(), times_.end(), utc);
  if (after == times_.end() && rule_) return offset_by_rule(utc);
  if (after == times_.begin()) return first_offset_;
  return offsets_[static_cast<std::size_t>(after - times_.begin()) - 1];
}

std::int64_t TimeZone::utc_of(std::int64_t local) const {
  const std::int64_t before = offset_at(local - kSecondsOfDay);
  const std::int64_t after = offset_at(local + kSecondsOfDay);
  return offset_at(local - after) == after ? local - after : local - before;
}

}  // namespace presso::query
