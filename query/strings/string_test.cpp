// SPDX-License-Identifier: MIT
// Implements StringTest (string_test.h), a compiled condition on strings, by handing everything to
// the RowTest and the TokenPlan that compile_condition() has chosen.
#include "query/strings/string_test.h"

#include <utility>

#include "query/strings/compiled_condition.h"
#include "query/strings/token_tests.h"

namespace presso::query {

/// Shared by all copies of a test.
struct StringTest::Body {
  CompiledCondition made;
  StringCondition condition;
};

Result<StringTest> StringTest::compile(const StringCondition& condition, CpuLevel level) {
  PRESSO_ASSIGN(CompiledCondition made, compile_condition(condition, level));
  return StringTest(std::make_shared<const Body>(Body{std::move(made), condition}));
}

const StringCondition& StringTest::condition() const {
  return body_->condition;
}

bool StringTest::matches(Bytes string) const {
  return body_->made.test->matches(string);
}

/// The text may have further rows after these; tests must not look at them.
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

const std::vector<std::string>& StringTest::exact_strings() const {
  return body_->made.exact;
}

/// The automaton over codes shares the plan and the test with this object, so it may outlive it.
std::unique_ptr<const StringTest::TokenAutomaton> StringTest::over_tokens(
    const TokenDictionary& tokens) const {
  if (!body_->made.tokens->exists()) return nullptr;
  return make_token_test(body_->made.tokens, tokens, body_->made.test);
}

}  // namespace presso::query
