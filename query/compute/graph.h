// SPDX-License-Identifier: MIT
// Bound expressions: a graph of typed nodes. Equal nodes are stored once (hash consing), so an
// expression that occurs twice in a query, for example in SELECT and in GROUP BY, is computed once
// for each row.
//
// Every node carries the interval in which its values lie. The intervals begin at the zones
// (minimum and maximum) of the columns and are carried through each step by interval arithmetic.
// This is what makes decimals cheap: a product of two decimal(15,2) columns has type decimal(38,4),
// but the zones nearly always show that 64 bits hold it, and then it is computed in 64 bits without
// an overflow check.
//
// binder.h makes graphs from parsed expressions, builder.h decides types and intervals, program.h
// runs nodes over vectors of rows. A graph belongs to one query; it is built by one thread and is
// then only read, by all of them. Tested by tests/unit/query/compute/compute_test.cpp.
//
// Example. `price * (1 - discount) > 100`, where the zones say that price lies in 1.00 to 999.99
// and discount in 0.00 to 0.10, becomes these nodes (values of decimals are shown times 10^scale):
//
//    0  column price          decimal(15,2)  [100, 99999]        64 bits
//    1  constant 1            int64          [1, 1]
//    2  column discount       decimal(15,2)  [0, 10]
//    3  kScaleUp(1)           decimal(38,2)  [100, 100]          folded to a constant, node 4
//    5  kSubtract(4, 2)       decimal(38,2)  [90, 100]           64 bits, unchecked
//    6  kMultiply(0, 5)       decimal(38,4)  [9000, 9999900]     64 bits, unchecked
//    7  constant 100          int64          [100, 100]
//    8  kScaleUp(7)           decimal(38,4)  [1000000, 1000000]  folded to a constant, node 9
//   10  kLess(9, 6)           bool           `>` has exchanged its operands
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "presso/table_schema.h"
#include "query/strings/string_test.h"
#include "query/values/vector.h"

