// SPDX-License-Identifier: MIT
// Programs as bit sets: all words of a known language, lines too long to keep sets for, patterns
// that blow a deterministic automaton up, and refusals. What engines find is compared on all small
// patterns in regex_engines_test.cpp.
#include <gtest/gtest.h>

#include <random>

#include "presso/cpu.h"
#include "presso/pattern.h"
#include "scan/matching/matcher.h"
#include "scan/pattern/pattern_access.h"
#include "scan/regex/bitset_engine.h"
#include "scan/regex/lazy_dfa.h"
#include "tests/unit/scan/text/scan_reference.h"

namespace presso::scan_detail::bit_automaton_test {
namespace {

using scan_test::as_bytes;

Program program_of(const std::string& pattern) {
  auto parsed = parse_pattern(pattern, {});
  EXPECT_TRUE(parsed.ok()) << pattern;
  auto program = compile_program(parsed->root, {});
  EXPECT_TRUE(program.ok()) << pattern;
  return std::move(*program);
}

BitAutomaton bits_of(const Program& program) {
  auto made = make_bit_automaton(program, std::size_t{64} << 20);
  EXPECT_TRUE(made.ok()) << made.error().message();
  return std::move(*made);
}

Pattern compiled(const std::string& pattern, Engine engine) {
  PatternOptions options;
  options.engine = engine;
  auto made = Pattern::compile({&pattern, 1}, options);
  EXPECT_TRUE(made.ok()) << pattern << ": " << made.error().message();
  return *made;
}

/// (0|1)*((00)+|001)0, a thesis' example (docs/sources.md, L14), spelled out: an even number of
/// zeros, at least two, or 001 before the last 0.
bool in_example(const std::string& word) {
  if (word.size() < 3 || word.back() != '0') return false;
  const std::string before = word.substr(0, word.size() - 1);
  return before.ends_with("00") || before.ends_with("001");
}

TEST(BitAutomaton, TakesTheWordsOfAKnownLanguage) {
  const Program program = program_of("^(0|1)*((00)+|001)0$");
  const BitAutomaton bits = bits_of(program);
  BitsetEngine engine(bits);
  for (unsigned size = 1; size <= 14; ++size) {
    for (unsigned number = 0; number < 1u << size; ++number) {
      std::string word;
      for (unsigned i = 0; i < size; ++i) word += (number >> i & 1) != 0 ? '1' : '0';
      engine.start(as_bytes(word));
      ASSERT_EQ(engine.first_end(0, size).has_value(), in_example(word)) << word;
      const auto found = engine.find(0, size);
      ASSERT_EQ(found.has_value(), in_example(word)) << word;
      if (found) {
        ASSERT_EQ(found->begin, 0u);
        ASSERT_EQ(found->end, size);
      }
    }
  }
}

/// Positions that read different bytes but stand at the same place are one.
TEST(BitAutomaton, HasAsFewPositionsAsThePatternHasPlaces) {
  const Program program = program_of("(?:a|b|[x-z]){20}c");
  EXPECT_EQ(bits_of(program).positions, 22u);  // and the match
  EXPECT_EQ(bits_of(program).words, 1u);
}

TEST(BitAutomaton, SetsOfManyWordsAreSteppedAlike) {
  std::mt19937 random(11);
  std::string text;
  while (text.size() < 6000) text += "aaabbb\n"[random() % 40 == 0 ? 6 : random() % 6];
  for (const int count : {10, 63, 64, 70, 130, 200, 260, 400}) {
    const std::string times = std::to_string(count);
    for (const std::string& pattern :
         {"a[ab]{" + times + "}b", "(?:ab?){" + times + "}", "b(?:a|bb){2," + times + "}?$"}) {
      const Pattern as_bits = compiled(pattern, Engine::kBitset);
      const Pattern as_lists = compiled(pattern, Engine::kNfa);
      const auto bitset = matcher_of(as_bits).searcher(cpu_level());
      const auto nfa = matcher_of(as_lists).searcher(cpu_level());
      bitset->start(as_bytes(text));
      nfa->start(as_bytes(text));
      for (std::size_t from = 0; from < text.size();) {
        const auto found = bitset->next(from);
        const auto expected = nfa->next(from);
        ASSERT_EQ(found.has_value(), expected.has_value()) << pattern << " from " << from;
        if (!found) break;
        ASSERT_EQ(found->begin, expected->begin) << pattern << " from " << from;
        ASSERT_EQ(found->end, expected->end) << pattern << " from " << from;
        from = found->end + (found->empty() ? 1 : 0);
      }
    }
  }
}

/// 3 MB in one line: 8 bytes for each place are more than what is kept.
TEST(BitAutomaton, LongLinesAreSearchedWithoutTheirSets) {
  std::string text(3'000'000, 'a');
  text[1'500'000] = 'b';
  text += "\nab\n";
  const Program program = program_of("a{3}b+a|ab");
  const BitAutomaton bits = bits_of(program);
  BitsetEngine engine(bits);
  engine.start(as_bytes(text));
  const auto first = engine.find(0, text.size());
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->begin, 1'499'997u);
  EXPECT_EQ(first->end, 1'500'002u);
  const auto second = engine.find(first->end, text.size());
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->begin, 3'000'001u);
  EXPECT_FALSE(engine.find(second->end, text.size()).has_value());
}

