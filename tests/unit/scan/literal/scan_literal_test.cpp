// SPDX-License-Identifier: MIT
// The fixed-string engine on every CPU level against the reference of scan_reference.h: all texts
// over a small alphabet, random ones, every probe, every bound.
#include <gtest/gtest.h>

#include <random>

#include "scan/literal/literal_plan.h"
#include "scan/matching/matcher.h"
#include "scan/pattern/pattern_access.h"
#include "tests/unit/scan/text/scan_reference.h"

namespace presso::scan_detail::scan_literal_test {
namespace {

using scan_test::as_bytes;
using scan_test::next_match;
using Literals = std::vector<std::string>;

std::string spell(const Literals& literals) {
  std::string text;
  for (const std::string& literal : literals) text += "'" + literal + "' ";
  return text;
}

class ScanLiteral : public testing::TestWithParam<CpuLevel> {
 protected:
  /// Follows all matches of `text` as the callers of a Searcher do.
  static void expect_like_reference(Searcher& searcher, const std::string& text,
                                    const Literals& literals, const PatternOptions& options) {
    searcher.start(as_bytes(text));
    std::size_t from = 0;
    for (;;) {
      const auto expected = next_match(text, literals, options, from);
      const auto found = searcher.next(from);
      ASSERT_EQ(found.has_value(), expected.has_value())
          << spell(literals) << "in '" << text << "' from " << from;
      if (!found) return;
      ASSERT_EQ(*found, *expected) << spell(literals) << "in '" << text << "' from " << from;
      from = found->empty() ? found->end + 1 : found->end;
    }
  }

