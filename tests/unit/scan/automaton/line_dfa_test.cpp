// SPDX-License-Identifier: MIT
// The line automaton: how many states known patterns need, what it accepts, what it declines; and
// the counter that reads a text with it in several lanes.
#include <gtest/gtest.h>

#include <random>

#include "scan/automaton/line_dfa.h"
#include "scan/matching/line_scan.h"
#include "scan/regex/line_counter.h"
#include "scan/regex/pike.h"
#include "tests/unit/scan/text/scan_reference.h"

namespace presso::scan_detail::line_dfa_test {
namespace {

using scan_test::as_bytes;

Program program_of(const std::string& pattern) {
  auto parsed = parse_pattern(pattern, {});
  EXPECT_TRUE(parsed.ok()) << pattern;
  auto program = compile_program(parsed->root, {});
  EXPECT_TRUE(program.ok()) << pattern;
  return std::move(*program);
}

/// As dfa.h defines it.
std::size_t count_lines(const LineDfa& dfa, const std::string& text) {
  const LineDfaView view = dfa.view();
  std::size_t lines = 0;
  std::uint32_t state = view.start;
  for (const Byte byte : as_bytes(text)) {
    if (byte == '\n' && state >= view.first_matching) ++lines;
    state = view.step(state, byte);
  }
  const bool unfinished = !text.empty() && text.back() != '\n';
  return lines + (unfinished && state >= view.first_matching ? 1 : 0);
}

std::string in_brackets(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    result += '[';
    result += letter;
    result += ']';
  }
  return result;
}

TEST(LineDfa, OfStringsAcceptsWhatThePatternDoes) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> strings(1 + random() % 6);
    std::string pattern;
    for (std::string& string : strings) {
      for (std::size_t left = 1 + random() % 5; left > 0; --left) string += "abc"[random() % 3];
      if (!pattern.empty()) pattern += '|';
      pattern += in_brackets(string);
    }
    const auto dfa = line_dfa_of_strings(strings, 65'535);
    const auto minimal = make_line_dfa(program_of(pattern));
    ASSERT_TRUE(dfa && minimal);
    for (const std::uint32_t next : dfa->next) ASSERT_LT(next, dfa->states);
    std::string text;
    for (int i = 0; i < 500; ++i) text += "abcd\n"[random() % (i % 3 == 0 ? 5 : 4)];
    EXPECT_EQ(count_lines(*dfa, text), count_lines(*minimal, text)) << pattern << "\n" << text;
  }
}

TEST(LineDfa, OfStringsKnowsItsLimits) {
  EXPECT_FALSE(line_dfa_of_strings({}, 100));
  EXPECT_FALSE(line_dfa_of_strings({"a", ""}, 100));
  EXPECT_FALSE(line_dfa_of_strings({"abcdef"}, 6));
  EXPECT_EQ(line_dfa_of_strings({"abcdef"}, 7)->states, 7u);
  std::string all;
  for (int byte = 0; byte < 256; ++byte) {
    if (byte != '\n') all += static_cast<char>(byte);
  }
  const auto dfa = line_dfa_of_strings({all}, 1000);
  ASSERT_TRUE(dfa);
  EXPECT_EQ(dfa->classes, 256u);
  std::string text = "x";
  text += all;
  text += "y\n";
  text += all.substr(1);
  text += '\n';
  EXPECT_EQ(count_lines(*dfa, text), 1u);
}

TEST(LineDfa, IsMinimal) {
  const std::pair<const char*, std::uint32_t> known[] = {
      {"abc", 4},
      {"she|her", 6},
      {"^abc$", 5},
      {".*", 1},
      {"a+", 2},
      {"(?:a|b)*c", 2},
      {"(?-u:^[^a]*$)", 2},
      {"[0-9]{4}-[0-9]{2}-[0-9]{2}", 11},
      {"(?-u)(error|fail|denied).*(user|account)", 24},
      {"[A-Za-z]{30}", 31},
  };
  for (const auto& [pattern, states] : known) {
    const auto dfa = make_line_dfa(program_of(pattern));
    ASSERT_TRUE(dfa.has_value()) << pattern;
    EXPECT_EQ(dfa->states, states) << pattern;
    EXPECT_EQ(dfa->next.size(), std::size_t{dfa->states} * dfa->classes) << pattern;
  }
}

TEST(LineDfa, AcceptsTheLanguageOnAllShortWords) {
  const auto dfa = make_line_dfa(program_of("^(0|1)*((00)+|001)0$"));
  ASSERT_TRUE(dfa.has_value());
  for (unsigned length = 0; length <= 14; ++length) {
    for (unsigned bits = 0; bits < 1u << length; ++bits) {
      std::string word;
      for (unsigned i = 0; i < length; ++i) word += (bits >> i & 1) != 0 ? '1' : '0';
      const bool wanted = word.ends_with("000") || word.ends_with("0010");
      ASSERT_EQ(count_lines(*dfa, word), wanted ? 1u : 0u) << word;
    }
  }
}

TEST(LineDfa, HasItsSinkAndMatchingStatesLast) {
  const auto dfa = make_line_dfa(program_of("abc|x$"));
  ASSERT_TRUE(dfa.has_value());
  EXPECT_EQ(dfa->sink, dfa->states - 1);
  EXPECT_EQ(dfa->first_matching, dfa->states - 2);
  const auto without = make_line_dfa(program_of("x$"));
  ASSERT_TRUE(without.has_value());
  EXPECT_EQ(without->sink, without->states);
}

TEST(LineDfa, DeclinesWhatIsTooLargeOrNeedsCharacters) {
  EXPECT_FALSE(make_line_dfa(program_of("(a|b)*a(a|b){20}c")).has_value());
  EXPECT_FALSE(make_line_dfa(program_of("\\bfoo")).has_value());
  LineDfaLimits few;
  few.states = 3;
  EXPECT_FALSE(make_line_dfa(program_of("abc"), few).has_value());
}

std::string random_lines(std::size_t bytes, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::string text;
  while (text.size() < bytes) {
    const std::size_t length = random() % (random() % 20 == 0 ? 3000 : 30);
    for (std::size_t i = 0; i < length; ++i) text += "ab1 "[random() % 4];
    if (random() % 50 != 0) text += '\n';
  }
  return text;
}

TEST(LineCounter, CountsWhatTheAutomatonDefines) {
  for (const char* pattern : {"a1b", "^a.*b$", "(a|1) *b{3}", "b$", "x*", "[^\\n]{1000}"}) {
    const auto dfa = make_line_dfa(program_of(pattern));
    ASSERT_TRUE(dfa.has_value()) << pattern;
    const LineCounter counter(*dfa);
    for (const std::size_t bytes : {0u, 1u, 7u, 600u, 5000u, 70000u}) {
      const std::string text = random_lines(bytes, static_cast<std::uint32_t>(bytes + 1));
      for (const std::size_t size : {text.size(), text.size() / 2, text.size() / 3}) {
        const std::string part = text.substr(0, size);
        EXPECT_EQ(counter.count(as_bytes(part)), count_lines(*dfa, part))
            << pattern << ", " << part.size() << " bytes";
      }
    }
  }
}

}  // namespace
}  // namespace presso::scan_detail::line_dfa_test
