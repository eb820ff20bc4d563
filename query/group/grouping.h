// SPDX-License-Identifier: MIT
// Group-by: rows with equal keys become one row with aggregates. Nulls equal each other, so do all
// NaNs, and -0 equals +0. Sources: F5, F9, F11, F12 of docs/sources.md.
//
// The answer is the same, bit for bit, for any strategy, number of threads and amount of memory.
// Groups come in the order of their first rows in the input. Sums are exact until they are rounded
// once at the end: integers and decimals are added in 128 bits, doubles as 128-bit integers of a
// unit that is known in advance (FixedPoint), doubles too small for that unit in finer ones.
//
// The life of a grouping: make(), then add() by all threads at once, then finish() by one. If
// memory does not suffice, add() or finish() says so, and the caller (query/run) starts again with
// a part of the keys at a time. Rates are in NOTES.md; tested by
// tests/unit/query/group/grouping_test.cpp.
//
// The way of a vector of rows, with the files that know more:
//
//   keys      -> codes               key_coder.h     one word, two words, or bytes
//   codes     -> rows of this part   row_parts.h     only if memory does not suffice for all
//   codes     -> runs                kernels.h       neighbours with equal keys
//   codes     -> numbers of groups   sorted_keys.h   while keys ascend; then
//                                    key_table.h     a hash table (table_grouping.cpp), or
//                                    dense_grouping.cpp  the code itself
//   numbers   -> states              group_states.h  counts, first rows, one state an aggregate
//                                    aggregate_state.h  and the *_state.cpp files
//   threads   -> one list of groups  partition_merge.h, or merge_sorted() of sorted_keys.h
//   groups    -> rows of the answer  group_output.h  in the order of first rows
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

/// How doubles become integers: x becomes x / 2^exponent, where that is whole. The exponent follows
/// from a bound of |x| and the number of rows, so that 128 bits hold every sum.
struct FixedPoint {
  int exponent = 0;
};
/// Returns the unit for `rows` values of at most `greatest`: n values below 2^m leave 126 bits for
/// their sum.
FixedPoint fixed_point_for(double greatest, std::uint64_t rows);

/// The aggregates. Nulls are skipped by all of them except kCountRows.
enum class AggregateKind : Byte {
  kCountRows,      ///< count(*); no argument
  kCount,          ///< values that are not null
  kCountDistinct,  ///< different values that are not null; NaNs are one value
  /// The sum, which is kInt128 for kInt64 and kInt128 arguments and kDouble for kDouble ones. Null
  /// for a group without a value.
  kSum,
  kAverage,  ///< kDouble: the exact sum, divided by 10^scale and the count, rounded once
  kMin,      ///< NaN is the greatest; strings bytewise
  kMax,
};

/// One aggregate of the query.
struct AggregateSpec {
  AggregateKind kind = AggregateKind::kCountRows;
  Physical argument = Physical::kInt64;
  Byte scale = 0;          ///< kAverage of decimals: digits after the point
  FixedPoint fixed_point;  ///< kSum and kAverage of kDouble
  /// Bounds of kInt64 arguments, which make sums cheaper; unknown if most < least.
  std::int64_t least = 0;
  std::int64_t most = -1;
  /// The rows given are partial answers: for sums and averages states (sum_states.h), of which
  /// `argument` is the type of what was summed; for counts kInt64 numbers, which are added up.
  bool takes_states = false;
  bool gives_states = false;  ///< sums and averages come out as states (kString) instead of values

  bool is_sum() const { return kind == AggregateKind::kSum || kind == AggregateKind::kAverage; }
  /// The physical form of the argument's vectors.
  Physical given() const { return is_sum() && takes_states ? Physical::kString : argument; }
};

/// One key of GROUP BY.
struct KeySpec {
  Physical physical = Physical::kInt64;
  /// Bounds of kInt64 keys (for codes of a dictionary, 0 to entries - 1); unknown if most < least.
  /// Values outside are an error of the caller.
  std::int64_t least = 0;
  std::int64_t most = -1;
  bool nullable = true;
};

/// Everything that a grouping is made from. Estimates influence speed only.
struct GroupingPlan {
  std::vector<KeySpec> keys;  ///< none: all rows are one group, which exists even without rows
  std::vector<AggregateSpec> aggregates;
  std::uint64_t rows = 0;             ///< rows of the input, at most; for choosing a strategy
  std::uint64_t expected_groups = 0;  ///< an estimate; 0: not known
  GroupStrategy strategy = GroupStrategy::kAuto;
  unsigned threads = 1;
  std::uint64_t memory_bytes = ~std::uint64_t{0};
  /// Only keys whose hash falls into part `part` of `parts` are taken; rows with other keys are
  /// ignored. A query that has too little memory for all groups runs once for each part.
  std::uint32_t part = 0;
  std::uint32_t parts = 1;
};

/// A grouping that is being computed.
class Grouping {
 public:
  /// Chooses a strategy and makes a grouping. kInvalidArgument for a strategy that the keys do not
  /// allow (kDense without small ranges).
  static Result<std::unique_ptr<Grouping>> make(const GroupingPlan& plan);
  virtual ~Grouping() = default;

  /// Adds `count` rows, at most kBatchRows. May be called by several threads at once, each with its
  /// own `worker` < plan.threads. `keys` and `arguments` have one vector for each key and aggregate
  /// (ignored for kCountRows). Returns kOutOfMemory with an empty `what` if memory_bytes do not
  /// suffice: try more parts.
  virtual Status add(unsigned worker, RowNumbers rows, std::span<const VectorView> keys,
                     std::span<const VectorView> arguments, std::uint32_t count) = 0;
  /// Called once, after the last row. Returns the keys, then the aggregates in their result's form
  /// (counts are kInt64), in the order of first rows. If `first_rows` is given, it receives their
  /// numbers. kOutOfMemory as for add().
  virtual Result<RowStore> finish(std::vector<std::uint64_t>* first_rows = nullptr) = 0;
  /// The most memory that was in use at a time, including the finished rows.
  virtual std::uint64_t bytes() const = 0;
  /// Returns a text for --explain: "dense, 12 places".
  virtual std::string describe() const = 0;
};

}  // namespace presso::query