namespace presso::query {

/// The kinds of values that expressions distinguish. A family says how a value behaves; whether it
/// takes 64 or 128 bits follows from the node's interval (Physical). kNull is the type of a bare
/// NULL, which adapts to whatever stands beside it.
enum class Family : Byte { kNull, kBool, kInteger, kDecimal, kDouble, kDate, kTime, kString };

/// The closed interval in which all values of a node lie. Integers, decimals (as integers, times
/// 10^scale), dates and timestamps use `least` and `most`; doubles use `least_real` and
/// `most_real`. An interval may be wider than the values are, never narrower. Nulls are not part of
/// it.
struct Range {
  bool known = false;
  Int128 least = 0;
  Int128 most = 0;
  double least_real = 0;  ///< may be -infinity; NaN is possible whatever the interval is
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

/// The operations of a node. Their order matters: Program picks the function that runs a step by
/// comparing with the last step of each group (runner_of() in program.cpp), and `parameter` below
/// means Node::parameter.
enum class Step : Byte {
  // Arithmetic of numbers. The parameter of kAdd, kSubtract, kMultiply, kNegate and kAbs is 1 where
  // a result may overflow and is checked for each row, 0 where the interval rules that out.
  kAdd,
  kSubtract,
  kMultiply,
  kNegate,
  kAbs,            ///< its least value has no absolute value and fails when checked
  kDivideReal,     ///< `/`: always of doubles
  kDivideInteger,  ///< `//`: rounds towards zero; fails for a divisor of zero
  kModulo,         ///< the remainder has the sign of the dividend
  kFloor,          ///< doubles only, like the four steps after it
  kCeil,
  kRoundReal,   ///< to `parameter` digits after the point, which may be negative
  kSquareRoot,  ///< fails for negative numbers
  kPower,
  // Conversions. Only CAST, and steps that need a common type of their operands, insert them.
  kToInt128,
  kToInt64,        ///< fails for values outside the node's interval, whatever the widths are
  kScaleUp,        ///< multiplies by 10^parameter, exact
  kScaleDown,      ///< divides by 10^parameter and rounds half away from zero
  kFloorScaled,    ///< divides by 10^parameter and rounds down
  kIntegerToReal,  ///< divides by 10^parameter; the quotient is rounded once
  kRealToInteger,  ///< multiplies by 10^parameter, rounds, fails beyond 38 digits; gives kInt128
  kRealToFloat,    ///< rounds a double to the nearest float
  kBoolToInteger,  ///< 0 or 1
  kIntegerToBool,  ///< whether the value is not 0; decimals, too
  kParse,          ///< reads a text as the node's type; fails where it is none
  kPrint,          ///< writes a value of the argument's type as text
  // Comparisons. Both operands have one physical form; Builder::unify() has seen to that.
  kEqual,     ///< doubles: NaN equals NaN
  kNotEqual,  ///< not made from SQL's `<>`, which is NOT of kEqual
  kLess,
  kLessEqual,
  kIsDistinct,  ///< IS DISTINCT FROM: as kNotEqual, but two nulls are equal
  kInIntegers,  ///< whether the value is in `integers`, by binary search
  // Logic of three values (true, false, null), and the steps that choose between values.
  kAnd,  ///< any number of operands
  kOr,   ///< any number of operands
  kNot,
  kIsNull,    ///< never null itself
  kCase,      ///< arguments: condition, value, condition, value, ..., value of ELSE
  kCoalesce,  ///< the first argument that is not null
  // Strings.
  kStringTest,  ///< LIKE, equality with a literal and so on; compiled in `test`
  kLength,      ///< counts characters (code points)
  kByteLength,  ///< counts bytes
  kLower,
  kUpper,
  kTrim,       ///< removes spaces; parameter: 1 left, 2 right, 3 both
  kSubstring,  ///< arguments: text, first place, optionally the length
  kReplace,    ///< arguments: text, what to replace, the replacement
  kConcat,     ///< any number of operands; null if one of them is
  kStartsWith,
  kEndsWith,
  kContains,
  kPosition,  ///< arguments: text, part; 0 where the part does not occur
  // JSON text and a path into it (format/columns/json_path.h); null where the path leads to
  // nothing. They fail for a text that is no JSON.
  kJsonExtract,  ///< the value as JSON
  kJsonText,    ///< a string's text, else the value as JSON; null for null. Parameter: 1 if numbers
                ///< stay as they are written
  kJsonLength,  ///< the elements of an array. Other values: 0, or with the parameter 1 the
                ///< characters
                ///< of kJsonText
  kJsonType,    ///< "OBJECT", "BIGINT", ...
  kJsonExists,  ///< false where the path leads to nothing
  kJsonValid,   ///< one argument; false for a text that is no JSON
  // Dates (days since 1970-01-01) and timestamps (units since then; the unit is the argument's).
  kDatePart,   ///< parameter: a DatePart; the result is an integer
  kTruncate,   ///< parameter: a DatePart; the result is its first moment
  kAddMonths,  ///< adds the second argument, in months, to a date or timestamp
  /// Changes the unit of time: a parameter n > 0 multiplies by n, n < 0 divides by -n and rounds
  /// down.
  kTimeToUnit,
  // Takes arguments of all families.
  kBucket,  ///< a hash of the arguments, reduced to 0 .. parameter - 1
  kTry,     ///< the first argument, null where it has no result though the second one has
  kCall,    ///< what Node::kernel computes, for functions without a step of their own
};

/// The parts of a date that SQL's date_part() and date_trunc() know. kWeek is the week of ISO 8601,
/// kDayOfWeek counts from Sunday = 0, kEpoch is seconds since 1970-01-01.
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
  kIsoDayOfWeek,  ///< from Monday = 1 to Sunday = 7
  kIsoYear,
  kYearWeek,  ///< the ISO year times 100, plus the week
  kDecade,
  kCentury,
  kMillennium,
  kEra,          ///< 1, or 0 before the year 1
  kMillisecond,  ///< the second of the minute times 1,000, with its fraction; so the next two
  kMicrosecond,
  kNanosecond,
  kEpochMillis,  ///< milliseconds since 1970-01-01; so the next two
  kEpochMicros,
  kEpochNanos,
};

struct StepContext;

/// The computation of a kCall node. Kernels are constants; nodes that name one are equal if all
/// else is. Null arguments give null, as for steps that do not decide about nulls.
struct Kernel {
  std::string_view name;            ///< for --explain
  void (*run)(const StepContext&);  ///< computes a vector
  std::string_view failure = {};    ///< what is wrong where a row fails; empty: none does
  bool makes_nulls = false;         ///< a result may be null though no argument is
  bool has_any_type = false;        ///< all rows fail, so that it takes the type of its neighbour
  bool decides_nulls = false;       ///< decides itself which results are null, of which rows
  bool is_interval = false;         ///< the node is an interval (intervals.h), never folded
};

/// Index of a node in its graph. Arguments have smaller numbers than the steps that use them.
using NodeId = std::uint32_t;

/// One value of an expression: a column, a constant or a step over other nodes. It is a plain
/// record so that Graph can compare nodes field by field; which fields are meant depends on `kind`
/// and `step`.
struct Node {
  enum class Kind : Byte { kColumn, kConstant, kStep };

