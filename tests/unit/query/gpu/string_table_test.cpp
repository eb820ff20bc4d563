// SPDX-License-Identifier: MIT
// Tables of an automaton over the tokens of a dictionary say what the automaton over bytes says,
// token by token and state by state.
#include "query/gpu/strings/string_table.h"

#include <gtest/gtest.h>

#include <cstring>

#include "compress/columns/token_trainer.h"
#include "query/strings/condition_automaton.h"
#include "tests/unit/compress/columns/string_columns.h"
#include "tests/unit/query/strings/string_rows.h"

namespace presso::gpu::string_table_test {
namespace {

using query::StringCondition;
using Kind = StringCondition::Kind;
using scan_detail::Dfa;

TokenDictionary of_words() {
  return train_tokens(presso::test::string_column(presso::test::word_rows(20000, 1)).view());
}

std::vector<StringCondition> conditions() {
  const auto of = query::test::condition_of;
  return {of(Kind::kLike, "%al%e%"),  of(Kind::kLike, "%"),
          of(Kind::kLike, "care%"),   of(Kind::kEqual, "bold "),
          of(Kind::kLess, "final"),   of(Kind::kMatches, "(final|bold).*(sleep|haggle)"),
          of(Kind::kLike, "%s_q%ly"), of(Kind::kMatches, "a[a-z]{8}$")};
}

/// Follows the automaton over bytes beside the functions, from the start, over many codes; adds up
/// steps to decided states.
void expect_the_same_steps(const Dfa& dfa, const TokenFunctions& functions,
                           const TokenDictionary& tokens, std::uint32_t& decided) {
  ASSERT_EQ(functions.states, dfa.states);
  ASSERT_EQ(functions.tokens, tokens.size());
  ASSERT_EQ(functions.matches(functions.start), dfa.start >= dfa.first_matching);
  corpora::Random random(5);
  for (int round = 0; round < 3000; ++round) {
    std::uint32_t state = dfa.start;
    std::uint32_t own = functions.start;
    for (int step = 0; step < 6; ++step) {
      const std::uint32_t code = random.below(tokens.size());
      for (const Byte byte : tokens.token(code)) state = dfa.step(state, byte);
      own = functions.step(own, code);
      ASSERT_EQ(functions.matches(own), state >= dfa.first_matching);
      ASSERT_EQ(own >= functions.first_decided, dfa.is_absorbing(state));
      decided += dfa.is_absorbing(state) ? 1 : 0;
    }
  }
}

std::uint32_t entry(const StringTable& table, std::size_t at, std::size_t bytes) {
  std::uint32_t value = 0;
  std::memcpy(&value, table.image.data() + at, bytes);
  return value;
}

/// Every state and code, as kernels look it up.
void expect_the_functions(const TokenFunctions& functions, StringLayout layout) {
  const auto table = lay_out(layout, functions);
  ASSERT_TRUE(table.ok());
  const StringTableView& view = table->view;
  ASSERT_EQ(view.image_bytes, table->image.size());
  ASSERT_EQ(view.image_bytes % 16, 0u);
  ASSERT_EQ(view.shared_bytes % 16, 0u);
  ASSERT_LE(view.shared_bytes, view.image_bytes);
  const std::size_t size = layout == StringLayout::kClasses ? 1 : 2;
  const std::size_t classes_at = layout == StringLayout::kSweep ? 4 * kMaxTokens : 0;
  for (std::uint32_t state = 0; state < functions.states; ++state) {
    const std::size_t row = view.rows_at + state * view.pitch * size;
    ASSERT_EQ(entry(*table, row + view.none * size, size), state);
    for (std::uint32_t code = 0; code < kMaxTokens; ++code) {
      const std::uint32_t column = entry(*table, classes_at + code * size, size);
      ASSERT_LT(column, view.none);
      ASSERT_EQ(entry(*table, row + column * size, size), functions.step(state, code));
    }
  }
}

/// No hit between two codes, or behind the second: the state is what the second makes of the start,
/// and does not match.
void expect_words_that_hold(const TokenFunctions& functions) {
  const auto table = lay_out(StringLayout::kSweep, functions);
  ASSERT_TRUE(table.ok());
  corpora::Random random(6);
  std::uint32_t held = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::uint32_t first = random.below(functions.tokens);
    const std::uint32_t second = random.below(functions.tokens);
    const std::uint32_t before = entry(*table, 4 * first, 4);
    const std::uint32_t after = entry(*table, 4 * second, 4);
    if ((before >> 16 & after) != 0) continue;
    ++held;
    const std::uint32_t guess = functions.step(functions.start, second);
    ASSERT_EQ(functions.step(functions.step(functions.start, first), second), guess);
    ASSERT_FALSE(functions.matches(guess));
  }
  EXPECT_TRUE(held > 0 || functions.matches(functions.start));
}

TEST(StringTables, SayWhatTheAutomatonSays) {
  const TokenDictionary dictionaries[] = {of_words(), TokenDictionary()};
  std::uint32_t tables = 0;
  std::uint32_t decided = 0;
  for (const TokenDictionary& tokens : dictionaries) {
    for (const StringCondition& condition : conditions()) {
      SCOPED_TRACE(condition.text);
      const auto dfa = query::condition_automaton(condition);
      ASSERT_TRUE(dfa.ok());
      const auto functions = token_functions(*dfa, tokens);
      ASSERT_TRUE(functions.ok());
      ASSERT_NO_FATAL_FAILURE(expect_the_same_steps(*dfa, *functions, tokens, decided));
      ASSERT_NO_FATAL_FAILURE(expect_words_that_hold(*functions));
      for (std::uint32_t i = 0; i < kStringLayouts; ++i) {
        const auto layout = static_cast<StringLayout>(i);
        if (!fits(layout, *functions)) continue;
        ++tables;
        ASSERT_NO_FATAL_FAILURE(expect_the_functions(*functions, layout));
      }
    }
  }
  EXPECT_GT(tables, 40u);
  EXPECT_GT(decided, 1000u);
}

TEST(StringTables, RefuseWhatHasNoRoom) {
  const auto large = query::test::condition_of(Kind::kMatches, "a[a-z]{8}$");
  const auto functions = token_functions(*query::condition_automaton(large), TokenDictionary());
  ASSERT_TRUE(functions.ok());
  ASSERT_GT(functions->states, 256u);
  EXPECT_FALSE(fits(StringLayout::kClasses, *functions));
  const auto table = lay_out(StringLayout::kClasses, *functions);
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().code, ErrorCode::kInvalidArgument);
  Dfa dfa;  // counts bytes, up to more states than there is room for
  dfa.classes = 1;
  dfa.states = kMostFunctionCells / 256 + 1;
  dfa.first_matching = dfa.sink = dfa.dead = dfa.states;
  for (std::uint32_t state = 0; state < dfa.states; ++state) {
    dfa.next.push_back((state + 1) % dfa.states);
  }
  const auto refused = token_functions(dfa, TokenDictionary());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace presso::gpu::string_table_test
