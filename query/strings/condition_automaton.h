// SPDX-License-Identifier: MIT
// The minimal automaton of a condition, which reads a string from its first byte to its last: for
// engines that need one whatever the condition is, such as the GPU kernels over token codes
// (query/gpu/strings). The CPU's own tests (compiled_condition.h) use other ways where those are
// faster. Tested by tests/unit/query/strings/condition_automaton_test.cpp.
#pragma once

#include "presso/error.h"
#include "query/strings/string_test.h"
#include "scan/automaton/dfa.h"

namespace presso::query {

/// Returns an automaton that accepts exactly the strings that StringTest::compile(condition)
/// matches. Errors: those of StringTest::compile(), and kInvalidArgument for more states than
/// queries make at once (query_limits()).
Result<scan_detail::Dfa> condition_automaton(const StringCondition& condition);

}  // namespace presso::query
