// SPDX-License-Identifier: MIT
// Random trees as text and back; random texts, which must give a tree that keeps what is promised,
// or an error that lies within the text.
#include <gtest/gtest.h>

#include "tests/unit/query/expression/expression_dump.h"
#include "tests/unit/query/expression/expression_maker.h"

namespace presso::expression_random_test {
namespace {

using corpora::Random;
using test::ExpressionMaker;

std::string place(std::string_view text, const Expression& tree) {
  return std::string(text.substr(tree.offset, tree.length));
}

/// Each node's part of the text is that node; the key of a field stands there as a name.
void expect_places(const std::string& text, const Expression& tree) {
  if (tree.kind == Expression::Kind::kStar) return;
  const Result<Expression> again = parse_expression(place(text, tree));
  ASSERT_TRUE(again.ok()) << place(text, tree);
  ASSERT_EQ(*again, tree) << place(text, tree);
  if (is_step_into(tree) && tree.text == kFieldCall) return expect_places(text, tree.arguments[0]);
  for (const Expression& argument : tree.arguments) expect_places(text, argument);
}

TEST(ExpressionRoundTrip, EveryTreeIsWhatItsTextSays) {
  ExpressionMaker maker(81);
  for (std::uint32_t run = 0; run < 40'000; ++run) {
    const Expression tree = maker.make(1 + run % 6);
    const std::string text = to_text(tree);
    const Result<Expression> parsed = parse_expression(text);
    ASSERT_TRUE(parsed.ok()) << text << "\n" << explain_expression_error(text, parsed.error());
    ASSERT_EQ(*parsed, tree) << text << "\n" << dump(*parsed) << "\n" << dump(tree);
    if (run % 8 == 0) expect_places(text, *parsed);
  }
}

/// The name of a result that is given none.
std::string name_of(const Expression& tree) {
  if (tree.kind == Expression::Kind::kColumn) return tree.text;
  const bool is_field = is_step_into(tree) && tree.text == kFieldCall;
  return is_field ? tree.arguments[1].text : to_text(tree);
}

TEST(ExpressionRoundTrip, ListsAreWhatTheirPartsAre) {
  ExpressionMaker maker(82);
  Random random(83);
  for (int run = 0; run < 3000; ++run) {
    std::vector<Expression> trees;
    std::string text;
    std::string order;
    for (std::uint32_t i = random.below(5); i > 0; --i) {
      trees.push_back(maker.make(2));
      text += (text.empty() ? "" : " ,") + to_text(trees.back());
      order += (order.empty() ? "" : ", ") + to_text(trees.back()) + (i % 2 == 1 ? " desc" : "");
    }
    const auto named = parse_expressions(text);
    const auto sorted = parse_sort_expressions(order);
    ASSERT_TRUE(named.ok() && sorted.ok()) << text;
    ASSERT_EQ(named->size(), trees.size());
    ASSERT_EQ(sorted->size(), trees.size());
    for (std::size_t i = 0; i < trees.size(); ++i) {
      ASSERT_EQ((*named)[i].expression, trees[i]);
      ASSERT_EQ((*named)[i].name, name_of(trees[i]));
      ASSERT_EQ((*sorted)[i].expression, trees[i]);
    }
  }
}

std::size_t depth_of(const Expression& tree) {
  std::size_t deepest = 0;
  for (const Expression& argument : tree.arguments) {
    deepest = std::max(deepest, depth_of(argument));
  }
  return deepest + 1;
}

void expect_inside(const std::string& text, const Expression& tree) {
  ASSERT_GT(tree.length, 0u);
  ASSERT_LE(tree.offset + tree.length, text.size());
  for (const Expression& argument : tree.arguments) expect_inside(text, argument);
}

void expect_sound(const std::string& text, const Error& error) {
  ASSERT_EQ(error.code, ErrorCode::kInvalidArgument);
  ASSERT_LE(error.byte_offset, text.size());
  ASSERT_FALSE(error.what.empty());
  ASSERT_LT(error.what.size(), 300u);
  for (const char letter : error.what) ASSERT_GE(static_cast<std::uint8_t>(letter), ' ');
  ASSERT_TRUE(explain_expression_error(text, error).ends_with(error.what));
}

/// Whether it was a sound expression.
bool expect_sound(const std::string& text) {
  const Result<Expression> parsed = parse_expression(text);
  const auto named = parse_expressions(text);
  if (!named.ok()) expect_sound(text, named.error());
  const auto sorted = parse_sort_expressions(text);
  if (!sorted.ok()) expect_sound(text, sorted.error());
  if (!parsed.ok()) {
    expect_sound(text, parsed.error());
    return false;
  }
  EXPECT_TRUE(named.ok() && sorted.ok()) << text;
  EXPECT_LE(depth_of(*parsed), kMaxExpressionDepth);
  expect_inside(text, *parsed);
  const std::string again = to_text(*parsed);
  const Result<Expression> back = parse_expression(again);
  EXPECT_TRUE(back.ok() && *back == *parsed) << text << "\n" << again;
  return true;
}

TEST(ExpressionParser, RandomBytesAreSoundOrAnError) {
  Random random(84);
  for (int run = 0; run < 100'000; ++run) {
    std::string text(random.skewed(24), ' ');
    for (char& letter : text) letter = static_cast<char>(random.below(256));
    expect_sound(text);
    ASSERT_FALSE(::testing::Test::HasFailure()) << text;
  }
}

TEST(ExpressionParser, RandomTokensAreSoundOrAnError) {
  static const std::string kTokens[] = {"a",
                                        "b.c",
                                        "\"d e\"",
                                        "1",
                                        "2.5",
                                        "'s'",
                                        "(",
                                        ")",
                                        "(",
                                        ")",
                                        ",",
                                        "+",
                                        "-",
                                        "*",
                                        "/",
                                        "//",
                                        "%",
                                        "||",
                                        "=",
                                        "<>",
                                        "<",
                                        ">=",
                                        "~",
                                        "!~",
                                        "::int",
                                        "or",
                                        "and",
                                        "not",
                                        "is",
                                        "null",
                                        "true",
                                        "in",
                                        "between",
                                        "like",
                                        "ilike",
                                        "matches",
                                        "escape",
                                        "distinct",
                                        "from",
                                        "case",
                                        "when",
                                        "then",
                                        "else",
                                        "end",
                                        "cast(",
                                        "as",
                                        "extract(year",
                                        "date '1994-01-01'",
                                        "1994-01-01",
                                        "interval '3' day",
                                        "count(*)",
                                        "f(",
                                        "interval",
                                        "desc",
                                        "nulls",
                                        "first"};
  Random random(85);
  int sound = 0;
  for (int run = 0; run < 150'000; ++run) {
    std::string text;
    for (std::uint32_t i = random.skewed(12); i > 0; --i) {
      text += kTokens[random.below(std::size(kTokens))] + (random.one_in(4) ? "" : " ");
    }
    sound += expect_sound(text);
    ASSERT_FALSE(::testing::Test::HasFailure()) << text;
  }
  EXPECT_GT(sound, 10'000);
}

TEST(ExpressionParser, MutationsOfExpressionsAreSoundOrAnError) {
  ExpressionMaker maker(86);
  Random random(87);
  int sound = 0;
  for (int run = 0; run < 60'000; ++run) {
    std::string text = to_text(maker.make(1 + random.below(4)));
    for (std::uint32_t i = 1 + random.below(3); i > 0 && !text.empty(); --i) {
      const std::size_t at = random.below(static_cast<std::uint32_t>(text.size()));
      const std::size_t size = random.skewed(8);
      const std::string part =
          text.substr(random.below(static_cast<std::uint32_t>(text.size())), random.skewed(12));
      switch (random.below(3)) {
        case 0:
          text.erase(at, size);
          break;
        case 1:
          text.insert(at, part);
          break;
        default:
          text[at] = static_cast<char>(random.below(random.one_in(2) ? 256 : 128));
      }
    }
    sound += expect_sound(text);
    ASSERT_FALSE(::testing::Test::HasFailure()) << text;
  }
  EXPECT_GT(sound, 10'000);
}

}  // namespace
}  // namespace presso::expression_random_test