  Kind kind = Kind::kConstant;
  Step step = Step::kAdd;  ///< kStep only
  Family family = Family::kNull;
  Physical physical = Physical::kInt64;
  bool nullable = true;  ///< whether any row may be null
  /// The type by which results are stored and printed; its name is not used.
  ColumnSchema schema;
  Range range;
  std::vector<NodeId> arguments;           ///< kStep: the operands
  std::size_t column = 0;                  ///< kColumn: its place among the query's input columns
  std::int64_t parameter = 0;              ///< kStep: what it means is said at each Step
  std::vector<Int128> integers;            ///< kInIntegers: the set, ascending
  std::shared_ptr<const StringTest> test;  ///< kStringTest; shared, as nodes are copied
  const Kernel* kernel = nullptr;          ///< kCall
  std::shared_ptr<const void> prepared = nullptr;  ///< kCall: what the kernel reads, or nothing
  /// Text that is equal for equal tests or preparations, for comparing nodes.
  std::string test_key;
  // kConstant: exactly one of these four, by family; booleans, dates and timestamps use `integer`.
  bool is_null = false;
  Int128 integer = 0;
  double real = 0;
  std::string text;
};

/// Whether the step decides by itself which results are null (AND, OR, IS NULL, CASE, COALESCE and
/// so on). For every other step a result is null exactly where one of its arguments is, and Program
/// does that before the step runs.
bool decides_nulls(Step step);
/// Whether the step itself may have no result for some row, because of an overflow, a division by
/// zero or a text that cannot be read. Failures of its arguments do not count; see Graph::may_fail.
bool step_may_fail(const Node& node);

/// While one exists, all graphs that this thread builds take their moment from it. A statement that
/// becomes several queries makes one, so that now() is the same in all of them.
class StatementMoment {
 public:
  StatementMoment();
  ~StatementMoment();
  StatementMoment(const StatementMoment&) = delete;
  StatementMoment& operator=(const StatementMoment&) = delete;
};

/// Owns the nodes of a query. Nodes are never removed or changed, so a NodeId stays valid; a
/// reference from at() does not survive the next add(), which may move the nodes.
class Graph {
 public:
  /// Returns the number of the node that equals `node`, after inserting it where it is new. A step
  /// whose arguments are all constants is computed at once, by a Program of one row, and becomes a
  /// constant. If it fails (1 // 0) it stays a step, and the query fails only if a row needs the
  /// result.
  NodeId add(Node node);

  const Node& at(NodeId id) const { return nodes_[id]; }
  const std::vector<Node>& nodes() const { return nodes_; }
  bool is_constant(NodeId id) const { return at(id).kind == Node::Kind::kConstant; }
  bool is_column(NodeId id) const { return at(id).kind == Node::Kind::kColumn; }
  /// Whether the node or one that it depends on may fail for some row. Such nodes must not be
  /// computed for rows that an earlier condition excludes.
  bool may_fail(NodeId id) const;
  /// Returns the columns that `nodes` depend on, ascending and each once.
  std::vector<std::size_t> columns_of(const std::vector<NodeId>& nodes) const;

  /// The moment that now() and today() mean, in microseconds since 1970: that of the first call, or
  /// of the StatementMoment that exists then.
  std::int64_t moment();

  /// Keeps something that the author of an expression should know (PreparedQuery::warnings).
  void warn(std::string text) { warnings_.push_back(std::move(text)); }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  /// add() without folding of constants.
  NodeId intern(Node node);

  // The index finds a node by key_of(), a text with all fields that make nodes differ.
  std::vector<Node> nodes_;
  std::unordered_map<std::string, NodeId> known_;
  std::vector<std::string> warnings_;
  std::optional<std::int64_t> moment_;
};

/// The quotient, rounded down.
template <class T>
constexpr T floor_divide(T value, std::type_identity_t<T> by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

/// Returns 10^exponent; exponents above 38 give 10^38, the greatest power that Int128 holds.
Int128 power_of_ten(unsigned exponent);
/// The most digits of a decimal, as in DuckDB and Arrow. Integers of 128 bits have this limit, too.
constexpr unsigned kMostDigits = 38;
/// Whether the interval is known and lies within the values of int64.
bool fits_int64(const Range& range);

}  // namespace presso::query
