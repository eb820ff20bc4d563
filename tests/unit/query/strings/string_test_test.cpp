// SPDX-License-Identifier: MIT
// Conditions on strings against plain functions of one string: over random columns of small
// alphabets, so that literals straddle rows, at every CPU level and with every kind of mask.
#include "query/strings/string_test.h"

#include <algorithm>
#include <thread>

#include "tests/unit/query/strings/like_oracle.h"
#include "tests/unit/query/strings/string_rows.h"

namespace presso::query::string_test_test {
namespace {

using Kind = StringCondition::Kind;
using test::condition_of;
using test::expect_agreement;
using test::LikeOracle;
using test::Oracle;
using test::random_rows;
using test::StringRows;

std::string with_nul(const char* before, const char* after) {
  return std::string(before) + '\0' + after;
}

/// Bytes that LIKE and automata may trip over.
std::vector<std::string> odd_pieces() {
  return {"a",    "b",    "ab", "\n", with_nul("", ""), "\xC3\xA4", "\xC3", "\xA4",
          "\x80", "\xFF", "%",  "_"};
}

/// Letters that are rare enough in text to be swept for, among words so that few rows hold them.
std::vector<std::string> rare_pieces() {
  std::vector<std::string> pieces = {"zq", "qz", "z", "q", "zqx", "x", "\n", "ZQ", "\xC3\xA4"};
  for (int i = 0; i < 60; ++i) pieces.push_back(i % 2 == 0 ? "final " : "deposits");
  return pieces;
}

void expect_like(const StringCondition& condition, const StringRows& rows) {
  const LikeOracle oracle(condition.text, condition.has_escape ? condition.escape : '\0',
                          condition.kind == Kind::kIlike);
  expect_agreement(condition, rows, oracle, "LIKE '" + condition.text + "'");
}

TEST(StringTest, ComparesBytewise) {
  const StringRows rows = random_rows(odd_pieces(), 700, 6, 1);
  for (const std::string& text :
       {std::string(), std::string("a"), std::string("ab"), std::string("a\n"), with_nul("a", ""),
        std::string("\xFF"), std::string("\xC3\xA4")}) {
    const std::string name = "with '" + text + "'";
    const auto expect = [&](Kind kind, const Oracle& oracle) {
      expect_agreement(condition_of(kind, text), rows, oracle, name);
    };
    expect(Kind::kEqual, [&](std::string_view s) { return s == text; });
    expect(Kind::kLess, [&](std::string_view s) { return s < text; });
    expect(Kind::kLessEqual, [&](std::string_view s) { return s <= text; });
    expect(Kind::kGreater, [&](std::string_view s) { return s > text; });
    expect(Kind::kGreaterEqual, [&](std::string_view s) { return s >= text; });
  }
}

TEST(StringTest, FindsMembersOfASet) {
  const StringRows rows = random_rows(odd_pieces(), 900, 4, 2);
  for (const std::size_t size : {0, 1, 2, 50}) {
    StringCondition condition = condition_of(Kind::kIn, "");
    condition.set.assign(rows.strings.begin() + 10,
                         rows.strings.begin() + 10 + static_cast<std::ptrdiff_t>(size));
    condition.set.push_back(std::string(70, 'a'));
    expect_agreement(
        condition, rows,
        [&](std::string_view s) {
          return std::find(condition.set.begin(), condition.set.end(), s) != condition.set.end();
        },
        "a set of " + std::to_string(size));
  }
  StringCondition none = condition_of(Kind::kIn, "");
  expect_agreement(
      none, rows, [](std::string_view) { return false; }, "no set");
}

TEST(StringTest, MatchesEveryShapeOfLike) {
  const StringRows rows = random_rows(odd_pieces(), 500, 9, 3);
  for (const char* pattern :
       {"",           "%",       "_",    "__",     "_%",        "%_",         "_%_",
        "a",          "ab",      "a%",   "%a",     "%a%",       "a%b",        "a%b%a",
        "%a%b%",      "%a%b",    "a%a",  "ab%ab",  "a_b",       "%a_b%",      "_a%",
        "%a_",        "%\n%",    "a\n%", "%_\n_%", "\xC3\xA4%", "%\xC3\xA4%", "_\xC3\xA4_",
        "%ab%ab%ab%", "%a%_%b%", "a_%b", "%_%_%_%"}) {
    expect_like(condition_of(Kind::kLike, pattern), rows);
    expect_like(condition_of(Kind::kIlike, pattern), rows);
  }
}

TEST(StringTest, MatchesRandomPatternsOfLike) {
  const std::vector<std::string> parts = {"a", "b", "ab", "%", "%", "_", "\xC3\xA4", "\n"};
  corpora::Random random(4);
  for (int i = 0; i < 150; ++i) {
    std::string pattern;
    for (auto left = random.below(7); left > 0; --left) {
      pattern += parts[random.below(static_cast<std::uint32_t>(parts.size()))];
    }
    const StringRows rows = random_rows(odd_pieces(), 130, 8, random.next());
    expect_like(condition_of(Kind::kLike, pattern), rows);
    expect_like(condition_of(Kind::kIlike, pattern), rows);
  }
}

TEST(StringTest, SweepsForLiteralsWithinRowsOnly) {
  const StringRows rows = random_rows(rare_pieces(), 3000, 12, 5);
  for (const char* pattern :
       {"%zq%", "%zqfinal%", "%zq%final %zqx%", "%l %zq%", "%zqx%", "%qz%zq%", "%zq%z%q%",
        "%zqzqz%", "%zq_x%", "%zq%\n%", "_%zqx%", "%zqzqx%qz%zqx%"}) {
    const auto test = StringTest::compile(condition_of(Kind::kLike, pattern));
    ASSERT_TRUE(test.ok());
    EXPECT_NE(test->describe().find("sweep"), std::string::npos) << test->describe();
    expect_like(condition_of(Kind::kLike, pattern), rows);
    expect_like(condition_of(Kind::kIlike, pattern), rows);
  }
}

TEST(StringTest, SweepsColumnsOfAnyLengthAndPlaceOfTheHit) {
  for (std::size_t before = 0; before < 140; ++before) {
    const StringRows rows({std::string(before, 'a') + "zq", "x", "", "zqx", "z", "q"});
    expect_like(condition_of(Kind::kLike, "%zqx%"), rows);
    expect_like(condition_of(Kind::kLike, "%zq%"), rows);
  }
  expect_like(condition_of(Kind::kLike, "%zqx%"), StringRows({}));
  expect_like(condition_of(Kind::kLike, "%zqx%"), StringRows({"", "", ""}));
}

TEST(StringTest, IgnoresCaseBySimpleFolding) {
  // k and the Kelvin sign, s and the long s, three sigmas, and letters without a pair.
  const std::vector<std::string> pieces = {"k",      "K",      "\u212A", "s",      "S",
                                           "\u017F", "\u03C3", "\u03A3", "\u03C2", "\u00DF",
                                           "\u00E4", "\u00C4", "1"};
  const StringRows rows = random_rows(pieces, 800, 5, 6);
  for (const char* pattern :
       {"k%", "%K", "%ks%", "\u03C3_%", "%\u00E4%\u00DF%", "_\u017F%", "%skssk%", "%1k1%"}) {
    expect_like(condition_of(Kind::kIlike, pattern), rows);
    expect_like(condition_of(Kind::kLike, pattern), rows);
  }
}

TEST(StringTest, EscapesAnyCharacterOfLike) {
  const StringRows rows = random_rows({"a", "%", "_", "$", "\\"}, 600, 5, 7);
  for (const char* pattern : {"a$%", "%$%%", "$_$$%", "%$a%", "%a\\%", "%\\%"}) {
    StringCondition condition = condition_of(Kind::kLike, pattern);
    expect_like(condition, rows);
    condition.has_escape = true;
    condition.escape = '$';
    expect_like(condition, rows);
  }
  StringCondition percent = condition_of(Kind::kLike, "a%%_");
  percent.has_escape = true;
  percent.escape = '%';
  expect_like(percent, rows);
}

TEST(StringTest, SaysWhatIsWrongWithAPattern) {
  const auto error_of = [](StringCondition condition) {
    const auto test = StringTest::compile(condition);
    EXPECT_FALSE(test.ok());
    return test.ok() ? Error{} : test.error();
  };
  EXPECT_EQ(error_of(condition_of(Kind::kMatches, "ab(c")).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(error_of(condition_of(Kind::kMatches, "ab(c")).byte_offset, 2u);
  StringCondition like = condition_of(Kind::kLike, "ab$");
  like.has_escape = true;
  like.escape = '$';
  EXPECT_EQ(error_of(like).byte_offset, 2u);
  EXPECT_EQ(error_of(condition_of(Kind::kLike, "ab\xFF")).byte_offset, 2u);
  EXPECT_EQ(error_of(condition_of(Kind::kMatches, "(a{1000}){1000}")).code,
            ErrorCode::kInvalidArgument);
}

TEST(StringTest, KnowsTheStringsThatItComparesWith) {
  EXPECT_EQ(StringTest::compile(condition_of(Kind::kEqual, "abc"))->exact_strings(),
            std::vector<std::string>{"abc"});
  EXPECT_EQ(StringTest::compile(condition_of(Kind::kLike, "abc"))->exact_strings(),
            std::vector<std::string>{"abc"});
  EXPECT_TRUE(StringTest::compile(condition_of(Kind::kLike, "abc%"))->exact_strings().empty());
  StringCondition set = condition_of(Kind::kIn, "");
  set.set = {"a", "b"};
  EXPECT_EQ(StringTest::compile(set)->exact_strings(), set.set);
}

TEST(StringTest, IsAskedByManyThreadsAtOnce) {
  const StringRows rows = random_rows(rare_pieces(), 2000, 12, 9);
  const TokenDictionary dictionary = test::dictionaries_of(rows).front();
  const auto tokens =
      presso::test::token_codes(dictionary, rows.text.data(), rows.offsets.data(), rows.rows());
  // A table that fills as it is read, automata that wait in a list, and a sweep.
  for (const char* pattern : {"[fd].*[sl]", "[fdz]*f[a-z ]{18}", "zq.*f"}) {
    const auto test = StringTest::compile(condition_of(Kind::kMatches, pattern));
    ASSERT_TRUE(test.ok());
    const auto automaton = test->over_tokens(dictionary);
    std::vector<std::vector<std::uint64_t>> found(8, std::vector<std::uint64_t>(rows.words()));
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < found.size(); ++i) {
      threads.emplace_back([&, i] {
        if (automaton != nullptr && i % 2 == 0) {
          automaton->find(tokens.codes.data(), tokens.begins.data(), rows.rows(), nullptr,
                          found[i].data());
        } else {
          test->find(rows.text, rows.offsets.data(), rows.rows(), nullptr, found[i].data());
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const auto& bits : found) EXPECT_EQ(bits, found[0]) << pattern;
  }
}

TEST(StringTest, MatchesAutomataThatAreMadeAsTheyRead) {
  const char* const pattern = "[ab]*a[ab]{14}\n?$";
  const auto test = StringTest::compile(condition_of(Kind::kMatches, pattern));
  ASSERT_TRUE(test.ok());
  EXPECT_NE(test->describe().find("made as it reads"), std::string::npos);
  const StringRows rows = random_rows({"a", "b", "\n", "c"}, 2000, 40, 8);
  expect_agreement(
      condition_of(Kind::kMatches, pattern), rows,
      [](std::string_view s) {
        if (s.ends_with('\n')) s.remove_suffix(1);
        if (s.size() < 15 || s[s.size() - 15] != 'a') return false;
        return s.find_first_not_of("ab", s.size() - 15) == std::string_view::npos;
      },
      pattern);
}

}  // namespace
}  // namespace presso::query::string_test_test
