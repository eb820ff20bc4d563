// SPDX-License-Identifier: MIT
// Estimates what is left after a set of conditions: which share of the rows, of the vectors of
// 1,024 rows, and of the slices of up to 65,536 rows (S4.3's phi in its exact form; S4.11). Without
// a sample, conditions count as independent and rows as randomly placed. With a sample, the rows
// that fulfil the set are counted; if these are few, independence and smaller sets fill in.
//
// Costs O(rows + n 2^n) for the sample and n 2^n for the estimates; 2^n elements are kept. Tested
// by tests/unit/query/plan/planner_test.cpp.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "query/plan/planner.h"

namespace presso::query {

/// Shares in [0, 1] of what is left.
struct Left {
  double rows = 1;
  /// Vectors, and slices, in which at least one row is left.
  double vectors = 1;
  double slices = 1;
};

/// A set of conditions: bit i for condition i.
using ConditionSet = std::uint32_t;

/// The numbers of the conditions in a set, ascending.
inline std::vector<std::size_t> members(ConditionSet set) {
  std::vector<std::size_t> numbers;
  for (; set != 0; set &= set - 1) {
    numbers.push_back(static_cast<std::size_t>(std::countr_zero(set)));
  }
  return numbers;
}

/// The shares after each set of conditions, indexed by the set. At most kMostOrdered conditions.
std::vector<Left> shares_of_sets(const PlannerInput& input);

/// The shares after the first 0, 1, ... conditions of an order, for any number of conditions.
std::vector<Left> shares_of_prefixes(const PlannerInput& input,
                                     const std::vector<std::size_t>& order);

}  // namespace presso::query
