// SPDX-License-Identifier: MIT
// A condition in the form in which columns answer it: comparisons with literals as sets of numbers,
// tests of strings, nulls, and programs for all the rest, under AND and OR. NOT is pushed down to
// them: a row counts where the condition is true, not where it is null, and so each leaf has only
// to know its own rows. Conditions on one column become one (S4.10).
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

struct Filter {
  enum class Kind : Byte {
    kTrue,
    kFalse,
    kIntervals,   ///< a column's numbers lie in `intervals`
    kText,        ///< a column's strings pass `test` (negated: do not)
    kNull,        ///< a column is null (negated: is not)
    kExpression,  ///< `program` gives true
    kKeys,        ///< a row's key is one of `keys` (negated: is not, or there is none)
    kAnd,
    kOr,
  };
  Kind kind = Kind::kTrue;
  std::size_t column = 0;
  bool negated = false;
  IntervalSet intervals = IntervalSet::all();
  std::shared_ptr<const StringTest> test;
  std::shared_ptr<const Program> program;
  std::shared_ptr<const KeyTest> keys;
  std::vector<std::size_t> key_columns;  ///< the columns that `keys` reads
  NodeId node = 0;  ///< of kExpression, and what kAnd and kOr of a graph were made of
  std::vector<Filter> parts;

  bool is_leaf() const { return kind != Kind::kAnd && kind != Kind::kOr; }
};

/// Whether a part of it, or all, is a program's.
bool has_expression(const Filter& filter);

/// Of a truth value of the graph, which is kept by reference.
Filter make_filter(const Graph& graph, NodeId condition);

/// Whether a column's number lies in the intervals, of which there may be none. Nulls do not.
Filter interval_filter(std::size_t column, IntervalSet intervals);

/// Whether a number lies in [least, most], answered by the column below conversions; nullopt: no
/// column can. Nulls do not.
std::optional<Filter> range_filter(const Graph& graph, NodeId number, Int128 least, Int128 most);

/// The columns that it reads, ascending.
std::vector<std::size_t> columns_of(const Filter& filter);

/// "l_quantity < 24 (1 interval)", for people. `names`: of the columns.
std::string describe(const Filter& filter, const Graph& graph,
                     const std::vector<std::string>& names);

/// What a column of whole numbers of this type lies in where its values are of [least, most].
IntervalSet integers_between(ColumnType type, Int128 least, Int128 most);

/// More intervals than these are tested by a program, one by one would take longer.
constexpr std::size_t kMostIntervals = 8;

}  // namespace presso::query
