// SPDX-License-Identifier: MIT
// The steps of a program, by kind of value. Each gets registers whose nulls and failures are merged
// into the result's already, unless the step decides about them itself (decides_nulls()).
// Tested through tests/unit/query/compute/program_test.cpp.
#pragma once

#include <span>

#include "query/compute/program.h"

namespace presso::query {

struct StepContext {
  const Node& node;
  const Node* arguments[2];  ///< the first two, or nullptr
  Register& to;
  std::span<const Register* const> from;
  std::uint32_t count;
  StringArena& strings;

  /// There is no result for the row, unless it is null.
  void fail(std::uint32_t row) const {
    if (to.is_null(row)) return;
    to.has_failures = true;
    to.failures[row / 64] |= std::uint64_t{1} << (row % 64);
  }
  void set_null(std::uint32_t row) const {
    if (!to.has_nulls) {
      to.has_nulls = true;
      for (std::uint64_t& word : to.validity) word = ~std::uint64_t{0};
    }
    to.validity[row / 64] &= ~(std::uint64_t{1} << (row % 64));
  }
};

/// For such steps: what fails in an argument fails in the result.
void merge_failures(const StepContext& context);

void run_arithmetic_step(const StepContext& context);
void run_conversion_step(const StepContext& context);
void run_comparison_step(const StepContext& context);
void run_truth_step(const StepContext& context);
void run_string_step(const StepContext& context);
void run_date_step(const StepContext& context);
void run_bucket_step(const StepContext& context);

/// What is wrong with a row for which `node` has no result: "overflow in a * b".
std::string failure_text(const Node& node);

}  // namespace presso::query
