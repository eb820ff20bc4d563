// SPDX-License-Identifier: MIT
// Expressions after binding: typed nodes, of which equal ones are one node, so that what stands in
// two places of a query is computed once. A node knows between which values it lies, from the zones
// of columns on (interval arithmetic): so most sums and products are seen to fit into 64 bits and
// are computed there without a check, although decimals have 38 digits.
// Made by binder.h, run by program.h. Tested by tests/unit/query/compute.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "presso/table_schema.h"
#include "query/strings/string_test.h"
#include "query/values/vector.h"

namespace presso::query {

/// What a value is; its physical form is a matter of its range.
enum class Family : Byte { kNull, kBool, kInteger, kDecimal, kDouble, kDate, kTime, kString };

/// Between which values integers, decimals (times 10^scale), dates, timestamps and doubles lie.
struct Range {
  bool known = false;
  Int128 least = 0;
  Int128 most = 0;
  double least_real = 0;  ///< of doubles, with infinities; NaN is always possible
  double most_real = 0;
};

/// The range of whole numbers from `least` to `most`.
inline Range whole_range(Int128 least, Int128 most) {
  Range range;
  range.known = true;
  range.least = least;
  range.most = most;
  return range;
}

/// The error for an expression that cannot be computed; `what` says why.
inline Error refused(std::string what) {
  return make_error(ErrorCode::kInvalidArgument, std::move(what));
}

enum class Step : Byte {
  // Numbers; `parameter` of the first four: 1 where results are checked.
  kAdd,
  kSubtract,
  kMultiply,
  kNegate,
  kAbs,
  kDivideReal,
  kDivideInteger,
  kModulo,
  kFloor,  ///< of doubles, as the next four
  kCeil,
  kRoundReal,  ///< to `parameter` digits
  kSquareRoot,
  kPower,
  // Conversions.
  kToInt128,
  kToInt64,        ///< checked
  kScaleUp,        ///< times 10^parameter
  kScaleDown,      ///< by 10^parameter, half away from zero
  kFloorScaled,    ///< by 10^parameter, down
  kIntegerToReal,  ///< divided by 10^parameter, rounded once
  kRealToInteger,  ///< times 10^parameter, to nearest, checked; kInt128
  kRealToFloat,    ///< rounded to a float
  kBoolToInteger,
  kIntegerToBool,
  kParse,  ///< text to the node's type, checked
  kPrint,  ///< a value of the argument's type as text
  // Comparisons.
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kIsDistinct,
  kInIntegers,  ///< one of `integers`, sorted
  // Truth.
  kAnd,
  kOr,
  kNot,
  kIsNull,
  kCase,  ///< when, then, when, then, ..., else
  kCoalesce,
  // Strings.
  kStringTest,  ///< `test`
  kLength,
  kByteLength,
  kLower,
  kUpper,
  kTrim,  ///< parameter: 1 left, 2 right, 3 both
  kSubstring,
  kReplace,
  kConcat,
  kStartsWith,
  kEndsWith,
  kContains,
  kPosition,
  // Dates (days) and timestamps (`unit` of the argument).
  kDatePart,    ///< parameter: a DatePart
  kTruncate,    ///< likewise: to the begin of it
  kAddMonths,   ///< of a date or timestamp
  kTimeToUnit,  ///< parameter: 10^n to multiply (n > 0) or divide (n < 0, down) by
  // Of anything.
  kBucket,  ///< which of `parameter` parts a hash of the arguments falls into
};

enum class DatePart : Byte {
  kYear,
  kQuarter,
  kMonth,
  kWeek,
  kDay,
  kHour,
  kMinute,
  kSecond,
  kDayOfWeek,
  kDayOfYear,
  kEpoch,
};

using NodeId = std::uint32_t;

struct Node {
  enum class Kind : Byte { kColumn, kConstant, kStep };

  Kind kind = Kind::kConstant;
  Step step = Step::kAdd;
  Family family = Family::kNull;
  Physical physical = Physical::kInt64;
  bool nullable = true;
  /// The type by which results are stored and printed; its name is not used.
  ColumnSchema schema;
  Range range;
  std::vector<NodeId> arguments;
  std::size_t column = 0;  ///< kColumn
  std::int64_t parameter = 0;
  std::vector<Int128> integers;
  std::shared_ptr<const StringTest> test;
  std::string test_key;  ///< tells tests apart
  // A constant.
  bool is_null = false;
  Int128 integer = 0;
  double real = 0;
  std::string text;
};

/// Whether a step may have a value though an argument is null, or be null though none is; others
/// are null exactly where an argument is.
bool decides_nulls(Step step);
/// Whether there may be rows for which a step itself, not what it is computed of, has no result.
bool step_may_fail(const Node& node);

class Graph {
 public:
  /// The node that equals `node`; it is new or was there. Steps whose arguments are constants
  /// become constants, unless they fail.
  NodeId add(Node node);

  const Node& at(NodeId id) const { return nodes_[id]; }
  const std::vector<Node>& nodes() const { return nodes_; }
  bool is_constant(NodeId id) const { return at(id).kind == Node::Kind::kConstant; }
  bool is_column(NodeId id) const { return at(id).kind == Node::Kind::kColumn; }
  /// Whether there may be rows for which the node, or one below it, has no result.
  bool may_fail(NodeId id) const;
  /// The columns that some nodes are computed of, ascending.
  std::vector<std::size_t> columns_of(const std::vector<NodeId>& nodes) const;

 private:
  NodeId intern(Node node);

  std::vector<Node> nodes_;
  std::unordered_map<std::string, NodeId> known_;
};

/// The quotient, rounded down.
template <class T>
constexpr T floor_divide(T value, std::type_identity_t<T> by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

/// 10^exponent, up to 38.
Int128 power_of_ten(unsigned exponent);
constexpr unsigned kMostDigits = 38;
bool fits_int64(const Range& range);

}  // namespace presso::query
