// SPDX-License-Identifier: MIT
// Implements time_window.h. A time of a flag is a moment, which clocks show in some way, or what
// clocks show, which is some moment: both are worked out by the zone, once.
#include "tools/times/time_window.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iterator>
#include <string_view>

#include "query/compute/time_zone.h"
#include "tools/cli/bind.h"

namespace presso::cli {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDay = 86'400;

/// A time of a flag: a moment, and what clocks show then.
struct Bound {
  std::int64_t moment;
  std::int64_t clock;
};

std::int64_t floor_seconds(std::int64_t nanos) {
  return nanos / kSecond - (nanos % kSecond < 0 ? 1 : 0);
}

/// What a bound begins or ends.
enum class Side { kSince, kUntil };

/// What clocks show at a moment. Where they are set back soon after it, or have just been, the
/// least or the greatest that they show then, so that no line of the wanted moments is left out.
Bound of_moment(std::int64_t nanos, const LocalZone& zone, Side side) {
  constexpr std::int64_t kStep = 900;
  constexpr std::int64_t kSteps = 12;  // three hours
  const std::int64_t seconds = floor_seconds(nanos);
  std::int64_t clock = seconds + zone.offset_at(seconds);
  for (std::int64_t i = 1; i <= kSteps; ++i) {
    // Clocks change at whole quarters of an hour.
    const std::int64_t quarter =
        (seconds - seconds % kStep) + (side == Side::kSince ? i : 1 - i) * kStep;
    const std::int64_t shown = side == Side::kSince ? quarter + zone.offset_at(quarter)
                                                    : quarter + zone.offset_at(quarter - 1);
    clock = side == Side::kSince ? std::min(clock, shown) : std::max(clock, shown);
  }
  return {nanos, clock * kSecond + (nanos - seconds * kSecond)};
}
/// The moment at which clocks show a time: where they do so twice, the first or the last.
Bound of_clock(std::int64_t nanos, const LocalZone& zone, Side side) {
  const std::int64_t seconds = floor_seconds(nanos);
  std::int64_t moment = zone.utc_of(seconds);
  for (const std::int64_t day : {-kDay, kDay}) {
    const std::int64_t other = seconds - zone.offset_at(seconds + day);
    if (other + zone.offset_at(other) != seconds) continue;
    moment = side == Side::kSince ? std::min(moment, other) : std::max(moment, other);
  }
  return {moment * kSecond + (nanos - seconds * kSecond), nanos};
}

/// A text that is a time as a whole, in nanoseconds; and whether it is a moment.
struct ReadTime {
  std::int64_t nanos;
  bool is_moment;
};
std::optional<ReadTime> read_time(const std::string& text) {
  // A mark that stands in no time shows that all of it has been read.
  for (const char* const format :
       {"%Y-%m-%d %H|", "%Y-%m-%d %H:%M|", "%Y-%m-%d %H:%M:%S|", "%Y-%m-%d %H:%M%z|",
        "%Y-%m-%d %H:%M:%S%z|", "%Y-%m-%d %H:%M %z|", "%Y-%m-%d %H:%M:%S %z|", "@%s|"}) {
    const Result<TimeReader> reader = TimeReader::make({0, "", format}, 0);
    if (!reader.ok()) continue;
    const std::string whole = text + '|';
    const auto time =
        reader->time_of(Bytes(reinterpret_cast<const Byte*>(whole.data()), whole.size()));
    if (time) return ReadTime{*time, reader->has_zone()};
  }
  return std::nullopt;
}

Result<Bound> bound_of(Side side, const TimeSettings& settings, std::int64_t now,
                       const LocalZone& zone) {
  const std::string& given = side == Side::kSince ? settings.since : settings.until;
  std::string text = given;
  if (text == "now") return of_moment(now, zone, side);
  if (text.starts_with('-')) {
    if (const auto span = span_seconds(std::string_view(text).substr(1))) {
      return of_moment(now - *span * kSecond, zone, side);
    }
  }
  const std::int64_t clock_now = floor_seconds(now) + zone.offset_at(floor_seconds(now));
  const std::int64_t midnight = clock_now - clock_now % kDay;
  if (text == "today") return of_clock(midnight * kSecond, zone, side);
  if (text == "yesterday") return of_clock((midnight - kDay) * kSecond, zone, side);
  // A time of today.
  if (text.size() >= 4 && text.find(':') < 3) {
    char day[] = "0000-00-00 ";
    const std::time_t time = midnight;
    std::tm shown = {};
    if (gmtime_r(&time, &shown) != nullptr) std::strftime(day, sizeof day, "%Y-%m-%d ", &shown);
    text.insert(0, day);
  }
  if (text.size() > 10 && text[10] == 'T') text[10] = ' ';
  if (text.size() == 10) text += " 00";
  if (const auto time = read_time(text)) {
    return time->is_moment ? of_moment(time->nanos, zone, side) : of_clock(time->nanos, zone, side);
  }
  return make_error(ErrorCode::kInvalidArgument,
                    settings.mark + (side == Side::kSince ? "since: '" : "until: '") + given +
                        "' is no time; times are like '2026-11-28 10:00', 2026-11-28T10:00:00Z, "
                        "10:00, -15m, -2d, today, yesterday, now, @1764324000");
}

}  // namespace

Result<LocalZone> LocalZone::load(const TimeSettings& settings) {
  LocalZone zone;
  if (settings.zone.empty()) return zone;
  auto named = query::TimeZone::load(settings.zone);
  if (!named.ok()) {
    return make_error(ErrorCode::kInvalidArgument, settings.mark + "tz: " + named.error().what);
  }
  zone.named_ = std::move(*named);
  return zone;
}

