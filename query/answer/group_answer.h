// SPDX-License-Identifier: MIT
// From groups to the answer: --having, the expressions of what is written, order and limit.
// Tested through tests/unit/query/answer/query_test.cpp.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "query/answer/output.h"
#include "query/run/group_input.h"

namespace presso::query {

class GroupAnswer {
 public:
  /// All are kept by reference.
  GroupAnswer(Execution& execution, const GroupInput& input, ResultSink& sink)
      : execution_(execution), input_(input), sink_(sink) {}

  /// Once, when all groups are found. `memory_bytes`: for sorting them; `held_bytes`: what the
  /// caller's groups take until finish().
  Status begin(std::uint64_t memory_bytes, std::uint64_t held_bytes);
  /// Some of the answer may have been written.
  bool began() const { return output_.has_value(); }
  /// Groups `first` and following: views of their keys and aggregates, which are changed. False: no
  /// more are wanted.
  Result<bool> take(std::vector<VectorView>& views, std::uint32_t count, std::uint64_t first);
  Status finish();

 private:
  const BoundQuery& query() const { return execution_.query; }
  void strings_of_codes(std::vector<VectorView>& views, std::uint32_t count);
  Result<std::uint32_t> keep_having(std::vector<VectorView>& views, std::uint32_t count);

  Execution& execution_;
  const GroupInput& input_;
  ResultSink& sink_;
  std::uint64_t held_bytes_ = 0;
  Program last_;
  std::optional<Program::State> last_state_;
  Program having_;
  std::optional<Program::State> having_state_;
  std::vector<VectorView> last_inputs_;
  std::vector<VectorView> last_views_;
  std::vector<std::vector<StringRef>> key_strings_;
  RowStore kept_;
  std::optional<Output> output_;
  std::unique_ptr<Ordering> ordering_;
};

}  // namespace presso::query
