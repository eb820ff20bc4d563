// SPDX-License-Identifier: MIT
// The part of a condition over token codes that does not depend on a token dictionary. It is made
// once; token_tests.h makes a test from it for each dictionary. Tested by
// tests/unit/query/strings/string_test_test.cpp.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "presso/error.h"
#include "scan/automaton/dfa.h"
#include "scan/matching/required_literals.h"
#include "scan/regex/required.h"

namespace presso::query {

/// The most states of an automaton over codes: its table has 4 MiB, of which only entries that are
/// used are touched.
constexpr std::uint32_t kMostCodeStates = 512;

/// Immutable, except for `rarest`, which only affects speed.
struct TokenPlan {
  /// nullptr: rows are decoded and given to the test of strings.
  std::shared_ptr<const scan_detail::Dfa> automaton;
  /// The automaton reads strings from their ends, which decides sooner if only the end is fixed.
  /// There are no clauses then.
  bool backwards = false;
  /// Every match has a string of each of these clauses. They can be swept for; the rarer ones come
  /// first.
  std::vector<scan_detail::RequiredLiterals::Clause> clauses;
  /// There is one clause of one string of up to 16 bytes, and every row with that string matches.
  bool literal_is_all = false;
  /// The number of the clause that was rarest in the codes that were searched first, or kUndecided.
  /// Answers do not depend on it.
  mutable std::atomic<std::size_t> rarest{kUndecided};
  static constexpr std::size_t kUndecided = ~std::size_t{0};

  bool exists() const { return automaton != nullptr || !clauses.empty(); }
};

/// If `dfa` is an error or too large, the plan has no automaton.
std::shared_ptr<const TokenPlan> plan_tokens(Result<scan_detail::Dfa> dfa);
/// Adds sweeps for what `literals` requires. `literal_is_all`: every row with that one literal
/// matches.
std::shared_ptr<const TokenPlan> plan_tokens(Result<scan_detail::Dfa> dfa,
                                             const scan_detail::PatternLiterals& literals,
                                             bool literal_is_all);
/// A plan whose automaton reads from the end.
std::shared_ptr<const TokenPlan> plan_backwards(const scan_detail::Node& root);

}  // namespace presso::query
