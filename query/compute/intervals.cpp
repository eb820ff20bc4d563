// SPDX-License-Identifier: MIT
// Implements intervals.h, and the scalar functions of intervals.
#include "query/compute/intervals.h"

#include <algorithm>
#include <limits>

#include "format/ascii.h"
#include "query/compute/functions.h"
#include "query/compute/moments.h"

namespace presso::query {
namespace {

constexpr std::int64_t kMicrosOfSecond = 1'000'000;
constexpr std::int64_t kMicrosOfDay = kSecondsOfDay * kMicrosOfSecond;

/// A unit of an interval: which part it is, and how much of it.
struct IntervalUnit {
  std::string_view names;
  std::int64_t months;
  std::int64_t days;
  std::int64_t micros;
};
constexpr IntervalUnit kIntervalUnits[] = {
    {"millennium millennia millenniums", 12000, 0, 0},
    {"century centuries", 1200, 0, 0},
    {"decade decades", 120, 0, 0},
    {"year years yr yrs y", 12, 0, 0},
    {"quarter quarters", 3, 0, 0},
    {"month months mon mons", 1, 0, 0},
    {"week weeks w", 0, 7, 0},
    {"day days d", 0, 1, 0},
    {"hour hours hr hrs h", 0, 0, 3600 * kMicrosOfSecond},
    {"minute minutes min mins m", 0, 0, 60 * kMicrosOfSecond},
    {"second seconds sec secs s", 0, 0, kMicrosOfSecond},
    {"millisecond milliseconds ms msec msecs", 0, 0, 1000},
    {"microsecond microseconds us usec usecs", 0, 0, 1},
};

const IntervalUnit* unit_called(std::string_view word) {
  std::string wanted = " ";
  wanted.append(ascii::lower(word)).append(" ");
  for (const IntervalUnit& unit : kIntervalUnits) {
    std::string names = " ";
    names.append(unit.names).append(" ");
    if (names.find(wanted) != std::string::npos) return &unit;
  }
  return nullptr;
}

std::string_view take_word(std::string_view& text) {
  while (!text.empty() && text[0] == ' ') text.remove_prefix(1);
  std::size_t end = 0;
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  while (end < text.size() && is_letter(text[end])) ++end;
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

/// Takes digits and a fraction, in units of 10^-9.
bool take_billionths(std::string_view& text, Int128& number) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  unsigned scale = 0;
  if (!read_decimal(text.substr(0, end), number, scale)) return false;
  text.remove_prefix(end);
  return rescale(number, scale, 9) && number < Int128{1} << 100;
}

constexpr Int128 kBillion = 1'000'000'000;

/// What a number of units is; parts of a month are days, and parts of a day microseconds.
void add_amount(const IntervalUnit& unit, Int128 billionths, Int128 (&parts)[3]) {
  Int128 rest = billionths;
  if (unit.months != 0) {
    parts[0] += rest * unit.months / kBillion;
    rest = rest * unit.months % kBillion * 30;
  } else if (unit.days != 0) {
    rest *= unit.days;
  } else {
    parts[2] += (rest * unit.micros) / kBillion;
    return;
  }
  parts[1] += rest / kBillion;
  parts[2] += rest % kBillion * kMicrosOfDay / kBillion;
}

/// "04:05:06.789" after its hours, which have been taken.
bool take_clock(std::string_view& text, Int128 hours, Int128& micros) {
  Int128 seconds = hours / kBillion * 3600;
  Int128 part = 0;
  text.remove_prefix(1);
  if (!take_billionths(text, part) || part % kBillion != 0 || part >= 60 * kBillion) return false;
  seconds += part / kBillion * 60;
  part = 0;
  if (text.starts_with(':')) {
    text.remove_prefix(1);
    if (!take_billionths(text, part) || part >= 60 * kBillion) return false;
  }
  micros = seconds * kMicrosOfSecond + part / 1000;
  return true;
}

bool fits(Int128 value) {
  constexpr Int128 kMost = std::numeric_limits<std::int64_t>::max();
  return value <= kMost && value >= -kMost;
}

}  // namespace

std::optional<WrittenInterval> read_interval(std::string_view text) {
  Int128 parts[3] = {};
  bool any = false;
  while (true) {
    while (!text.empty() && text[0] == ' ') text.remove_prefix(1);
    if (text.empty()) break;
    std::string_view rest = text;
    if (any && take_word(rest) == "ago") {
      for (Int128& part : parts) part = -part;
      text = rest;
      continue;
    }
    const Int128 sign = text[0] == '-' ? -1 : 1;
    if (text[0] == '-' || text[0] == '+') text.remove_prefix(1);
    Int128 number = 0;
    if (!take_billionths(text, number)) return std::nullopt;
    if (text.starts_with(':')) {
      if (number % kBillion != 0 || !take_clock(text, number, number)) return std::nullopt;
      parts[2] += sign * number;
    } else {
      const IntervalUnit* const unit = unit_called(take_word(text));
      if (unit == nullptr) return std::nullopt;
      add_amount(*unit, sign * number, parts);
    }
    any = true;
  }
  if (!any || !fits(parts[0]) || !fits(parts[1]) || !fits(parts[2])) return std::nullopt;
  return WrittenInterval{static_cast<std::int64_t>(parts[0]), static_cast<std::int64_t>(parts[1]),
                         static_cast<std::int64_t>(parts[2])};
}

namespace {

/// "2 years 1 month -3 days 04:05:06.5", without parts that are zero.
std::string_view print_interval(const Row& row, std::int64_t months, std::int64_t days,
                                std::int64_t micros) {
  std::string text;
  const auto add = [&](std::int64_t count, const char* unit) {
    if (count == 0) return;
    text += (text.empty() ? "" : " ") + std::to_string(count) + unit;
    if (count != 1 && count != -1) text += 's';
  };
  add(months / 12, " year");
  add(months % 12, " month");
  add(days, " day");
  if (micros == 0 && !text.empty()) return row.keep(text);
  if (!text.empty()) text += ' ';
  if (micros < 0) text += '-';
  const Uint128 size = micros < 0 ? -static_cast<Int128>(micros) : static_cast<Int128>(micros);
  const auto seconds = static_cast<std::int64_t>(size / kMicrosOfSecond);
  const auto two_digits = [&](std::int64_t number) {
    if (number < 10) text += '0';
    text += std::to_string(number);
  };
  two_digits(seconds / 3600);
  text += ':';
  two_digits(seconds / 60 % 60);
  text += ':';
  two_digits(seconds % 60);
  const auto fraction = static_cast<std::int64_t>(size % kMicrosOfSecond);
  if (fraction != 0) {
    std::string digits = std::to_string(kMicrosOfSecond + fraction);
    digits[0] = '.';
    digits.erase(digits.find_last_not_of('0') + 1);
    text += digits;
  }
  return row.keep(text);
}
constexpr Kernel kIntervalValue{
    .name = "interval", .run = each<print_interval>, .is_interval = true};
constexpr Kernel kIntervalText{.name = "print", .run = each<print_interval>};

constexpr std::string_view kTooFar = "a date or timestamp and an interval are too far apart";

/// A moment and a number of steps, each of which is `parameter` nanoseconds.
std::int64_t add_steps(const Row& row, std::int64_t moment, std::int64_t count) {
  const Int128 unit = nanos_in_unit(row.context.node);
  const Int128 sum = moment + Int128{count} * row.context.node.parameter / unit;
  if (sum != static_cast<std::int64_t>(sum)) row.fail();
  return static_cast<std::int64_t>(sum);
}
constexpr Kernel kAddSteps{.name = "add", .run = each<add_steps>, .failure = kTooFar};

std::int64_t micros_between(const Row& row, std::int64_t a, std::int64_t b) {
  const Int128 nanos = (Int128{a} - b) * nanos_in_unit(*row.context.arguments[0]);
  const Int128 micros = nanos / 1000;
  if (micros != static_cast<std::int64_t>(micros)) row.fail();
  return static_cast<std::int64_t>(micros);
}
constexpr Kernel kMicrosBetween{.name = "-", .run = each<micros_between>, .failure = kTooFar};

bool is_moment_of(const Builder& build, NodeId id) {
  const Family family = build.at(id).family;
  return family == Family::kDate || family == Family::kTime;
}

/// The value of a part that is the same in all rows.
std::optional<std::int64_t> constant_part(const Builder& build, NodeId id) {
  const Node& node = build.at(id);
  if (node.kind != Node::Kind::kConstant || node.is_null) return std::nullopt;
  return static_cast<std::int64_t>(node.integer);
}

ColumnSchema time_of_unit(const Builder& build, NodeId moment, TimeUnit unit) {
  ColumnSchema type = schema_of(Family::kTime);
  if (build.at(moment).family == Family::kTime) type = build.at(moment).schema;
  if (build.at(moment).family == Family::kDate || type.unit < unit) type.unit = unit;
  return type;
}

/// Adds `count` times `nanos` nanoseconds. The moment's unit must hold them.
Result<NodeId> add_count(const Builder& build, NodeId moment, NodeId count, std::int64_t nanos) {
  const auto constant = constant_part(build, count);
  if (constant == 0) return moment;
  if (build.at(moment).family == Family::kDate) {
    return build.arithmetic(Step::kAdd, moment, count);
  }
  if (!constant) {
    return build.call(kAddSteps, build.at(moment).schema, {moment, count}, {}, nanos);
  }
  const Int128 span = Int128{*constant} * nanos / nanos_in_unit(build.at(moment));
  if (span == static_cast<std::int64_t>(span)) return build.add_units(moment, span);
  return refused("the interval is too long for " + build.type_of(moment));
}

/// Months first, then days, then the rest. A date stays a date if whole days are added, and
/// becomes a timestamp otherwise.
Result<NodeId> moment_plus(const Builder& build, NodeId moment, const IntervalParts& interval) {
  const Family family = build.at(moment).family;
  if (constant_part(build, interval.months) != 0) {
    moment = build.step(
        Step::kAddMonths, family, {moment, interval.months}, 0,
        range_of_type(family == Family::kDate ? ColumnType::kDate32 : ColumnType::kInt64));
  }
  PRESSO_ASSIGN(moment, add_count(build, moment, interval.days, kMicrosOfDay * 1000));
  const auto micros = constant_part(build, interval.micros);
  if (micros == 0) return moment;
  const TimeUnit unit = !micros || *micros % 1000 != 0   ? TimeUnit::kMicro
                        : *micros % kMicrosOfSecond != 0 ? TimeUnit::kMilli
                                                         : TimeUnit::kSecond;
  PRESSO_ASSIGN(moment, build.cast(moment, time_of_unit(build, moment, unit)));
  return add_count(build, moment, interval.micros, 1000);
}

/// Applies arithmetic to each part.
template <class Apply>
Result<NodeId> by_parts(const Builder& build, const IntervalParts& a, Apply apply) {
  IntervalParts result;
  PRESSO_ASSIGN(result.months, apply(a.months, &IntervalParts::months));
  PRESSO_ASSIGN(result.days, apply(a.days, &IntervalParts::days));
  PRESSO_ASSIGN(result.micros, apply(a.micros, &IntervalParts::micros));
  return interval_node(build, result);
}

Result<NodeId> times(const Builder& build, const IntervalParts& a, NodeId factor) {
  if (build.at(factor).family != Family::kInteger) {
    return refused("an interval is multiplied by a whole number only");
  }
  return by_parts(build, a, [&](NodeId part, NodeId IntervalParts::*) -> Result<NodeId> {
    // A part that is zero stays a constant, so that a date plus days stays a date.
    if (constant_part(build, part) == 0) return part;
    return build.arithmetic(Step::kMultiply, part, factor);
  });
}

Result<NodeId> difference_of_moments(const Builder& build, NodeId a, NodeId b) {
  std::vector<NodeId> moments = {a, b};
  PRESSO_TRY(build.unify(moments));
  return interval_of_length(build,
                            build.call(kMicrosBetween, schema_of(Family::kInteger), moments));
}

Result<NodeId> arithmetic_of_interval(const Builder& build, Step step, NodeId a, NodeId b) {
  const auto first = interval_of(build, a);
  const auto second = interval_of(build, b);
  const bool adds = step == Step::kAdd || step == Step::kSubtract;
  if (first && second && adds) {
    return by_parts(build, *first, [&](NodeId part, NodeId IntervalParts::*other) {
      return build.arithmetic(step, part, (*second).*other);
    });
  }
  if (step == Step::kMultiply && first.has_value() != second.has_value()) {
    return first ? times(build, *first, b) : times(build, *second, a);
  }
  if (step == Step::kAdd && first && is_moment_of(build, b)) return moment_plus(build, b, *first);
  if (step == Step::kAdd && second && is_moment_of(build, a)) return moment_plus(build, a, *second);
  if (step == Step::kSubtract && second && is_moment_of(build, a)) {
    PRESSO_ASSIGN(const NodeId negative, times(build, *second, build.integer(-1)));
    return moment_plus(build, a, *interval_of(build, negative));
  }
  const NodeId other = first ? b : a;
  if (build.at(other).family == Family::kNull) return other;
  return refused("an interval is added to a date or timestamp, or subtracted from one; this is " +
                 (first && second ? "interval" : build.type_of(other)));
}

}  // namespace

NodeId interval_node(const Builder& build, const IntervalParts& interval) {
  return build.call(kIntervalValue, schema_of(Family::kString),
                    {interval.months, interval.days, interval.micros});
}

NodeId interval_node(const Builder& build, const WrittenInterval& interval) {
  return interval_node(build,
                       IntervalParts{build.integer(interval.months), build.integer(interval.days),
                                     build.integer(interval.micros)});
}

std::optional<IntervalParts> interval_of(const Builder& build, NodeId id) {
  const Node& node = build.at(id);
  if (node.kernel == nullptr || !node.kernel->is_interval) return std::nullopt;
  return IntervalParts{node.arguments[0], node.arguments[1], node.arguments[2]};
}

NodeId interval_text(const Builder& build, const IntervalParts& interval) {
  return build.call(kIntervalText, schema_of(Family::kString),
                    {interval.months, interval.days, interval.micros});
}

Result<NodeId> interval_length(const Builder& build, const IntervalParts& interval) {
  NodeId length = interval.micros;
  const std::pair<NodeId, std::int64_t> parts[] = {{interval.days, kMicrosOfDay},
                                                   {interval.months, 30 * kMicrosOfDay}};
  for (const auto& [part, micros] : parts) {
    if (constant_part(build, part) == 0) continue;
    PRESSO_ASSIGN(const NodeId product,
                  build.arithmetic(Step::kMultiply, part, build.integer(micros)));
    PRESSO_ASSIGN(length, build.arithmetic(Step::kAdd, length, product));
  }
  return length;
}

Result<NodeId> interval_of_length(const Builder& build, NodeId micros) {
  IntervalParts interval;
  const NodeId day = build.integer(kMicrosOfDay);
  interval.months = build.integer(0);
  PRESSO_ASSIGN(interval.days, build.arithmetic(Step::kDivideInteger, micros, day));
  PRESSO_ASSIGN(interval.micros, build.arithmetic(Step::kModulo, micros, day));
  return interval_node(build, interval);
}

Result<std::optional<NodeId>> interval_arithmetic(const Builder& build, Step step, NodeId a,
                                                  NodeId b) {
  if (interval_of(build, a) || interval_of(build, b)) {
    PRESSO_ASSIGN(const NodeId result, arithmetic_of_interval(build, step, a, b));
    return std::optional(result);
  }
  const bool any_time = build.at(a).family == Family::kTime || build.at(b).family == Family::kTime;
  if (step == Step::kSubtract && any_time && is_moment_of(build, a) && is_moment_of(build, b)) {
    PRESSO_ASSIGN(const NodeId result, difference_of_moments(build, a, b));
    return std::optional(result);
  }
  return std::optional<NodeId>();
}

Status compare_intervals(const Builder& build, NodeId& a, NodeId& b) {
  if (!interval_of(build, a) && !interval_of(build, b)) return {};
  for (NodeId* const side : {&a, &b}) {
    const Node& node = build.at(*side);
    auto interval = interval_of(build, *side);
    if (!interval && node.kind == Node::Kind::kConstant && node.family == Family::kString) {
      const auto written = read_interval(node.text);
      if (!written) return refused("'" + node.text + "' is not an interval");
      interval = interval_of(build, interval_node(build, *written));
    }
    if (!interval && node.family == Family::kNull) continue;
    if (!interval) return refused("cannot compare an interval with " + build.type_of(*side));
    PRESSO_ASSIGN(*side, interval_length(build, *interval));
  }
  return {};
}

Error interval_refused() {
  return refused(
      "an interval stands here; epoch(x) makes it seconds, cast(x as varchar) a text, and "
      "date_diff('hour', a, b) counts");
}

}  // namespace presso::query

