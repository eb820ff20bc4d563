// SPDX-License-Identifier: MIT
// strftime(), strptime() and try_strptime(), over time_format.h, and timezone() over time_zone.h.
#include "query/compute/functions.h"

#include "format/columns/time_format.h"
#include "query/compute/moments.h"
#include "query/compute/time_zone.h"

namespace presso::query::format_functions {
namespace {

std::string_view write_moment(const Row& row, std::int64_t value) {
  const Node& type = *row.context.arguments[0];
  const Units units(type);
  if (is_far(units, value)) return row.fail(), std::string_view();
  const Moment moment = units.take_apart(value);
  const auto nanos = static_cast<std::int64_t>(moment.in_day * nanos_in_unit(type));
  return row.keep(row.prepared<TimeFormat>().written(moment.days, units.is_date ? 0 : nanos));
}

/// `tries`: a text of another form is null.
template <bool tries>
std::int64_t read_moment_by(const Row& row, std::string_view text) {
  const auto nanos = row.prepared<TimeFormat>().read(text);
  const Int128 units = nanos ? floor_divide(*nanos, nanos_in_unit(row.context.node)) : 0;
  if (nanos && units == static_cast<std::int64_t>(units)) return static_cast<std::int64_t>(units);
  tries ? row.set_null() : row.fail();
  return 0;
}

constexpr Kernel kStrftime{"strftime", each<write_moment>, "a date is too far away"};
constexpr Kernel kStrptime{
    "strptime", each<read_moment_by<false>>,
    "a text does not have the format of strptime(); try_strptime() gives null"};
constexpr Kernel kTryStrptime{"try_strptime", each<read_moment_by<true>>, {}, true};

/// The format, which must be a literal, in argument `i`. A null gives no format.
Result<std::shared_ptr<const TimeFormat>> format_of(const Call& call, std::size_t i) {
  if (!call.is_constant(i)) return refused(call.name + "() takes a literal format");
  if (call.at(i).is_null) return std::shared_ptr<const TimeFormat>();
  PRESSO_ASSIGN(TimeFormat format, TimeFormat::compile(call.at(i).text));
  return std::shared_ptr<const TimeFormat>(std::make_shared<TimeFormat>(std::move(format)));
}

/// strftime(date, format) or strftime(format, date).
Result<NodeId> bind_strftime(Call& call) {
  const auto is_moment = [&](std::size_t i) {
    return call.at(i).family == Family::kDate || call.at(i).family == Family::kTime;
  };
  if (is_moment(1)) std::swap(call.arguments[0], call.arguments[1]);
  if (call.at(0).family == Family::kNull || call.at(1).family == Family::kNull) {
    return call.build.to_string(call.build.null());
  }
  if (!is_moment(0)) {
    return refused("strftime() takes a date or timestamp and a format; this is " +
                   call.build.type_of(call.arguments[0]));
  }
  PRESSO_ASSIGN(const auto format, format_of(call, 1));
  return call.build.call(kStrftime, schema_of(Family::kString), {call.arguments[0]}, format,
                         call.at(1).text);
}

/// Timestamps of microseconds, or of nanoseconds where the format has them.
Result<NodeId> bind_strptime(Call& call, const Kernel& kernel) {
  PRESSO_ASSIGN(const NodeId text, string_argument(call, 0));
  PRESSO_ASSIGN(const auto format, format_of(call, 1));
  ColumnSchema type = schema_of(Family::kTime);
  type.unit = format && format->has('n') ? TimeUnit::kNano : TimeUnit::kMicro;
  if (!format) return call.build.cast(call.build.null(), type);
  if (format->has('z') || format->has('Z')) type.zone = "UTC";
  return call.build.call(kernel, type, {text}, format, call.at(1).text);
}

/// `to_utc`: the value is what clocks of the zone show; else it becomes that.
template <bool to_utc>
std::int64_t change_zone(const Row& row, std::int64_t value) {
  const Units units(*row.context.arguments[0]);
  if (is_far(units, value)) return row.fail(), 0;
  const auto& zone = row.prepared<TimeZone>();
  const std::int64_t seconds = floor_divide(value, units.in_second);
  const std::int64_t moved = to_utc ? zone.utc_of(seconds) : seconds + zone.offset_at(seconds);
  const Int128 result = value + Int128{moved - seconds} * units.in_second;
  if (result != static_cast<std::int64_t>(result)) row.fail();
  return static_cast<std::int64_t>(result);
}
constexpr std::string_view kFarAway = "a date or timestamp is too far away";
constexpr Kernel kToUtc{"timezone", each<change_zone<true>>, kFarAway};
constexpr Kernel kToLocal{"timezone", each<change_zone<false>>, kFarAway};

/// timezone(zone, x), which is `x at time zone zone`: a timestamp without a zone becomes the moment
/// at which clocks there show it, and a moment becomes what they show.
Result<NodeId> bind_zone(Call& call) {
  const Builder& build = call.build;
  if (!call.is_constant(0) || call.at(0).family != Family::kString || call.at(0).is_null) {
    return refused("a time zone is a literal such as 'Europe/Berlin'");
  }
  PRESSO_ASSIGN(const auto zone, TimeZone::load(call.at(0).text));
  NodeId moment = call.arguments[1];
  ColumnSchema type = schema_of(Family::kTime);
  type.unit = TimeUnit::kMicro;
  const bool is_literal = call.is_constant(1) && call.at(1).family == Family::kString;
  if (is_literal || call.at(1).family == Family::kDate || call.at(1).family == Family::kNull) {
    PRESSO_ASSIGN(moment, build.cast(moment, type));
  }
  if (build.at(moment).family != Family::kTime) {
    return refused("a time zone goes with a timestamp; this is " + build.type_of(moment));
  }
  type = build.at(moment).schema;
  const bool to_utc = type.zone.empty();
  type.zone = to_utc ? "UTC" : "";
  return build.call(to_utc ? kToUtc : kToLocal, type, {moment}, zone, call.at(0).text);
}

}  // namespace

void add(Functions& functions) {
  functions["timezone"] = {2, 2, bind_zone};
  functions["strftime"] = {2, 2, bind_strftime};
  functions["strptime"] = {2, 2, [](Call& call) { return bind_strptime(call, kStrptime); }};
  functions["try_strptime"] = {2, 2, [](Call& call) { return bind_strptime(call, kTryStrptime); }};
}

}  // namespace presso::query::format_functions
