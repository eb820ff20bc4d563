// SPDX-License-Identifier: MIT
// Window functions, and aggregates that need all values of a group at once: functions that see the
// rows of a partition in an order. with_windows() adds a column for each call and leaves the rows
// where they are.
//
//   kept rows -> sorted by partition and order    Ordering, once for all calls with the same ones
//             -> chunks of whole partitions       partition_reader.h
//             -> results                          ranks.cpp, values.cpp, aggregates (frame_run.h)
//             -> back to the order of the input   result_column.h
//
// Rows that are equal in the order keep that of the input, so every result is the same for any
// number of threads. Values are equal where GROUP BY says so: nulls, NaNs, and 0 and -0. What
// frames and functions mean is what DuckDB means; sums of doubles are exact and rounded once.
//
// Memory: a quarter of QueryOptions::memory_bytes for sorting, which goes to files beyond it; a
// quarter for the rows of a chunk, which holds one partition at least, so that a larger partition
// is kOutOfMemory; and the results: for each call and row 9 bytes (17 for decimals and strings,
// beside the bytes of strings), or more files where these take more than a quarter. Texts that
// string_agg() and list() make and that take more than a quarter are kOutOfMemory.
// Tested by tests/unit/query/window/window_test.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "query/kept/kept_rows.h"
#include "query/values/vector.h"

namespace presso::query {

/// The functions. With x, y, n: WindowCall::arguments.
enum class WindowKind : Byte {
  kRowNumber,
  kRank,
  kDenseRank,
  kPercentRank,
  kCumeDist,
  kNtile,       ///< n
  kLag,         ///< x, how many rows before (1), default (null)
  kLead,        ///< x, how many rows after (1), default (null)
  kFirstValue,  ///< x
  kLastValue,   ///< x
  kNthValue,    ///< x, n
  kCountRows,
  kCount,         ///< x
  kSum,           ///< x: numbers, bool
  kAvg,           ///< x: numbers
  kMin,           ///< x
  kMax,           ///< x
  kAnyValue,      ///< x: the first that is not null
  kFirst,         ///< x: the first row's, which may be null
  kLast,          ///< x
  kArgMin,        ///< x, y: x of the row with the least y; rows where either is null do not count
  kArgMax,        ///< x, y
  kMedian,        ///< x
  kQuantileCont,  ///< x: numbers, dates, timestamps; n from -1 to 1, of the partition's first row
  kQuantileDisc,  ///< x, n
  kMode,          ///< x: the most frequent value; of several the first
  kMad,           ///< x: numbers
  kStringAgg,     ///< x, separator (",") of the partition's first row
  kList,          ///< x: a JSON array, [1,2,null]
  kBoolAnd,       ///< x: bool
  kBoolOr,        ///< x: bool
  kProduct,       ///< x: numbers; so are the arguments of the functions after it
  kVarSamp,
  kVarPop,
  kStddevSamp,
  kStddevPop,
  kCovarSamp,      ///< y, x
  kCovarPop,       ///< y, x
  kCorr,           ///< y, x
  kRegrSlope,      ///< y, x
  kRegrIntercept,  ///< y, x
  kSkewness,
  kKurtosis,
  kApproxCountDistinct,  ///< x; the count is exact
};

/// A key of the order of rows in their partition.
struct WindowOrder {
  std::size_t column = 0;
  bool descending = false;
  bool nulls_first = false;
  friend bool operator==(const WindowOrder&, const WindowOrder&) = default;
};

/// The distance of a frame's end from the current row: a column, or a constant in one of three
/// forms. Rows and groups: a whole number. Range: a number, or an interval for dates and
/// timestamps. None may be negative.
struct FrameOffset {
  std::optional<std::size_t> column;  ///< numbers only; for dates: days
  // A number: `number` / 10^scale, and the same as a double for keys that are doubles.
  Int128 number = 0;
  Byte scale = 0;
  double real = 0;
  // An interval: months, then days, then nanoseconds.
  bool is_interval = false;
  std::int64_t months = 0;
  std::int64_t days = 0;
  std::int64_t nanos = 0;
};

struct FrameBound {
  using Kind = presso::FrameBound::Kind;
  Kind kind = Kind::kUnboundedPreceding;
  FrameOffset offset;  ///< of kPreceding and kFollowing
};

/// The rows that a function sees from a row.
struct WindowFrame {
  using Unit = presso::WindowFrame::Unit;
  using Exclude = presso::WindowFrame::Exclude;
  Unit unit = Unit::kRange;
  FrameBound begin;
  FrameBound end{FrameBound::Kind::kCurrentRow, {}};
  Exclude exclude = Exclude::kNothing;
};

/// One call. Columns are numbers of columns of the rows; constants are columns, too.
struct WindowCall {
  WindowKind kind = WindowKind::kRowNumber;
  std::vector<std::size_t> arguments;
  std::optional<std::size_t> filter;  ///< aggregates see rows only where this bool is true
  bool distinct = false;              ///< aggregates see each value of the first argument once
  bool ignore_nulls = false;          ///< kLag to kNthValue
  std::vector<std::size_t> partition;
  std::vector<WindowOrder> order;
  /// Without it: with an order from the partition's first row to the last one that is equal to the
  /// current row in the order, else the whole partition.
  std::optional<WindowFrame> frame;
  /// The frame is the whole partition, and the value stands in the partition's first row of the
  /// input; it is null in all others.
  bool once = false;
  std::string name;
};

/// The column that a call gives. Error: kInvalidArgument where arguments, filter or frame do not
/// suit the function.
Result<ColumnSchema> window_type(const WindowCall& call, const TableSchema& schema);

/// Returns the rows in their order with one more column for each call. `rows` must have been made
/// by a KeepingSink or by this function. Errors: those of window_type(), kInvalidArgument for
/// values that a function refuses and for sums of more than 38 digits, kOutOfMemory, kCancelled,
/// those of temporary files.
Result<KeptRows> with_windows(const KeptRows& rows, std::span<const WindowCall> calls,
                              const QueryOptions& options);

}  // namespace presso::query
