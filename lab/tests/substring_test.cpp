// SPDX-License-Identifier: MIT
// The linear substring engines: each against std::string's search on all short patterns and texts
// and on the common cases; how many comparisons the worst texts cost.
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>

#include "corpora/string_data.h"
#include "lab/strings/substring_tables.h"
#include "lab/tests/string_cases.h"
#include "tests/unit/scan/text/scan_reference.h"

namespace presso::strings::substring_test {
namespace {

using scan_test::as_bytes;
using string_test::all_strings;

struct Tally {
  std::uint64_t comparisons = 0;
  void comparison() { ++comparisons; }
};

/// A copy without room after it, so that a sanitizer sees reads outside.
struct ExactText {
  explicit ExactText(const std::string& text) : bytes(text.begin(), text.end()) {}
  std::vector<Byte> bytes;
};

template <class Form>
struct Kmp {
  explicit Kmp(const std::string& pattern) : table(pattern) {}
  Form view() const { return table.view<Form>(); }
  KmpTable table;
};

struct Corasick {
  explicit Corasick(const std::string& pattern)
      : table(std::move(*AhoCorasickTable::make({&pattern, 1}))) {}
  AhoCorasick view() const { return table.view(); }
  AhoCorasickTable table;
};

template <class Table>
class SubstringEngine : public testing::Test {};
using Tables = testing::Types<Kmp<KmpStep>, Kmp<KmpBasic>, Kmp<KmpHybrid<2>>, Kmp<KmpHybrid<4>>,
                              Kmp<KmpHybrid<8>>, BoyerMooreTable, Corasick>;
TYPED_TEST_SUITE(SubstringEngine, Tables);

std::uint64_t reference_end(const std::string& pattern, const std::string& text, std::size_t from) {
  const std::size_t at = text.find(pattern, from);
  return at == std::string::npos ? kNotFound : at + pattern.size();
}

TYPED_TEST(SubstringEngine, FindsWhatTheLibraryFinds) {
  const auto texts = all_strings("ab", 9);
  for (const std::string& pattern : all_strings("ab", 5)) {
    const TypeParam table(pattern);
    for (const std::string& text : texts) {
      const ExactText exact(text);
      for (const std::size_t from : {std::size_t{0}, text.size() / 2, text.size()}) {
        ASSERT_EQ(table.view().find_end(exact.bytes.data(), from, text.size()),
                  reference_end(pattern, text, from))
            << pattern << " in " << text << " from " << from;
      }
    }
  }
}

TYPED_TEST(SubstringEngine, FindsLongPatternsOfFewLetters) {
  std::mt19937 random(7);
  const auto some = [&](std::size_t length) {
    std::string text;
    for (std::size_t i = 0; i < length; ++i) text += "abc"[random() % (1 + random() % 3)];
    return text;
  };
  int found = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::string text = some(random() % 200);
    const std::size_t begin = random() % (text.size() + 1);
    std::string pattern = text.substr(begin, random() % 40);
    if (round % 2 == 0 && !pattern.empty()) pattern.back() = 'b';
    const TypeParam table(pattern);
    const ExactText exact(text);
    const std::uint64_t wanted = reference_end(pattern, text, 0);
    found += wanted != kNotFound;
    ASSERT_EQ(table.view().find_end(exact.bytes.data(), 0, text.size()), wanted)
        << pattern << " in " << text;
  }
  EXPECT_GT(found, 8'000);
  EXPECT_LT(found, 19'500);
}

TYPED_TEST(SubstringEngine, MatchesSequencesOfTheCommonCases) {
  for (const auto& test : string_test::string_cases()) {
    ASSERT_EQ(string_test::in_order(test.substrings, test.text), test.matches) << test.text;
    std::vector<TypeParam> tables;
    for (const std::string& substring : test.substrings) tables.emplace_back(substring);
    std::vector<decltype(tables[0].view())> views;
    for (const TypeParam& table : tables) views.push_back(table.view());
    const ExactText exact(test.text);
    EXPECT_EQ(contains_in_order(views.data(), static_cast<std::uint32_t>(views.size()),
                                exact.bytes.data(), exact.bytes.size()),
              test.matches)
        << test.text;
  }
}

TYPED_TEST(SubstringEngine, IsLinearOnTheWorstTexts) {
  constexpr std::size_t kLength = 4096;
  for (const std::size_t size : {1u, 2u, 3u, 8u, 31u, 32u, 140u}) {
    std::vector<corpora::Adversary> adversaries = {corpora::kmp_adversary(size, kLength),
                                                   corpora::boyer_moore_adversary(size, kLength)};
    for (std::uint32_t lane = 0; 4 * (lane + 1) < size; ++lane) {
      adversaries.push_back(corpora::divergent_adversary(size, kLength, lane));
    }
    for (const auto& [pattern, text] : adversaries) {
      if (size == 1) continue;  // the texts hold it
      const TypeParam table(pattern);
      Tally tally;
      EXPECT_EQ(table.view().find_end(as_bytes(text).data(), 0, kLength, tally), kNotFound);
      EXPECT_LE(tally.comparisons, 3 * kLength) << "pattern of " << size << " bytes";
    }
  }
}

TEST(Kmp, HasTheWeakTable) {
  const KmpTable table("ababaca");
  const auto view = table.view<KmpStep>();
  const std::int32_t wanted[] = {-1, 0, 0, 1, 2, 3, 0};
  for (int i = 0; i < 7; ++i) EXPECT_EQ(view.next[i], wanted[i]) << i;
}

/// The bound of KMP, and that its adversary comes near it.
TEST(Kmp, ComparesEachByteAtMostTwice) {
  const auto [pattern, text] = corpora::kmp_adversary(32, 4096);
  for (const auto find : {+[](const KmpTable&t, const Byte*b, Tally&tally) {
                            return t.view<KmpStep>().find_end(b, 0, 4096, tally);
                          },
                          +[](const KmpTable&t, const Byte*b, Tally&tally) {
                            return t.view<KmpBasic>().find_end(b, 0, 4096, tally);
                          },
                          +[](const KmpTable&t, const Byte*b, Tally&tally) {
                            return t.view<KmpHybrid<8>>().find_end(b, 0, 4096, tally);
                          }}) {
    const KmpTable table(pattern);
    Tally tally;
    EXPECT_EQ(find(table, as_bytes(text).data(), tally), kNotFound);
    EXPECT_LE(tally.comparisons, 2u * 4096);
    EXPECT_GE(tally.comparisons, 4096u * 19 / 10);
  }
}

TEST(BoyerMoore, SkipsOverRandomText) {
  std::mt19937 random(3);
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += static_cast<char>('a' + random() % 26);
  const BoyerMooreTable table("qwertzuiopasdfgh");
  Tally tally;
  EXPECT_EQ(table.view().find_end(as_bytes(text).data(), 0, text.size(), tally), kNotFound);
  EXPECT_LT(tally.comparisons, text.size() / 4);
}

TEST(AhoCorasick, FindsAnyOfSeveral) {
  const auto texts = all_strings("abc", 7);
  const std::vector<std::vector<std::string>> sets = {
      {}, {"ab", "bca"}, {"a", "abc"}, {"abcb", "bc"}, {"cc", "cac", "bb", "aaa"}, {"b", ""}};
  for (const auto& set : sets) {
    auto table = AhoCorasickTable::make(set);
    ASSERT_TRUE(table.ok());
    for (const std::string& text : texts) {
      std::uint64_t wanted = kNotFound;
      for (const std::string& pattern : set) {
        wanted = std::min(wanted, reference_end(pattern, text, 0));
      }
      ASSERT_EQ(table->view().find_end(as_bytes(text).data(), 0, text.size()), wanted) << text;
    }
  }
}

TEST(AhoCorasick, TellsAll256BytesApartAndNumbersAcceptingStatesLast) {
  std::vector<std::string> patterns;
  for (unsigned byte = 0; byte < 256; ++byte) {
    patterns.push_back({static_cast<char>(byte), static_cast<char>(255 - byte)});
  }
  auto table = AhoCorasickTable::make(patterns);
  ASSERT_TRUE(table.ok());
  const AhoCorasick view = table->view();
  EXPECT_EQ(view.classes, 256u);
  EXPECT_EQ(view.states, 258u) << "all ends are one state";
  EXPECT_EQ(view.first_accepting, 257u);
  const Byte text[] = {1, 2, 253, 7};
  EXPECT_EQ(view.find_end(text, 0, 4), 3u);
  EXPECT_EQ(view.find_end(text, 2, 4), kNotFound);
}

TEST(AhoCorasick, RefusesTooManyStates) {
  std::vector<std::string> patterns;
  corpora::Random random(5);
  for (int i = 0; i < 70; ++i) {
    std::string pattern;
    for (int j = 0; j < 1000; ++j) pattern += static_cast<char>('a' + random.below(26));
    patterns.push_back(pattern);
  }
  const auto table = AhoCorasickTable::make(patterns);
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace presso::strings::substring_test
