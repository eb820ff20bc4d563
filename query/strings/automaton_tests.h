// SPDX-License-Identifier: MIT
// Tests by an automaton that reads each row: the minimal one as a table, or where that is too large
// the lazy one (scan/regex/lazy_dfa.h), whose states are made as texts need them.
// Tested by tests/unit/query/strings/string_test_test.cpp.
#pragma once

#include <memory>

#include "query/strings/row_test.h"
#include "scan/automaton/dfa.h"
#include "scan/automaton/program.h"

namespace presso::query {

/// The most states that an automaton may have to become a table: 2 MiB.
constexpr std::uint32_t kMostTableStates = 4096;

/// `dfa` has at most kMostTableStates.
std::unique_ptr<const RowTest> make_automaton_test(const scan_detail::Dfa& dfa);
/// For a program without Unicode's \b.
std::unique_ptr<const RowTest> make_lazy_test(scan_detail::Program program);

}  // namespace presso::query
