// SPDX-License-Identifier: MIT
// Which engine a GPU uses for a pattern, and whether the lines that it finds match.
#include <gtest/gtest.h>

#include "scan/gpu/search/engine.h"
#include "scan/pattern/pattern_access.h"

namespace presso::gpu::engine_choice_test {
namespace {

using Strings = std::vector<std::string>;

Pattern fixed(const Strings& strings, const PatternOptions& options = {}) {
  Result<Pattern> pattern = Pattern::compile_literals(strings, options);
  EXPECT_TRUE(pattern.ok());
  return *pattern;
}

Pattern regex(const std::string& source, const PatternOptions& options = {}) {
  Result<Pattern> pattern = Pattern::compile(std::vector<std::string>{source}, options);
  EXPECT_TRUE(pattern.ok());
  return *pattern;
}

PatternOptions with(bool ignore_case, MatchBounds bounds) {
  PatternOptions options;
  options.ignore_case = ignore_case;
  options.bounds = bounds;
  return options;
}

Strings words(std::size_t count) {
  Strings words;
  for (std::size_t i = 0; i < count; ++i) words.push_back("user" + std::to_string(i * 7919));
  return words;
}

void expect_engine(const Pattern& pattern, TextEngine engine, bool exact) {
  const auto chosen = choose_engine(scan_detail::matcher_of(pattern));
  ASSERT_TRUE(chosen.ok()) << chosen.error().message();
  EXPECT_EQ(chosen->engine(), engine) << chosen->describe();
  EXPECT_EQ(chosen->exact, exact) << chosen->describe();
}

TEST(EngineChoice, IsByTheStringsWhereTheyDecide) {
  expect_engine(fixed({"the"}), TextEngine::kPlanes, true);
  expect_engine(regex("the|of"), TextEngine::kPlanes, true);
  expect_engine(fixed({"Chuzzlewit"}), TextEngine::kRareLiteral, true);
  expect_engine(fixed({"interesting"}), TextEngine::kAutomaton, true);
  expect_engine(fixed({"error", "denied"}), TextEngine::kAutomaton, true);
  expect_engine(fixed(words(5000)), TextEngine::kManyLiterals, true);
}

TEST(EngineChoice, KnowsCase) {
  const PatternOptions folding = with(true, MatchBounds::kNone);
  expect_engine(fixed({"eRr"}, folding), TextEngine::kPlanes, true);
  expect_engine(regex("(?i)chuzzlewit"), TextEngine::kAutomaton, true);
  expect_engine(fixed(words(5000), folding), TextEngine::kManyLiterals, true);
}

TEST(EngineChoice, LeavesWordsToTheCpu) {
  expect_engine(fixed({"error"}, with(false, MatchBounds::kWord)), TextEngine::kPlanes, false);
  expect_engine(fixed(words(5000), with(true, MatchBounds::kWord)), TextEngine::kManyLiterals,
                false);
  expect_engine(regex("\\berror.*user"), TextEngine::kPlanes, false);
}

TEST(EngineChoice, IsTheAutomatonForExpressions) {
  expect_engine(regex("error.*user"), TextEngine::kAutomaton, true);
  expect_engine(regex("[0-9]+"), TextEngine::kAutomaton, true);
  expect_engine(fixed({"error"}).with_conditions({fixed({"user"})}, {}), TextEngine::kAutomaton,
                false);
}

TEST(EngineChoice, DeclinesWhatNoEngineFinds) {
  PatternOptions spanning;
  spanning.multiline = true;
  for (const Pattern& pattern :
       {regex("\\b[a-z]+\\b"), fixed({"of"}, with(false, MatchBounds::kWord)),
        regex("a\\s+b", spanning)}) {
    const auto chosen = choose_engine(scan_detail::matcher_of(pattern));
    ASSERT_FALSE(chosen.ok()) << chosen->describe();
    EXPECT_EQ(chosen.error().code, ErrorCode::kUnsupported);
  }
}

TEST(EngineChoice, TakesTheEngineThatIsAskedFor) {
  const Pattern pattern = fixed({"error"});
  for (const TextEngine engine : {TextEngine::kAutomaton, TextEngine::kRareLiteral,
                                  TextEngine::kPlanes, TextEngine::kManyLiterals}) {
    const auto chosen = choose_engine(scan_detail::matcher_of(pattern), engine);
    ASSERT_TRUE(chosen.ok());
    EXPECT_EQ(chosen->engine(), engine);
    const auto none = choose_engine(scan_detail::matcher_of(regex("\\w+")), engine);
    EXPECT_EQ(none.ok(), engine == TextEngine::kAutomaton);
  }
  const auto long_planes =
      choose_engine(scan_detail::matcher_of(fixed({"a long one"})), TextEngine::kPlanes);
  EXPECT_FALSE(long_planes.ok());
}

TEST(EngineTables, ArePlacedInDeviceMemory) {
  const Byte image[16] = {};
  const auto chosen = choose_engine(scan_detail::matcher_of(regex("[0-9]+")));
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(std::get<LineTableView>(chosen->placed(image)).d_image, image);
  EXPECT_EQ(std::get<LineTableView>(chosen->view).d_image, nullptr);
}

}  // namespace
}  // namespace presso::gpu::engine_choice_test