  static void compare(const Literals& literals, const PatternOptions& options,
                      const std::vector<std::string>& texts) {
    const auto pattern = Pattern::compile_literals(literals, options);
    ASSERT_TRUE(pattern.ok()) << pattern.error().message();
    const auto searcher = matcher_of(*pattern).searcher(GetParam());
    for (const std::string& text : texts) {
      ASSERT_NO_FATAL_FAILURE(expect_like_reference(*searcher, text, literals, options));
    }
  }
};

/// All strings over `letters` of up to `length` letters.
std::vector<std::string> all_strings(const Literals& letters, std::size_t length) {
  std::vector<std::string> all = {""};
  for (std::size_t begin = 0, round = 0; round < length; ++round) {
    const std::size_t end = all.size();
    for (std::size_t i = begin; i < end; ++i) {
      for (const std::string& letter : letters) all.push_back(all[i] + letter);
    }
    begin = end;
  }
  return all;
}

std::vector<PatternOptions> all_options() {
  std::vector<PatternOptions> all;
  for (const bool ignore_case : {false, true}) {
    for (const MatchBounds bounds : {MatchBounds::kNone, MatchBounds::kWord, MatchBounds::kLine}) {
      all.push_back({ignore_case, bounds});
    }
  }
  return all;
}

TEST_P(ScanLiteral, AgreesOnAllSmallTexts) {
  const auto texts = all_strings({"a", "b", "\n", "-"}, 6);
  for (const PatternOptions& options : all_options()) {
    for (const std::string& literal : all_strings({"a", "b", "-"}, 3)) {
      compare({literal}, options, texts);
    }
    for (const Literals& literals : {Literals{},
                                     {"a", "ab"},
                                     {"ab", "a"},
                                     {"a", "b", "ba"},
                                     {"", "a"},
                                     {"bb", ""},
                                     {"aab", "ab", "b-"},
                                     {"a", "a"}}) {
      compare(literals, options, texts);
    }
  }
}

TEST_P(ScanLiteral, AgreesOnLettersWhoseCasesDifferInSize) {
  const auto texts = all_strings({"s", "S", "\u017F", "K", "\u212A", "\n", "\xC5"}, 4);
  for (const MatchBounds bounds : {MatchBounds::kNone, MatchBounds::kWord, MatchBounds::kLine}) {
    for (const Literals& literals :
         {Literals{"s"}, {"ss"}, {"sk"}, {"ks"}, {"s\u212A"}, {"k", "ss"}, {"ssk", "kk", "s"}}) {
      compare(literals, {true, bounds}, texts);
    }
  }
}

TEST_P(ScanLiteral, FindsALiteralAtEveryOffsetOfEveryLength) {
  const std::string filler = "the quick brown fox ";
  for (const std::string literal : {"needle", "N", "=30ms", "x\u00E9z", "tasks"}) {
    for (const bool ignore_case : {false, true}) {
      std::vector<std::string> texts;
      for (std::size_t size = literal.size(); size < 300; size += 7) {
        std::string base;
        while (base.size() < size) base += filler;
        base.resize(size);
        for (std::size_t at = 0; at + literal.size() <= size; ++at) {
          std::string text = base;
          texts.push_back(text.replace(at, literal.size(), literal));
        }
      }
      compare({literal}, {ignore_case, MatchBounds::kNone}, texts);
    }
  }
}

TEST_P(ScanLiteral, AgreesOnRandomSetsOfAnySize) {
  std::mt19937 random(7);
  const Literals letters = {"a", "b",  "c",      "A",      "B",      "-",
                            " ", "\n", "\u00E9", "\u00C9", "\u017F", "s"};
  const auto some = [&](std::size_t length, bool with_lines) {
    std::string text;
    for (std::size_t i = 0; i < length; ++i) {
      const std::string& letter = letters[random() % letters.size()];
      if (with_lines || letter != "\n") text += letter;
    }
    return text;
  };
  for (const std::size_t count : {1u, 2u, 5u, 8u, 30u, 64u, 65u, 200u}) {
    for (const PatternOptions& options : all_options()) {
      Literals literals;
      for (std::size_t i = 0; i < count; ++i)
        literals.push_back(some(3 + random() % 6, false) + "c");
      std::vector<std::string> texts;
      for (int i = 0; i < 12; ++i) {
        std::string text = some(random() % 300, true);
        for (int k = 0; k < 3; ++k) {
          text.insert(random() % (text.size() + 1), literals[random() % count]);
        }
        texts.push_back(text);
      }
      compare(literals, options, texts);
    }
  }
}

/// Windows at every stride, and words that are begins of others.
TEST_P(ScanLiteral, AgreesOnManyLongLiterals) {
  std::mt19937 random(9);
  const auto some = [&](std::size_t length, const char* letters) {
    std::string text;
    while (text.size() < length) text += letters[random() % 6];
    return text;
  };
  for (std::size_t shortest = 4; shortest <= 13; ++shortest) {
    for (const PatternOptions& options : all_options()) {
      Literals literals;
      for (int i = 0; i < 150; ++i) literals.push_back(some(shortest + random() % 5, "abABé"));
      for (std::string& literal : literals) {
        while (valid_utf8_prefix(literal) != literal.size()) literal.pop_back();
        literal.resize(std::max(shortest, literal.size()), 'a');
      }
      std::vector<std::string> texts;
      for (int i = 0; i < 8; ++i) {
        std::string text = some(random() % 200, "abAB \n");
        for (int k = 0; k < 4; ++k) {
          const std::string& literal = literals[random() % literals.size()];
          text.insert(random() % (text.size() + 1), literal.substr(0, literal.size() - k % 2));
        }
        texts.push_back(text);
        texts.push_back(text + literals[random() % literals.size()]);
      }
      compare(literals, options, texts);
    }
  }
}

TEST_P(ScanLiteral, CountsLinesAsItFindsThem) {
  std::mt19937 random(10);
  for (const std::size_t count : {1u, 4u, 100u}) {
    Literals literals;
    for (std::size_t i = 0; i < count; ++i) literals.push_back(std::to_string(7000 + 13 * i) + "w");
    const auto pattern = Pattern::compile_literals(literals);
    ASSERT_TRUE(pattern.ok());
    const auto searcher = matcher_of(*pattern).searcher(GetParam());
    for (int i = 0; i < 50; ++i) {
      std::string text;
      for (int words = 0; words < 60; ++words) {
        text += std::to_string(6990 + random() % 1400) + (random() % 4 == 0 ? "w\n" : "w ");
      }
      std::size_t expected = 0;
      for (std::size_t at = 0; const auto match = next_match(text, literals, {}, at);) {
        ++expected;
        at = std::min(text.find('\n', match->begin), text.size() - 1) + 1;
      }
      searcher->start(as_bytes(text));
      ASSERT_EQ(searcher->count_lines(), expected) << text;
    }
  }
}

TEST_P(ScanLiteral, TenThousandLiteralsWithOnePrefix) {
  Literals literals;
  for (int i = 0; i < 10000; ++i) literals.push_back("user_" + std::to_string(1000000 + 37 * i));
  const auto pattern = Pattern::compile_literals(literals);
  ASSERT_TRUE(pattern.ok());
  const auto searcher = matcher_of(*pattern).searcher(GetParam());
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "user_" + std::to_string(1000000 + i) + " ";
  searcher->start(as_bytes(text));
  std::size_t found = 0;
  for (auto match = searcher->next(0); match; match = searcher->next(match->end)) {
    EXPECT_EQ(match->begin, 13 * 37 * found);
    ++found;
  }
  EXPECT_EQ(found, 55u);
}

INSTANTIATE_TEST_SUITE_P(Levels, ScanLiteral, testing::ValuesIn(supported_cpu_levels()),
                         [](const auto& level) { return std::string(name(level.param)); });

TEST(ScanPattern, RefusesWhatNoLineCanHold) {
  const auto pattern = Pattern::compile_literals({"ok", "a\nb"});
  ASSERT_FALSE(pattern.ok());
  EXPECT_EQ(pattern.error().code, ErrorCode::kInvalidArgument);
}

TEST(ScanPattern, RefusesMalformedTextOnlyWhereCaseIsIgnored) {
  EXPECT_TRUE(Pattern::compile_literals({"\xFF"}).ok());
  EXPECT_FALSE(Pattern::compile_literals({"\xFF"}, {.ignore_case = true}).ok());
}

TEST(ScanPlan, PicksTheProbeByTheNumberOfLiterals) {
  const auto probe_of = [](const Literals& literals) {
    return plan_literals(literals, false).probe.index();
  };
  EXPECT_EQ(probe_of({}), 0u);
  EXPECT_EQ(probe_of({"a", ""}), 1u);
  EXPECT_EQ(probe_of({"abc"}), 2u);
  EXPECT_EQ(probe_of({"abc", "d"}), 3u);
  Literals many;
  for (int i = 100; i < 200; ++i) many.push_back(std::to_string(i));
  EXPECT_EQ(probe_of(many), 4u);
  Literals longer = many;
  for (std::string& literal : longer) literal += literal;
  EXPECT_EQ(probe_of(longer), 5u);
  for (std::string& literal : many) literal = "same" + literal;
  EXPECT_EQ(probe_of(many), 3u);
}

TEST(ScanPlan, ChoosesRareBytes) {
  const LiteralPlan plan = plan_literals({"eeeQeeZe"}, false);
  const auto& probe = std::get<PairProbe>(plan.probe);
  EXPECT_EQ(std::min(probe.first.offset, probe.second.offset), 3u);
  EXPECT_EQ(std::max(probe.first.offset, probe.second.offset), 6u);
}

}  // namespace
}  // namespace presso::scan_detail::scan_literal_test
