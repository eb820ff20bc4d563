// SPDX-License-Identifier: MIT
// Group-by: rows with equal keys become one row with aggregates (F5, F9, F11, F12). Nulls are equal
// to each other, NaNs too, -0 equals +0. Groups come out in the order in which their first rows
// stand in the input, whatever the strategy and the number of threads, and so do sums: integers and
// decimals are added in 128 bits, doubles as 128-bit integers of a unit that is known before
// (FixedPoint), those too small for it in finer units, all of them exactly; the sum is rounded
// once, so that no order of addition changes a bit. Tested by
// tests/unit/query/group/grouping_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "presso/error.h"
#include "presso/query.h"
#include "query/values/row_store.h"
#include "query/values/vector.h"

namespace presso::query {

/// Doubles as integers: x is x / 2^exponent where that is whole. Chosen by the caller from a bound
/// of |x| and the number of rows, so that 128 bits hold every sum: fixed_point_for(2^m, n) leaves
/// 126 bits for n values below 2^m.
struct FixedPoint {
  int exponent = 0;
};
FixedPoint fixed_point_for(double greatest, std::uint64_t rows);

enum class AggregateKind : Byte {
  kCountRows,      ///< count(*); no argument
  kCount,          ///< values that are not null
  kCountDistinct,  ///< different values that are not null
  kSum,      ///< of kInt64, kInt128: kInt128; of kDouble: kDouble; null where there is no value
  kAverage,  ///< kDouble: the exact sum, divided by 10^scale and the count, rounded once
  kMin,      ///< NaN is the greatest; strings bytewise
  kMax,
};

struct AggregateSpec {
  AggregateKind kind = AggregateKind::kCountRows;
  Physical argument = Physical::kInt64;
  Byte scale = 0;          ///< kAverage of decimals
  FixedPoint fixed_point;  ///< kSum and kAverage of kDouble
  /// What kInt64 arguments are known to lie between, for cheaper sums; most < least: not known.
  std::int64_t least = 0;
  std::int64_t most = -1;
  /// For who adds several answers up (sum_states.h): what is given are states, of which `argument`
  /// says what they are sums of; counts are given as kInt64 and added up.
  bool takes_states = false;
  bool gives_states = false;  ///< what comes out of sums and averages are states, kString

  bool is_sum() const { return kind == AggregateKind::kSum || kind == AggregateKind::kAverage; }
  /// The form of what is given.
  Physical given() const { return is_sum() && takes_states ? Physical::kString : argument; }
};

struct KeySpec {
  Physical physical = Physical::kInt64;
  /// What kInt64 keys are known to lie between (codes of dictionaries: 0 to entries - 1);
  /// most < least: not known. Values outside are an error of the caller.
  std::int64_t least = 0;
  std::int64_t most = -1;
  bool nullable = true;
};

struct GroupingPlan {
  std::vector<KeySpec> keys;  ///< none: one group of all rows, there also without a row
  std::vector<AggregateSpec> aggregates;
  std::uint64_t rows = 0;             ///< of the input, at most; for choosing
  std::uint64_t expected_groups = 0;  ///< an estimate; 0: not known
  GroupStrategy strategy = GroupStrategy::kAuto;
  unsigned threads = 1;
  std::uint64_t memory_bytes = ~std::uint64_t{0};
  /// Only keys whose hash falls into part `part` of `parts` are taken (columns.md 4.6): who has too
  /// little memory for all groups runs once for each part.
  std::uint32_t part = 0;
  std::uint32_t parts = 1;
};

class Grouping {
 public:
  /// kInvalidArgument for a strategy that the keys do not allow (dense without known ranges).
  static Result<std::unique_ptr<Grouping>> make(const GroupingPlan& plan);
  virtual ~Grouping() = default;

  /// `count` rows, at most kBatchRows. Called by any number of threads, each with its own
  /// `worker` < plan.threads. `arguments`: one for each aggregate, ignored for kCountRows.
  /// kOutOfMemory, with `what` empty, where memory_bytes do not suffice: try more parts.
  virtual Status add(unsigned worker, RowNumbers rows, std::span<const VectorView> keys,
                     std::span<const VectorView> arguments, std::uint32_t count) = 0;
  /// After the last row, once. Columns: the keys, then the aggregates in their result's form
  /// (counts kInt64); in the order of first rows. `first_rows`: where given, their numbers.
  /// kOutOfMemory as add().
  virtual Result<RowStore> finish(std::vector<std::uint64_t>* first_rows = nullptr) = 0;
  /// The most memory that it has had, the finished rows included.
  virtual std::uint64_t bytes() const = 0;
  /// "dense, 12 places", for --explain.
  virtual std::string describe() const = 0;
};

/// numerator / denominator, rounded to nearest, ties to even; denominator > 0.
double divide_rounded(Int128 numerator, Uint128 denominator);

}  // namespace presso::query
