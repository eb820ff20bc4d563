// SPDX-License-Identifier: MIT
// Groups of a divided table: a query of each part gives its groups' keys and states in place of an
// answer, and another query adds these up and answers as the undivided one. Both are made of the
// query as it was looked up, and run as any query.
//
// A partial answer is a table: the keys, a column for each state, the order of groups, and where
// asked for, a bucket. Counts are integers, least and greatest values stand as they are. Sums and
// averages have the bytes of query/group/sum_states.h, as no type of columns holds an exact sum of
// doubles.
// Tested through python/tests/test_partial.py and test_joined_parts.py.
#pragma once

#include "presso/query.h"
#include "query/plan/query_spec.h"

namespace presso::query {

/// What gives the partial answer, without the column of the order (NumberedSink adds it). Error:
/// kInvalidArgument where there are no groups, or states of some aggregate cannot be merged.
Result<BoundQuery> partial_query(BoundQuery whole, const PartialForm& form);
/// What it gives with that column.
TableSchema partial_schema(const BoundQuery& partial, const PartialForm& form);

/// kInvalidArgument where it has not the column of the order, which is called after the question.
Status check_question(const TableSchema& partial, const PartialForm& form);

/// What merges partial answers of `whole`, which are rows of tables with these columns, in any
/// order: the answer of `whole`, or a partial answer again (PartialForm::again). Error:
/// kInvalidArgument where a column is missing or has another type.
Result<BoundQuery> merging_query(BoundQuery whole, std::vector<InputColumn> columns,
                                 std::uint64_t rows, const PartialForm& form);

/// Adds the column of the order to what a partial query gives, before the bucket's.
class NumberedSink final : public ResultSink {
 public:
  /// `schema`: as partial_schema() has it.
  NumberedSink(ResultSink& sink, const TableSchema& schema, const PartialForm& form)
      : sink_(sink), schema_(schema), form_(form) {}
  Status begin(const TableSchema&) override;
  Result<bool> write(ResultBatch batch, Buffer encoded) override;

 private:
  ResultSink& sink_;
  const TableSchema& schema_;
  const PartialForm& form_;
  std::int64_t next_ = 0;
};

}  // namespace presso::query
