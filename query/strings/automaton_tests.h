// SPDX-License-Identifier: MIT
// Tests by an automaton that reads each row: the minimal automaton as a table, or, if that is too
// large, a lazy one (scan/regex/lazy_dfa.h), whose states are made as texts need them. Tested by
// tests/unit/query/strings/string_test_test.cpp.
#pragma once

#include <memory>

#include "query/strings/row_test.h"
#include "scan/automaton/dfa.h"
#include "scan/automaton/program.h"

namespace presso::query {

/// The most states of an automaton that becomes a table, which then takes 4 MiB.
constexpr std::uint32_t kMostTableStates = 4096;

/// `dfa` has at most kMostTableStates states; it is copied.
std::unique_ptr<const RowTest> make_automaton_test(const scan_detail::Dfa& dfa);
/// For any program without Unicode's \b, which would need characters instead of bytes.
std::unique_ptr<const RowTest> make_lazy_test(scan_detail::Program program);

}  // namespace presso::query
