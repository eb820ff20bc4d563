// SPDX-License-Identifier: MIT
// The choice of a way to test strings, by the shape of the condition:
//   a comparison, a set, LIKE with `%` alone   plain comparisons of bytes (plain_tests.h)
//   other LIKE, ILIKE, regular expressions     an automaton (automaton_tests.h)
// and before either, where every match has a literal, a sweep for it (swept_test.h). Over tokens
// every condition is an automaton (token_tests.h), with a sweep where there is one for text.
#include "scan/strings/string_test.h"

#include <algorithm>
#include <utility>

#include "scan/regex/required.h"
#include "scan/strings/automaton_tests.h"
#include "scan/strings/plain_tests.h"
#include "scan/strings/string_automaton.h"
#include "scan/strings/swept_test.h"
#include "scan/strings/token_tests.h"

namespace presso::query {
namespace {

using scan_detail::Dfa;
using scan_detail::Letters;
using scan_detail::Node;
using scan_detail::PatternLiterals;
using scan_detail::Program;
using Kind = StringCondition::Kind;

/// Automata that would take longer to make than some 50 ms, at about a microsecond a state and
/// class of bytes, are made lazily.
AutomatonLimits eager_limits(const scan_detail::Program& program) {
  constexpr std::size_t kMostSteps = 64'000;
  constexpr std::size_t kMostStates = 4000;
  return {.constructed_states = std::min(kMostStates, kMostSteps / program.classes)};
}
/// Of a program, as in RE2.
constexpr scan_detail::ProgramOptions kProgramLimits{.max_bytes = std::size_t{8} << 20};

/// What a compiled condition is made of.
struct Made {
  std::shared_ptr<const RowTest> test;
  std::shared_ptr<const TokenPlan> tokens = std::make_shared<const TokenPlan>();
  std::vector<std::string> exact;
  std::string required;
};

std::string longest_of(const std::vector<std::string>& strings) {
  const auto longest = std::max_element(
      strings.begin(), strings.end(),
      [](const std::string& a, const std::string& b) { return a.size() < b.size(); });
  return longest == strings.end() ? std::string() : *longest;
}

/// The longest string that every match has; empty where none is known.
std::string longest_required(const PatternLiterals& literals) {
  std::vector<std::string> known;
  for (const auto& clause : literals.required.clauses) {
    if (clause.any_of.size() == 1 && !clause.ignore_ascii_case) known.push_back(clause.any_of[0]);
  }
  return longest_of(known);
}

// --- Tokens -----------------------------------------------------------------------------------

std::shared_ptr<const Dfa> for_codes(Result<Dfa> dfa) {
  if (!dfa.ok() || dfa->states > kMostCodeStates) return nullptr;
  return std::make_shared<const Dfa>(std::move(*dfa));
}

std::shared_ptr<const TokenPlan> plan_tokens(Result<Dfa> dfa) {
  TokenPlan plan;
  plan.automaton = for_codes(std::move(dfa));
  return std::make_shared<const TokenPlan>(std::move(plan));
}

std::shared_ptr<const TokenPlan> plan_tokens(Result<Dfa> dfa, const PatternLiterals& literals,
                                             bool literal_is_all) {
  constexpr std::size_t kMostClauses = 2;
  constexpr std::size_t kMostStrings = 8;
  TokenPlan plan;
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
  return std::make_shared<const TokenPlan>(std::move(plan));
}

std::shared_ptr<const TokenPlan> plan_backwards(const Node& root) {
  scan_detail::ProgramOptions options = kProgramLimits;
  options.reverse = true;
  const auto program = compile_program(root, options);
  TokenPlan plan;
  if (program.ok()) plan.automaton = for_codes(string_automaton(*program, eager_limits(*program)));
  plan.backwards = true;
  return std::make_shared<const TokenPlan>(std::move(plan));
}

// --- Comparisons ------------------------------------------------------------------------------

/// Sets of more bytes have too many states for codes.
constexpr std::size_t kMostSetBytes = 1000;

Made equal_to(const std::string& text) {
  Made made;
  made.test = make_comparison(Kind::kEqual, text);
  made.exact = {text};
  made.required = text;
  if (text.size() < kMostCodeStates) {
    made.tokens = plan_tokens(string_automaton(whole_string(scan_detail::literal_node(text))));
  }
  return made;
}

Made compared_with(Kind kind, const std::string& text) {
  Made made;
  made.test = make_comparison(kind, text);
  if (text.size() < kMostCodeStates) made.tokens = plan_tokens(comparison_automaton(kind, text));
  return made;
}

Made one_of(const std::vector<std::string>& set) {
  Made made;
  made.test = make_set_test(set);
  made.exact = set;
  if (set.size() == 1) made.required = set[0];
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

/// Numbers of the clauses that are worth a sweep, the rarest first: which one is best, the text
/// says. `most`: expected places a byte.
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

/// Puts a sweep before `test` where there is something to sweep for.
std::unique_ptr<const RowTest> swept(std::unique_ptr<const RowTest> test,
                                     const PatternLiterals& literals, const Program& program,
                                     CpuLevel level) {
  SweptPlan plan;
  for (const std::size_t number : clauses_to_sweep(literals, scan_detail::kMostCandidates)) {
    const auto& clause = literals.required.clauses[number];
    auto sweep = TextSweep::for_strings(clause);
    if (!sweep) continue;
    plan.name += plan.sweeps.empty() ? "a sweep for '" : " or '";
    plan.name += clause.any_of[0] + (clause.any_of.size() > 1 ? "' and others" : "'");
    plan.sweeps.push_back(std::move(*sweep));
  }
  if (plan.sweeps.empty()) {
    const auto bytes = scan_detail::plan_prefilter({}, program);
    if (!bytes.exists()) return test;
    plan.sweeps.push_back(TextSweep::for_bytes(bytes));
    plan.name = "a sweep for sets of bytes";
  }
  return make_swept(std::move(plan), std::move(test), level);
}

/// The same for LIKE that is these literals in order.
std::unique_ptr<const RowTest> swept_in_order(std::unique_ptr<const RowTest> test,
                                              const std::vector<std::string>& literals,
                                              const PatternLiterals& required, CpuLevel level) {
  SweptPlan plan;
  std::vector<std::size_t> numbers;
  for (const std::size_t number : clauses_to_sweep(required, 1.0)) {
    plan.name += plan.sweeps.empty() ? "a sweep for '" : " or '";
    plan.name += literals[number] + "'";
    plan.sweeps.push_back(*TextSweep::for_strings(required.required.clauses[number]));
    numbers.push_back(number);
  }
  return make_swept_in_order(std::move(plan), literals, std::move(numbers), std::move(test), level);
}

/// By an automaton.
Result<Made> compile_tree(const Node& root, CpuLevel level) {
  PRESSO_ASSIGN(const Program program, compile_program(root, kProgramLimits));
  const auto dfa = string_automaton(program, eager_limits(program));
  if (!dfa.ok() && dfa.error().code == ErrorCode::kUnsupported) return dfa.error();
  const bool fits = dfa.ok() && dfa->states <= kMostTableStates;
  const PatternLiterals literals = scan_detail::required_literals(root);
  Made made;
  made.test =
      swept(fits ? make_automaton_test(*dfa) : make_lazy_test(program), literals, program, level);
  made.tokens = plan_tokens(dfa, literals, false);
  made.required = longest_required(literals);
  return made;
}

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

/// LIKE with no other wildcard than `%`.
Result<Made> compile_ordered(const LikeShape& shape, CpuLevel level) {
  const std::vector<std::string>& strings = shape.literals;
  const bool has_front = shape.is_empty(0);
  const bool has_back = shape.is_empty(strings.size());
  if (strings.empty() && has_front) return equal_to("");
  if (strings.size() == 1 && has_front && has_back) return equal_to(strings[0]);

  const Node root = like_tree(shape, Letters::kExact);
  PRESSO_ASSIGN(const Program program, compile_program(root, kProgramLimits));
  const bool is_loose = !strings.empty() && !has_front && !has_back;
  const bool literal_is_all = is_loose && strings.size() == 1;
  const PatternLiterals literals =
      is_loose ? scan_detail::required_literals(root) : PatternLiterals();
  Made made;
  made.required = longest_of(strings);
  made.tokens =
      has_back && !has_front
          ? plan_backwards(root)
          : plan_tokens(string_automaton(program, eager_limits(program)), literals, literal_is_all);
  auto test = strings.empty() ? make_constant(true) : make_ordered(ordered_literals(shape));
  made.test =
      is_loose ? swept_in_order(std::move(test), strings, literals, level) : std::move(test);
  return made;
}

Result<Made> compile_like(const StringCondition& condition, CpuLevel level) {
  const char escape = condition.has_escape ? condition.escape : '\0';
  PRESSO_ASSIGN(const LikeShape shape, like_shape(condition.text, escape));
  const bool any_case = condition.kind == Kind::kIlike;
  if (!any_case && !shape.has_characters()) return compile_ordered(shape, level);
  return compile_tree(like_tree(shape, any_case ? Letters::kUnicode : Letters::kExact), level);
}

Result<Made> compile_regex(const StringCondition& condition, CpuLevel level) {
  PRESSO_ASSIGN(const auto parsed, scan_detail::parse_pattern(condition.text, query_syntax()));
  return compile_tree(parsed.root, level);
}

Result<Made> compile_condition(const StringCondition& condition, CpuLevel level) {
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

}  // namespace

struct StringTest::Body {
  Made made;
};

Result<StringTest> StringTest::compile(const StringCondition& condition, CpuLevel level) {
  PRESSO_ASSIGN(Made made, compile_condition(condition, level));
  return StringTest(std::make_shared<const Body>(Body{std::move(made)}));
}

bool StringTest::matches(Bytes string) const {
  return body_->made.test->matches(string);
}

void StringTest::find(Bytes text, const std::int64_t* offsets, std::uint32_t rows,
                      const std::uint64_t* alive, std::uint64_t* bits) const {
  if (rows == 0) return;
  const auto end = static_cast<std::size_t>(offsets[rows]);
  body_->made.test->find({text.first(end), offsets, rows}, alive, bits);
}

double StringTest::byte_cost_ns() const {
  return body_->made.test->byte_cost_ns();
}

std::string StringTest::describe() const {
  return body_->made.test->describe();
}

std::string StringTest::required_literal() const {
  return body_->made.required;
}

const std::vector<std::string>& StringTest::exact_strings() const {
  return body_->made.exact;
}

std::unique_ptr<const StringTest::TokenAutomaton> StringTest::over_tokens(
    const TokenDictionary& tokens) const {
  if (!body_->made.tokens->exists()) return nullptr;
  return make_token_test(body_->made.tokens, tokens, body_->made.test);
}

}  // namespace presso::query
