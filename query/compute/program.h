// SPDX-License-Identifier: MIT
// Runs nodes of a graph over vectors of up to 1,024 rows, one step after another. A step that has
// no result for a row (an overflow, a text that is no number) marks the row; the mark follows what
// is computed of it, but not through a branch of CASE that is not taken or an AND that is false
// anyway. Only a mark that reaches a result is an error.
// Tested by tests/unit/query/compute/program_test.cpp.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "presso/error.h"
#include "query/compute/graph.h"
#include "query/values/row_store.h"
#include "query/values/vector.h"

namespace presso::query {

/// Values of one node for the rows of a vector.
struct Register {
  Physical physical = Physical::kInt64;
  Buffer own;                    ///< values that were computed
  const void* values = nullptr;  ///< own.data(), or the input's
  bool has_nulls = false;
  bool has_failures = false;
  std::uint64_t validity[kBatchWords] = {};
  std::uint64_t failures[kBatchWords] = {};

  template <class T>
  T* make() {
    own.resize_discarding(kBatchRows * sizeof(T));
    values = own.data();
    return reinterpret_cast<T*>(own.data());
  }
  template <class T>
  const T* as() const {
    return static_cast<const T*>(values);
  }
  bool is_null(std::uint32_t row) const {
    return has_nulls && (validity[row / 64] >> (row % 64) & 1) == 0;
  }
  VectorView view() const { return {physical, values, has_nulls ? validity : nullptr}; }
};

/// The first row for which a result could not be computed.
struct Failure {
  std::uint32_t row = 0;
  std::string what;
};

class Program {
 public:
  Program() = default;
  /// `graph` is kept by reference. `inputs`: the columns whose values run() is given, in turn.
  Program(const Graph& graph, std::vector<NodeId> results, std::vector<std::size_t> inputs);
  /// The same with the columns that the results are computed of, ascending.
  Program(const Graph& graph, std::vector<NodeId> results);

  const std::vector<std::size_t>& inputs() const { return inputs_; }
  const std::vector<NodeId>& results() const { return results_; }
  std::size_t steps() const { return steps_.size(); }

  /// One thread's registers. Constants are filled once.
  class State {
   public:
    explicit State(const Program& program);

   private:
    friend class Program;
    std::vector<Register> registers_;
    StringArena constants_;
    StringArena strings_;  ///< of results, until the next run
    std::vector<const Register*> from_;
  };

  /// Views of the results are valid until the next run with this state. `count` up to kBatchRows.
  /// A failure is returned where a row of a result has none; failures() says which rows these are.
  std::optional<Failure> run(State& state, std::span<const VectorView> inputs, std::uint32_t count,
                             std::span<VectorView> results) const;

  /// A bit for each row of the last run for which result `result` failed, or nullptr: none did.
  const std::uint64_t* failures(const State& state, std::size_t result) const;

 private:
  struct Instruction {
    NodeId node = 0;
    std::uint32_t to = 0;
    std::vector<std::uint32_t> from;
  };
  void place(NodeId id, const std::unordered_map<std::size_t, std::size_t>& input_of,
             std::vector<std::uint32_t>& register_of);
  NodeId origin_of(const State& state, NodeId id, std::uint32_t row) const;

  const Graph* graph_ = nullptr;
  std::vector<NodeId> results_;
  std::vector<std::size_t> inputs_;
  std::vector<Instruction> steps_;
  std::vector<std::pair<NodeId, std::uint32_t>> constants_;
  std::vector<std::pair<std::size_t, std::uint32_t>> loads_;  ///< input, register
  std::vector<std::uint32_t> result_registers_;
  std::vector<NodeId> node_of_;  ///< by register
};

}  // namespace presso::query
