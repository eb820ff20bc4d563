// SPDX-License-Identifier: MIT
// With depth for every position the tree finds for each length the nearest place there is; with
// less, what it finds are matches all the same.
#include "compress/parse/match_tree.h"

#include <gtest/gtest.h>

#include "compress/parse/match.h"
#include "tests/support/test_data.h"

namespace presso::match_tree_test {
namespace {

ParserParameters deep() {
  ParserParameters parameters;
  parameters.depth = 1u << 20;
  parameters.nice_length = 64;
  return parameters;
}

/// By looking at every place before `position`, nearest first.
std::vector<FoundMatch> look_everywhere(Bytes plain, std::uint32_t position,
                                        const ParserParameters& parameters) {
  std::vector<FoundMatch> matches;
  const auto room = static_cast<std::uint32_t>(plain.size()) - position;
  std::uint32_t longest = parameters.min_match - 1u;
  for (std::uint32_t distance = 1; distance <= std::min(position, parameters.window); ++distance) {
    const Byte* const here = plain.data() + position;
    const std::uint32_t length =
        common_length(here - distance, here, std::min(room, parameters.lookahead));
    if (length <= longest) continue;
    matches.push_back({length, distance});
    longest = length;
    if (length >= parameters.nice_length) break;
  }
  return matches;
}

void expect_same(const std::vector<Byte>& plain, const ParserParameters& parameters) {
  constexpr std::uint32_t kTail = 8;
  MatchTree tree(parameters);
  tree.begin(plain, nullptr);
  const auto size = static_cast<std::uint32_t>(plain.size());
  for (std::uint32_t begin = 0; begin < size; begin += 700) {
    const std::uint32_t end = std::min(size, begin + 700);
    tree.find(begin, end);
    for (std::uint32_t position = begin; position < end; ++position) {
      const auto found = tree.at(position);
      if (position + kTail >= size) {
        EXPECT_TRUE(found.empty());
        continue;
      }
      const std::vector<FoundMatch> expected = look_everywhere(plain, position, parameters);
      ASSERT_EQ(found.size(), expected.size()) << "at " << position;
      for (std::size_t i = 0; i < found.size(); ++i) {
        ASSERT_EQ(found[i].length, expected[i].length) << "at " << position;
        ASSERT_EQ(found[i].distance, expected[i].distance) << "at " << position;
      }
    }
  }
}

TEST(MatchTree, FindsTheNearestPlaceForEveryLength) {
  expect_same(test::few_letters(3000, 2, 1), deep());
  expect_same(test::few_letters(4000, 4, 2), deep());
  expect_same(test::log_lines(5000, 3), deep());
}

TEST(MatchTree, KeepsToWindowAndLookahead) {
  ParserParameters parameters = deep();
  parameters.window = 300;
  parameters.lookahead = 20;
  expect_same(test::few_letters(3000, 3, 4), parameters);
  expect_same(test::log_lines(5000, 5), parameters);
}

TEST(MatchTree, LongRepetitionsTakeNoLongerThanOthers) {
  MatchTree tree(deep());
  const std::vector<Byte> zeros(1 << 20, 0);
  tree.begin(zeros, nullptr);
  tree.find(0, 1 << 20);
  EXPECT_TRUE(tree.at(0).empty());
  for (const std::uint32_t position : {1u, 2u, 1000u, 1000000u}) {
    ASSERT_EQ(tree.at(position).size(), 1u);
    EXPECT_EQ(tree.at(position)[0].distance, 1u);
    EXPECT_EQ(tree.at(position)[0].length, zeros.size() - position);
  }
}

TEST(MatchTree, WithLittleDepthFindsMatchesNoneTheLess) {
  ParserParameters parameters = deep();
  parameters.depth = 3;
  const std::vector<Byte> plain = test::log_lines(30000, 6);
  MatchTree tree(parameters);
  tree.begin(plain, nullptr);
  tree.find(0, 30000);
  std::size_t found = 0;
  for (std::uint32_t position = 0; position < 30000; ++position) {
    std::uint32_t longest = 3;
    for (const FoundMatch& match : tree.at(position)) {
      ASSERT_LE(match.distance, position);
      ASSERT_GT(match.length, longest);
      longest = match.length;
      const Byte* const here = plain.data() + position;
      ASSERT_TRUE(std::equal(here, here + match.length, here - match.distance));
      ++found;
    }
  }
  EXPECT_GT(found, 20000u);
}

/// By looking at every place of block and content before `position`, nearest first.
std::vector<FoundMatch> look_through_both(Bytes content, Bytes plain, std::uint32_t position,
                                          const ParserParameters& parameters) {
  std::vector<FoundMatch> matches;
  const auto size = static_cast<std::uint32_t>(content.size());
  std::vector<Byte> both(content.begin(), content.end());
  both.insert(both.end(), plain.begin(), plain.end());
  const std::uint32_t here = size + position;
  std::uint32_t longest = parameters.min_match - 1u;
  for (std::uint32_t from = here; from-- > 0;) {
    auto room = static_cast<std::uint32_t>(both.size()) - here;
    if (from < size) {
      // The trees leave out the content's last places.
      if (size - from <= parameters.nice_length) continue;
      room = std::min(room, size - from);
    }
    const std::uint32_t length = common_length(both.data() + from, both.data() + here, room);
    if (length <= longest) continue;
    matches.push_back({length, here - from});
    longest = length;
    if (length >= parameters.nice_length) break;
  }
  return matches;
}

TEST(MatchTree, FindsTheNearestPlaceInBlockAndDictionaryForEveryLength) {
  for (const bool log : {false, true}) {
    const std::vector<Byte> content =
        log ? test::log_lines(4000, 7) : test::few_letters(4000, 3, 7);
    const std::vector<Byte> plain = log ? test::log_lines(2000, 8) : test::few_letters(2000, 3, 8);
    ParserParameters parameters = deep();
    parameters.kind = ParserKind::kOptimal;
    const DictionaryIndex index = index_dictionary(content, parameters);
    MatchTree tree(parameters);
    std::size_t in_dictionary = 0;
    // The second time the tree has to have forgotten the first block.
    for (const int time : {1, 2}) {
      tree.begin(plain, &index);
      tree.find(0, 2000);
      for (std::uint32_t position = 0; position + 8 < 2000; ++position) {
        const auto matches = tree.at(position);
        const auto expected = look_through_both(content, plain, position, parameters);
        ASSERT_EQ(matches.size(), expected.size()) << "at " << position << ", time " << time;
        for (std::size_t i = 0; i < matches.size(); ++i) {
          ASSERT_EQ(matches[i].length, expected[i].length) << "at " << position;
          ASSERT_EQ(matches[i].distance, expected[i].distance) << "at " << position;
          in_dictionary += matches[i].distance > position ? 1 : 0;
        }
      }
    }
    EXPECT_GT(in_dictionary, 1000u);
  }
}

TEST(MatchTree, MatchesEndWhereTheDictionaryEnds) {
  // The content's end and the block's beginning repeat on, so that matches could go on.
  const std::vector<Byte> page = test::log_lines(3000, 9);
  std::vector<Byte> plain(page.begin() + 1000, page.end());
  plain.insert(plain.end(), page.begin(), page.end());
  const Bytes content = Bytes(page).first(1000);
  ParserParameters parameters = deep();
  parameters.kind = ParserKind::kOptimal;
  const DictionaryIndex index = index_dictionary(content, parameters);
  MatchTree tree(parameters);
  tree.begin(plain, &index);
  tree.find(0, static_cast<std::uint32_t>(plain.size()));
  const auto matches = tree.at(2000);  // where the page begins again
  ASSERT_FALSE(matches.empty());
  EXPECT_EQ(matches.back().distance, 3000u);
  EXPECT_EQ(matches.back().length, 1000u);
}

}  // namespace
}  // namespace presso::match_tree_test
