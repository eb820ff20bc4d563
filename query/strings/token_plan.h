// SPDX-License-Identifier: MIT
// What is made of a condition for token codes, before a token dictionary is known.
// Tested by tests/unit/query/strings/string_test_test.cpp.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "presso/error.h"
#include "scan/automaton/dfa.h"
#include "scan/matching/required_literals.h"
#include "scan/regex/required.h"

namespace presso::query {

/// The most states of an automaton over codes: 4 MiB of table, of which only what is used is
/// touched.
constexpr std::uint32_t kMostCodeStates = 512;

struct TokenPlan {
  /// nullptr: rows are decoded and given to the test of strings.
  std::shared_ptr<const scan_detail::Dfa> automaton;
  /// It reads strings from their ends, which decides sooner where these are given. No clauses then.
  bool backwards = false;
  /// Every match has a string of each; those that are swept for, the rarer ones first.
  std::vector<scan_detail::RequiredLiterals::Clause> clauses;
  /// There is one clause of one string of up to 16 bytes, and every row that holds it matches.
  bool literal_is_all = false;
  /// The number of the clause that was the rarest in the first codes that were searched, or
  /// kUndecided. Any of them gives the same answers.
  mutable std::atomic<std::size_t> rarest{kUndecided};
  static constexpr std::size_t kUndecided = ~std::size_t{0};

  bool exists() const { return automaton != nullptr || !clauses.empty(); }
};

/// `dfa` may be an error, or too large: then there is no automaton.
std::shared_ptr<const TokenPlan> plan_tokens(Result<scan_detail::Dfa> dfa);
/// With sweeps for what `literals` requires. `literal_is_all`: every row with that one literal
/// matches.
std::shared_ptr<const TokenPlan> plan_tokens(Result<scan_detail::Dfa> dfa,
                                             const scan_detail::PatternLiterals& literals,
                                             bool literal_is_all);
/// The same of a tree, backwards.
std::shared_ptr<const TokenPlan> plan_backwards(const scan_detail::Node& root);

}  // namespace presso::query