std::int64_t LocalZone::offset_at(std::int64_t utc) const {
  if (named_) return named_->offset_at(utc);
  const std::time_t time = utc;
  std::tm shown = {};
  return localtime_r(&time, &shown) == nullptr ? 0 : shown.tm_gmtoff;
}

std::int64_t LocalZone::utc_of(std::int64_t local) const {
  if (named_) return named_->utc_of(local);
  const std::int64_t before = offset_at(local - kDay);
  const std::int64_t after = offset_at(local + kDay);
  return offset_at(local - after) == after ? local - after : local - before;
}

std::string clock_text(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm shown = {};
  char text[64] = "";
  if (gmtime_r(&time, &shown) != nullptr)
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &shown);
  return text;
}

std::optional<std::int64_t> span_seconds(std::string_view text) {
  constexpr std::string_view kUnits = "smhdw";
  constexpr std::int64_t kSeconds[] = {1, 60, 3600, kDay, 7 * kDay};
  std::int64_t all = 0;
  while (!text.empty()) {
    std::int64_t number = 0;
    std::size_t digits = 0;
    for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
      if (digits == 9) return std::nullopt;
      number = number * 10 + (text[digits] - '0');
    }
    if (digits == 0 || digits == text.size()) return std::nullopt;
    const std::size_t unit = kUnits.find(text[digits]);
    if (unit == kUnits.npos) return std::nullopt;
    all += number * kSeconds[unit];
    text.remove_prefix(digits + 1);
  }
  return all;
}

std::vector<Flag> time_hint_flags(TimeHint& hint) {
  return {
      {.name = "time-format",
       .value_name = "FORMAT",
       .category = kSelection,
       .brief = "how lines write their time, as strptime() reads it",
       .text =
           "For example '%d.%m.%Y %H:%M:%S'. Known are %Y %y %m %d %e %b %H %I %M %S %T %f %L %p "
           "%a %z %s %? %%; %S takes a fraction, %L is thousandths of a second, %s seconds since "
           "1970 or finer units, %? any character.",
       .apply = [&hint](const Given& given) -> Status {
         const auto reader = TimeReader::make({0, "", given.value}, 0);
         if (!reader.ok()) {
           return make_error(ErrorCode::kInvalidArgument,
                             given.spelled + ": " + reader.error().what);
         }
         hint.format = given.value;
         return {};
       }},
      {.name = "time-field",
       .value_name = "NAME",
       .category = kSelection,
       .brief = "the field that has the time, in JSON lines or key=value pairs",
       .apply = text_into(hint.key)},
  };
}

/// A time, which is read when the command begins. Error: it is empty, as a variable of a shell may
/// be.
Apply time_into(std::string& target) {
  return [&target](const Given& given) -> Status {
    if (given.value.empty()) {
      return make_error(ErrorCode::kInvalidArgument, given.spelled + ": the time is empty");
    }
    target = given.value;
    return {};
  };
}

std::vector<Flag> time_flags(TimeSettings& s) {
  std::vector<Flag> flags = {
      {.name = "since",
       .value_name = "TIME",
       .category = kSelection,
       .brief = "search only lines of this time or later",
       .text =
           "TIME is like '2026-11-28 10:00', 2026-11-28T10:00:00Z, 10:00 (today), 2026-11-28 (its "
           "begin), -15m (before now; s, m, h, d, w), today, yesterday, now or @SECONDS. How lines "
           "tell their time is found out from their beginning. A line without a time belongs to "
           "the line before it.",
       .apply = time_into(s.since)},
      {.name = "until",
       .value_name = "TIME",
       .category = kSelection,
       .brief = "search only lines before this time",
       .apply = time_into(s.until)},
      {.name = "tz",
       .value_name = "ZONE",
       .category = kSelection,
       .brief = "the zone of times without one, as 'Europe/Berlin' or UTC; default: the system's",
       .apply = text_into(s.zone)},
      {.name = "year",
       .value_name = "YEAR",
       .category = kSelection,
       .brief = "the year of the last lines, where lines tell none",
       .text =
           "A line is then of the latest year in which its day is not after the end of YEAR. "
           "Without the flag it is not after the file's last change, or the present for a pipe.",
       .apply = number_into(s.year, 1678, 2261)},
  };
  std::vector<Flag> hints = time_hint_flags(s.hint);
  std::move(hints.begin(), hints.end(), std::back_inserter(flags));
  return flags;
}

Result<TimeWindow> time_window(const TimeSettings& settings) {
  TimeWindow window;
  window.hint = settings.hint;
  PRESSO_ASSIGN(const LocalZone zone, LocalZone::load(settings));
  const std::int64_t now = std::chrono::duration_cast<std::chrono::nanoseconds>(
                               std::chrono::system_clock::now().time_since_epoch())
                               .count();
  window.latest = now;
  if (settings.year) {
    // Lines may be of the day after it.
    const auto last_day = read_time(std::to_string(*settings.year) + "-12-30 00");
    if (last_day) window.latest = last_day->nanos;
    window.latest_is_given = true;
  }
  if (!settings.since.empty()) {
    PRESSO_ASSIGN(const Bound since, bound_of(Side::kSince, settings, now, zone));
    window.moments.since = since.moment;
    window.clocks.since = since.clock;
  }
  if (!settings.until.empty()) {
    PRESSO_ASSIGN(const Bound until, bound_of(Side::kUntil, settings, now, zone));
    window.moments.until = until.moment;
    window.clocks.until = until.clock;
  }
  return window;
}

std::int64_t latest_of(const struct stat& about) {
  // Leaves room for the day by which lines may be later.
  constexpr std::int64_t kMost = TimeWindow::kLast / kSecond - 2 * kDay;
  return std::clamp(std::int64_t{about.st_mtim.tv_sec}, -kMost, kMost) * kSecond;
}

}  // namespace presso::cli
