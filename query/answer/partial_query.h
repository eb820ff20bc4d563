// SPDX-License-Identifier: MIT
// Grouping over a divided table. For each part of the table a partial query returns its groups'
// keys and states in place of an answer; a merging query adds these up and returns what the
// undivided query would. Both are derived from the query after names were looked up, and run like
// any other query.
//
// A partial answer is a table: the keys, one column for each state, the order of groups, and
// optionally a bucket. Counts are integers; minima and maxima stand as they are. Sums and averages
// are bytes in the form of query/group/sum_states.h, since no column type holds an exact sum of
// doubles. count(DISTINCT) has no partial form and is refused.
// Tested through python/tests/test_partial.py and test_joined_parts.py.
#pragma once

#include "presso/query.h"
#include "query/plan/query_spec.h"

namespace presso::query {

/// The query that returns the partial answer, without the order column, which NumberedSink adds.
/// Errors: kInvalidArgument if the query has no groups, or an aggregate whose states cannot be
/// merged.
Result<BoundQuery> partial_query(BoundQuery whole, const PartialForm& form);
/// The schema of the partial answer with the order column.
TableSchema partial_schema(const BoundQuery& partial, const PartialForm& form);

/// Checks that a partial answer belongs to this query: its order column is named after the query.
/// Error: kInvalidArgument.
Status check_question(const TableSchema& partial, const PartialForm& form);

/// The query that merges partial answers of `whole`, given as rows of tables with these columns, in
/// any order. It returns the answer of `whole`, or a partial answer again (PartialForm::again).
/// `rows` is the number of rows to merge. Error: kInvalidArgument if a column is missing or has
/// another type.
Result<BoundQuery> merging_query(BoundQuery whole, std::vector<InputColumn> columns,
                                 std::uint64_t rows, const PartialForm& form);

/// Adds the order column to the batches of a partial query, before the bucket's column, and passes
/// them on. Keeps references to all arguments. Not thread-safe: batches must arrive in order.
class NumberedSink final : public ResultSink {
 public:
  /// `schema` comes from partial_schema().
  NumberedSink(ResultSink& sink, const TableSchema& schema, const PartialForm& form)
      : sink_(sink), schema_(schema), form_(form) {}
  Status begin(const TableSchema&) override;
  Result<bool> write(ResultBatch batch, Buffer encoded) override;

 private:
  ResultSink& sink_;
  const TableSchema& schema_;
  const PartialForm& form_;
  /// Offset of the next row from PartialForm::first_order.
  std::int64_t next_ = 0;
};

}  // namespace presso::query
