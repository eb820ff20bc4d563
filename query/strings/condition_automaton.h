// SPDX-License-Identifier: MIT
// The minimal automaton of a condition, read from a string's first byte to its last: for engines
// that need one whatever the condition, as kernels over token codes do (query/gpu/strings). The
// CPU's own tests (compiled_condition.h) choose other ways where these are faster.
// Tested by tests/unit/query/strings/condition_automaton_test.cpp.
#pragma once

#include "presso/error.h"
#include "query/strings/string_test.h"
#include "scan/automaton/dfa.h"

namespace presso::query {

/// Accepts a string exactly where StringTest::compile(condition)->matches() says that it matches.
/// Errors: those of StringTest::compile(), and kInvalidArgument for more states than queries make
/// at once (query_limits()).
Result<scan_detail::Dfa> condition_automaton(const StringCondition& condition);

}  // namespace presso::query
