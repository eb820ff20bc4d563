// SPDX-License-Identifier: MIT
// Scalar functions of dates and timestamps.
#include "query/compute/functions.h"

namespace presso::query::time_functions {
namespace {

/// A part of a date by its SQL name, with the interval of its values.
struct NamedPart {
  std::string_view name;
  DatePart part;
  std::int64_t least;  ///< values of the part, both ends included
  std::int64_t most;
};
/// Timestamps in seconds reach about 292 billion years; dates beyond 2^40 days from 1970 fail,
/// which is about 3 billion years.
constexpr std::int64_t kFarYears = 4'000'000'000;
constexpr NamedPart kParts[] = {
    {"year", DatePart::kYear, -kFarYears, kFarYears},
    {"quarter", DatePart::kQuarter, 1, 4},
    {"month", DatePart::kMonth, 1, 12},
    {"week", DatePart::kWeek, 1, 53},
    {"day", DatePart::kDay, 1, 31},
    {"hour", DatePart::kHour, 0, 23},
    {"minute", DatePart::kMinute, 0, 59},
    {"second", DatePart::kSecond, 0, 59},
    {"dayofweek", DatePart::kDayOfWeek, 0, 6},
    {"dayofyear", DatePart::kDayOfYear, 1, 366},
    {"epoch", DatePart::kEpoch, INT64_MIN, INT64_MAX},
};

/// Returns nullptr for an unknown name.
const NamedPart* find_part(std::string_view name) {
  for (const NamedPart& part : kParts) {
    if (part.name == name) return &part;
  }
  return nullptr;
}

/// Adds the step for a part (an integer), or with `truncate` for the beginning of that part, which
/// has the type of `moment`.
Result<NodeId> date_part(Call& call, const NamedPart& part, NodeId moment, bool truncate) {
  const Node& of = call.build.at(moment);
  if (of.family == Family::kNull) {
    return call.build.cast(moment, schema_of(truncate ? Family::kDate : Family::kInteger));
  }
  if (of.family != Family::kDate && of.family != Family::kTime) {
    return refused(call.name + "() takes a date or timestamp; this is " +
                   call.build.type_of(moment));
  }
  if (!truncate) {
    return call.build.step(Step::kDatePart, Family::kInteger, {moment},
                           static_cast<std::int64_t>(part.part),
                           whole_range(part.least, part.most));
  }
  return call.build.step(Step::kTruncate, of.family, {moment},
                         static_cast<std::int64_t>(part.part));
}

/// date_part('month', x) and date_trunc('month', x): the name must be a literal, as it decides the
/// type.
Result<NodeId> named_part(Call& call, bool truncate) {
  const Node& name = call.at(0);
  const NamedPart* const part = name.kind == Node::Kind::kConstant ? find_part(name.text) : nullptr;
  if (part == nullptr) {
    return refused(call.name +
                   "() takes 'year', 'quarter', 'month', 'week', 'day', 'hour', "
                   "'minute' or 'second' first");
  }
  return date_part(call, *part, call.arguments[1], truncate);
}

}  // namespace

void add(Functions& functions) {
  // Every part is also a function of its own, year(x).
  for (const NamedPart& part : kParts) {
    functions[std::string(part.name)] = {
        1, 1, [&part](Call& call) { return date_part(call, part, call.arguments[0], false); }};
  }
  functions["dayofmonth"] = functions["day"];
  functions["date_part"] =
      functions["datepart"] = {2, 2, [](Call& call) { return named_part(call, false); }};
  functions["date_trunc"] =
      functions["datetrunc"] = {2, 2, [](Call& call) { return named_part(call, true); }};
}

}  // namespace presso::query::time_functions
