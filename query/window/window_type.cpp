// SPDX-License-Identifier: MIT
// Types of the results of window functions, and what they refuse.
#include <algorithm>
#include <array>

#include "format/columns/arrow_format.h"
#include "format/columns/arrow_type.h"
#include "format/columns/schema.h"
#include "presso/arrow_abi.h"
#include "query/window/window_call.h"

namespace presso::query {
namespace {

/// What a function takes as its first argument.
enum class Takes : Byte { kNothing, kAny, kNumbers, kSummable, kOrdered, kBools, kTwoNumbers };
/// What it gives.
enum class Gives : Byte { kCount, kReal, kSame, kSum, kMiddle, kText, kList, kBool };

struct Function {
  WindowKind kind;
  const char* name;
  std::size_t least_arguments;
  std::size_t most_arguments;
  Takes takes;
  Gives gives;
};

constexpr Function kFunctions[] = {
    {WindowKind::kRowNumber, "row_number", 0, 0, Takes::kNothing, Gives::kCount},
    {WindowKind::kRank, "rank", 0, 0, Takes::kNothing, Gives::kCount},
    {WindowKind::kDenseRank, "dense_rank", 0, 0, Takes::kNothing, Gives::kCount},
    {WindowKind::kPercentRank, "percent_rank", 0, 0, Takes::kNothing, Gives::kReal},
    {WindowKind::kCumeDist, "cume_dist", 0, 0, Takes::kNothing, Gives::kReal},
    {WindowKind::kNtile, "ntile", 1, 1, Takes::kAny, Gives::kCount},
    {WindowKind::kLag, "lag", 1, 3, Takes::kAny, Gives::kSame},
    {WindowKind::kLead, "lead", 1, 3, Takes::kAny, Gives::kSame},
    {WindowKind::kFirstValue, "first_value", 1, 1, Takes::kAny, Gives::kSame},
    {WindowKind::kLastValue, "last_value", 1, 1, Takes::kAny, Gives::kSame},
    {WindowKind::kNthValue, "nth_value", 2, 2, Takes::kAny, Gives::kSame},
    {WindowKind::kCountRows, "count(*)", 0, 0, Takes::kNothing, Gives::kCount},
    {WindowKind::kCount, "count", 1, 1, Takes::kAny, Gives::kCount},
    {WindowKind::kSum, "sum", 1, 1, Takes::kSummable, Gives::kSum},
    {WindowKind::kAvg, "avg", 1, 1, Takes::kNumbers, Gives::kReal},
    {WindowKind::kMin, "min", 1, 1, Takes::kAny, Gives::kSame},
    {WindowKind::kMax, "max", 1, 1, Takes::kAny, Gives::kSame},
    {WindowKind::kAnyValue, "any_value", 1, 1, Takes::kAny, Gives::kSame},
    {WindowKind::kFirst, "first", 1, 1, Takes::kAny, Gives::kSame},
    {WindowKind::kLast, "last", 1, 1, Takes::kAny, Gives::kSame},
    {WindowKind::kArgMin, "arg_min", 2, 2, Takes::kAny, Gives::kSame},
    {WindowKind::kArgMax, "arg_max", 2, 2, Takes::kAny, Gives::kSame},
    {WindowKind::kMedian, "median", 1, 1, Takes::kAny, Gives::kMiddle},
    {WindowKind::kQuantileCont, "quantile_cont", 2, 2, Takes::kOrdered, Gives::kMiddle},
    {WindowKind::kQuantileDisc, "quantile_disc", 2, 2, Takes::kAny, Gives::kSame},
    {WindowKind::kMode, "mode", 1, 1, Takes::kAny, Gives::kSame},
    {WindowKind::kMad, "mad", 1, 1, Takes::kNumbers, Gives::kMiddle},
    {WindowKind::kStringAgg, "string_agg", 1, 2, Takes::kAny, Gives::kText},
    {WindowKind::kList, "list", 1, 1, Takes::kAny, Gives::kList},
    {WindowKind::kBoolAnd, "bool_and", 1, 1, Takes::kBools, Gives::kBool},
    {WindowKind::kBoolOr, "bool_or", 1, 1, Takes::kBools, Gives::kBool},
    {WindowKind::kProduct, "product", 1, 1, Takes::kNumbers, Gives::kReal},
    {WindowKind::kVarSamp, "var_samp", 1, 1, Takes::kNumbers, Gives::kReal},
    {WindowKind::kVarPop, "var_pop", 1, 1, Takes::kNumbers, Gives::kReal},
    {WindowKind::kStddevSamp, "stddev_samp", 1, 1, Takes::kNumbers, Gives::kReal},
    {WindowKind::kStddevPop, "stddev_pop", 1, 1, Takes::kNumbers, Gives::kReal},
    {WindowKind::kCovarSamp, "covar_samp", 2, 2, Takes::kTwoNumbers, Gives::kReal},
    {WindowKind::kCovarPop, "covar_pop", 2, 2, Takes::kTwoNumbers, Gives::kReal},
    {WindowKind::kCorr, "corr", 2, 2, Takes::kTwoNumbers, Gives::kReal},
    {WindowKind::kRegrSlope, "regr_slope", 2, 2, Takes::kTwoNumbers, Gives::kReal},
    {WindowKind::kRegrIntercept, "regr_intercept", 2, 2, Takes::kTwoNumbers, Gives::kReal},
    {WindowKind::kSkewness, "skewness", 1, 1, Takes::kNumbers, Gives::kReal},
    {WindowKind::kKurtosis, "kurtosis", 1, 1, Takes::kNumbers, Gives::kReal},
    {WindowKind::kApproxCountDistinct, "approx_count_distinct", 1, 1, Takes::kAny, Gives::kCount},
};

const Function& function_of(WindowKind kind) {
  return *std::find_if(std::begin(kFunctions), std::end(kFunctions),
                       [&](const Function& one) { return one.kind == kind; });
}

Error refuse_type(const Function& function, const std::string& why) {
  return make_error(ErrorCode::kInvalidArgument, std::string(function.name) + "() " + why);
}

bool is_number(const ColumnSchema& column) {
  return !is_string(column.type) && column.type != ColumnType::kBool &&
         !is_date_or_time(column.type);
}

Status check_first(const Function& function, std::span<const ColumnSchema> arguments) {
  const auto takes = [&](bool suits, const char* what, std::size_t i = 0) -> Status {
    if (suits) return {};
    return refuse_type(function,
                       std::string("takes ") + what + "; this is " + type_name(arguments[i]));
  };
  switch (function.takes) {
    case Takes::kNumbers:
      return takes(is_number(arguments[0]), "numbers");
    case Takes::kSummable:
      return takes(is_number(arguments[0]) || arguments[0].type == ColumnType::kBool, "numbers");
    case Takes::kOrdered:
      return takes(is_number(arguments[0]) || is_date_or_time(arguments[0].type),
                   "numbers, dates and timestamps");
    case Takes::kBools:
      return takes(arguments[0].type == ColumnType::kBool, "truth values");
    case Takes::kTwoNumbers:
      PRESSO_TRY(takes(is_number(arguments[0]), "numbers"));
      return takes(is_number(arguments[1]), "numbers", 1);
    default:
      return {};
  }
}

/// Checks the arguments after the first.
Status check_rest(const Function& function, std::span<const ColumnSchema> arguments) {
  const auto needs = [&](std::size_t i, bool suits, const char* what) -> Status {
    if (arguments.size() <= i || suits) return {};
    return refuse_type(function,
                       std::string("needs ") + what + "; this is " + type_name(arguments[i]));
  };
  switch (function.kind) {
    case WindowKind::kNtile:
      return needs(0, is_integer(arguments[0].type), "a whole number");
    case WindowKind::kNthValue:
      return needs(1, is_integer(arguments[1].type), "a whole number as its second argument");
    case WindowKind::kQuantileCont:
    case WindowKind::kQuantileDisc:
      return needs(1, is_number(arguments[1]), "a number from -1 to 1 as its second argument");
    case WindowKind::kStringAgg:
      return needs(1, arguments.size() < 2 || is_string(arguments[1].type),
                   "text as its second argument");
    case WindowKind::kLag:
    case WindowKind::kLead: {
      PRESSO_TRY(needs(1, arguments.size() < 2 || is_integer(arguments[1].type),
                       "a whole number as its second argument"));
      const bool same =
          arguments.size() < 3 ||
          (physical_of_type(arguments[2].type) == physical_of_type(arguments[0].type) &&
           arguments[2].scale == arguments[0].scale && arguments[2].unit == arguments[0].unit);
      return needs(2, same, "a default of the type of its first argument");
    }
    default:
      return {};
  }
}

Status check_frame(const Function& function, const WindowCall& call, const TableSchema& schema) {
  if (!call.frame) return {};
  const auto has_offset = [](const FrameBound& bound) {
    return bound.kind == FrameBound::Kind::kPreceding || bound.kind == FrameBound::Kind::kFollowing;
  };
  const WindowFrame& frame = *call.frame;
  if (frame.begin.kind == FrameBound::Kind::kUnboundedFollowing ||
      frame.end.kind == FrameBound::Kind::kUnboundedPreceding ||
      frame.begin.kind > frame.end.kind) {
    return refuse_type(function, "has a frame that ends before it begins");
  }
  for (const FrameBound* bound : {&frame.begin, &frame.end}) {
    if (!has_offset(*bound)) continue;
    const FrameOffset& offset = bound->offset;
    if (offset.column && !is_number(schema.columns[*offset.column])) {
      return refuse_type(function, "has a frame whose offset is no number");
    }
    if (frame.unit == WindowFrame::Unit::kGroups && call.order.empty()) {
      return refuse_type(function, "has a frame of groups, which needs an order");
    }
    if (frame.unit != WindowFrame::Unit::kRange) {
      if (offset.is_interval || (!offset.column && offset.scale != 0)) {
        return refuse_type(function,
                           "has a frame of rows or groups whose offset is no whole number");
      }
      continue;
    }
    if (call.order.size() != 1) {
      return refuse_type(function,
                         "has a frame of a range with an offset, which needs one key in its order");
    }
    const ColumnSchema& key = schema.columns[call.order[0].column];
    if (!is_number(key) && !is_date_or_time(key.type)) {
      return refuse_type(function,
                         "has a frame of a range over " + type_name(key) +
                             "; with an offset, a range needs numbers, dates or timestamps");
    }
    const bool fits =
        offset.is_interval ? is_date_or_time(key.type) : key.type != ColumnType::kTimestamp;
    if (!fits) {
      return refuse_type(function,
                         "has a frame whose offset does not suit its order of " + type_name(key));
    }
  }
  return {};
}

ColumnSchema number_schema(ColumnType type, Byte precision = 0, Byte scale = 0) {
  ColumnSchema column;
  column.type = type;
  column.precision = precision;
  column.scale = scale;
  return column;
}

/// The type of a value between two of the argument's: dates become timestamps, whole numbers and
/// decimals doubles; text and truth values have none between them and stay.
ColumnSchema middle_schema(const ColumnSchema& of) {
  ColumnSchema column = of;
  if (is_integer(of.type) || is_decimal(of.type)) return number_schema(ColumnType::kDouble);
  if (is_date_or_time(of.type)) {
    column = number_schema(ColumnType::kTimestamp);
    column.unit = of.type == ColumnType::kTimestamp && of.unit == TimeUnit::kNano
                      ? TimeUnit::kNano
                      : TimeUnit::kMicro;
    column.zone = of.zone;
  }
  return column;
}

/// The type of a list that goes to Arrow as such: where its JSON is that of FORMAT.md 15.9, which
/// has other texts for timestamps.
std::string arrow_type_of_list(const ColumnSchema& of) {
  ArrowType list{"+l", "", ARROW_FLAG_NULLABLE, {}, {}, {}};
  ArrowType& item = list.children.emplace_back();
  if (of.text == ValueText::kRawJson) {
    const auto nested = parse_arrow_type(of.arrow_type);
    if (!nested) return {};
    item = *nested;
  } else if (of.type == ColumnType::kTimestamp) {
    return {};
  } else {
    item.format = arrow_format(of);
    if (is_string(of.type) && item.format != "U") return {};
  }
  item.name = "item";
  item.flags = ARROW_FLAG_NULLABLE;
  return kind_of(item) ? serialise_arrow_type(list) : std::string();
}

/// Elements that are not text keep their type.
ColumnSchema list_schema(const ColumnSchema& of) {
  ColumnSchema list = number_schema(ColumnType::kUtf8);
  list.text = ValueText::kRawJson;
  list.arrow_type = arrow_type_of_list(of);
  list.valid_utf8 = !list.arrow_type.empty();
  list.fields = fields_of_list(of);
  return list;
}

ColumnSchema result_schema(Gives gives, std::span<const ColumnSchema> arguments) {
  switch (gives) {
    case Gives::kCount:
      return number_schema(ColumnType::kInt64);
    case Gives::kReal:
      return number_schema(ColumnType::kDouble);
    case Gives::kSum: {
      const bool real = physical_of_type(arguments[0].type) == Physical::kDouble;
      return real ? number_schema(ColumnType::kDouble)
                  : number_schema(ColumnType::kDecimal128, 38, arguments[0].scale);
    }
    case Gives::kMiddle:
      return middle_schema(arguments[0]);
    case Gives::kText:
      return number_schema(ColumnType::kUtf8);
    case Gives::kList:
      return list_schema(arguments[0]);
    case Gives::kBool:
      return number_schema(ColumnType::kBool);
    case Gives::kSame:
      return arguments[0];
  }
  return {};
}

}  // namespace

/// Types of 64 unsigned bits need 128 with a sign.
Physical physical_of_type(ColumnType type) {
  switch (type) {
    case ColumnType::kBool:
      return Physical::kBool;
    case ColumnType::kFloat:
    case ColumnType::kDouble:
      return Physical::kDouble;
    case ColumnType::kUint64:
    case ColumnType::kDecimal128:
      return Physical::kInt128;
    case ColumnType::kUtf8:
    case ColumnType::kBinary:
      return Physical::kString;
    default:
      return Physical::kInt64;
  }
}

std::string window_name(WindowKind kind) {
  return function_of(kind).name;
}

bool is_aggregate(WindowKind kind) {
  return kind >= WindowKind::kCountRows;
}

Result<ColumnSchema> window_type(const WindowCall& call, const TableSchema& schema) {
  const Function& function = function_of(call.kind);
  const std::size_t count = call.arguments.size();
  if (count < function.least_arguments || count > function.most_arguments) {
    const bool one = function.least_arguments == function.most_arguments;
    return refuse_type(function, "takes " + std::to_string(function.least_arguments) +
                                     (one ? "" : " to " + std::to_string(function.most_arguments)) +
                                     " arguments, not " + std::to_string(count));
  }
  std::vector<ColumnSchema> arguments;
  for (const std::size_t column : call.arguments) arguments.push_back(schema.columns.at(column));
  PRESSO_TRY(check_first(function, arguments));
  PRESSO_TRY(check_rest(function, arguments));
  PRESSO_TRY(check_frame(function, call, schema));
  if (call.filter && !is_aggregate(call.kind)) return refuse_type(function, "takes no FILTER");
  if (call.filter && schema.columns.at(*call.filter).type != ColumnType::kBool) {
    return refuse_type(function, "needs a truth value in its FILTER");
  }
  if (call.distinct && (!is_aggregate(call.kind) || count == 0)) {
    return refuse_type(function, "takes no DISTINCT");
  }
  if (call.once && !is_aggregate(call.kind)) {
    return refuse_type(function, "is no aggregate, so it needs OVER");
  }
  ColumnSchema result = result_schema(function.gives, arguments);
  result.name = call.name;
  result.nullable = true;
  return result;
}

}  // namespace presso::query
