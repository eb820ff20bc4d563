// SPDX-License-Identifier: MIT
// The input of groups: keys and arguments of aggregates, how they are computed from rows, and the
// plan for a Grouping, with what is known of their ranges. String keys in dictionaries are grouped
// by code. Tested through tests/unit/query/answer/query_test.cpp.
#pragma once

#include <memory>
#include <vector>

#include "query/rows/key_codes.h"
#include "query/run/execution.h"

namespace presso::query {

/// Prepared by one thread; afterwards all threads may call the const functions, each with Views of
/// its own.
class GroupInput {
 public:
  /// Keeps a reference to `execution`, whose extra_columns prepare() may extend.
  explicit GroupInput(Execution& execution) : execution_(execution) {}
  /// To be called before anything else. Reads dictionaries of keys, and the tables in a pass of its
  /// own if doubles are summed whose range is unknown. Errors: those of reading.
  Status prepare();

  /// Computes keys that are not codes, then arguments.
  const Program& program() const { return program_; }
  /// The plan with all memory at its disposal.
  const GroupingPlan& plan() const { return plan_; }
  /// Type and range of a node of the input graph as a key that is grouped by value.
  KeySpec key_spec(NodeId node) const;
  /// For each key its codes, or nullptr if it is grouped by value.
  const std::vector<std::unique_ptr<KeyCodes>>& codes() const { return codes_; }
  /// The memory for groups that is left after the codes.
  std::uint64_t memory_bytes() const { return execution_.memory_bytes - code_bytes_; }

  /// One thread's views of keys and arguments, valid until the next set_views().
  struct Views {
    std::vector<KeyCodes::Scratch> codes;
    std::vector<VectorView> keys;
    std::vector<VectorView> arguments;
  };

  /// Fills `views` from a batch of rows. Errors: those of reading codes.
  Status set_views(Views& views, const RowBatch& batch) const;

 private:
  const BoundQuery& query() const { return execution_.query; }
  /// The three steps of prepare().
  Status find_key_codes();
  void make_program();
  Status make_plan();
  KeySpec spec_of_key(std::size_t i) const;
  AggregateSpec aggregate_spec(const AggregateCall& call, std::vector<NodeId>& unbounded) const;
  FixedPoint unit_for(double most) const;
  Status find_bounds(const std::vector<NodeId>& nodes);

  Execution& execution_;
  std::vector<std::unique_ptr<KeyCodes>> codes_;
  /// Memory of codes_.
  std::uint64_t code_bytes_ = 0;
  Program program_;
  GroupingPlan plan_;
};

}  // namespace presso::query
