// SPDX-License-Identifier: MIT
// Every engine on every CPU level against one file of cases, and against each other on all small
// patterns and texts; the line automaton against them by which lines hold a match.
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <sstream>

#include "presso/cpu.h"
#include "presso/pattern.h"
#include "scan/matching/line_scan.h"
#include "scan/matching/matcher.h"
#include "scan/pattern/pattern_access.h"
#include "tests/support/places.h"
#include "tests/unit/scan/text/scan_reference.h"

namespace presso::scan_detail::regex_engines_test {
namespace {

using scan_test::as_bytes;

using Spans = std::vector<MatchSpan>;

/// All matches, as LineScanner finds them.
Spans all_matches(Searcher& searcher, const std::string& text) {
  Spans spans;
  searcher.start(as_bytes(text));
  std::size_t from = 0;
  std::size_t last_end = ~std::size_t{0};
  for (;;) {
    const auto match = searcher.next(from);
    if (!match) return spans;
    if (!match->empty() || match->end != last_end) spans.push_back(*match);
    last_end = match->end;
    from = match->empty() ? match->end + 1 : match->end;
  }
}

std::string spell(const Spans& spans) {
  std::string text;
  for (const MatchSpan& span : spans) {
    if (!text.empty()) text += ' ';
    text += std::to_string(span.begin) + "-" + std::to_string(span.end);
  }
  return text.empty() ? "-" : text;
}

std::size_t count_lines(const Pattern& pattern, const std::string& text, CpuLevel level) {
  return LineScanner(matcher_of(pattern), {}, level).scan(as_bytes(text)).lines;
}
std::size_t count_lines_by_spans(const Pattern& pattern, const std::string& text, CpuLevel level) {
  LineScanOptions options;
  options.matches = true;
  return LineScanner(matcher_of(pattern), options, level).scan(as_bytes(text)).lines;
}

std::string unescape(const std::string& field) {
  if (field.empty() || field[0] != '!') return field;
  std::string text;
  for (std::size_t i = 1; i < field.size(); ++i) {
    if (field[i] != '\\') {
      text += field[i];
      continue;
    }
    const char kind = field[++i];
    if (kind == 'x') {
      text += static_cast<char>(std::stoi(field.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      text += kind == 'n' ? '\n' : kind == 't' ? '\t' : kind == 'r' ? '\r' : kind;
    }
  }
  return text;
}

struct Case {
  std::string pattern;
  PatternOptions options;
  std::string text;
  std::string spans;
};

PatternOptions options_of(const std::string& letters) {
  PatternOptions options;
  for (const char letter : letters) {
    if (letter == 'i') options.ignore_case = true;
    if (letter == 'a') options.unicode = false;
    if (letter == 'w') options.bounds = MatchBounds::kWord;
    if (letter == 'x') options.bounds = MatchBounds::kLine;
    if (letter == 'r') options.crlf = true;
  }
  return options;
}

std::vector<Case> read_cases() {
  std::vector<Case> cases;
  std::ifstream file(tests::tests_folder() / "unit/scan/regex/regex_cases.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> fields;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, '\t');) fields.push_back(field);
    EXPECT_EQ(fields.size(), 4u) << line;
    if (fields.size() != 4) continue;
    cases.push_back({unescape(fields[0]), options_of(fields[1]), unescape(fields[2]), fields[3]});
  }
  return cases;
}

class RegexEngines : public testing::TestWithParam<Engine> {
 protected:
  static Pattern compiled(const std::string& pattern, PatternOptions options = {}) {
    options.engine = GetParam();
    auto result = Pattern::compile({&pattern, 1}, options);
    EXPECT_TRUE(result.ok()) << pattern << ": " << result.error().message();
    return *result;
  }
};

TEST_P(RegexEngines, AnswerTheFileOfCases) {
  const std::vector<Case> cases = read_cases();
  ASSERT_GT(cases.size(), 50u);
  for (const Case& each : cases) {
    const Pattern pattern = compiled(each.pattern, each.options);
    for (const CpuLevel level : supported_cpu_levels()) {
      const auto searcher = matcher_of(pattern).searcher(level);
      EXPECT_EQ(spell(all_matches(*searcher, each.text)), each.spans)
          << "pattern " << each.pattern << " in '" << each.text << "'";
      EXPECT_EQ(count_lines(pattern, each.text, level),
                count_lines_by_spans(pattern, each.text, level))
          << "pattern " << each.pattern << " in '" << each.text << "'";
    }
  }
}

TEST_P(RegexEngines, FindsInLongTextsWhatItFindsInTheirLines) {
  const std::string line = "some words, error 42 of user Bob, 2024-01-02T; f\xC3\xB6\xC3\xB6 bar\n";
  std::string text;
  for (int i = 0; i < 300; ++i) text += line.substr(static_cast<std::size_t>(i) % 40);
  for (const char* source : {"error.*user", "[0-9]{4}-[0-9]{2}", "\\bf\\w+\\b", "[a-z]{5}", "^w",
                             "r$", "(error|fail).*(user|account)", "x*", "\\d+T", "(?i)BOB|word"}) {
    const Pattern pattern = compiled(source);
    const auto searcher = matcher_of(pattern).searcher(cpu_level());
    Spans expected;
    std::size_t expected_lines = 0;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\n', begin) + 1;
      const Spans own = all_matches(*searcher, text.substr(begin, end - begin));
      for (const MatchSpan& span : own) expected.push_back({span.begin + begin, span.end + begin});
      expected_lines += own.empty() ? 0 : 1;
      begin = end;
    }
    EXPECT_EQ(spell(all_matches(*searcher, text)), spell(expected)) << source;
    EXPECT_EQ(count_lines(pattern, text, cpu_level()), expected_lines) << source;
  }
}

INSTANTIATE_TEST_SUITE_P(All, RegexEngines,
                         testing::Values(Engine::kAuto, Engine::kDfa, Engine::kBitset,
                                         Engine::kNfa),
                         [](const auto& each) {
                           return each.param == Engine::kAuto     ? "Auto"
                                  : each.param == Engine::kDfa    ? "Dfa"
                                  : each.param == Engine::kBitset ? "Bitset"
                                                                  : "Nfa";
                         });

/// All patterns of up to `atoms` atoms with operators between them.
std::vector<std::string> all_patterns() {
  const std::vector<std::string> atoms = {"a", "b", ".", "[^a]", "^", "$", "\\b", "(?:)"};
  std::vector<std::string> ones;
  for (const std::string& atom : atoms) {
    for (const char* times : {"", "*", "+", "?", "*?", "{2}"}) {
      ones.push_back(std::string("(?:").append(atom).append(")").append(times));
    }
  }
  std::vector<std::string> all = ones;
  for (const std::string& a : ones) {
    for (const std::string& b : ones) {
      all.push_back(a + b);
      all.push_back(a + "|" + b);
    }
  }
  for (std::size_t i = 0; i < ones.size(); i += 5) {
    for (std::size_t j = 0; j < ones.size(); j += 2) {
      all.push_back("(?:" + ones[i] + ones[j] + ")*");
      all.push_back("(?:" + ones[i] + "|" + ones[j] + ")+b");
    }
  }
  return all;
}

std::vector<std::string> all_texts() {
  std::vector<std::string> all = {""};
  for (std::size_t begin = 0, round = 0; round < 3; ++round) {
    const std::size_t end = all.size();
    for (std::size_t i = begin; i < end; ++i) {
      for (const char* letter : {"a", "b", "\n", " "}) all.push_back(all[i] + letter);
    }
    begin = end;
  }
  return all;
}

TEST(RegexEngine, AllAgreeOnAllSmallPatternsAndTexts) {
  const std::vector<std::string> texts = all_texts();
  for (const std::string& source : all_patterns()) {
    std::vector<Pattern> patterns;
    for (const Engine engine : {Engine::kNfa, Engine::kDfa, Engine::kBitset, Engine::kAuto}) {
      PatternOptions options;
      options.engine = engine;
      auto made = Pattern::compile({&source, 1}, options);
      ASSERT_TRUE(made.ok()) << source << ": " << made.error().message();
      patterns.push_back(*made);
    }
    std::vector<std::unique_ptr<Searcher>> searchers;
    for (const Pattern& pattern : patterns) {
      searchers.push_back(matcher_of(pattern).searcher(cpu_level()));
    }
    for (const std::string& text : texts) {
      const std::string expected = spell(all_matches(*searchers[0], text));
      for (std::size_t i = 1; i < searchers.size(); ++i) {
        ASSERT_EQ(spell(all_matches(*searchers[i], text)), expected)
            << "pattern " << source << ", engine " << i << ", text '" << text << "'";
        searchers[i]->start(as_bytes(text));
        if (const auto lines = searchers[i]->count_lines()) {
          ASSERT_EQ(*lines, count_lines_by_spans(patterns[0], text, cpu_level()))
              << "pattern " << source << ", engine " << i << ", text '" << text << "'";
        }
      }
    }
  }
}

/// For each match in the line, its groups from 1 on: "text" for each, "-" where it took no part.
std::string groups_in(const std::vector<std::string>& patterns, const PatternOptions& options,
                      const std::string& line) {
  const Result<Pattern> pattern = Pattern::compile(patterns, options);
  EXPECT_TRUE(pattern.ok());
  const Matcher& matcher = matcher_of(*pattern);
  const std::unique_ptr<GroupFinder> finder = matcher.group_finder();
  LineScanOptions wanted;
  wanted.matches = wanted.record = true;
  std::string text;
  for (const MatchSpan& match :
       LineScanner(matcher, wanted, cpu_level()).scan(as_bytes(line)).spans) {
    text += text.empty() ? "" : "; ";
    if (!finder) continue;
    const auto groups = finder->groups(as_bytes(line), match);
    for (std::size_t i = 1; i < groups.size(); ++i) {
      if (i > 1) text += ' ';
      text += groups[i] ? line.substr(groups[i]->begin, groups[i]->end - groups[i]->begin) : "-";
    }
  }
  return text;
}

TEST(RegexGroups, ArePartOfPatternsThatAreFixedStrings) {
  EXPECT_EQ(groups_in({"(ERROR|WARN)"}, {}, "ERROR WARN x"), "ERROR; WARN");
  EXPECT_EQ(groups_in({"(a)|(b)"}, {}, "ab"), "a -; - b");
  EXPECT_EQ(groups_in({"((foo)|(?P<rest>bar))"}, {}, "foo bar"), "foo foo -; bar - bar");
  EXPECT_EQ(groups_in({"(foo)", "x|(bar)"}, {}, "foo bar x"), "foo -; - bar; - -");
  EXPECT_EQ(groups_in({"(a|ab)"}, {.bounds = MatchBounds::kWord}, "ab a"), "ab; a");
  EXPECT_EQ(groups_in({"(foo)"}, {.bounds = MatchBounds::kLine, .crlf = true}, "foo\r\n"), "foo");
  EXPECT_EQ(groups_in({"(stra\xC3\x9F"
                       "e)"},
                      {.ignore_case = true},
                      "STRA\xE1\xBA\x9E"
                      "E"),
            "STRA\xE1\xBA\x9E"
            "E");
  EXPECT_EQ(groups_in({"foo"}, {}, "foo"), "");
}

TEST(RegexGroups, AreWhatTheAutomatonHas) {
  const std::vector<std::string> texts = all_texts();
  for (const char* source : {"(a)", "(a)|(b)", "((a)|ab)", "(ab|a)|(b)", "(A)|(b)"}) {
    for (const bool ignore_case : {false, true}) {
      for (const MatchBounds bounds :
           {MatchBounds::kNone, MatchBounds::kWord, MatchBounds::kLine}) {
        PatternOptions options{.ignore_case = ignore_case, .bounds = bounds};
        for (const std::string& text : texts) {
          if (text.find('\n') != std::string::npos) continue;
          options.engine = Engine::kAuto;
          const std::string found = groups_in({source}, options, text);
          options.engine = Engine::kDfa;
          ASSERT_EQ(found, groups_in({source}, options, text)) << source << " in '" << text << "'";
        }
      }
    }
  }
}

}  // namespace
}  // namespace presso::scan_detail::regex_engines_test
