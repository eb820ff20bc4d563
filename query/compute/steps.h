// SPDX-License-Identifier: MIT
// The interface between a Program and the functions that run its steps, one for each group of the
// enum Step. A step works on a whole vector: its cost is a call and a switch for up to 1,024 rows,
// so that the time is spent in loops over arrays, as in MonetDB/X100 (Boncz, Zukowski and Nes,
// 2005).
//
// Before a step runs, Program has merged the nulls and failures of its operands into the result,
// unless the step decides about them itself (decides_nulls()). Steps compute every row, also null
// ones, and therefore must not trap on any value. Tested by
// tests/unit/query/compute/compute_test.cpp.
//
// To add a step: a value of Step at the end of its group (graph.h), its case in the group's run
// function, its name in node_text.cpp, whether it may fail or decides about nulls (graph.cpp), and,
// if GPUs shall run it, its counterpart in query/gpu/table. Without that counterpart such a query
// runs on the CPU.
#pragma once

#include <span>

#include "query/compute/program.h"

namespace presso::query {

/// Everything that a step may read and write. It is made anew for each step and vector, on one
/// thread.
struct StepContext {
  const Node& node;
  const Node* arguments[2];               ///< the first two, or nullptr
  Register& to;                           ///< the result; its values are not made yet
  std::span<const Register* const> from;  ///< the operands, in the order of the node's arguments
  std::uint32_t count;                    ///< rows, at most kBatchRows
  StringArena& strings;                   ///< holds new strings until the program's next run

  /// Marks the row as one without a result. A null row cannot fail: it has a result, null.
  void fail(std::uint32_t row) const {
    if (to.is_null(row)) return;
    to.has_failures = true;
    to.failures[row / 64] |= std::uint64_t{1} << (row % 64);
  }
  /// Makes the row null; the first call allocates nothing but marks all other rows valid.
  void set_null(std::uint32_t row) const {
    if (!to.has_nulls) {
      to.has_nulls = true;
      for (std::uint64_t& word : to.validity) word = ~std::uint64_t{0};
    }
    to.validity[row / 64] &= ~(std::uint64_t{1} << (row % 64));
  }
};

/// For steps that decide about nulls, but not about failures: an operand's failure is the result's.
void merge_failures(const StepContext& context);

// One function for each group of steps; each is in the file steps_<group>.cpp, with kAnd to
// kCoalesce beside the comparisons.
void run_arithmetic_step(const StepContext& context);
void run_conversion_step(const StepContext& context);
void run_comparison_step(const StepContext& context);
void run_truth_step(const StepContext& context);
void run_string_step(const StepContext& context);
void run_date_step(const StepContext& context);
void run_bucket_step(const StepContext& context);
void run_json_step(const StepContext& context);

/// Says why a step of JSON failed: the text is no JSON, or the path is none.
std::string json_failure(Bytes text, Bytes path);

/// Returns what went wrong at a node, for messages: "division by zero, or a quotient that does not
/// fit".
std::string failure_text(const Node& node);

}  // namespace presso::query
