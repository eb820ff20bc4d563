// SPDX-License-Identifier: MIT
// Conditions over token codes (FORMAT.md 17): an automaton whose steps are codes, made from the one
// over bytes and a token dictionary. Where every match holds a literal, codes are swept for it
// (code_sweep.h) and only rows with a hit are read by the automaton.
// Tested by tests/unit/scan/strings/string_test_test.cpp.
#pragma once

#include <memory>
#include <vector>

#include "scan/automaton/dfa.h"
#include "scan/matching/required_literals.h"
#include "scan/strings/row_test.h"
#include "scan/strings/string_test.h"

namespace presso::query {

/// The most states of an automaton over codes: 4 MiB of table, of which only what is used is
/// touched.
constexpr std::uint32_t kMostCodeStates = 512;

struct TokenPlan {
  /// nullptr: rows are decoded and given to `test`.
  std::shared_ptr<const scan_detail::Dfa> automaton;
  /// Every match has a string of each; those that are swept for, the rarer ones first.
  std::vector<scan_detail::RequiredLiterals::Clause> clauses;
  /// There is one clause of one string of up to 16 bytes, and every row that holds it matches.
  bool literal_is_all = false;

  bool exists() const { return automaton != nullptr || !clauses.empty(); }
};

/// `test` says of a string what `plan` says of codes; `tokens` is kept by reference.
std::unique_ptr<const StringTest::TokenAutomaton> make_token_test(
    std::shared_ptr<const TokenPlan> plan, const TokenDictionary& tokens,
    std::shared_ptr<const RowTest> test);

}  // namespace presso::query
