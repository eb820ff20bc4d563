// SPDX-License-Identifier: MIT
// Chooses how strings are tested, by the shape of the condition:
//
//   comparison, set, LIKE with `%` only        plain comparisons of bytes (plain_tests.h)
//   other LIKE, ILIKE, regular expressions     an automaton (automaton_tests.h)
//
// In front of either there is a sweep for a literal, if every match contains one (swept_test.h).
// Over tokens every condition is an automaton (token_tests.h), with a sweep where text has one.
// NOTES.md has the measurements that led to these choices. Tested by
// tests/unit/query/strings/string_test_test.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "presso/cpu.h"
#include "query/strings/row_test.h"
#include "query/strings/string_test.h"
#include "query/strings/token_plan.h"

namespace presso::query {

/// The parts of a StringTest. `tokens` may hold a plan that does not exist(), but is never null.
struct CompiledCondition {
  std::shared_ptr<const RowTest> test;
  std::shared_ptr<const TokenPlan> tokens = std::make_shared<const TokenPlan>();
  std::vector<std::string> exact;  ///< StringTest::exact_strings()
};

/// Errors are those of StringTest::compile().
Result<CompiledCondition> compile_condition(const StringCondition& condition, CpuLevel level);

}  // namespace presso::query
