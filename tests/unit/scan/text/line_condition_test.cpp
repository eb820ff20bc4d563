// SPDX-License-Identifier: MIT
// Conditions that are no patterns: with and without a pattern, with what finds lines to test, and
// with chunk borders at every offset, against a plain walk over the lines.
#include "presso/line_condition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "presso/scan.h"
#include "tests/unit/scan/text/stepped_source.h"

namespace presso::line_condition_test {
namespace {

using scan_test::SteppedSource;

/// Lines with an even number of 'a', and at least `least` of them.
class EvenLetters final : public LineCondition {
 public:
  explicit EvenLetters(std::size_t least, std::vector<std::vector<std::string>> required = {})
      : least_(least), required_(std::move(required)) {}

  bool holds(std::string_view line) const {
    const auto count = static_cast<std::size_t>(std::count(line.begin(), line.end(), 'a'));
    return count % 2 == 0 && count >= least_;
  }
  std::unique_ptr<Tester> tester() const override { return std::make_unique<EvenTester>(*this); }
  std::vector<std::vector<std::string>> required() const override { return required_; }
  std::string describe() const override { return "an even number of letters"; }

 private:
  class EvenTester final : public Tester {
   public:
    explicit EvenTester(const EvenLetters& condition) : condition_(condition) {}
    void test(std::span<const Bytes> lines, std::span<bool> passes) override {
      ASSERT_LE(lines.size(), kMaxLines);
      ASSERT_EQ(lines.size(), passes.size());
      for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::string_view line(reinterpret_cast<const char*>(lines[i].data()),
                                    lines[i].size());
        ASSERT_EQ(line.find('\n'), line.npos);
        passes[i] = condition_.holds(line);
      }
    }

   private:
    const EvenLetters& condition_;
  };

