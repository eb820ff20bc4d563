// SPDX-License-Identifier: MIT
// The scan by planes of bits finds what a plain search of each line finds: each number of bytes,
// both cases, every byte value, hits at every kind of border.
#include <gtest/gtest.h>

#include "scan/gpu/literals/plane_scan.cuh"
#include "tests/simt/hit_scan.h"

namespace presso::test::plane_scan_test {
namespace {

using gpu::PlaneScanArguments;
using simt::u32;

template <u32 kPlaces>
void launch(const PlaneScanArguments& scan, u32 seed) {
  const simt::Launch shape{1 + seed % 2, 32 * (1 + seed % 3), 0};
  const auto tiles =
      simt::run(shape, scan_order(seed), [&] { gpu::plane_tiles_body<kPlaces>(scan); });
  EXPECT_TRUE(tiles.ok()) << tiles.what;
  const auto heads =
      simt::run(shape, scan_order(seed), [&] { gpu::count_heads_body(scan.hit_tiles()); });
  EXPECT_TRUE(heads.ok()) << heads.what;
}

void launch(const PlaneScanArguments& scan, u32 seed) {
  if (scan.table.count == 1) return launch<1>(scan, seed);
  if (scan.table.count <= 3) return launch<3>(scan, seed);  // which leaves a place unused at times
  launch<gpu::kMostPlanePlaces>(scan, seed);
}

void expect_right(const std::string& text, const Words& words, bool ignore_case = false) {
  const auto table = gpu::lay_out_planes(words, ignore_case);
  ASSERT_TRUE(table.ok()) << table.error().message();
  expect_hits<PlaneScanArguments>(
      text, *table, words, ignore_case,
      [](const PlaneScanArguments& scan, u32 seed) { launch(scan, seed); });
}

TEST(PlaneKernels, AgreeOnSmallTexts) {
  for (std::size_t size = 1; size < 100; ++size) {
    const std::string text = random_text(size, "ab", 9, size);
    expect_right(text, {"a"});
    expect_right(text, {"a", "bb"});
    expect_right(text, {"abab"});
    expect_right(text, {"aab", "bba", "bb"});
    expect_right(text, {"abbabaab"});
  }
}

TEST(PlaneKernels, FindLiteralsAcrossEveryBorder) {
  const std::string word = "needles!";
  for (const std::size_t border : {32u, 1024u, 32768u}) {
    for (std::size_t before = 0; before <= word.size(); ++before) {
      std::string text(border - before, '.');
      text += word + "..\n" + std::string(100, '.') + "\nneedles";
      expect_right(text, {word});
      expect_right(text, {"eed", "zz", "s!."});
    }
  }
}

TEST(PlaneKernels, AgreeAroundEverySize) {
  for (const std::size_t size : {1024u, 2048u, 32768u, 65536u}) {
    for (int off = -5; off <= 5; ++off) {
      const std::size_t bytes = size + static_cast<std::size_t>(off);
      std::string text = random_text(bytes, "abcdefgh", 60, bytes);
      expect_right(text, {"ab", "hgf"});
      text.replace(bytes - 3, 3, "abc");
      expect_right(text, {"abc"});
    }
  }
}

TEST(PlaneKernels, CountLinesLongerThanTilesOnce) {
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

TEST(PlaneKernels, TellAllBytesApart) {
  std::string text;
  for (u32 byte = 0; byte < 256; ++byte) {
    text += "..";
    text += static_cast<char>(byte);
    text += "..\n";
  }
  for (u32 byte = 0; byte < 256; ++byte) {
    if (byte != '\n') expect_right(text, {std::string(1, static_cast<char>(byte))});
  }
}

TEST(PlaneKernels, IgnoreTheCaseOfLettersAlone) {
  const std::string text = "Hello@\nhELLO`\nhello{\nhello[\nHELL0\n";
  for (const std::string word : {"hello", "HELLO@", "hello`", "hello[", "hello{", "l"}) {
    expect_right(text, {word}, true);
    expect_right(text, {word}, false);
  }
}

TEST(PlaneTables, RefuseWhatTheyCannotHold) {
  for (const Words& words :
       {Words{}, Words{""}, Words{"a\nb"}, Words{"123456789"}, Words{"12345", "6789"}}) {
    EXPECT_EQ(gpu::lay_out_planes(words, false).error().code, ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace presso::test::plane_scan_test
