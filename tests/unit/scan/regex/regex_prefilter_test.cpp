// SPDX-License-Identifier: MIT
// What is said of every match (strings that it holds or begins with, bytes by offset) holds for all
// matches of patterns in texts; candidates come before matches; the sequence kernels find on every
// CPU level what a plain loop finds.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "format/cpu_loops.h"
#include "presso/cpu.h"
#include "scan/pattern/pattern_access.h"
#include "scan/regex/pike.h"
#include "scan/regex/prefilter.h"
#include "scan/regex/spanning_windows.h"
#include "tests/unit/scan/text/scan_reference.h"

namespace presso::scan_detail::regex_prefilter_test {
namespace {

using scan_test::as_bytes;

const char* const kPatterns[] = {
    "abc",           "ab|cd|ef",           "(?i)abk",
    "(?i)sk|ab",     "[ab]c[de]",          "a+bc",
    "(ab)+c",        "(ab){2,3}c*",        "a?bc",
    "x*abc",         "(ab|c.)d",           "(abc|de).*(fa|b)",
    "[a-f]{3}1",     "1[a-f]{3}1",         "\\d\\d-\\d",
    "(?-u)[a-c]{4}", "^abc|abd$",          "\\babc",
    "(a|bc)(d|ef)",  "\u00e9a|b\u00e9",    "a{3}b{2}",
    "a[^1]bc",       "b.{0,3}(ab|c){1,2}", "(a|\\nb).c|de",
};

std::string random_text(std::mt19937& random) {
  const std::string letters[] = {"a", "b", "c",  "d", "e",      "f",      "1",
                                 "-", "K", "\n", "A", "\u00e9", "\u212a", "\u017f"};
  std::string text;
  for (std::size_t left = random() % 60; left > 0; --left) text += letters[random() % 14];
  return text;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

std::size_t find_clause(const RequiredLiterals::Clause& clause, const std::string& match) {
  const std::string where = clause.ignore_ascii_case ? lower(match) : match;
  std::size_t first = std::string::npos;
  for (const std::string& text : clause.any_of) first = std::min(first, where.find(text));
  return first;
}

TEST(RegexPrefilter, WhatMatchesMustHoldTheyHold) {
  std::mt19937 random(5);
  std::size_t matches = 0;
  for (const char* pattern : kPatterns) {
    SyntaxOptions syntax;
    syntax.line_terminated = false;
    const auto parsed = parse_pattern(pattern, syntax);
    ASSERT_TRUE(parsed.ok()) << pattern;
    const auto program = compile_program(parsed->root, {});
    ASSERT_TRUE(program.ok());
    const PatternLiterals literals = required_literals(parsed->root);
    const auto leading = leading_bytes(*program, 64);
    PikeEngine engine(*program);
    for (int i = 0; i < 2000; ++i) {
      const std::string text = random_text(random);
      const auto found = engine.find(as_bytes(text), 0, text.size());
      if (!found) continue;
      ++matches;
      const std::string match = text.substr(found->begin, found->end - found->begin);
      const auto line_feeds = [](const std::string& part) {
        return static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n'));
      };
      ASSERT_LE(match.size(), literals.whole.bytes) << pattern << ": " << match;
      ASSERT_LE(line_feeds(match), literals.whole.line_feeds) << pattern << ": " << match;
      ASSERT_EQ(literals.before.size(), literals.required.clauses.size());
      for (std::size_t clause = 0; clause < literals.before.size(); ++clause) {
        const std::size_t at = find_clause(literals.required.clauses[clause], match);
        ASSERT_NE(at, std::string::npos) << pattern << " in " << match;
        ASSERT_LE(at, literals.before[clause].bytes) << pattern << ": " << match;
        ASSERT_LE(line_feeds(match.substr(0, at)), literals.before[clause].line_feeds)
            << pattern << ": " << match;
      }
      if (literals.first_is_prefix) {
        ASSERT_EQ(find_clause(literals.required.clauses[0], match), 0u) << pattern << ": " << match;
      }
      ASSERT_LE(leading.size(), match.size()) << pattern << ": " << match;
      for (std::size_t at = 0; at < leading.size(); ++at) {
        ASSERT_TRUE(leading[at].test(static_cast<Byte>(match[at]))) << pattern << ": " << match;
      }
    }
  }
  EXPECT_GT(matches, 3000u);
}

TEST(RegexPrefilter, KnowsWhatItIsSupposedTo) {
  const auto literals = [](const char* pattern) {
    return required_literals(parse_pattern(pattern, {})->root);
  };
  const PatternLiterals two = literals("(error|fail).*(user|account)");
  ASSERT_EQ(two.required.clauses.size(), 2u);
  EXPECT_TRUE(two.first_is_prefix);
  EXPECT_EQ(two.required.clauses[0].any_of, (std::vector<std::string>{"error", "fail"}));
  EXPECT_EQ(two.required.clauses[1].any_of, (std::vector<std::string>{"account", "user"}));
  EXPECT_FALSE(literals("\\w+foo").first_is_prefix);
  EXPECT_EQ(literals("\\w+foo").required.clauses.size(), 1u);
  EXPECT_TRUE(literals("(?i)error").required.clauses[0].ignore_ascii_case);
  EXPECT_TRUE(literals("a*").required.clauses.empty());
  EXPECT_TRUE(literals("foo|b*").required.clauses.empty());
}

TEST(RegexPrefilter, KnowsHowMuchTextAMatchTakes) {
  const auto literals = [](const char* pattern) {
    SyntaxOptions syntax;
    syntax.line_terminated = false;
    return required_literals(parse_pattern(pattern, syntax)->root);
  };
  constexpr std::size_t kUnbounded = Extent::kUnbounded;
  const PatternLiterals lines = literals("foo[^\n]*\nbar[^\n]*(\nqux|zz)");
  ASSERT_EQ(lines.before.size(), 3u);
  EXPECT_EQ(lines.before[0].bytes, 0u);
  EXPECT_EQ(lines.before[1].bytes, kUnbounded);
  EXPECT_EQ(lines.before[1].line_feeds, 0u);
  EXPECT_EQ(lines.before[2].line_feeds, 1u);
  EXPECT_EQ(lines.whole.line_feeds, 2u);
  EXPECT_EQ(lines.whole.bytes, kUnbounded);
  const PatternLiterals bytes = literals("(?s)a.{2,5}foo[\u00e9x]{3}");
  EXPECT_EQ(bytes.before.back().bytes, 1u + 5 * 4);
  EXPECT_EQ(bytes.whole.bytes, 1u + 5 * 4 + 3 + 3 * 2);
  EXPECT_EQ(bytes.whole.line_feeds, 5u);
  EXPECT_FALSE(literals("foo[^x]*").whole.is_bounded());
  EXPECT_EQ(literals("(?-u:[^x])?a{0}").whole.bytes, 1u);
}

/// No more of the text is read than a match can be in.
TEST(RegexPrefilter, WindowsAreAsLargeAsThePatternAllows) {
  SyntaxOptions syntax;
  syntax.line_terminated = false;
  const auto root = parse_pattern("user[^\n]*\nfoo[^\n]*zqx", syntax)->root;
  const SpanningPlan plan = plan_spanning(required_literals(root));
  SpanningWindows windows(plan, cpu_level());
  std::string text;
  for (int i = 0; i < 5000; ++i)
    text += "a line with a user and a foo in it\nfoo a line with none\n";
  text += "one\ntwo user\nfoo zqx, zqx\nfour user\nfoo zqx";
  windows.start(as_bytes(text));
  const auto window = windows.next(10);
  ASSERT_TRUE(window);
  EXPECT_EQ(window->begin, text.find("two"));
  EXPECT_EQ(window->last, text.find("zqx"));
  EXPECT_EQ(window->end, text.rfind("\nfoo"));
  EXPECT_EQ(window->next, text.find("four"));
  EXPECT_TRUE(windows.may_match(*window));
  const auto second = windows.next(window->next);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->begin, text.find("four"));
  EXPECT_EQ(second->end, text.size());
  EXPECT_FALSE(windows.next(text.size() - 1));
  EXPECT_EQ(windows.next(10)->begin, window->begin);
}

std::string with_words(const char* often, const char* rarely, std::size_t lines) {
  std::string text;
  for (std::size_t i = 0; i < lines; ++i) {
    text += "some text that is long enough to be a line of a log, by ";
    text += i % 2 == 0 ? often : "none";
    if (i % 100 == 7 || i % 100 == 8) text += std::string(" after ") + rarely;
    text += i % 50 == 6 ? std::string(" and ").append(often).append("\n") : "\n";
  }
  return text;
}

/// After two trials the set of strings leads that the text has fewer of.
TEST(RegexPrefilter, TheRarerStringsLead) {
  const std::string pattern = "(error|fail).*(user|account)";
  const auto root = parse_pattern(pattern, {})->root;
  const auto program = compile_program(root, {});
  const PrefilterPlan plan = plan_prefilter(required_literals(root), *program);
  ASSERT_EQ(plan.literals.size(), 2u);
  const auto candidates = [&](const std::string& text, std::size_t chunks) {
    Prefilter prefilter(plan, cpu_level());
    std::size_t count = 0;
    for (std::size_t i = 0; i < chunks; ++i) {
      count = 0;
      prefilter.start(as_bytes(text));
      for (std::size_t at = prefilter.next(0); at < text.size(); at = prefilter.next(at + 60)) {
        ++count;
      }
    }
    EXPECT_EQ(prefilter.is_settled(), chunks > 2);
    return std::pair(count, prefilter.begins_match());
  };
  const std::string many_users = with_words("user", "error", 3000);
  const std::string many_errors = with_words("error", "user", 3000);
  EXPECT_TRUE(candidates(many_users, 3).second);
  EXPECT_LE(candidates(many_users, 3).first, 60u);
  EXPECT_FALSE(candidates(many_errors, 3).second);
  EXPECT_LE(candidates(many_errors, 3).first, 60u);
  EXPECT_FALSE(candidates(many_errors, 2).second == candidates(many_errors, 1).second);
}

/// Whichever leads, and while it changes, the same lines and matches are found.
TEST(RegexPrefilter, LeadersFindTheSame) {
  const std::string texts[] = {with_words("user", "error", 3000),
                               with_words("fail", "account", 3000), "error user\n", "user error\n",
                               "no\n"};
  for (const char* source : {"(error|fail).*(user|account)", "error.*user.*(and|or) user",
                             "some.*(fail|error) and", "(?i)ERROR.*and fail"}) {
    const std::string pattern = source;
    PatternOptions options;
    const auto chosen = Pattern::compile({&pattern, 1}, options);
    options.engine = Engine::kDfa;
    const auto plain = Pattern::compile({&pattern, 1}, options);
    const auto filtered = matcher_of(*chosen).searcher(cpu_level());
    const auto expected = matcher_of(*plain).searcher(cpu_level());
    for (int round = 0; round < 3; ++round) {
      for (const std::string& text : texts) {
        filtered->start(as_bytes(text));
        expected->start(as_bytes(text));
        ASSERT_EQ(filtered->count_lines(), expected->count_lines()) << pattern;
        filtered->start(as_bytes(text));
        expected->start(as_bytes(text));
        for (std::size_t from = 0; from < text.size();) {
          const auto found = filtered->next(from);
          ASSERT_EQ(found, expected->next(from)) << pattern << " from " << from;
          from = found ? found->end : text.size();
        }
      }
    }
  }
}

TEST(RegexPrefilter, SequencesAreFoundAlikeOnEveryLevel) {
  std::mt19937 random(6);
  for (int round = 0; round < 60; ++round) {
    SequenceProbe probe;
    probe.set_count = static_cast<std::uint32_t>(1 + random() % 3);
    for (std::uint32_t set = 0; set < probe.set_count; ++set) {
      for (unsigned i = 0; i < 16; ++i) {
        probe.sets[set].low[i] = static_cast<Byte>(random());
        probe.sets[set].high[i] = static_cast<Byte>(random() & random());
      }
    }
    probe.term_count = static_cast<std::uint32_t>(1 + random() % SequenceProbe::kMaxTerms);
    for (std::uint32_t term = 0; term < probe.term_count; ++term) {
      const auto offset = static_cast<std::uint32_t>(random() % 60);
      const auto run = static_cast<std::uint32_t>(1 + random() % std::min(64 - offset, 3u));
      probe.terms[term] = {static_cast<std::uint32_t>(random() % probe.set_count), offset, run};
      probe.reach = std::max(probe.reach, offset + run - 1);
    }
    std::vector<Byte> text(random() % 700);
    for (Byte& byte : text) byte = static_cast<Byte>(random());
    const std::size_t limit = text.size() > probe.reach ? text.size() - probe.reach : 0;
    std::vector<std::vector<std::size_t>> found;
    for (const CpuLevel level : supported_cpu_levels()) {
      found.emplace_back();
      CandidateBatch batch;
      for (std::size_t from = 0; from < limit;) {
        batch.count = 0;
        from = loops_for<Kernels>(level).find_sequences(probe, text.data(), from, limit, batch);
        found.back().insert(found.back().end(), batch.at, batch.at + batch.count);
      }
      ASSERT_EQ(found.back(), found.front());
    }
  }
}

}  // namespace
}  // namespace presso::scan_detail::regex_prefilter_test
