// SPDX-License-Identifier: MIT
// What groups are made of: their keys and the arguments of aggregates, how they are computed of
// rows, and the plan by which a Grouping takes them, with what is known of their ranges.
// Tested through tests/unit/query/answer/query_test.cpp.
#pragma once

#include <memory>
#include <vector>

#include "query/rows/key_codes.h"
#include "query/run/execution.h"

namespace presso::query {

class GroupInput {
 public:
  /// `execution` is kept by reference.
  explicit GroupInput(Execution& execution) : execution_(execution) {}
  /// Before anything else. Reads dictionaries, and, where no range of a double that is added up is
  /// known, the tables.
  Status prepare();

  const Program& program() const { return program_; }
  /// For all memory.
  const GroupingPlan& plan() const { return plan_; }
  /// What is known of a node of the query's input, as a key that is not coded.
  KeySpec key_spec(NodeId node) const;
  /// By key; nullptr: not coded.
  const std::vector<std::unique_ptr<KeyCodes>>& codes() const { return codes_; }
  /// What key codes leave of the memory.
  std::uint64_t memory_bytes() const { return execution_.memory_bytes - code_bytes_; }

  /// One thread's views of keys and arguments.
  struct Views {
    std::vector<KeyCodes::Scratch> codes;
    std::vector<VectorView> keys;
    std::vector<VectorView> arguments;
  };

  Status set_views(Views& views, const RowBatch& batch) const;

 private:
  const BoundQuery& query() const { return execution_.query; }
  Status find_key_codes();
  void make_program();
  Status make_plan();
  KeySpec spec_of_key(std::size_t i) const;
  AggregateSpec aggregate_spec(const AggregateCall& call, std::vector<NodeId>& unbounded) const;
  FixedPoint unit_for(double most) const;
  Status find_bounds(const std::vector<NodeId>& nodes);

  Execution& execution_;
  std::vector<std::unique_ptr<KeyCodes>> codes_;
  std::uint64_t code_bytes_ = 0;
  Program program_;
  GroupingPlan plan_;
};

}  // namespace presso::query
