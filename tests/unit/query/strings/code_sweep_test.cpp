// SPDX-License-Identifier: MIT
// Literals among token codes: every place at which one stands in the decoded text is found, and of
// a single short literal within one or two tokens nothing else.
#include "query/strings/code_sweep.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/query/strings/string_rows.h"

namespace presso::query::code_sweep_test {
namespace {

using Clause = scan_detail::RequiredLiterals::Clause;
using test::dictionary_of;
using test::random_rows;
using test::StringRows;

struct Coded {
  std::vector<std::uint16_t> codes;
  std::vector<std::size_t> begins;  ///< of each code's token in the text
  std::string text;
};

Coded coded(const TokenDictionary& dictionary, const StringRows& rows) {
  Coded made;
  made.codes =
      presso::test::token_codes(dictionary, rows.text.data(), rows.offsets.data(), rows.rows())
          .codes;
  for (const std::uint16_t code : made.codes) {
    made.begins.push_back(made.text.size());
    const Bytes token = dictionary.token(code);
    made.text.append(token.begin(), token.end());
  }
  return made;
}

std::vector<CodeSweep::Place> all_places(const CodeSweep& sweep, const Coded& coded) {
  std::vector<CodeSweep::Place> all;
  CodeSweep::Places places;
  for (std::size_t from = 0; from < coded.codes.size();) {
    from = sweep.find(coded.codes.data(), from, coded.codes.size(), places);
    EXPECT_LE(places.count, CodeSweep::kMostPlaces);
    all.insert(all.end(), places.places, places.places + places.count);
  }
  return all;
}

/// The place that stands for a literal at text[begin]: its token, or the one behind where it is
/// cut.
std::size_t place_of(const Coded& coded, std::size_t begin, std::size_t size) {
  const auto behind = std::upper_bound(coded.begins.begin(), coded.begins.end(), begin);
  const auto token = static_cast<std::size_t>(behind - coded.begins.begin()) - 1;
  const bool cut = token + 1 < coded.begins.size() && coded.begins[token + 1] < begin + size;
  return token + (cut ? 1 : 0);
}

std::string folded(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

void expect_all_found(const TokenDictionary& dictionary, const StringRows& rows,
                      const Clause& clause) {
  const Coded given = coded(dictionary, rows);
  const std::string text = clause.ignore_ascii_case ? folded(given.text) : given.text;
  std::set<std::size_t> found;
  for (const auto& place : all_places(CodeSweep(dictionary, clause), given)) found.insert(place.at);
  for (const std::string& literal : clause.any_of) {
    for (auto at = text.find(literal); at != std::string::npos; at = text.find(literal, at + 1)) {
      const std::size_t size = std::min<std::size_t>(literal.size(), kMaxTokenBytes);
      ASSERT_TRUE(found.contains(place_of(given, at, size)))
          << "'" << literal << "' at " << at << " over " << dictionary.size() << " tokens";
    }
  }
}

TEST(CodeSweep, FindsEveryPlace) {
  const std::vector<std::string> pieces = {"a", "b", "z", "q", "zq", "A", "Z", "\n"};
  corpora::Random random(1);
  for (int i = 0; i < 60; ++i) {
    const StringRows rows = random_rows(pieces, 500, 12, random.next());
    Clause clause;
    clause.ignore_ascii_case = random.one_in(3);
    for (auto left = 1 + random.below(4); left > 0; --left) {
      std::string literal;
      for (auto size = 1 + random.below(random.one_in(3) ? 24 : 6); size > 0; --size) {
        literal += "abzq\n"[random.below(5)];
      }
      clause.any_of.push_back(literal);
    }
    for (const TokenDictionary& dictionary : test::dictionaries_of(rows)) {
      expect_all_found(dictionary, rows, clause);
    }
  }
}

TEST(CodeSweep, IsExactForALiteralOfOneOrTwoTokens) {
  const TokenDictionary dictionary = dictionary_of({"spec", "ial", "special ", "is", "al "});
  const StringRows rows({"special is special", "specis", "spec", "ial", "s p ecial al "});
  Clause clause;
  clause.any_of = {"special"};
  const Coded given = coded(dictionary, rows);
  const auto places = all_places(CodeSweep(dictionary, clause), given);
  ASSERT_EQ(places.size(), 3u);
  EXPECT_EQ(given.begins[places[0].at], 0u);
  EXPECT_TRUE(places[0].whole);
  EXPECT_EQ(given.begins[places[1].at], given.text.find("ialspecis"));
  EXPECT_FALSE(places[1].whole);
  // Two rows' ends meet: the caller knows rows.
  EXPECT_EQ(given.begins[places[2].at], given.text.find("ials p"));
}

TEST(CodeSweep, StopsWhereItsPlacesAreFull) {
  const StringRows rows({std::string(3000, 'z')});
  Clause clause;
  clause.any_of = {"z"};
  EXPECT_EQ(all_places(CodeSweep(TokenDictionary(), clause), coded(TokenDictionary(), rows)).size(),
            3000u);
}

}  // namespace
}  // namespace presso::query::code_sweep_test
