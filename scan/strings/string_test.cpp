// SPDX-License-Identifier: MIT
// The choice of a way to test strings, by the shape of the condition:
//   a comparison, a set, LIKE with `%` alone   plain comparisons of bytes (plain_tests.h)
//   other LIKE, ILIKE, regular expressions     an automaton (automaton_tests.h)
// and before either, where every match has a literal, a sweep for it (swept_test.h).
#include "scan/strings/string_test.h"

#include <algorithm>
#include <utility>

#include "scan/regex/required.h"
#include "scan/strings/automaton_tests.h"
#include "scan/strings/plain_tests.h"
#include "scan/strings/string_automaton.h"
#include "scan/strings/swept_test.h"

namespace presso::query {

struct StringTest::Body {
  std::unique_ptr<const RowTest> test;
  std::vector<std::string> exact;
  std::string required;
};

namespace {

using scan_detail::Letters;
using scan_detail::Node;
using scan_detail::Program;
using Kind = StringCondition::Kind;

/// Larger ones are made lazily: making this many takes about a millisecond.
constexpr AutomatonLimits kEagerLimits{.constructed_states = 4000};
/// Of a program, as in RE2.
constexpr scan_detail::ProgramOptions kProgramLimits{.max_bytes = std::size_t{8} << 20};

struct Made {
  std::unique_ptr<const RowTest> test;
  std::vector<std::string> exact;
  std::string required;
};

Made equal_to(std::string text) {
  return {make_comparison(Kind::kEqual, text), {text}, text};
}

std::string longest_of(const std::vector<std::string>& strings) {
  std::string longest;
  for (const std::string& string : strings) {
    if (string.size() > longest.size()) longest = string;
  }
  return longest;
}

std::string longest_required(const scan_detail::PatternLiterals& literals) {
  std::string longest;
  for (const auto& clause : literals.required.clauses) {
    const bool known = clause.any_of.size() == 1 && !clause.ignore_ascii_case;
    if (known && clause.any_of[0].size() > longest.size()) longest = clause.any_of[0];
  }
  return longest;
}

std::string name_of(const scan_detail::PrefilterPlan& plan,
                    const scan_detail::PatternLiterals& literals) {
  if (plan.literals.empty()) return "a sweep for bytes";
  const std::string known = longest_required(literals);
  return known.empty() ? "a sweep for strings" : "a sweep for '" + known + "'";
}

/// Puts a sweep before `test` where there is something to sweep for.
std::unique_ptr<const RowTest> swept(std::unique_ptr<const RowTest> test, const Node& root,
                                     const Program& program, std::size_t exact_bytes,
                                     CpuLevel level) {
  const auto literals = scan_detail::required_literals(root);
  SweptPlan plan;
  plan.prefilter = plan_prefilter(literals, program);
  if (!plan.prefilter.exists()) return test;
  plan.exact_bytes = plan.prefilter.literals.size() == 1 ? exact_bytes : 0;
  plan.name = name_of(plan.prefilter, literals);
  return make_swept(std::move(plan), std::move(test), level);
}

Result<std::unique_ptr<const RowTest>> automaton_of(const Program& program) {
  const auto dfa = string_automaton(program, kEagerLimits);
  if (!dfa.ok() && dfa.error().code == ErrorCode::kUnsupported) return dfa.error();
  if (!dfa.ok() || dfa->states > kMostTableStates) return make_lazy_test(program);
  return make_automaton_test(*dfa);
}

Result<Made> compile_tree(const Node& root, CpuLevel level) {
  PRESSO_ASSIGN(const Program program, compile_program(root, kProgramLimits));
  PRESSO_ASSIGN(auto test, automaton_of(program));
  Made made;
  made.test = swept(std::move(test), root, program, 0, level);
  made.required = longest_required(scan_detail::required_literals(root));
  return made;
}

/// LIKE with no other wildcard than `%`.
Result<Made> compile_ordered(const LikeShape& shape, CpuLevel level) {
  const std::vector<std::string>& literals = shape.literals;
  if (literals.empty() && shape.is_empty(0)) return equal_to("");
  if (literals.empty()) return Made{make_constant(true), {}, {}};
  const bool has_front = shape.is_empty(0);
  const bool has_back = shape.is_empty(literals.size());
  if (literals.size() == 1 && has_front && has_back) return equal_to(literals[0]);

  OrderedLiterals ordered;
  ordered.inside = literals;
  if (has_front) {
    ordered.front = ordered.inside.front();
    ordered.inside.erase(ordered.inside.begin());
  }
  if (has_back) {
    ordered.back = ordered.inside.back();
    ordered.inside.pop_back();
  }
  Made made;
  made.required = longest_of(literals);
  made.test = make_ordered(ordered);
  if (has_front || has_back) return made;
  const Node root = like_tree(shape, Letters::kExact);
  PRESSO_ASSIGN(const Program program, compile_program(root, kProgramLimits));
  const std::size_t exact_bytes = literals.size() == 1 ? literals[0].size() : 0;
  made.test = swept(std::move(made.test), root, program, exact_bytes, level);
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
      return Made{make_comparison(condition.kind, condition.text), {}, {}};
    case Kind::kIn:
      return Made{make_set_test(condition.set), condition.set,
                  condition.set.size() == 1 ? condition.set[0] : std::string()};
    case Kind::kLike:
    case Kind::kIlike:
      return compile_like(condition, level);
    case Kind::kMatches:
      break;
  }
  return compile_regex(condition, level);
}

}  // namespace

Result<StringTest> StringTest::compile(const StringCondition& condition, CpuLevel level) {
  PRESSO_ASSIGN(Made made, compile_condition(condition, level));
  auto body = std::make_shared<Body>();
  body->test = std::move(made.test);
  body->exact = std::move(made.exact);
  body->required = std::move(made.required);
  return StringTest(std::move(body));
}

bool StringTest::matches(Bytes string) const {
  return body_->test->matches(string);
}

void StringTest::find(Bytes text, const std::int64_t* offsets, std::uint32_t rows,
                      const std::uint64_t* alive, std::uint64_t* bits) const {
  if (rows == 0) return;
  const auto end = static_cast<std::size_t>(offsets[rows]);
  body_->test->find({text.first(end), offsets, rows}, alive, bits);
}

double StringTest::byte_cost_ns() const {
  return body_->test->byte_cost_ns();
}

std::string StringTest::describe() const {
  return body_->test->describe();
}

std::string StringTest::required_literal() const {
  return body_->required;
}

const std::vector<std::string>& StringTest::exact_strings() const {
  return body_->exact;
}

std::unique_ptr<const StringTest::TokenAutomaton> StringTest::over_tokens(
    const TokenDictionary&) const {
  return nullptr;
}

}  // namespace presso::query
