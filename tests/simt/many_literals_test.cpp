// SPDX-License-Identifier: MIT
// The scan for many literals finds what a plain search of each line finds: literals of all lengths,
// alone and mixed, both cases, hits at every kind of border, thousands of literals, filters that
// let everything through.
#include <gtest/gtest.h>

#include "scan/gpu/literals/many_literal_scan.cuh"
#include "tests/simt/hit_scan.h"

namespace presso::test::many_literals_test {
namespace {

using gpu::ManyLiteralScanArguments;
using simt::u32;
using simt::u64;

template <u32 kStride, bool kTwoGroups>
void launch(const ManyLiteralScanArguments& scan, u32 seed) {
  const u32 warps = 1 + seed % 3;
  const std::size_t shared = gpu::many_literal_shared_bytes<kStride, kTwoGroups>(scan.table, warps);
  const auto tiles = simt::run({1 + seed % 2, 32 * warps, shared}, scan_order(seed),
                               [&] { gpu::many_literal_tiles_body<kStride, kTwoGroups>(scan); });
  EXPECT_TRUE(tiles.ok()) << tiles.what;
  const auto heads =
      simt::run({1, 64, 0}, scan_order(seed), [&] { gpu::count_heads_body(scan.hit_tiles()); });
  EXPECT_TRUE(heads.ok()) << heads.what;
}

void launch(const ManyLiteralScanArguments& scan, u32 seed) {
  const bool two = scan.table.group_count == 2;
  switch (scan.table.stride) {
    case 1:
      return two ? launch<1, true>(scan, seed) : launch<1, false>(scan, seed);
    case 2:
      return two ? launch<2, true>(scan, seed) : launch<2, false>(scan, seed);
    default:
      return two ? launch<4, true>(scan, seed) : launch<4, false>(scan, seed);
  }
}

void expect_right(const std::string& text, const Words& words, bool ignore_case = false) {
  auto table = gpu::lay_out_many_literals(words, ignore_case);
  ASSERT_TRUE(table.ok()) << table.error().message();
  const AlignedText image(std::string(table->image.begin(), table->image.end()));
  table->view.d_image = image.get();
  SCOPED_TRACE("stride " + std::to_string(table->view.stride));
  expect_hits<ManyLiteralScanArguments>(
      text, table->view, words, ignore_case,
      [](const ManyLiteralScanArguments& scan, u32 seed) { launch(scan, seed); });
}

Words random_words(std::size_t count, std::size_t least, std::size_t most,
                   const std::string& letters, u64 seed) {
  std::mt19937_64 random(seed);
  Words words;
  for (std::size_t i = 0; i < count; ++i) {
    std::string word;
    const std::size_t size = least + random() % (most - least + 1);
    while (word.size() < size) word += letters[random() % letters.size()];
    words.push_back(word);
  }
  return words;
}

TEST(ManyLiteralKernels, AgreeOnSmallTexts) {
  for (std::size_t size = 1; size < 60; ++size) {
    const std::string text = random_text(size, "ab", 9, size);
    expect_right(text, {"abab"});
    expect_right(text, {"a", "bb"});
    expect_right(text, {"aabbab", "bba", "abbab", "bbbbbb"});
    expect_right(text, {"abbabab", "bbaaabb"});
    expect_right(text, {"abbababab", "bbaaabbbaab"});
  }
}

/// The least length decides on grams and stride, whether there are short ones on the groups.
TEST(ManyLiteralKernels, FindLiteralsOfEveryLengthAtEveryOffset) {
  const std::string alphabet = "abcdefghijklmnopqrstuvwxyz";
  for (std::size_t length = 1; length <= 14; ++length) {
    const std::string word = alphabet.substr(0, length);
    std::string text;
    for (std::size_t before = 0; before < 40; ++before) {
      text += std::string(before, '.') + word + "..\n" + std::string(9, '.') + "\n.." +
              word.substr(0, length - 1) + "-\n";
    }
    expect_right(text, {word});
    expect_right(text, {word, "ZZ"});
    expect_right(text, {word, "Z1", word.substr(0, length - 1) + "-qqqqqq", "Q_23456789012"});
  }
}

TEST(ManyLiteralKernels, FindLiteralsAcrossEveryBorder) {
  const std::string word = "needle-in-hay";
  for (const std::size_t border : {16u, 512u, 2048u, 8192u}) {
    for (std::size_t before = 0; before <= word.size(); ++before) {
      std::string text(border - before, '.');
      text += word + "..\n" + std::string(100, '.') + "\nneedle-in-ha";
      expect_right(text, {word});
      expect_right(text, {word, "zz", "-in-hay."});
      expect_right(text, {"le-in-ha", "-in-hay?"});
    }
  }
}

TEST(ManyLiteralKernels, AgreeAroundEverySize) {
  for (const std::size_t size : {512u, 2048u, 8192u, 16384u}) {
    for (int off = -5; off <= 5; ++off) {
      const std::size_t bytes = size + static_cast<std::size_t>(off);
      std::string text = random_text(bytes, "abcdefgh", 60, bytes);
      expect_right(text, {"abcd", "hgf"});
      text.replace(bytes - 9, 9, "abcdabcdh");
      expect_right(text, {"abcdabcdh", "hhhhhhhhhhhh"});
      expect_right(text, {"abcdabcdha"});
    }
  }
}

TEST(ManyLiteralKernels, CountLinesLongerThanTilesOnce) {
  for (const u32 hits : {0u, 1u, 7u}) {
    std::string text(100000, 'x');
    for (u32 i = 0; i < hits; ++i) text.replace(2000 + i * 12500, 6, "needle");
    expect_right(text, {"needle", "other"});
    text[50000] = '\n';
    expect_right(text, {"needle", "other"});
    text += '\n';
    expect_right(text + "needle", {"needle", "ol"});
    text[0] = text[20000] = '\n';
    expect_right(text, {"needle"});
  }
}

TEST(ManyLiteralKernels, FindThousands) {
  const std::string text = random_text(40000, "abcdefghijkl", 80, 1);
  expect_right(text, random_words(1000, 5, 9, "abcdefghijkl", 2));
  expect_right(text, random_words(3000, 7, 20, "abcdefghijkl", 3));
  expect_right(text, random_words(5000, 9, 12, "abcdefghijkl", 4));
  expect_right(text, random_words(100, 6, 6, "abcdef", 5));
  Words with_numbers;
  for (u32 i = 0; i < 10000; ++i) with_numbers.push_back("user" + std::to_string(i * 7919));
  std::string lines;
  for (u32 i = 0; i < 400; ++i) lines += "the user" + std::to_string(i * 50021) + " is here\n";
  expect_right(lines, with_numbers);
}

/// Every place passes the filter, and most are no hits.
TEST(ManyLiteralKernels, AgreeWhereTheFilterIsUseless) {
  const std::string text = random_text(20000, "ab", 100, 7);
  expect_right(text, random_words(300, 20, 40, "ab", 8));
  expect_right(text, random_words(300, 9, 12, "ab", 9));
  expect_right(std::string(9000, 'a') + "\n" + std::string(500, 'a'),
               {std::string(8000, 'a') + "b", std::string(800, 'a')});
}

TEST(ManyLiteralKernels, AgreeWhereEveryLineMatches) {
  std::string text;
  while (text.size() < 30000) text += "this is a line with an error in it\n";
  expect_right(text, {"error", "other"});
  expect_right(text, {"e", "rr", "line"});
  expect_right(text, {"\xFF", std::string(1, '\0'), "it", "no", "none", "nothing", "at all"});
  text += std::string(3, '\0') + "\n\n\n" + std::string(30, '\n');
  expect_right(text, {std::string(3, '\0'), "nothing at all", "this is a line, with"});
}

TEST(ManyLiteralKernels, IgnoreTheCaseOfLettersAlone) {
  const std::string text =
      "Hello@\nhELLO`\nhello{\nhello[\nHELL0\nabcdefghijk\nABCDEFGHIJ\x0B\n*\n";
  for (const std::string word : {"hello", "HELLO@", "hello`", "hello[", "hello{", "l", "@", "*",
                                 "ABCDEFGHIJK", "abcdefghij\x0B", "abcdefghij+"}) {
    for (const bool ignore : {true, false}) {
      expect_right(text, {word}, ignore);
      expect_right(text, {word, "Q", "zzzz"}, ignore);
      expect_right(text, {word, "elf", "ELM TREES"}, ignore);
    }
  }
}

TEST(ManyLiteralTables, LeaveOutWhatHoldsAnother) {
  const auto one = gpu::lay_out_many_literals({"abc"}, false);
  const auto same = gpu::lay_out_many_literals({"xxabc", "abc", "abcabcabcabc", "abc"}, false);
  ASSERT_TRUE(one.ok() && same.ok());
  EXPECT_EQ(one->image, same->image);
}

TEST(ManyLiteralTables, ChooseStrideAndGroupsByLength) {
  const auto view_of = [](const Words& words) {
    return gpu::lay_out_many_literals(words, false)->view;
  };
  EXPECT_EQ(view_of({"abcdef", "0123456789"}).stride, 1u);
  EXPECT_EQ(view_of({"abcdefg", "0123456789"}).stride, 2u);
  EXPECT_EQ(view_of({"abcdefghi", "0123456789"}).stride, 4u);
  EXPECT_EQ(view_of({"ab", "0123456789"}).stride, 4u);
  EXPECT_EQ(view_of({"ab", "0123456789"}).group_count, 2u);
  EXPECT_EQ(view_of({"ab", "012"}).group_count, 1u);
}

TEST(ManyLiteralTables, RefuseWhatTheyCannotHold) {
  for (const Words& words : {Words{}, Words{""}, Words{"a\nb"}, Words{"abc", "d\n"}}) {
    EXPECT_EQ(gpu::lay_out_many_literals(words, false).error().code, ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace presso::test::many_literals_test
