// SPDX-License-Identifier: MIT
// Matches across lines, and which of several patterns a match is of: engines against each other and
// against plain walks over the text, in sources that give a few bytes at a time.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "presso/scan.h"
#include "scan/matching/matcher.h"
#include "scan/pattern/pattern_access.h"
#include "tests/unit/scan/text/stepped_source.h"

namespace presso::scan_multiline_test {
namespace {

using scan_test::as_bytes;
using scan_test::SteppedSource;

struct Group {
  std::string text;
  std::uint64_t offset = 0;
  std::uint64_t number = 0;
  std::vector<MatchSpan> matches;
  std::vector<std::uint32_t> patterns;

  friend bool operator==(const Group&, const Group&) = default;
};

std::vector<Group> groups_in(const std::string& text, std::size_t step, const Pattern& pattern,
                             ScanOptions options = {}) {
  SteppedSource source(text, step);
  options.line_numbers = true;
  options.matches = true;
  options.which_pattern = true;
  std::vector<Group> groups;
  const auto summary = scan(source, pattern, options, [&](const MatchedLine& line) {
    groups.push_back({{line.text.begin(), line.text.end()},
                      line.offset,
                      line.number,
                      {line.matches.begin(), line.matches.end()},
                      {line.patterns.begin(), line.patterns.end()}});
    return true;
  });
  EXPECT_TRUE(summary.ok());
  return groups;
}

Pattern across(const std::vector<std::string>& patterns, Engine engine = Engine::kAuto) {
  PatternOptions options;
  options.multiline = true;
  options.engine = engine;
  Result<Pattern> pattern = Pattern::compile(patterns, options);
  EXPECT_TRUE(pattern.ok()) << patterns[0];
  return *pattern;
}

TEST(Multiline, LinesThatFollowEachOtherAreOneGroup) {
  const std::string text = "ab\ncd\nef\nab\n\nab\ncd";
  const std::vector<Group> expected = {{"ab\ncd\n", 0, 1, {{1, 4}}, {0}},
                                       {"ab\ncd", 13, 6, {{1, 4}}, {0}}};
  for (std::size_t step = 1; step <= text.size(); ++step) {
    EXPECT_EQ(groups_in(text, step, across({"b\nc"})), expected) << step;
  }
  EXPECT_EQ(groups_in(text, 3, across({"\n"})).size(), 1u);
}

TEST(Multiline, OnlyPatternsThatMayHoldALineFeedSpanLines) {
  for (const char* pattern : {"a", "a.b", "[a-z]+", "(a|b)*c", "\\w", "a\\b"}) {
    EXPECT_FALSE(across({pattern}).spans_lines()) << pattern;
  }
  for (const char* pattern : {"a\n", "a\\sb", "[^a]", "(?s)a.b", "^a", "a|\\n", "\\W"}) {
    EXPECT_TRUE(across({pattern}).spans_lines()) << pattern;
  }
  PatternOptions options;
  options.multiline = true;
  EXPECT_FALSE(Pattern::compile_literals({"a.b"}, options)->spans_lines());
  EXPECT_TRUE(Pattern::compile_literals({"a.b", "c\nd"}, options)->spans_lines());
  options.multiline = false;
  EXPECT_FALSE(Pattern::compile_literals({"c\nd"}, options).ok());
}

TEST(Multiline, InvertedLinesComeOneByOne) {
  ScanOptions options;
  options.invert = true;
  std::vector<std::string> lines;
  for (const Group& group : groups_in("a\nb\nc\nd\ne\n", 2, across({"b\nc"}), options)) {
    lines.push_back(group.text);
  }
  EXPECT_EQ(lines, (std::vector<std::string>{"a\n", "d\n", "e\n"}));
}

TEST(Multiline, TextAboveTheLimitIsAnError) {
  ScanOptions options;
  options.multiline_limit = 5;
  const Pattern pattern = across({"b\nc"});
  for (const char* text : {"ab\ncd", "ab\ncd\n"}) {
    SteppedSource source(text, 2);
    const auto streamed = scan(source, pattern, options);
    const auto whole = scan(MemoryRandomAccess(as_bytes(text)), pattern, options);
    EXPECT_EQ(streamed.ok(), std::string(text).size() <= 5);
    EXPECT_EQ(whole.ok(), streamed.ok());
    if (!whole.ok()) {
      EXPECT_EQ(whole.error().code, ErrorCode::kUnsupported);
    }
  }
}

std::string random_piece(std::mt19937& random, int depth) {
  const char* atoms[] = {"a", "b", "\\n", ".", "^", "$", "[^a]", "\\s", "(?s:.)", "ab", "\\b"};
  const auto roll = random() % (depth == 0 ? 4 : 8);
  if (roll < 4) return atoms[random() % std::size(atoms)];
  const std::string one = random_piece(random, depth - 1);
  if (roll == 4) return "(" + one + "|" + random_piece(random, depth - 1) + ")";
  if (roll == 5) return "(?:" + one + ")" + (random() % 2 == 0 ? "*" : "+?");
  return one + random_piece(random, depth - 1);
}

TEST(Multiline, EnginesAgree) {
  std::mt19937 random(7);
  const std::string letters = "aab\n\n c";
  for (int round = 0; round < 1500; ++round) {
    std::vector<std::string> patterns;
    for (unsigned i = 0; i <= random() % 3; ++i) patterns.push_back(random_piece(random, 3));
    std::string text;
    while (text.size() < random() % 40) text += letters[random() % letters.size()];
    const std::vector<Group> expected = groups_in(text, 64, across(patterns, Engine::kNfa));
    EXPECT_EQ(groups_in(text, 64, across(patterns, Engine::kDfa)), expected) << patterns[0];
    EXPECT_EQ(groups_in(text, 5, across(patterns)), expected) << patterns[0];
  }
}

/// Windows around strings of the pattern, whichever leads in the text, hide no match.
TEST(Multiline, WindowsFindTheSame) {
  std::mt19937 random(9);
  const std::string words[] = {"zqx", "user", "{k}", "a ", "b", "\n", "\n", "qqz", "\u00e9", "zq"};
  const std::vector<std::string> patterns = {"user[^\n]*\nb[^\n]*zqx",   "zqx.{0,9}\n",
                                             "(?s)zqx.{1,9}user",        "b+\\{k\\}\\s*",
                                             "[^a]*zqx[^b]*user",        "^zqx$",
                                             "(\n|zqx)a{0,3}(user|qqz)", "(?i)ZQX\\s+(b|USER)",
                                             "zqx(\n[^\n]*){0,2}user",   "user\n(.|\n)*?zqx",
                                             "(\nzqx|b\n+qqz)\\b",       "zqx(?s:.)*qqz"};
  for (int round = 0; round < 240; ++round) {
    const std::string& pattern = patterns[static_cast<std::size_t>(round) % patterns.size()];
    const std::size_t bytes = round % 24 < 18 ? random() % 300 : 300'000;
    const unsigned rare = round % 3 == 0 ? 400 : 3;
    std::string text;
    while (text.size() < bytes) {
      const std::size_t word = random() % std::size(words);
      text += word < 3 && random() % rare != 0 ? "c" : words[word];
    }
    const auto found = groups_in(text, 70'000, across({pattern}));
    ASSERT_EQ(found, groups_in(text, 70'000, across({pattern}, Engine::kDfa))) << pattern;
  }
}

/// The pattern of each match, by asking each pattern alone whether it matches at that place.
TEST(WhichPattern, IsTheFirstThatMatchesThere) {
  std::mt19937 random(8);
  const std::string letters = "aabbc \n";
  const std::vector<std::string> pool = {"a", "ab", "b+", "a|bc", "c?a", "abc", "\\w+", "b a", "B"};
  for (int round = 0; round < 100; ++round) {
    std::vector<std::string> patterns;
    for (unsigned i = 0; i < 2 + random() % 3; ++i)
      patterns.push_back(pool[random() % pool.size()]);
    PatternOptions how;
    how.ignore_case = random() % 2 == 0;
    if (random() % 3 == 0) how.bounds = MatchBounds::kWord;
    std::string text;
    while (text.size() < 60) text += letters[random() % letters.size()];
    for (const Group& line : groups_in(text, 1 + random() % 9, *Pattern::compile(patterns, how))) {
      for (std::size_t i = 0; i < line.matches.size(); ++i) {
        std::uint32_t expected = 0;
        for (;; ++expected) {
          ASSERT_LT(expected, patterns.size());
          const Pattern alone = *Pattern::compile({&patterns[expected], 1}, how);
          auto searcher = scan_detail::matcher_of(alone).searcher(cpu_level());
          searcher->start(as_bytes(line.text));
          // Of words the byte before is asked for; no pattern begins with one that can stand there.
          const std::size_t begin = line.matches[i].begin;
          const bool word = how.bounds == MatchBounds::kWord && begin > 0;
          const auto found = searcher->next(begin - (word ? 1 : 0));
          if (found && found->begin == line.matches[i].begin) break;
        }
        EXPECT_EQ(line.patterns[i], expected) << line.text;
      }
    }
  }
}

}  // namespace
}  // namespace presso::scan_multiline_test
