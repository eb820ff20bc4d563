// SPDX-License-Identifier: MIT
// Runs nodes of a graph over vectors of up to 1,024 rows: each step is run for the whole vector
// before the next, so that interpretation costs little and intermediates stay in the L1 and L2
// caches (vectorized execution, Boncz, Zukowski and Nes, 2005).
//
// A step that has no result for a row (an overflow, a text that is no number) does not stop the run
// but marks the row. The mark follows everything that is computed from it, unless it cannot matter:
// in a CASE branch that is not taken, or beside a false operand of AND. Only a mark that reaches a
// result is an error; it names the step at which it began.
//
// Nothing here knows files, GPUs or groups. GPUs run nodes with kernels of their own
// (query/gpu/table). Tested by tests/unit/query/compute/compute_test.cpp.
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

/// The values of one node for the rows of the current vector. Bits of `validity` are 1 where there
/// is a value, bits of `failures` where there is none; both have meaning only if their flag is set.
struct Register {
  Physical physical = Physical::kInt64;
  Buffer own;                    ///< values that were computed
  const void* values = nullptr;  ///< own.data(), or the input's
  bool has_nulls = false;
  bool has_failures = false;
  std::uint64_t validity[kBatchWords] = {};
  std::uint64_t failures[kBatchWords] = {};

  /// Makes room for a full vector in the register's own buffer. Previous values are lost.
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
  /// Whether the row is null.
  bool is_null(std::uint32_t row) const {
    return has_nulls && (validity[row / 64] >> (row % 64) & 1) == 0;
  }
  /// Borrows the values, until the register is written again.
  VectorView view() const { return {physical, values, has_nulls ? validity : nullptr}; }
};

/// The first row, in the current vector, for which a result could not be computed, and why.
struct Failure {
  std::uint32_t row = 0;
  std::string what;
};

/// A list of steps in an order in which operands come before their users, with one register for
/// each node. It is immutable after construction; threads share it, each with a State of its own.
class Program {
 public:
  Program() = default;
  /// `graph` is kept by reference and must not grow while the program runs. `inputs` are the
  /// columns whose values run() is given, in that order; they include all columns that the results
  /// need.
  Program(const Graph& graph, std::vector<NodeId> results, std::vector<std::size_t> inputs);
  /// With exactly the columns that the results need, ascending.
  Program(const Graph& graph, std::vector<NodeId> results);

  const std::vector<std::size_t>& inputs() const { return inputs_; }
  const std::vector<NodeId>& results() const { return results_; }
  /// The number of steps, a measure of what a run costs.
  std::size_t steps() const { return steps_.size(); }

  /// One thread's registers: about 16 KiB for each node of 128 bits, 8 KiB for one of 64. Constants
  /// are filled once, here.
  class State {
   public:
    explicit State(const Program& program);

   private:
    friend class Program;
    std::vector<Register> registers_;
    StringArena constants_;
    StringArena strings_;                ///< strings that steps made; emptied by each run
    std::vector<const Register*> from_;  ///< operands of the current step, kept to save allocations
  };

  /// Computes all results for `count` rows (at most kBatchRows) of `inputs`. The views in `results`
  /// are valid until the next run with this state. If rows of a result failed, the first one is
  /// returned; the other rows are still valid, and failures() tells which they are.
  std::optional<Failure> run(State& state, std::span<const VectorView> inputs, std::uint32_t count,
                             std::span<VectorView> results) const;

  /// Returns a bit for each row of the last run, 1 where result `result` failed, or nullptr if no
  /// row did.
  const std::uint64_t* failures(const State& state, std::size_t result) const;

 private:
  /// A step with the numbers of its registers.
  struct Instruction {
    NodeId node = 0;
    std::uint32_t to = 0;
    std::vector<std::uint32_t> from;
  };
  void place(NodeId id, const std::unordered_map<std::size_t, std::size_t>& input_of,
             std::vector<std::uint32_t>& register_of);
  /// The operand at the bottom at which a failed row first failed.
  NodeId origin_of(const State& state, NodeId id, std::uint32_t row) const;
  std::string failure_of(const State& state, NodeId id, std::uint32_t row) const;

  const Graph* graph_ = nullptr;
  std::vector<NodeId> results_;
  std::vector<std::size_t> inputs_;
  std::vector<Instruction> steps_;
  // These lists say which registers hold constants (filled once), inputs (pointers) and results.
  std::vector<std::pair<NodeId, std::uint32_t>> constants_;
  std::vector<std::pair<std::size_t, std::uint32_t>> loads_;  ///< input, register
  std::vector<std::uint32_t> result_registers_;
  std::vector<NodeId> node_of_;  ///< the node of each register
};

}  // namespace presso::query
