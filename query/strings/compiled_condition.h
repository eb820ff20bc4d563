// SPDX-License-Identifier: MIT
// The choice of a way to test strings, by the shape of the condition:
//   a comparison, a set, LIKE with `%` alone   plain comparisons of bytes (plain_tests.h)
//   other LIKE, ILIKE, regular expressions     an automaton (automaton_tests.h)
// and before either, where every match has a literal, a sweep for it (swept_test.h). Over tokens
// every condition is an automaton (token_tests.h), with a sweep where there is one for text.
// Tested by tests/unit/query/strings/string_test_test.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "presso/cpu.h"
#include "query/strings/row_test.h"
#include "query/strings/string_test.h"
#include "query/strings/token_plan.h"

namespace presso::query {

struct CompiledCondition {
  std::shared_ptr<const RowTest> test;
  std::shared_ptr<const TokenPlan> tokens = std::make_shared<const TokenPlan>();
  std::vector<std::string> exact;  ///< StringTest::exact_strings()
  std::string required;            ///< StringTest::required_literal()
};

/// Errors as of StringTest::compile().
Result<CompiledCondition> compile_condition(const StringCondition& condition, CpuLevel level);

}  // namespace presso::query
