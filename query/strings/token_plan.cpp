// SPDX-License-Identifier: MIT
// Implements token_plan.h, what a condition over token codes needs whatever the token dictionary
// is: an automaton, and clauses to sweep for. Only clauses with few strings and few expected hits
// are kept, at most two.
#include "query/strings/token_plan.h"

#include <algorithm>
#include <utility>

#include "format/columns/token_dictionary.h"
#include "query/strings/string_automaton.h"
#include "scan/regex/prefilter.h"

namespace presso::query {
namespace {

using scan_detail::Dfa;
using scan_detail::Node;
using scan_detail::PatternLiterals;

/// Shares the automaton; nullptr if there is an error in its place, or it has too many states.
std::shared_ptr<const Dfa> for_codes(Result<Dfa> dfa) {
  if (!dfa.ok() || dfa->states > kMostCodeStates) return nullptr;
  return std::make_shared<const Dfa>(std::move(*dfa));
}

}  // namespace

std::shared_ptr<const TokenPlan> plan_tokens(Result<Dfa> dfa) {
  auto made = std::make_shared<TokenPlan>();
  TokenPlan& plan = *made;
  plan.automaton = for_codes(std::move(dfa));
  return made;
}

std::shared_ptr<const TokenPlan> plan_tokens(Result<Dfa> dfa, const PatternLiterals& literals,
                                             bool literal_is_all) {
  constexpr std::size_t kMostClauses = 2;
  constexpr std::size_t kMostStrings = 8;
  auto made = std::make_shared<TokenPlan>();
  TokenPlan& plan = *made;
  plan.automaton = for_codes(std::move(dfa));
  for (const auto& clause : literals.required.clauses) {
    const bool is_good = clause.any_of.size() <= kMostStrings &&
                         expected_candidates(clause) <= scan_detail::kMostCandidates;
    if (is_good) plan.clauses.push_back(clause);
  }
  std::stable_sort(plan.clauses.begin(), plan.clauses.end(), [](const auto& a, const auto& b) {
    return expected_candidates(a) < expected_candidates(b);
  });
  if (plan.clauses.size() > kMostClauses) plan.clauses.resize(kMostClauses);
  plan.literal_is_all = literal_is_all && plan.clauses.size() == 1 &&
                        plan.clauses[0].any_of[0].size() <= kMaxTokenBytes;
  return made;
}

std::shared_ptr<const TokenPlan> plan_backwards(const Node& root) {
  scan_detail::ProgramOptions options = kQueryProgram;
  options.reverse = true;
  const auto program = compile_program(root, options);
  auto made = std::make_shared<TokenPlan>();
  TokenPlan& plan = *made;
  if (program.ok()) plan.automaton = for_codes(string_automaton(*program, query_limits(*program)));
  plan.backwards = true;
  return made;
}

}  // namespace presso::query
