// SPDX-License-Identifier: MIT
// The form of a condition that scans evaluate: comparisons with literals as sets of numbers, string
// tests, NULL tests, and programs for everything else, joined by AND and OR. There is no NOT: it is
// pushed down to the leaves. That is possible because a row counts only where the condition is
// true, and not where it is NULL, so each leaf has to know only its own matching rows. Conditions
// on the same column are merged (S4.10).
//
// A filter is immutable after it was made and is shared by all threads of a scan.
// Tested by tests/unit/query/plan/filter_test.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "query/compute/program.h"
#include "query/plan/intervals.h"

namespace presso::query {

class KeyTest;

/// A node of the filter tree. Which members are used depends on `kind`; numbers of columns are
/// those of the graph's inputs.
struct Filter {
  enum class Kind : Byte {
    kTrue,
    kFalse,
    kIntervals,  ///< a column's numbers lie in `intervals`
    kText,       ///< a column's strings pass `test` (negated: do not)
    kNull,       ///< a column is null (negated: is not)
    /// The program returns true (negated: returns false, not NULL).
    kExpression,
    kKeys,  ///< a row's key is one of `keys` (negated: is not, or there is none)
    kAnd,
    kOr,
  };
  Kind kind = Kind::kTrue;
  /// The column that kIntervals, kText and kNull test.
  std::size_t column = 0;
  bool negated = false;
  /// Set for kIntervals.
  IntervalSet intervals = IntervalSet::all();
  /// Set for kText, kExpression and kKeys, respectively.
  std::shared_ptr<const StringTest> test;
  std::shared_ptr<const Program> program;
  std::shared_ptr<const KeyTest> keys;
  std::vector<std::size_t> key_columns;  ///< the columns that `keys` reads
  /// The graph's node of a kExpression, and the node that a kAnd or kOr was made from.
  NodeId node = 0;
  /// The operands of kAnd and kOr, at least two.
  std::vector<Filter> parts;

  bool is_leaf() const { return kind != Kind::kAnd && kind != Kind::kOr; }
};

/// Whether the filter contains a kExpression anywhere.
bool has_expression(const Filter& filter);

/// The filter of a truth-valued node. The graph is kept by reference and must outlive the filter.
Filter make_filter(const Graph& graph, NodeId condition);

/// The filter "the column's value lies in `intervals`". NULLs do not match. An empty set gives
/// kFalse, a complete one IS NOT NULL.
Filter interval_filter(std::size_t column, IntervalSet intervals);

/// The filter "`number` lies in [least, most]", where `number` is a column below any number of
/// conversions. nullopt: no column can answer it. NULLs do not match.
std::optional<Filter> range_filter(const Graph& graph, NodeId number, Int128 least, Int128 most);

/// The columns that the filter reads, in ascending order, each once.
std::vector<std::size_t> columns_of(const Filter& filter);

/// A text for people, such as "l_quantity in 1 interval"; `names` has the name of each column. Not
/// parsed by anything.
std::string describe(const Filter& filter, const Graph& graph,
                     const std::vector<std::string>& names);

/// The images of the integers of [least, most] that a column of type `type` can hold.
IntervalSet integers_between(ColumnType type, Int128 least, Int128 most);

/// The largest number of intervals that are compared one by one; a program tests longer lists,
/// which is faster then.
constexpr std::size_t kMostIntervals = 8;

}  // namespace presso::query
