// SPDX-License-Identifier: MIT
// Scalar functions of dates and timestamps, apart from those of formats (functions_formats.cpp) and
// of intervals (binder_intervals.cpp). Dates and timestamps of several units take part together;
// both are then counted in the finest unit among them. All times are in UTC.
#include <algorithm>
#include <array>

#include "format/ascii.h"
#include "query/compute/functions.h"
#include "query/compute/moments.h"

namespace presso::query::time_functions {
namespace {

using Number = std::int64_t;

// --- parts

/// A part of a date by its SQL names, with the interval of its values.
struct NamedPart {
  std::string_view names;  ///< the first one is a function, too; the others are synonyms
  DatePart part;
  std::int64_t least;  ///< values of the part, both ends included
  std::int64_t most;
};
/// Timestamps in seconds reach about 292 billion years; dates beyond 2^40 days from 1970 fail,
/// which is about 3 billion years.
constexpr std::int64_t kFarYears = 4'000'000'000;
constexpr std::int64_t kMinute = 60'000'000'000;
constexpr NamedPart kParts[] = {
    {"year years yr yrs y", DatePart::kYear, -kFarYears, kFarYears},
    {"quarter quarters", DatePart::kQuarter, 1, 4},
    {"month months mon mons", DatePart::kMonth, 1, 12},
    {"week weeks w weekofyear", DatePart::kWeek, 1, 53},
    {"day days d dayofmonth", DatePart::kDay, 1, 31},
    {"hour hours hr hrs h", DatePart::kHour, 0, 23},
    {"minute minutes min mins m", DatePart::kMinute, 0, 59},
    {"second seconds sec secs s", DatePart::kSecond, 0, 59},
    {"dayofweek dow weekday", DatePart::kDayOfWeek, 0, 6},
    {"dayofyear doy", DatePart::kDayOfYear, 1, 366},
    {"epoch", DatePart::kEpoch, INT64_MIN, INT64_MAX},
    {"isodow", DatePart::kIsoDayOfWeek, 1, 7},
    {"isoyear", DatePart::kIsoYear, -kFarYears, kFarYears},
    {"yearweek", DatePart::kYearWeek, -kFarYears * 100, kFarYears * 100},
    {"decade decades dec decs", DatePart::kDecade, -kFarYears, kFarYears},
    {"century centuries cent c", DatePart::kCentury, -kFarYears, kFarYears},
    {"millennium millennia millenniums mil mils", DatePart::kMillennium, -kFarYears, kFarYears},
    {"era", DatePart::kEra, 0, 1},
    {"millisecond milliseconds ms msec msecs", DatePart::kMillisecond, 0, kMinute},
    {"microsecond microseconds us usec usecs", DatePart::kMicrosecond, 0, kMinute},
    {"nanosecond nanoseconds ns nsec nsecs", DatePart::kNanosecond, 0, kMinute},
    {"epoch_ms", DatePart::kEpochMillis, INT64_MIN, INT64_MAX},
    {"epoch_us", DatePart::kEpochMicros, INT64_MIN, INT64_MAX},
    {"epoch_ns", DatePart::kEpochNanos, INT64_MIN, INT64_MAX},
};
/// Synonyms of parts that are functions, too, if only because EXTRACT calls them.
constexpr std::string_view kMoreFunctions[] = {
    "weekofyear", "dayofmonth", "weekday", "dow",  "doy",   "milliseconds", "microseconds", "years",
    "quarters",   "months",     "weeks",   "days", "hours", "minutes",      "seconds"};

bool has_word(std::string_view words, std::string_view wanted) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == wanted) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

/// Returns nullptr for an unknown name; letters may be in any case.
const NamedPart* find_part(std::string name) {
  name = ascii::lower(name);
  const auto found = std::find_if(std::begin(kParts), std::end(kParts), [&](const NamedPart& part) {
    return has_word(part.names, name);
  });
  return found == std::end(kParts) ? nullptr : found;
}

/// The part that the first argument, a literal, names: it decides what is computed.
Result<const NamedPart*> named_part(const Call& call) {
  const NamedPart* const part = call.is_constant(0) ? find_part(call.at(0).text) : nullptr;
  if (part != nullptr) return part;
  return refused(call.name +
                 "() takes 'year', 'quarter', 'month', 'week', 'day', 'hour', "
                 "'minute', 'second' or another part of a date first");
}

Status check_moment(const Call& call, std::size_t i) {
  const Family family = call.at(i).family;
  if (family == Family::kDate || family == Family::kTime) return {};
  return refused(call.name + "() takes a date or timestamp; this is " +
                 call.build.type_of(call.arguments[i]));
}

/// Argument `i` as a date or timestamp; a string literal is read as one.
Status moment_argument(Call& call, std::size_t i) {
  const Family family = call.at(i).family;  // adding nodes moves them
  if (family == Family::kString && call.is_constant(i)) {
    ColumnSchema type = schema_of(Family::kTime);
    type.unit = TimeUnit::kMicro;
    PRESSO_ASSIGN(call.arguments[i], call.build.cast(call.arguments[i], type));
  }
  if (family == Family::kNull) {
    PRESSO_ASSIGN(call.arguments[i], call.build.cast(call.arguments[i], schema_of(Family::kDate)));
  }
  return check_moment(call, i);
}

/// Adds the step for a part (an integer), or with `truncate` for the beginning of that part, which
/// has the type of `moment`.
Result<NodeId> date_part(Call& call, const NamedPart& part, std::size_t i, bool truncate) {
  const NodeId moment = call.arguments[i];
  if (call.at(i).family == Family::kNull) {
    return call.build.cast(moment, schema_of(truncate ? Family::kDate : Family::kInteger));
  }
  if (const auto interval = interval_of(call.build, moment); interval && !truncate) {
    PRESSO_ASSIGN(const auto of_interval,
                  interval_functions::part_of(call.build, *interval, part.part));
    if (of_interval) return *of_interval;
  }
  PRESSO_TRY(check_moment(call, i));
  if (!truncate) {
    return call.build.step(Step::kDatePart, Family::kInteger, {moment},
                           static_cast<std::int64_t>(part.part),
                           whole_range(part.least, part.most));
  }
  return call.build.step(Step::kTruncate, call.at(i).family, {moment},
                         static_cast<std::int64_t>(part.part));
}

/// date_part('month', x) and date_trunc('month', x).
Result<NodeId> part_by_name(Call& call, bool truncate) {
  PRESSO_ASSIGN(const NamedPart* const part, named_part(call));
  return date_part(call, *part, 1, truncate);
}

// --- differences

constexpr std::int64_t kSecondNanos = 1'000'000'000;

/// How long a part is, in nanoseconds; 0 for parts that are counted by the calendar.
Int128 nanos_of_part(DatePart part) {
  switch (part) {
    case DatePart::kNanosecond:
    case DatePart::kEpochNanos:
      return 1;
    case DatePart::kMicrosecond:
    case DatePart::kEpochMicros:
      return 1'000;
    case DatePart::kMillisecond:
    case DatePart::kEpochMillis:
      return 1'000'000;
    case DatePart::kSecond:
    case DatePart::kEpoch:
      return kSecondNanos;
    case DatePart::kMinute:
      return Int128{60} * kSecondNanos;
    case DatePart::kHour:
      return Int128{3600} * kSecondNanos;
    case DatePart::kDay:
    case DatePart::kDayOfWeek:
    case DatePart::kIsoDayOfWeek:
    case DatePart::kDayOfYear:
      return Int128{kSecondsOfDay} * kSecondNanos;
    case DatePart::kWeek:
    case DatePart::kYearWeek:
      return Int128{7 * kSecondsOfDay} * kSecondNanos;
    default:
      return 0;
  }
}

/// How many months a part has; 0 for parts that are counted otherwise.
std::int64_t months_of_part(DatePart part) {
  switch (part) {
    case DatePart::kMonth:
      return 1;
    case DatePart::kQuarter:
      return 3;
    case DatePart::kYear:
    case DatePart::kIsoYear:
      return 12;
    case DatePart::kDecade:
      return 120;
    case DatePart::kCentury:
      return 1'200;
    case DatePart::kMillennium:
      return 12'000;
    default:
      return 0;
  }
}

std::int64_t month_number(const civil::Date& date) {
  return date.year * 12 + static_cast<std::int64_t>(date.month) - 1;
}

/// The number of the part in which a moment lies, counted from any one.
Int128 number_of_part(DatePart part, const Node& type, const Units& units, std::int64_t value) {
  const std::int64_t days = units.take_apart(value).days;
  if (part == DatePart::kIsoYear) return iso_year_of(days);
  const std::int64_t months = months_of_part(part);
  if (months != 0) return month_number(civil::date_of(days)) / months;
  return floor_divide(value * nanos_in_unit(type), nanos_of_part(part));
}

/// Whole months from the first moment to the second one, which is not before it. The last day of a
/// month completes a month that began on a day which it does not have.
std::int64_t months_between(const Moment& first, const Moment& second) {
  const civil::Date from = civil::date_of(first.days);
  const civil::Date to = civil::date_of(second.days);
  const std::int64_t months = month_number(to) - month_number(from);
  const bool at_end = to.day == civil::days_in_far(to.year, to.month);
  const std::uint32_t day = at_end ? std::min(from.day, to.day) : from.day;
  const bool is_full = to.day > day || (to.day == day && second.in_day >= first.in_day);
  return months - (is_full ? 0 : 1);
}

/// How many parts begin between two moments. Weeks begin at the first moment's day, as in DuckDB.
Int128 beginnings_between(DatePart part, const Node& type, const Units& units, std::int64_t first,
                          std::int64_t second) {
  if (part == DatePart::kWeek || part == DatePart::kYearWeek) {
    return (units.take_apart(second).days - units.take_apart(first).days) / 7;
  }
  return number_of_part(part, type, units, second) - number_of_part(part, type, units, first);
}

/// How often a part is contained whole between two moments.
Int128 parts_between(DatePart part, const Node& type, const Units& units, std::int64_t first,
                     std::int64_t second) {
  const std::int64_t months = months_of_part(part);
  if (months == 0) {
    return (Int128{second} - first) * nanos_in_unit(type) / nanos_of_part(part);
  }
  const Moment a = units.take_apart(first);
  const Moment b = units.take_apart(second);
  return first <= second ? months_between(a, b) / months : -(months_between(b, a) / months);
}

/// date_diff() counts the beginnings of parts between two moments, and with `whole` date_sub()
/// counts whole parts.
template <bool whole>
Number difference(const Row& row, Number first, Number second) {
  const Node& type = *row.context.arguments[0];
  const Units units(type);
  const auto part = static_cast<DatePart>(row.context.node.parameter);
  if (is_far(units, first) || is_far(units, second)) return row.fail(), 0;
  const Int128 count = whole ? parts_between(part, type, units, first, second)
                             : beginnings_between(part, type, units, first, second);
  if (count != static_cast<Number>(count)) row.fail();
  return static_cast<Number>(count);
}
constexpr std::string_view kFarMoments = "a difference of dates or timestamps is too large";
constexpr Kernel kDateDiff{"date_diff", each<difference<false>>, kFarMoments};
constexpr Kernel kDateSub{"date_sub", each<difference<true>>, kFarMoments};

Result<NodeId> bind_difference(Call& call, const Kernel& kernel) {
  PRESSO_ASSIGN(const NamedPart* const part, named_part(call));
  if (nanos_of_part(part->part) == 0 && months_of_part(part->part) == 0) {
    return refused(call.name + "() counts no " + call.at(0).text);
  }
  PRESSO_TRY(moment_argument(call, 1));
  PRESSO_TRY(moment_argument(call, 2));
  std::vector<NodeId> moments = {call.arguments[1], call.arguments[2]};
  PRESSO_TRY(call.build.unify(moments));
  return call.build.call(kernel, schema_of(Family::kInteger), std::move(moments), {},
                         static_cast<std::int64_t>(part->part));
}

// --- names, and moments from numbers

std::string_view day_name(const Row& row, Number value) {
  const std::int64_t days = Units(*row.context.arguments[0]).take_apart(value).days;
  return kDayNames[static_cast<std::size_t>(day_of_week(days))];
}
std::string_view month_name(const Row& row, Number value) {
  const Units units(*row.context.arguments[0]);
  if (is_far(units, value)) return row.fail(), std::string_view();
  return kMonthNames[civil::date_of(units.take_apart(value).days).month - 1];
}
constexpr Kernel kDayName{"dayname", each<day_name>};
constexpr Kernel kMonthName{"monthname", each<month_name>, "a date is too far away"};

/// The number of days, or a failure beyond the 32 bits of a date.
Number stored_date(const Row& row, Int128 days) {
  if (days != static_cast<std::int32_t>(days)) row.fail();
  return static_cast<std::int32_t>(days);
}
Number stored_time(const Row& row, Int128 units) {
  if (units != static_cast<Number>(units)) row.fail();
  return static_cast<Number>(units);
}

Number last_day(const Row& row, Number value) {
  const Units units(*row.context.arguments[0]);
  if (is_far(units, value)) return row.fail(), 0;
  const std::int64_t days = units.take_apart(value).days;
  const civil::Date date = civil::date_of(days);
  return stored_date(row, Int128{days} + civil::days_in_far(date.year, date.month) - date.day);
}
constexpr Kernel kLastDay{"last_day", each<last_day>, "a date is too far away"};

constexpr std::int64_t kMostYear = 5'000'000;  // days of all these years fit into a date

/// Fails for a day that the calendar does not have.
Number make_date(const Row& row, Number year, Number month, Number day) {
  if (year < -kMostYear || year > kMostYear || month < 1 || month > 12 || day < 1 ||
      day > civil::days_in_far(year, static_cast<std::uint32_t>(month))) {
    return row.fail(), 0;
  }
  return stored_date(row, civil::days_of_far(year, static_cast<std::uint32_t>(month),
                                             static_cast<std::uint32_t>(day)));
}
Number date_of_days(const Row& row, Number days) {
  return stored_date(row, days);
}

constexpr std::int64_t kSecondMicros = 1'000'000;

/// In microseconds, to which the seconds are rounded. Sixty seconds and 24:00:00 belong to the next
/// minute and day.
Number make_timestamp(const Row& row, Number year, Number month, Number day, Number hour,
                      Number minute, double second) {
  const Number days = make_date(row, year, month, day);
  const bool exists = hour >= 0 && hour <= 24 && minute >= 0 && minute <= 59 && second >= 0 &&
                      second < 61 && (hour < 24 || (minute == 0 && second == 0));
  if (!exists) return row.fail(), 0;
  const auto micros = static_cast<std::int64_t>(std::round(second * kSecondMicros));
  return stored_time(row, (Int128{days} * 1440 + hour * 60 + minute) * 60 * kSecondMicros + micros);
}
Number time_of_number(const Row& row, Number value) {
  return stored_time(row, Int128{value} * row.context.node.parameter);
}
/// Seconds, rounded to microseconds half to even.
Number to_timestamp(const Row& row, double seconds) {
  const double micros = std::nearbyint(seconds * kSecondMicros);
  if (!(std::fabs(micros) < 0x1p63)) return row.fail(), 0;
  return static_cast<Number>(micros);
}
constexpr std::string_view kNoDate = "there is no such date or time, or it does not fit";
constexpr Kernel kMakeDate{"make_date", each<make_date>, kNoDate};
constexpr Kernel kDateOfDays{"make_date", each<date_of_days>, kNoDate};
constexpr Kernel kMakeTimestamp{"make_timestamp", each<make_timestamp>, kNoDate};
constexpr Kernel kTimeOfNumber{"make_timestamp", each<time_of_number>, kNoDate};
constexpr Kernel kToTimestamp{"to_timestamp", each<to_timestamp>, kNoDate};

ColumnSchema micros_type() {
  ColumnSchema type = schema_of(Family::kTime);
  type.unit = TimeUnit::kMicro;
  return type;
}

/// A function of a date or timestamp that is one kernel.
Function of_moment(const Kernel& kernel, Family result) {
  return {1, 1, [&kernel, result](Call& call) -> Result<NodeId> {
            PRESSO_TRY(moment_argument(call, 0));
            return call.build.call(kernel, schema_of(result), call.arguments);
          }};
}

/// A timestamp of a whole number of units, each of which is `micros` microseconds.
Result<NodeId> time_of_units(Call& call, std::int64_t micros) {
  PRESSO_TRY(convert_arguments(call, "i"));
  return call.build.call(kTimeOfNumber, micros_type(), call.arguments, {}, micros);
}

/// The moment of the query, one for all rows, in UTC.
Result<NodeId> moment_of_query(Call& call) {
  return call.build.timestamp(call.build.moment(), TimeUnit::kMicro);
}
Result<NodeId> day_of_query(Call& call) {
  return call.build.date(floor_divide(call.build.moment(), kSecondsOfDay * kSecondMicros));
}

/// epoch_ms(x): milliseconds of a date or timestamp, or a timestamp of milliseconds.
Result<NodeId> epoch_millis(Call& call) {
  if (call.at(0).family == Family::kInteger) return time_of_units(call, 1'000);
  return date_part(call, *find_part("epoch_ms"), 0, false);
}

Result<NodeId> bind_make_date(Call& call) {
  const bool is_one = call.arguments.size() == 1;
  if (call.arguments.size() == 2) return refused("make_date() takes year, month and day");
  PRESSO_TRY(convert_arguments(call, is_one ? "i" : "iii"));
  return call.build.call(is_one ? kDateOfDays : kMakeDate, schema_of(Family::kDate),
                         call.arguments);
}

Result<NodeId> bind_make_timestamp(Call& call) {
  if (call.arguments.size() == 1) return time_of_units(call, 1);
  if (call.arguments.size() != 6) {
    return refused("make_timestamp() takes year, month, day, hour, minute and second");
  }
  PRESSO_TRY(convert_arguments(call, "iiiiir"));
  return call.build.call(kMakeTimestamp, micros_type(), call.arguments);
}

}  // namespace

void add(Functions& functions) {
  for (const NamedPart& part : kParts) {
    const std::string name(part.names.substr(0, part.names.find(' ')));
    functions[name] = {1, 1, [&part](Call& call) { return date_part(call, part, 0, false); }};
  }
  for (const std::string_view name : kMoreFunctions) {
    const NamedPart& part = *find_part(std::string(name));
    functions[std::string(name)] = {
        1, 1, [&part](Call& call) { return date_part(call, part, 0, false); }};
  }
  functions["epoch_ms"] = {1, 1, epoch_millis};
  functions["date_part"] =
      functions["datepart"] = {2, 2, [](Call& call) { return part_by_name(call, false); }};
  functions["date_trunc"] =
      functions["datetrunc"] = {2, 2, [](Call& call) { return part_by_name(call, true); }};
  functions["date_diff"] =
      functions["datediff"] = {3, 3, [](Call& call) { return bind_difference(call, kDateDiff); }};
  functions["date_sub"] =
      functions["datesub"] = {3, 3, [](Call& call) { return bind_difference(call, kDateSub); }};
  for (const char* name : {"now", "current_timestamp", "transaction_timestamp", "localtimestamp",
                           "current_localtimestamp", "get_current_timestamp"}) {
    functions[name] = {0, 0, moment_of_query};
  }
  functions["today"] = functions["current_date"] = {0, 0, day_of_query};
  functions["dayname"] = of_moment(kDayName, Family::kString);
  functions["monthname"] = of_moment(kMonthName, Family::kString);
  functions["last_day"] = of_moment(kLastDay, Family::kDate);
  functions["make_date"] = {1, 3, bind_make_date};
  functions["make_timestamp"] = {1, 6, bind_make_timestamp};
  functions["make_timestamp_ms"] = {1, 1, [](Call& call) { return time_of_units(call, 1'000); }};
  functions["to_timestamp"] = {1, 1, [](Call& call) -> Result<NodeId> {
                                 PRESSO_TRY(convert_arguments(call, "r"));
                                 return call.build.call(kToTimestamp, micros_type(),
                                                        call.arguments);
                               }};
}

}  // namespace presso::query::time_functions