std::string blowing_up(std::size_t lines) {
  std::mt19937 random(12);
  std::string text;
  for (std::size_t i = 0; i < lines; ++i) {
    for (int j = 0; j < 150; ++j) text += "ab"[random() % 2];
    text += '\n';
  }
  return text;
}

/// With the automaton alone this takes a microsecond for each byte and more.
TEST(BitAutomaton, TakesOverWhereTheAutomatonBlowsUp) {
  const std::string text = blowing_up(4000);
  const std::string pattern = "a[ab]{30}b[ab]{20}a[ab]{9}$";
  const Program program = program_of(pattern);
  LazyDfa dfa(program, Determinizer::Mode::kFirst);
  dfa.may_give_up(true);
  EXPECT_EQ(dfa.find_end(as_bytes(text), 60, text.size()).kind, DfaAnswer::Kind::kAt);
  std::size_t lines = 0;
  for (std::size_t begin = 0; begin < text.size(); begin += 151) {
    if (dfa.find_end(as_bytes(text), begin, begin + 150).kind == DfaAnswer::Kind::kQuit) break;
    ++lines;
  }
  EXPECT_TRUE(dfa.gave_up());
  EXPECT_LT(lines, 3000u);
  dfa.may_give_up(false);
  EXPECT_NE(dfa.find_end(as_bytes(text), 0, 150).kind, DfaAnswer::Kind::kQuit);

  const Pattern chosen = compiled(pattern, Engine::kAuto);
  const Pattern as_bits = compiled(pattern, Engine::kBitset);
  const auto automatic = matcher_of(chosen).searcher(cpu_level());
  const auto bitset = matcher_of(as_bits).searcher(cpu_level());
  automatic->start(as_bytes(text));
  bitset->start(as_bytes(text));
  EXPECT_EQ(automatic->count_lines(), bitset->count_lines());
  automatic->start(as_bytes(text));
  bitset->start(as_bytes(text));
  std::size_t from = 0;
  std::size_t matches = 0;
  for (;;) {
    const auto found = bitset->next(from);
    const auto expected = automatic->next(from);
    ASSERT_EQ(found.has_value(), expected.has_value()) << from;
    if (!found) break;
    ASSERT_EQ(found->begin, expected->begin);
    ASSERT_EQ(found->end, expected->end);
    from = found->end;
    ++matches;
  }
  EXPECT_GT(matches, 100u);
}

TEST(BitAutomaton, WhatIsTooLargeIsRefusedWithAdvice) {
  PatternOptions options;
  options.engine = Engine::kBitset;
  const std::string large = "(?:[ab]{1000}c){20}";
  const auto refused = Pattern::compile({&large, 1}, options);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(refused.error().what.find("lower its counts"), std::string::npos);
  options.engine = Engine::kAuto;
  EXPECT_TRUE(Pattern::compile({&large, 1}, options).ok());
  options.max_bytes = 10'000;
  const auto larger = Pattern::compile({&large, 1}, options);
  ASSERT_FALSE(larger.ok());
  EXPECT_NE(larger.error().what.find("lower their counts"), std::string::npos);
}

}  // namespace
}  // namespace presso::scan_detail::bit_automaton_test
