// SPDX-License-Identifier: MIT
// The columns that calls of the window operator read and give: collects expressions as columns of
// one query, calls over them, and adds the results to the rows of that query. Used once for each
// step of windows.cpp and groupings.cpp.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "query/statement/lowering.h"

namespace presso::query {

class ColumnsOfCalls {
 public:
  explicit ColumnsOfCalls(Lowering& lowering) : lowering_(lowering) {}

  /// The column that stands for an expression; equal expressions have one.
  Expression add(const Expression& tree);
  /// The column of the result of a window function or aggregate over the rows of a window. `once`:
  /// as WindowCall::once. Error: an unknown function, or what it cannot have.
  Result<Expression> add_call(const Expression& call, const Window& window, bool once);
  /// The name of a column that numbers the rows from 0, which the query before the calls has to
  /// keep, or nothing.
  const std::string& row_number() const { return row_number_; }
  /// Aggregates over all rows, which a query computes in little memory, over the columns of list().
  const std::vector<NamedExpression>& totals() const { return totals_; }
  /// What the query before the calls selects.
  const std::vector<NamedExpression>& list() const { return list_; }
  /// Adds the results to the rows of that query.
  Result<Relation> with_calls(Relation rows) const;

 private:
  std::size_t place_of(const Expression& tree);
  Expression add_total(Expression call);
  Result<FrameOffset> offset_of(const Expression& tree);
  Result<WindowFrame> frame_of(const presso::WindowFrame& frame);

  Lowering& lowering_;
  std::vector<NamedExpression> list_;
  std::string row_number_;
  std::vector<NamedExpression> totals_;
  std::vector<WindowCall> calls_;
  std::vector<Expression> places_;  ///< of the calls, for errors
  std::vector<std::pair<Expression, std::string>> known_;
};

}  // namespace presso::query
