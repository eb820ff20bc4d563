// SPDX-License-Identifier: MIT
// From groups to the answer: HAVING, the expressions of the result columns, ORDER BY, OFFSET and
// LIMIT. Runs on one thread after grouping; batches are encoded by all threads (Output). Sorting
// may spill to temporary files. Tested through tests/unit/query/answer/query_test.cpp.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "query/answer/output.h"
#include "query/run/group_input.h"

namespace presso::query {

/// Call begin(), then take() for all groups in the order of their first rows, then finish().
class GroupAnswer {
 public:
  /// Keeps references to all arguments.
  GroupAnswer(Execution& execution, const GroupInput& input, ResultSink& sink)
      : execution_(execution), input_(input), sink_(sink) {}

  /// To be called once, when all groups have been found. `memory_bytes` may be used for sorting
  /// them; `held_bytes` is what the caller's groups occupy until finish(), for the peak that is
  /// reported. Errors: those of Ordering::make().
  Status begin(std::uint64_t memory_bytes, std::uint64_t held_bytes);
  /// Whether begin() was called; from then on the answer cannot be started again with less memory.
  bool began() const { return output_.has_value(); }
  /// Takes groups with the numbers `first` and following. `views` are views of their keys and
  /// aggregates, and are changed. Returns false if no more groups are wanted. Errors: expressions
  /// that fail, and the sink's.
  Result<bool> take(std::vector<VectorView>& views, std::uint32_t count, std::uint64_t first);
  /// Writes what is left: sorted groups if there is an order, and the last batch.
  Status finish();

 private:
  const BoundQuery& query() const { return execution_.query; }
  void strings_of_codes(std::vector<VectorView>& views, std::uint32_t count);
  Result<std::uint32_t> keep_having(std::vector<VectorView>& views, std::uint32_t count);

  Execution& execution_;
  const GroupInput& input_;
  ResultSink& sink_;
  /// Bytes of the caller's groups.
  std::uint64_t held_bytes_ = 0;
  /// Computes results and sort keys; having_ computes HAVING.
  Program last_;
  std::optional<Program::State> last_state_;
  Program having_;
  std::optional<Program::State> having_state_;
  std::vector<VectorView> last_inputs_;
  std::vector<VectorView> last_views_;
  /// Strings of coded keys, the groups that HAVING left, and the way to the sink.
  std::vector<std::vector<StringRef>> key_strings_;
  RowStore kept_;
  std::optional<Output> output_;
  std::unique_ptr<Ordering> ordering_;
};

}  // namespace presso::query
