// SPDX-License-Identifier: MIT
// The literal scan's kernels find what a plain search of each line finds: one to eight literals of
// any length, both cases, hits at every kind of border, texts of any size.
#include <gtest/gtest.h>

#include "decompress/gpu/simt/emulator/emulator.h"
#include "scan/gpu/literals/literal_scan.cuh"
#include "tests/simt/hit_scan.h"

namespace presso::test::scan_literals_test {
namespace {

using gpu::LiteralScanArguments;
using simt::u32;

template <u32 kGrams, bool kMasked>
void launch(const LiteralScanArguments& scan, u32 seed) {
  const simt::Options options = scan_order(seed);
  const simt::Launch shape{1 + seed % 2, 32 * (1 + seed % 3), 0};
  const auto tiles =
      simt::run(shape, options, [&] { gpu::literal_tiles_body<kGrams, kMasked>(scan); });
  EXPECT_TRUE(tiles.ok()) << tiles.what;
  const auto join = simt::run(shape, options, [&] { gpu::count_heads_body(scan.hit_tiles()); });
  EXPECT_TRUE(join.ok()) << join.what;
}

void launch(const LiteralScanArguments& scan, u32 seed) {
  if (scan.table.masked != 0) return launch<gpu::kMostGrams, true>(scan, seed);
  if (scan.table.count == 1) return launch<1, false>(scan, seed);
  if (scan.table.count <= 3) return launch<3, false>(scan, seed);
  launch<gpu::kMostGrams, false>(scan, seed);
}

void expect_right(const std::string& text, const Words& words, bool ignore_case = false) {
  auto table = gpu::lay_out_literals(words, ignore_case);
  ASSERT_TRUE(table.ok()) << table.error().message();
  table->view.d_image = table->image.data();
  expect_hits<LiteralScanArguments>(
      text, table->view, words, ignore_case,
      [](const LiteralScanArguments& scan, u32 seed) { launch(scan, seed); });
}

TEST(LiteralKernels, AgreeOnSmallTexts) {
  for (std::size_t size = 1; size < 80; ++size) {
    const std::string text = random_text(size, "ab", 9, size);
    expect_right(text, {"abab"});
    expect_right(text, {"a", "bb"});
    expect_right(text, {"aabba", "bba", "abbab", "bbbbb"});
  }
}

TEST(LiteralKernels, FindLiteralsAcrossEveryBorder) {
  const std::string word = "needle-in-hay";
  for (const std::size_t border : {16u, 512u, 2048u, 32768u}) {
    for (std::size_t before = 0; before <= word.size(); ++before) {
      std::string text(border - before, '.');
      text += word + "..\n" + std::string(100, '.') + "\nneedle-in-ha";
      expect_right(text, {word});
      expect_right(text, {word, "zzzzz", "-in-hay."});
    }
  }
}

TEST(LiteralKernels, AgreeAroundEverySize) {
  for (const std::size_t size : {512u, 2048u, 4096u, 32768u, 65536u}) {
    for (int off = -5; off <= 5; ++off) {
      const std::size_t bytes = size + static_cast<std::size_t>(off);
      std::string text = random_text(bytes, "abcdefgh", 60, bytes);
      expect_right(text, {"abcd", "hgf"});
      text.back() = 'c';
      text[bytes - 2] = 'b';
      text[bytes - 3] = 'a';
      expect_right(text, {"abc"});
    }
  }
}

TEST(LiteralKernels, CountLinesLongerThanTilesOnce) {
  for (const u32 hits : {0u, 1u, 7u}) {
    std::string text(200000, 'x');
    for (u32 i = 0; i < hits; ++i) text.replace(20000 + i * 25000, 6, "needle");
    expect_right(text, {"needle"});
    text[100000] = '\n';
    expect_right(text, {"needle"});
    text += '\n';
    expect_right(text + "needle", {"needle"});
    text[0] = text[40000] = '\n';
    expect_right(text, {"needle"});
  }
}

TEST(LiteralKernels, IgnoreTheCaseOfLettersAlone) {
  const std::string text = "Hello@\nhELLO`\nhello{\nhello[\nHELL0\n";
  for (const std::string word : {"hello", "HELLO@", "hello`", "hello[", "hello{", "l"}) {
    expect_right(text, {word}, true);
    expect_right(text, {word}, false);
  }
}

TEST(LiteralKernels, AgreeWhereEveryLineMatches) {
  std::string text;
  while (text.size() < 40000) text += "this is a line with an error in it\n";
  expect_right(text, {"error"});
  expect_right(text, {"e"});
  expect_right(text, {"\xFF", std::string(1, '\0'), "it", "no", "none", "nothing", "at all", "th"});
}

TEST(LiteralTables, RefuseWhatTheyCannotHold) {
  for (const Words& words : {Words{}, Words{""}, Words{"a\nb"}, Words(9, "abc")}) {
    EXPECT_EQ(gpu::lay_out_literals(words, false).error().code, ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace presso::test::scan_literals_test
