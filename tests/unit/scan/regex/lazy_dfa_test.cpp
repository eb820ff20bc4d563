// SPDX-License-Identifier: MIT
// The automaton that is made while it reads: a table that is emptied changes no answer, and
// patterns whose automaton is huge are searched in bounded memory.
#include <gtest/gtest.h>

#include <random>

#include "scan/regex/lazy_dfa.h"
#include "tests/unit/scan/text/scan_reference.h"

namespace presso::scan_detail::lazy_dfa_test {
namespace {

using scan_test::as_bytes;

Program program_of(const std::string& pattern, bool reverse = false) {
  auto parsed = parse_pattern(pattern, {});
  EXPECT_TRUE(parsed.ok()) << pattern;
  ProgramOptions options;
  options.reverse = reverse;
  auto program = compile_program(parsed->root, options);
  EXPECT_TRUE(program.ok()) << pattern;
  return std::move(*program);
}

std::string random_text(std::size_t size, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::string text;
  while (text.size() < size) text += "aaabbbc \n"[random() % 9];
  return text;
}

/// Ends of all matches with their begins, by automata whose tables have this limit.
std::vector<std::pair<std::size_t, std::size_t>> all_matches(const Program& forward,
                                                             const Program& backward,
                                                             const std::string& text,
                                                             std::size_t limit) {
  LazyDfa ends(forward, Determinizer::Mode::kFirst, limit);
  LazyDfa begins(backward, Determinizer::Mode::kLongest, limit);
  std::vector<std::pair<std::size_t, std::size_t>> found;
  for (std::size_t from = 0; from <= text.size();) {
    const DfaAnswer end = ends.find_end(as_bytes(text), from, text.size());
    if (end.kind != DfaAnswer::Kind::kAt) break;
    const DfaAnswer begin = begins.find_begin(as_bytes(text), from, end.at);
    EXPECT_EQ(begin.kind, DfaAnswer::Kind::kAt);
    found.emplace_back(begin.at, end.at);
    from = end.at + (begin.at == end.at ? 1 : 0);
  }
  return found;
}

TEST(LazyDfa, ATableThatIsBegunAnewChangesNothing) {
  const std::string text = random_text(3000, 7);
  for (const char* pattern :
       {"a+b", "(a|b)*a(a|b){5}c", "^a.*c$", "b*", "[ab]{3,9}c", "a\\B b|c$"}) {
    const Program forward = program_of(pattern);
    const Program backward = program_of(pattern, true);
    const auto expected = all_matches(forward, backward, text, LazyDfa::kDefaultLimit);
    EXPECT_FALSE(expected.empty()) << pattern;
    for (const std::size_t limit : {std::size_t{0}, std::size_t{500}, std::size_t{3000}}) {
      EXPECT_EQ(all_matches(forward, backward, text, limit), expected) << pattern << ", " << limit;
    }
  }
}

TEST(LazyDfa, HugeAutomataAreReadInBoundedMemory) {
  const Program forward = program_of("a[ab]{400}c");
  LazyDfa exists(forward, Determinizer::Mode::kExists, 1u << 20);
  std::string text = random_text(20000, 8);
  std::erase(text, '\n');
  std::erase(text, 'c');
  std::erase(text, ' ');
  EXPECT_EQ(exists.find_end(as_bytes(text), 0, text.size()).kind, DfaAnswer::Kind::kNone);
  text[9000] = 'a';
  text[9401] = 'c';
  EXPECT_EQ(exists.find_end(as_bytes(text), 0, text.size()).kind, DfaAnswer::Kind::kAt);
}

}  // namespace
}  // namespace presso::scan_detail::lazy_dfa_test
