// SPDX-License-Identifier: MIT
// Implements compiled_condition.h, the choice of how a condition on strings is tested: a function
// for each kind of condition. Compiling takes microseconds for comparisons, and up to some 50 ms
// for regular expressions with large automata (query_limits()).
#include "query/strings/compiled_condition.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "query/strings/automaton_tests.h"
#include "query/strings/plain_tests.h"
#include "query/strings/string_automaton.h"
#include "query/strings/swept_test.h"
#include "scan/regex/required.h"

namespace presso::query {
namespace {

using scan_detail::Letters;
using scan_detail::Node;
using scan_detail::PatternLiterals;
using scan_detail::Program;
using Kind = StringCondition::Kind;

// --- Comparisons ------------------------------------------------------------------------------

/// Sets with more bytes would need too many states for an automaton over codes.
constexpr std::size_t kMostSetBytes = 1000;

/// Comparisons need no errors: any text is legal.
CompiledCondition equal_to(const std::string& text) {
  CompiledCondition made;
  made.test = make_comparison(Kind::kEqual, text);
  made.exact = {text};
  if (text.size() < kMostCodeStates) {
    made.tokens = plan_tokens(string_automaton(whole_string(scan_detail::literal_node(text))));
  }
  return made;
}

/// Codes are compared by an automaton with two states more than the text has bytes.
CompiledCondition compared_with(Kind kind, const std::string& text) {
  CompiledCondition made;
  made.test = make_comparison(kind, text);
  if (text.size() < kMostCodeStates) made.tokens = plan_tokens(comparison_automaton(kind, text));
  return made;
}

/// A large set is only tested over text, by hash.
CompiledCondition one_of(const std::vector<std::string>& set) {
  CompiledCondition made;
  made.test = make_set_test(set);
  made.exact = set;
  std::size_t bytes = 0;
  std::vector<Node> strings;
  for (const std::string& string : set) {
    bytes += string.size() + 1;
    if (bytes > kMostSetBytes) return made;
    strings.push_back(scan_detail::literal_node(string));
  }
  if (set.empty()) return made;
  made.tokens = plan_tokens(string_automaton(whole_string(any_of(std::move(strings)))));
  return made;
}

// --- Patterns ---------------------------------------------------------------------------------

/// Returns the numbers of the clauses that are worth a sweep, the rarest by byte frequencies first;
/// which one is best is decided by the text itself later. `most` is the most places expected for a
/// byte of text.
std::vector<std::size_t> clauses_to_sweep(const PatternLiterals& literals, double most) {
  constexpr std::size_t kMostSweeps = 3;
  const auto& clauses = literals.required.clauses;
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < clauses.size(); ++i) {
    if (expected_candidates(clauses[i]) <= most) numbers.push_back(i);
  }
  std::stable_sort(numbers.begin(), numbers.end(), [&](std::size_t a, std::size_t b) {
    return expected_candidates(clauses[a]) < expected_candidates(clauses[b]);
  });
  if (numbers.size() > kMostSweeps) numbers.resize(kMostSweeps);
  return numbers;
}

/// Puts a sweep in front of `test`, if there is something to sweep for: literals, or else sets of
/// bytes at fixed distances.
std::unique_ptr<const RowTest> swept(std::unique_ptr<const RowTest> test,
                                     const PatternLiterals& literals, const Program& program,
                                     CpuLevel level) {
  SweptPlan plan;
  for (const std::size_t number : clauses_to_sweep(literals, scan_detail::kMostCandidates)) {
    const auto& clause = literals.required.clauses[number];
    auto sweeps = TextSweep::for_strings(clause);
    if (sweeps.empty()) continue;
    plan.name += plan.sweeps.empty() ? "a sweep for '" : " or '";
    plan.name += clause.any_of[0] + (clause.any_of.size() > 1 ? "' and others" : "'");
    std::move(sweeps.begin(), sweeps.end(), std::back_inserter(plan.sweeps));
  }
  if (plan.sweeps.empty()) {
    const auto bytes = scan_detail::plan_prefilter({}, program);
    if (!bytes.exists()) return test;
    plan.sweeps.push_back(TextSweep::for_bytes(bytes));
    plan.name = "a sweep for sets of bytes";
  }
  return make_swept(std::move(plan), std::move(test), level);
}

/// For LIKE that consists of these literals in order: a hit of the sweep is also a place of the
/// literal.
std::unique_ptr<const RowTest> swept_in_order(std::unique_ptr<const RowTest> test,
                                              const std::vector<std::string>& literals,
                                              const PatternLiterals& required, CpuLevel level) {
  SweptPlan plan;
  std::vector<std::size_t> numbers;
  for (const std::size_t number : clauses_to_sweep(required, 1.0)) {
    plan.name += plan.sweeps.empty() ? "a sweep for '" : " or '";
    plan.name += literals[number] + "'";
    for (TextSweep& sweep : TextSweep::for_strings(required.required.clauses[number])) {
      plan.sweeps.push_back(std::move(sweep));
      numbers.push_back(number);
    }
  }
  return make_swept_in_order(std::move(plan), literals, std::move(numbers), std::move(test), level);
}

/// Compiles to an automaton: the minimal one as a table if it is small enough, else one that is
/// made as it reads.
Result<CompiledCondition> compile_tree(const Node& root, CpuLevel level) {
  PRESSO_ASSIGN(const Program program, compile_program(root, kQueryProgram));
  const auto dfa = string_automaton(program, query_limits(program));
  if (!dfa.ok() && dfa.error().code == ErrorCode::kUnsupported) return dfa.error();
  const bool fits = dfa.ok() && dfa->states <= kMostTableStates;
  const PatternLiterals literals = scan_detail::required_literals(root);
  CompiledCondition made;
  made.test =
      swept(fits ? make_automaton_test(*dfa) : make_lazy_test(program), literals, program, level);
  made.tokens = plan_tokens(dfa, literals, false);
  return made;
}

/// A literal without a gap before it (or after it) must stand at the beginning (or the end).
OrderedLiterals ordered_literals(const LikeShape& shape) {
  OrderedLiterals ordered;
  ordered.inside = shape.literals;
  if (shape.is_empty(0)) {
    ordered.front = ordered.inside.front();
    ordered.inside.erase(ordered.inside.begin());
  }
  if (shape.is_empty(shape.literals.size())) {
    ordered.back = ordered.inside.back();
    ordered.inside.pop_back();
  }
  return ordered;
}

/// LIKE without other wildcards than `%`. If only the end is fixed (`%abc`), codes are read
/// backwards, which decides most rows at once.
Result<CompiledCondition> compile_ordered(const LikeShape& shape, CpuLevel level) {
  const std::vector<std::string>& strings = shape.literals;
  const bool has_front = shape.is_empty(0);
  const bool has_back = shape.is_empty(strings.size());
  if (strings.empty() && has_front) return equal_to("");
  if (strings.size() == 1 && has_front && has_back) return equal_to(strings[0]);

  const Node root = like_tree(shape, Letters::kExact);
  PRESSO_ASSIGN(const Program program, compile_program(root, kQueryProgram));
  const bool is_loose = !strings.empty() && !has_front && !has_back;
  const bool literal_is_all = is_loose && strings.size() == 1;
  const PatternLiterals literals =
      is_loose ? scan_detail::required_literals(root) : PatternLiterals();
  CompiledCondition made;
  made.tokens =
      has_back && !has_front
          ? plan_backwards(root)
          : plan_tokens(string_automaton(program, query_limits(program)), literals, literal_is_all);
  auto test = strings.empty() ? make_constant(true) : make_ordered(ordered_literals(shape));
  made.test =
      is_loose ? swept_in_order(std::move(test), strings, literals, level) : std::move(test);
  return made;
}

/// `_` and ILIKE need an automaton, everything else does not.
Result<CompiledCondition> compile_like(const StringCondition& condition, CpuLevel level) {
  const char escape = condition.has_escape ? condition.escape : '\0';
  PRESSO_ASSIGN(const LikeShape shape, like_shape(condition.text, escape));
  const bool any_case = condition.kind == Kind::kIlike;
  if (!any_case && !shape.has_characters()) return compile_ordered(shape, level);
  return compile_tree(like_tree(shape, any_case ? Letters::kUnicode : Letters::kExact), level);
}

Result<CompiledCondition> compile_regex(const StringCondition& condition, CpuLevel level) {
  PRESSO_ASSIGN(const auto parsed, scan_detail::parse_pattern(condition.text, query_syntax()));
  return compile_tree(parsed.root, level);
}

}  // namespace

Result<CompiledCondition> compile_condition(const StringCondition& condition, CpuLevel level) {
  switch (condition.kind) {
    case Kind::kEqual:
      return equal_to(condition.text);
    case Kind::kLess:
    case Kind::kLessEqual:
    case Kind::kGreater:
    case Kind::kGreaterEqual:
      return compared_with(condition.kind, condition.text);
    case Kind::kIn:
      return one_of(condition.set);
    case Kind::kLike:
    case Kind::kIlike:
      return compile_like(condition, level);
    case Kind::kMatches:
      break;
  }
  return compile_regex(condition, level);
}

}  // namespace presso::query
