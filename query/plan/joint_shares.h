// SPDX-License-Identifier: MIT
// What is left after some conditions: which share of the rows, of the vectors of 1,024 rows and of
// the slices (S4.3's phi in its exact form; S4.11). Without a sample conditions are independent and
// rows lie anywhere. A sample is counted; where it has few rows or none, independence tells how
// rare they are, and smaller sets how they lie together. Tested by
// tests/unit/query/plan/planner_test.cpp.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "query/plan/planner.h"

namespace presso::query {

struct Left {
  double rows = 1;
  double vectors = 1;  ///< that have such a row
  double slices = 1;   ///< likewise
};

/// Conditions as bits.
using ConditionSet = std::uint32_t;

/// The numbers of the conditions in a set, ascending.
inline std::vector<std::size_t> members(ConditionSet set) {
  std::vector<std::size_t> numbers;
  for (; set != 0; set &= set - 1) {
    numbers.push_back(static_cast<std::size_t>(std::countr_zero(set)));
  }
  return numbers;
}

/// After each set of conditions, by its number; of up to kMostOrdered conditions.
std::vector<Left> shares_of_sets(const PlannerInput& input);

/// After the first 0, 1, ... conditions of an order; of any number of conditions.
std::vector<Left> shares_of_prefixes(const PlannerInput& input,
                                     const std::vector<std::size_t>& order);

}  // namespace presso::query
