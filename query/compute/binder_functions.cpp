// SPDX-License-Identifier: MIT
// The scalar functions that expressions may call: a table from name to the function that checks the
// arguments and adds the steps. A new function is a line in make_functions() and, if it needs a new
// operation, a Step with its code in steps_*.cpp. Where DuckDB has a function of the same name,
// arguments and results are those of DuckDB. Aggregates are not here (query/bind), nor LIKE and
// CAST, which are operators of the language. Tested by tests/unit/query/compute/compute_test.cpp.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "format/suggest.h"
#include "query/compute/binder.h"

namespace presso::query {
namespace {

using Nodes = std::vector<NodeId>;

/// One call while it is bound. Functions may change `arguments` to insert conversions.
struct Call {
  const Builder& build;
  const Graph& graph;
  const std::string& name;
  Nodes arguments;
};

/// How many arguments a function takes, and what builds its nodes. `make` is called only with a
/// number of arguments in these bounds.
struct Function {
  std::size_t least;  ///< number of arguments, both ends included
  std::size_t most;
  std::function<Result<NodeId>(Call&)> make;
};

/// Returns the interval widened by `most` at both ends, for functions that move doubles by at most
/// that.
Range wider_by(Range range, double most) {
  range.least_real -= most;
  range.most_real += most;
  return range;
}

/// Argument `i` as a string; a null is allowed, other types are refused rather than printed.
Result<NodeId> string_argument(const Call& call, std::size_t i) {
  const Family family = call.build.at(call.arguments[i]).family;
  if (family != Family::kString && family != Family::kNull) {
    return refused(call.name + "() takes a string; this is " +
                   call.build.type_of(call.arguments[i]) + "; CAST converts");
  }
  return call.build.to_string(call.arguments[i]);
}

/// Argument `i` in 64 bits, checked for each row where it may be wider.
Result<NodeId> integer_argument(const Call& call, std::size_t i) {
  const Node& node = call.build.at(call.arguments[i]);
  if (node.family == Family::kNull) {
    return call.build.cast(call.arguments[i], schema_of(Family::kInteger));
  }
  if (node.family != Family::kInteger) {
    return refused(call.name + "() takes a whole number here; this is " +
                   call.build.type_of(call.arguments[i]));
  }
  return call.build.to_int64(call.arguments[i]);
}

/// A function of `count` strings that is exactly one step. Integer results are lengths or places,
/// hence not negative and below 2^40.
Function of_strings(Step step, Family family, std::size_t count, std::int64_t parameter = 0) {
  return {count, count, [=](Call& call) -> Result<NodeId> {
            for (std::size_t i = 0; i < count; ++i) {
              PRESSO_ASSIGN(call.arguments[i], string_argument(call, i));
            }
            const Range range =
                family == Family::kInteger ? whole_range(0, Int128{1} << 40) : Range{};
            return call.build.step(step, family, call.arguments, parameter, range);
          }};
}

/// substr(text, first [, length]).
Result<NodeId> bind_substring(Call& call) {
  PRESSO_ASSIGN(call.arguments[0], string_argument(call, 0));
  for (std::size_t i = 1; i < call.arguments.size(); ++i) {
    PRESSO_ASSIGN(call.arguments[i], integer_argument(call, i));
  }
  return call.build.step(Step::kSubstring, Family::kString, call.arguments);
}

/// concat() skips nulls, unlike `||`, whose result is null if an operand is.
Result<NodeId> concat(Call& call) {
  // A null is replaced by the empty text.
  Nodes parts;
  for (const NodeId argument : call.arguments) {
    const NodeId text = call.build.to_string(argument);
    PRESSO_ASSIGN(const NodeId part, call.build.coalesce({text, call.build.string("")}));
    parts.push_back(part);
  }
  return call.build.step(Step::kConcat, Family::kString, std::move(parts));
}

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
  const Node& name = call.build.at(call.arguments[0]);
  const NamedPart* const part = name.kind == Node::Kind::kConstant ? find_part(name.text) : nullptr;
  if (part == nullptr) {
    return refused(call.name +
                   "() takes 'year', 'quarter', 'month', 'week', 'day', 'hour', "
                   "'minute' or 'second' first");
  }
  return date_part(call, *part, call.arguments[1], truncate);
}

/// round(x [, digits]). Decimals round exactly, half away from zero; doubles by the step
/// kRoundReal. The number of digits must be a literal, because it decides the scale. Negative
/// digits are refused for whole numbers.
Result<NodeId> round_number(Call& call) {
  const Node& value = call.build.at(call.arguments[0]);
  std::int64_t digits = 0;
  if (call.arguments.size() > 1) {
    const Node& given = call.build.at(call.arguments[1]);
    if (given.kind != Node::Kind::kConstant || given.family != Family::kInteger ||
        given.integer < -38 || given.integer > 38) {
      return refused("round() takes a literal number of digits from -38 to 38");
    }
    digits = static_cast<std::int64_t>(given.integer);
  }
  if (value.family == Family::kDouble) {
    return call.build.step(Step::kRoundReal, Family::kDouble, {call.arguments[0]}, digits,
                           wider_by(value.range, std::pow(10.0, -static_cast<double>(digits))));
  }
  if (value.family != Family::kInteger && value.family != Family::kDecimal) {
    return refused("round() takes a number; this is " + call.build.type_of(call.arguments[0]));
  }
  // Rounding to more digits than there are changes nothing, not even the type.
  if (digits >= 0) {
    if (value.family == Family::kInteger || value.schema.scale <= digits) return call.arguments[0];
    return call.build.rounded_to_scale(call.arguments[0], static_cast<unsigned>(digits));
  }
  return refused("round() of whole numbers takes no negative digits; divide before");
}

/// floor(x), and ceil(x) with `above`. Doubles stay doubles; decimals become decimals of scale 0.
Result<NodeId> whole_below(Call& call, bool above) {
  const NodeId a = call.arguments[0];
  const Node& value = call.build.at(a);
  if (value.family == Family::kDouble) {
    return call.build.step(above ? Step::kCeil : Step::kFloor, Family::kDouble, {a}, 0,
                           wider_by(value.range, 1));
  }
  if (value.family != Family::kInteger && value.family != Family::kDecimal) {
    return refused(call.name + "() takes a number; this is " + call.build.type_of(a));
  }
  if (value.family == Family::kInteger || value.schema.scale == 0) return a;
  return call.build.floor_of_decimal(a, above);
}

/// A function of doubles; its arguments are cast to doubles.
Result<NodeId> of_real(Call& call, Step step) {
  for (NodeId& argument : call.arguments) {
    PRESSO_ASSIGN(argument, call.build.cast(argument, schema_of(Family::kDouble)));
  }
  return call.build.step(step, Family::kDouble, call.arguments);
}

/// nullif(a, b): null where both are equal, otherwise a.
Result<NodeId> null_if(Call& call) {
  PRESSO_ASSIGN(const NodeId equal,
                call.build.compare(Step::kEqual, call.arguments[0], call.arguments[1]));
  return call.build.choose({equal}, {call.build.null()}, call.arguments[0]);
}

/// greatest(...) and least(...) skip nulls, as in DuckDB: they are null only if all arguments are.
/// They are built from CASE, two comparisons with null and one of values for each further argument.
Result<NodeId> extreme(Call& call, bool greatest) {
  NodeId so_far = call.arguments[0];
  for (std::size_t i = 1; i < call.arguments.size(); ++i) {
    const NodeId next = call.arguments[i];
    PRESSO_ASSIGN(const NodeId first, greatest
                                          ? call.build.compare(Step::kLessEqual, next, so_far)
                                          : call.build.compare(Step::kLessEqual, so_far, next));
    PRESSO_ASSIGN(so_far,
                  call.build.choose({call.build.is_null(so_far), call.build.is_null(next), first},
                                    {next, so_far, so_far}, next));
  }
  return so_far;
}

/// regexp_matches(text, pattern): true if the pattern, a literal, matches anywhere in the text.
Result<NodeId> matches(Call& call) {
  PRESSO_ASSIGN(const NodeId text, string_argument(call, 0));
  const Node& pattern = call.build.at(call.arguments[1]);
  if (pattern.kind != Node::Kind::kConstant || pattern.family != Family::kString) {
    return refused("the pattern must be a string in single quotes");
  }
  StringCondition condition;
  condition.kind = StringCondition::Kind::kMatches;
  condition.text = pattern.text;
  return call.build.string_test(text, condition);
}

/// bucket(a, b, 16) gives rows a number from 0 to 15 by a hash of a and b, so that several
/// processes can each take the rows of some buckets. At most 2^20 buckets; see Builder::bucket.
Result<NodeId> bucket(Call& call) {
  const Node& count = call.build.at(call.arguments.back());
  constexpr Int128 kMost = Int128{1} << 20;
  if (count.kind != Node::Kind::kConstant || count.family != Family::kInteger || count.is_null ||
      count.integer < 1 || count.integer > kMost) {
    return refused("the last argument of bucket() is how many there are: a number up to 1048576");
  }
  const auto buckets = static_cast<std::int64_t>(count.integer);
  call.arguments.pop_back();
  for (NodeId& key : call.arguments) {
    if (call.build.at(key).family != Family::kNull) continue;
    PRESSO_ASSIGN(key, call.build.cast(key, schema_of(Family::kInteger)));
  }
  return call.build.bucket(call.arguments, buckets);
}

using Functions = std::map<std::string, Function, std::less<>>;

/// Synonyms share an entry's value. Names are in lower case.
Functions make_functions() {
  Functions functions;
  // Strings.
  for (const char* name : {"length", "len", "char_length", "character_length"}) {
    functions[name] = of_strings(Step::kLength, Family::kInteger, 1);
  }
  for (const char* name : {"octet_length", "strlen"}) {
    functions[name] = of_strings(Step::kByteLength, Family::kInteger, 1);
  }
  functions["lower"] = functions["lcase"] = of_strings(Step::kLower, Family::kString, 1);
  functions["upper"] = functions["ucase"] = of_strings(Step::kUpper, Family::kString, 1);
  functions["ltrim"] = of_strings(Step::kTrim, Family::kString, 1, 1);
  functions["rtrim"] = of_strings(Step::kTrim, Family::kString, 1, 2);
  functions["trim"] = of_strings(Step::kTrim, Family::kString, 1, 3);
  functions["replace"] = of_strings(Step::kReplace, Family::kString, 3);
  functions["starts_with"] = of_strings(Step::kStartsWith, Family::kBool, 2);
  functions["prefix"] = functions["starts_with"];
  functions["ends_with"] = functions["suffix"] = of_strings(Step::kEndsWith, Family::kBool, 2);
  functions["contains"] = of_strings(Step::kContains, Family::kBool, 2);
  functions["strpos"] = functions["instr"] = of_strings(Step::kPosition, Family::kInteger, 2);
  functions["substr"] = functions["substring"] = {2, 3, bind_substring};
  functions["concat"] = {1, 1000, concat};
  functions["regexp_matches"] = {2, 2, matches};
  // Dates and timestamps: every part is also a function of its own, year(x).
  for (const NamedPart& part : kParts) {
    functions[std::string(part.name)] = {
        1, 1, [&part](Call& call) { return date_part(call, part, call.arguments[0], false); }};
  }
  functions["dayofmonth"] = functions["day"];
  functions["date_part"] = {2, 2, [](Call& call) { return named_part(call, false); }};
  functions["date_trunc"] = {2, 2, [](Call& call) { return named_part(call, true); }};
  // Numbers.
  functions["abs"] = {1, 1, [](Call& call) { return call.build.absolute(call.arguments[0]); }};
  functions["round"] = {1, 2, round_number};
  functions["floor"] = {1, 1, [](Call& call) { return whole_below(call, false); }};
  functions["ceil"] =
      functions["ceiling"] = {1, 1, [](Call& call) { return whole_below(call, true); }};
  functions["sqrt"] = {1, 1, [](Call& call) { return of_real(call, Step::kSquareRoot); }};
  functions["power"] =
      functions["pow"] = {2, 2, [](Call& call) { return of_real(call, Step::kPower); }};
  functions["mod"] = {2, 2, [](Call& call) {
                        return call.build.arithmetic(Step::kModulo, call.arguments[0],
                                                     call.arguments[1]);
                      }};
  // Choices, and bucket().
  functions["coalesce"] = {1, 1000, [](Call& call) { return call.build.coalesce(call.arguments); }};
  functions["ifnull"] = {2, 2, [](Call& call) { return call.build.coalesce(call.arguments); }};
  functions["nullif"] = {2, 2, null_if};
  functions["bucket"] = {2, 1000, bucket};
  functions["if"] = {3, 3, [](Call& call) {
                       return call.build.choose({call.arguments[0]}, {call.arguments[1]},
                                                call.arguments[2]);
                     }};
  functions["greatest"] = {1, 1000, [](Call& call) { return extreme(call, true); }};
  functions["least"] = {1, 1000, [](Call& call) { return extreme(call, false); }};
  return functions;
}

/// Made once, at the first call; threads may call it at the same time.
const Functions& functions() {
  static const Functions kFunctions = make_functions();
  return kFunctions;
}

}  // namespace

/// Suggestions for a wrong name include the aggregates, which are bound elsewhere.
Result<NodeId> build_function(const Builder& build, const Graph& graph, const std::string& name,
                              std::vector<NodeId> arguments) {
  const auto found = functions().find(name);
  if (found == functions().end()) {
    std::vector<std::string> names = {"sum", "count", "min", "max", "avg"};
    for (const auto& [known, function] : functions()) names.push_back(known);
    return refused("there is no function '" + name + "'" + did_you_mean(name, names));
  }
  const Function& function = found->second;
  if (arguments.size() < function.least || arguments.size() > function.most) {
    const std::string wanted = function.least == function.most
                                   ? std::to_string(function.least)
                                   : std::to_string(function.least) + " or more";
    return refused(name + "() takes " + wanted + (function.most == 1 ? " argument" : " arguments") +
                   "; here are " + std::to_string(arguments.size()));
  }
  Call call{build, graph, name, std::move(arguments)};
  return function.make(call);
}

}  // namespace presso::query