namespace presso::query::interval_functions {
namespace {

/// to_days(n) and so on.
Function of_units(const IntervalUnit& unit) {
  return {1, 1, [&unit](Call& call) -> Result<NodeId> {
            if (call.at(0).family == Family::kDouble || call.at(0).family == Family::kDecimal) {
              if (unit.micros == 0) return refused(call.name + "() takes a whole number");
              PRESSO_ASSIGN(const NodeId scaled,
                            call.build.arithmetic(Step::kMultiply, call.arguments[0],
                                                  call.build.integer(unit.micros)));
              PRESSO_ASSIGN(const NodeId micros,
                            call.build.cast(scaled, schema_of(Family::kInteger)));
              const NodeId zero = call.build.integer(0);
              return interval_node(call.build, IntervalParts{zero, zero, micros});
            }
            PRESSO_ASSIGN(const NodeId count, integer_argument(call, 0));
            const auto one = interval_of(
                call.build,
                interval_node(call.build, WrittenInterval{unit.months, unit.days, unit.micros}));
            return times(call.build, *one, count);
          }};
}

/// date_add(moment, interval).
Result<NodeId> date_add(Call& call) {
  if (!interval_of(call.build, call.arguments[1])) {
    return refused("date_add() takes a date or timestamp and an interval");
  }
  PRESSO_ASSIGN(const auto sum,
                interval_arithmetic(call.build, Step::kAdd, call.arguments[0], call.arguments[1]));
  return *sum;
}

/// The bucket of `parameter` nanoseconds, or of that many months if it is negative, that begins at
/// the origin or a whole number of buckets from it.
std::int64_t bucket_of(const Row& row, std::int64_t value, std::int64_t origin) {
  const Node& type = *row.context.arguments[0];
  const Units units(type);
  const std::int64_t width = row.context.node.parameter;
  if (is_far(units, value) || is_far(units, origin)) return row.fail(), 0;
  Int128 begin = 0;
  if (width > 0) {
    const Int128 step = width / nanos_in_unit(type);
    begin = origin + floor_divide(Int128{value} - origin, step) * step;
  } else {
    const auto number = [&](std::int64_t moment) {
      const civil::Date date = civil::date_of(units.take_apart(moment).days);
      return date.year * 12 + static_cast<std::int64_t>(date.month) - 1;
    };
    const std::int64_t month =
        number(origin) + floor_divide(number(value) - number(origin), -width) * -width;
    const std::int64_t year = floor_divide(month, 12);
    begin = Int128{civil::days_of_far(year, static_cast<std::uint32_t>(month - year * 12 + 1), 1)} *
            units.in_day;
  }
  if (begin != static_cast<std::int64_t>(begin)) row.fail();
  return static_cast<std::int64_t>(begin);
}
constexpr Kernel kTimeBucket{.name = "time_bucket", .run = each<bucket_of>, .failure = kTooFar};

/// time_bucket(width, moment [, origin]). Without an origin, months are counted from 2000-01-01 and
/// other widths from the Monday 2000-01-03.
Result<NodeId> time_bucket(Call& call) {
  const Builder& build = call.build;
  auto interval = interval_of(build, call.arguments[0]);
  if (!interval && call.is_constant(0)) {
    const auto written = read_interval(call.at(0).text);
    if (written) interval = interval_of(build, interval_node(build, *written));
  }
  const auto months = interval ? constant_part(build, interval->months) : std::nullopt;
  const auto days = interval ? constant_part(build, interval->days) : std::nullopt;
  const auto micros = interval ? constant_part(build, interval->micros) : std::nullopt;
  if (!months || !days || !micros) return refused("time_bucket() takes a literal interval first");
  const Int128 nanos = (Int128{*days} * kMicrosOfDay + *micros) * 1000;
  if ((*months != 0) == (nanos != 0) || *months < 0 || nanos < 0 || nanos > Int128{1} << 62) {
    return refused("time_bucket() takes a positive interval, of months or of days and times");
  }
  std::vector<NodeId> moments = {call.arguments[1]};
  if (!is_moment_of(build, moments[0])) {
    return refused("time_bucket() takes a date or timestamp; this is " + build.type_of(moments[0]));
  }
  const bool is_date = build.at(moments[0]).family == Family::kDate;
  constexpr std::int64_t kFirstOf2000 = 10957;
  moments.push_back(call.arguments.size() > 2
                        ? call.arguments[2]
                        : build.date(*months != 0 ? kFirstOf2000 : kFirstOf2000 + 2));
  if (!is_moment_of(build, moments[1]) && call.at(2).family != Family::kString) {
    return refused("the origin of time_bucket() is a date or timestamp");
  }
  PRESSO_TRY(build.unify(moments));
  if (nanos % nanos_in_unit(build.at(moments[0])) != 0) {
    for (NodeId& moment : moments) {
      PRESSO_ASSIGN(moment, build.cast(moment, time_of_unit(build, moment, TimeUnit::kMicro)));
    }
  }
  const auto width = *months != 0 ? -*months : static_cast<std::int64_t>(nanos);
  const NodeId begin = build.call(kTimeBucket, build.at(moments[0]).schema, moments, {}, width);
  return is_date ? build.cast(begin, schema_of(Family::kDate)) : Result<NodeId>(begin);
}

/// Months, days and microseconds by the calendar, as PostgreSQL's age() has them: `parameter` says
/// which of the three.
std::int64_t age_part(const Row& row, std::int64_t later, std::int64_t earlier) {
  const Node& type = *row.context.arguments[0];
  const Units units(type);
  if (is_far(units, later) || is_far(units, earlier)) return row.fail(), 0;
  const bool negative = later < earlier;
  const Moment a = units.take_apart(negative ? earlier : later);
  const Moment b = units.take_apart(negative ? later : earlier);
  const civil::Date to = civil::date_of(a.days);
  const civil::Date from = civil::date_of(b.days);
  std::int64_t months = (to.year - from.year) * 12 + to.month - from.month;
  std::int64_t days = static_cast<std::int64_t>(to.day) - from.day;
  auto micros =
      static_cast<std::int64_t>((Int128{a.in_day} - b.in_day) * nanos_in_unit(type) / 1000);
  if (units.is_date) micros = 0;
  if (micros < 0) {
    micros += kMicrosOfDay;
    --days;
  }
  if (days < 0) {
    days += civil::days_in_far(from.year, from.month);
    --months;
  }
  const std::int64_t parts[] = {months, days, micros};
  const std::int64_t part = parts[row.context.node.parameter];
  return negative ? -part : part;
}
constexpr Kernel kAge{.name = "age", .run = each<age_part>, .failure = kTooFar};

/// age(later, earlier), or age(earlier) until today.
Result<NodeId> age(Call& call) {
  const Builder& build = call.build;
  if (call.arguments.size() == 1) {
    call.arguments.insert(call.arguments.begin(),
                          build.date(floor_divide(build.moment(), kMicrosOfDay)));
  }
  for (const NodeId moment : call.arguments) {
    if (!is_moment_of(build, moment)) {
      return refused("age() takes dates or timestamps; this is " + build.type_of(moment));
    }
  }
  PRESSO_TRY(build.unify(call.arguments));
  const ColumnSchema type = schema_of(Family::kInteger);
  return interval_node(build, IntervalParts{build.call(kAge, type, call.arguments, {}, 0),
                                            build.call(kAge, type, call.arguments, {}, 1),
                                            build.call(kAge, type, call.arguments, {}, 2)});
}

}  // namespace

/// A part of an interval, as date_part() gives it; seconds since 1970 are a double. nullopt for
/// parts that intervals do not have.
Result<std::optional<NodeId>> part_of(const Builder& build, const IntervalParts& interval,
                                      DatePart part) {
  const auto divided = [&](NodeId number, std::int64_t by,
                           std::int64_t modulo) -> Result<std::optional<NodeId>> {
    PRESSO_ASSIGN(NodeId result, build.arithmetic(Step::kDivideInteger, number, build.integer(by)));
    if (modulo != 0) {
      PRESSO_ASSIGN(result, build.arithmetic(Step::kModulo, result, build.integer(modulo)));
    }
    return std::optional(result);
  };
  switch (part) {
    case DatePart::kMillennium:
      return divided(interval.months, 12000, 0);
    case DatePart::kCentury:
      return divided(interval.months, 1200, 0);
    case DatePart::kDecade:
      return divided(interval.months, 120, 0);
    case DatePart::kYear:
      return divided(interval.months, 12, 0);
    case DatePart::kMonth:
      return divided(interval.months, 1, 12);
    case DatePart::kDay:
      return std::optional(interval.days);
    case DatePart::kHour:
      return divided(interval.micros, 3600 * kMicrosOfSecond, 0);
    case DatePart::kMinute:
      return divided(interval.micros, 60 * kMicrosOfSecond, 60);
    case DatePart::kSecond:
      return divided(interval.micros, kMicrosOfSecond, 60);
    case DatePart::kMillisecond:
      return divided(interval.micros, 1000, 60'000);
    case DatePart::kMicrosecond:
      return divided(interval.micros, 1, 60 * kMicrosOfSecond);
    case DatePart::kEpoch: {
      PRESSO_ASSIGN(const auto years, divided(interval.months, 12, 0));
      PRESSO_ASSIGN(const auto months, divided(interval.months, 1, 12));
      constexpr std::int64_t kYearSeconds = 31'557'600;  // of 365.25 days
      NodeId seconds = build.integer(0);
      const std::pair<NodeId, std::int64_t> parts[] = {
          {*years, kYearSeconds}, {*months, 30 * kSecondsOfDay}, {interval.days, kSecondsOfDay}};
      for (const auto& [count, length] : parts) {
        PRESSO_ASSIGN(const NodeId product,
                      build.arithmetic(Step::kMultiply, count, build.integer(length)));
        PRESSO_ASSIGN(seconds, build.arithmetic(Step::kAdd, seconds, product));
      }
      PRESSO_ASSIGN(const NodeId rest, build.arithmetic(Step::kDivideReal, interval.micros,
                                                        build.integer(kMicrosOfSecond)));
      PRESSO_ASSIGN(const NodeId all, build.arithmetic(Step::kAdd, seconds, rest));
      return std::optional(all);
    }
    default:
      return std::optional<NodeId>();
  }
}

void add(Functions& functions) {
  for (const IntervalUnit& unit : kIntervalUnits) {
    // The second name is the plural: to_days.
    const std::size_t begin = unit.names.find(' ') + 1;
    const std::size_t end = std::min(unit.names.find(' ', begin), unit.names.size());
    functions[std::string("to_").append(unit.names.substr(begin, end - begin))] = of_units(unit);
  }
  functions["date_add"] = {2, 2, date_add};
  functions["time_bucket"] = {2, 3, time_bucket};
  functions["age"] = {1, 2, age};
}

}  // namespace presso::query::interval_functions
