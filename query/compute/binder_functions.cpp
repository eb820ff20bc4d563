// SPDX-License-Identifier: MIT
// The scalar functions that expressions may call: a table from name to the function that checks the
// arguments and adds nodes, which the files functions_*.cpp fill, and what these share.
// Aggregates are not here (query/bind), nor LIKE and CAST, which are operators of the language.
// Tested by tests/unit/query/compute/functions_test.cpp.
#include "format/suggest.h"
#include "query/compute/functions.h"

namespace presso::query {

Range wider_by(Range range, double most) {
  range.least_real -= most;
  range.most_real += most;
  return range;
}

Result<NodeId> string_argument(const Call& call, std::size_t i) {
  const Family family = call.at(i).family;
  if (family != Family::kString && family != Family::kNull) {
    return refused(call.name + "() takes a string; this is " +
                   call.build.type_of(call.arguments[i]) + "; CAST converts");
  }
  return call.build.to_string(call.arguments[i]);
}

Result<NodeId> integer_argument(const Call& call, std::size_t i) {
  const Node& node = call.at(i);
  if (node.family == Family::kNull) {
    return call.build.cast(call.arguments[i], schema_of(Family::kInteger));
  }
  if (node.family != Family::kInteger) {
    return refused(call.name + "() takes a whole number here; this is " +
                   call.build.type_of(call.arguments[i]));
  }
  return call.build.to_int64(call.arguments[i]);
}

Result<NodeId> real_argument(const Call& call, std::size_t i) {
  return call.build.cast(call.arguments[i], schema_of(Family::kDouble));
}

Status convert_arguments(Call& call, std::string_view types) {
  for (std::size_t i = 0; i < types.size(); ++i) {
    PRESSO_ASSIGN(call.arguments[i], types[i] == 's'   ? string_argument(call, i)
                                     : types[i] == 'i' ? integer_argument(call, i)
                                                       : real_argument(call, i));
  }
  return {};
}

Function of_kernel(const Kernel& kernel, std::string_view types, ColumnType result, Range range) {
  ColumnSchema type;
  type.type = result;
  return {types.size(), types.size(), [&kernel, types, type, range](Call& call) -> Result<NodeId> {
            PRESSO_TRY(convert_arguments(call, types));
            return call.build.call(kernel, type, call.arguments, range);
          }};
}

namespace {

/// Made once, at the first call; threads may call it at the same time.
const Functions& functions() {
  static const Functions kFunctions = [] {
    Functions functions;
    text_functions::add(functions);
    pattern_functions::add(functions);
    number_functions::add(functions);
    time_functions::add(functions);
    interval_functions::add(functions);
    format_functions::add(functions);
    list_functions::add(functions);
    printf_functions::add(functions);
    choice_functions::add(functions);
    return functions;
  }();
  return kFunctions;
}

}  // namespace

/// Functions of other systems, and what stands for them.
struct Foreign {
  std::string_view name;
  std::string_view instead;
};
constexpr Foreign kForeign[] = {
    {"charindex", "strpos(text, part)"},
    {"convert", "cast(x as type)"},
    {"curdate", "current_date"},
    {"date_format", "strftime(time, format)"},
    {"dateadd", "x + interval (n) day"},
    {"datetime", "cast(x as timestamp)"},
    {"from_unixtime", "to_timestamp(seconds)"},
    {"getdate", "now()"},
    {"initcap", "upper(x[1]) || lower(x[2:])"},
    {"isnull", "coalesce(x, y), or x is null"},
    {"len_trim", "length(trim(x))"},
    {"rand", "random()"},
    {"str_to_date", "strptime(text, format)"},
    {"substring_index", "split_part(text, separator, n)"},
    {"to_char", "strftime(time, format), or format('{:,.2f}', number)"},
    {"to_date", "cast(strptime(text, format) as date)"},
    {"to_number", "cast(x as double)"},
    {"unix_timestamp", "epoch(time)"},
};

/// Suggestions for a wrong name include the aggregates, which are bound elsewhere.
Result<NodeId> build_function(const Builder& build, const std::string& name,
                              std::vector<NodeId> arguments) {
  const auto found = functions().find(name);
  if (found == functions().end()) {
    for (const Foreign& each : kForeign) {
      if (each.name != name) continue;
      return refused("there is no function '" + name + "'; write " + std::string(each.instead));
    }
    std::vector<std::string> names = {"sum", "count", "min", "max", "avg"};
    for (const auto& [known, function] : functions()) names.push_back(known);
    return refused("there is no function '" + name + "'" + did_you_mean(name, names));
  }
  const Function& function = found->second;
  if (arguments.size() < function.least || arguments.size() > function.most) {
    const std::string most =
        function.most > 100 ? std::string("more") : std::to_string(function.most);
    const std::string wanted =
        std::to_string(function.least) + (function.most == function.least ? "" : " or " + most);
    return refused(name + "() takes " + wanted + (function.most == 1 ? " argument" : " arguments") +
                   "; here are " + std::to_string(arguments.size()));
  }
  Call call{build, name, std::move(arguments)};
  return function.make(call);
}

}  // namespace presso::query