  std::size_t least_;
  std::vector<std::vector<std::string>> required_;
};

std::string some_lines(std::size_t bytes, unsigned seed) {
  std::mt19937 random(seed);
  const char* words[] = {"a", "b", "c", "\n", "\n", " ", "ab", "\r\n"};
  std::string text;
  while (text.size() < bytes) text += words[random() % std::size(words)];
  return text;
}

/// Each reported line with its number and the places of its matches.
std::vector<std::string> found(ByteSource& source, const Pattern& pattern, ScanOptions options) {
  std::vector<std::string> lines;
  options.line_numbers = true;
  options.matches = !options.invert;
  const auto summary = scan(source, pattern, options, [&](const MatchedLine& line) {
    std::string& shown = lines.emplace_back(std::to_string(line.number));
    for (const MatchSpan& match : line.matches) {
      shown += " " + std::to_string(match.begin) + "-" + std::to_string(match.end);
    }
    return true;
  });
  EXPECT_TRUE(summary.ok());
  return lines;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// What found() gives for a regular expression, or without one for whole lines.
std::vector<std::string> expected(const std::string& text, const EvenLetters& condition,
                                  const char* regex, bool invert) {
  std::vector<std::string> all;
  std::size_t number = 0;
  for (const std::string& line : lines_of(text)) {
    std::string shown = std::to_string(++number);
    bool selected = condition.holds(line);
    if (regex == nullptr) {
      shown += " 0-" + std::to_string(line.size());
    } else {
      const std::regex pattern(regex);
      const std::sregex_iterator begin(line.begin(), line.end(), pattern);
      selected = selected && begin != std::sregex_iterator();
      for (auto match = begin; match != std::sregex_iterator(); ++match) {
        shown += " " + std::to_string(match->position()) + "-" +
                 std::to_string(match->position() + match->length());
      }
    }
    if (selected != invert) all.push_back(invert ? std::to_string(number) : shown);
  }
  return all;
}

TEST(LineCondition, HoldsForTheReportedLines) {
  const auto any = std::make_shared<EvenLetters>(0);
  const auto some = std::make_shared<EvenLetters>(
      2, std::vector<std::vector<std::string>>{{"a"}, {"ab", "aa", "a"}});
  const std::string regex = "ab+|c";
  for (const std::string& text : {some_lines(120, 1), some_lines(120, 2) + "abab", std::string(),
                                  std::string("\n"), std::string("\n\naa")}) {
    for (const auto& condition : {any, some}) {
      for (const bool invert : {false, true}) {
        ScanOptions options;
        options.invert = invert;
        const Pattern lines = Pattern::of_lines(condition);
        const Pattern matches = Pattern::compile({&regex, 1})->with_condition(condition);
        for (std::size_t step = 1; step <= text.size() + 1; ++step) {
          SteppedSource whole(text, step);
          ASSERT_EQ(found(whole, lines, options), expected(text, *condition, nullptr, invert))
              << step << text;
          SteppedSource within(text, step);
          ASSERT_EQ(found(within, matches, options),
                    expected(text, *condition, regex.c_str(), invert))
              << step << text;
        }
      }
    }
  }
}

TEST(LineCondition, HoldsForCountedLines) {
  const std::string text = some_lines(300'000, 3);
  const std::string regex = "b";
  // The second of these sets is the rarer one, and is found out by a sample.
  const auto condition = std::make_shared<EvenLetters>(
      4, std::vector<std::vector<std::string>>{{"a"}, {"aa", "ab", "a b", "ac", "a"}});
  const Pattern lines = Pattern::of_lines(condition);
  const Pattern matches = Pattern::compile({&regex, 1})->with_condition(condition);
  for (const bool invert : {false, true}) {
    for (const std::size_t step : {std::size_t{70'000}, text.size()}) {
      ScanOptions options;
      options.invert = invert;
      SteppedSource whole(text, step);
      EXPECT_EQ(scan(whole, lines, options)->lines,
                expected(text, *condition, nullptr, invert).size());
      SteppedSource within(text, step);
      EXPECT_EQ(scan(within, matches, options)->lines,
                expected(text, *condition, "b", invert).size());
    }
  }
}

TEST(LineCondition, FindsLinesByTheRarestStrings) {
  // Lines hold "x" always and "rare" seldom; a condition that counts what it is asked about.
  class Counting final : public LineCondition {
   public:
    std::unique_ptr<Tester> tester() const override {
      class All final : public Tester {
       public:
        explicit All(std::size_t& tested) : tested_(tested) {}
        void test(std::span<const Bytes> lines, std::span<bool> passes) override {
          tested_ += lines.size();
          std::fill(passes.begin(), passes.end(), true);
        }

       private:
        std::size_t& tested_;
      };
      return std::make_unique<All>(tested);
    }
    std::vector<std::vector<std::string>> required() const override {
      return {{"common"}, {"rare", "\\u00"}};
    }
    std::string describe() const override { return "nothing"; }
    mutable std::size_t tested = 0;
  };
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += i % 500 == 0 ? "common rare\n" : "common line\n";
  const auto condition = std::make_shared<Counting>();
  ScanOptions options;
  options.threads = 1;
  SteppedSource source(text, text.size());
  EXPECT_EQ(scan(source, Pattern::of_lines(condition), options)->lines, 40u);
  EXPECT_EQ(condition->tested, 40u);
}

TEST(LineCondition, LeavesTheReturnOutOfTheMatch) {
  PatternOptions options;
  options.crlf = true;
  const Pattern lines = Pattern::of_lines(std::make_shared<EvenLetters>(0), options);
  SteppedSource source("bc\r\n\r\nb", 100);
  EXPECT_EQ(found(source, lines, {}), (std::vector<std::string>{"1 0-2", "2 0-0", "3 0-1"}));
}

TEST(LineCondition, GoesWithContextAndLimits) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += i % 10 == 3 ? "aa\n" : "b\n";
  ScanOptions options;
  options.before_context = 1;
  options.max_lines = 2;
  SteppedSource source(text, 7);
  const Pattern lines = Pattern::of_lines(std::make_shared<EvenLetters>(2));
  EXPECT_EQ(found(source, lines, options),
            (std::vector<std::string>{"3", "4 0-2", "13", "14 0-2"}));
}

}  // namespace
}  // namespace presso::line_condition_test
