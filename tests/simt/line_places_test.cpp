// SPDX-License-Identifier: MIT
// The kernels that make places of lines from marks at their ends find what a plain walk finds, and
// write no more places than there is room for.
#include <gtest/gtest.h>

#include "scan/gpu/search/line_places.cuh"
#include "tests/simt/scan_texts.h"

namespace presso::test::line_places_test {
namespace {

using gpu::LinePlace;
using gpu::LinePlaces;
using simt::u32;
using simt::u64;

constexpr u64 kUntouched = 0xDBDBDBDB;

/// Every line with an x, the unfinished last one too.
std::vector<LinePlace> walk(const std::string& text) {
  std::vector<LinePlace> lines;
  for (std::size_t at = 0, end; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    if (text.substr(at, end - at).find('x') != std::string::npos) lines.push_back({at, end});
  }
  return lines;
}

void launch(const LinePlaces& lines, u32 seed) {
  const simt::Options options = scan_order(seed);
  const u32 warps = 1 + seed % 3;
  const u32 threads = warps * simt::kWarpSize;
  const auto run = [&](u32 grid, std::size_t shared, const std::function<void()>& body) {
    const auto report = simt::run({grid, threads, shared}, options, body);
    EXPECT_TRUE(report.ok()) << report.what;
  };
  run(1 + seed % 2, 0, [&] { gpu::count_marks_body(lines); });
  run(1, warps * sizeof(u32), [&] { gpu::sum_marks_body(lines); });
  run(1 + seed % 2, 0, [&] { gpu::place_lines_of_text_body(lines); });
}

void expect_found(const std::string& text, u64 most, u32 seed) {
  const AlignedText copy(text);
  const std::vector<LinePlace> expected = walk(text);
  std::vector<u32> marks(text.size() / gpu::kMarkWordBytes + 1);
  for (const LinePlace& line : expected) {
    marks[line.end / gpu::kMarkWordBytes] |= 1u << line.end % gpu::kMarkWordBytes;
  }
  const std::size_t count = std::min<std::size_t>(most, expected.size());
  std::vector<LinePlace> places(count + 1, {kUntouched, kUntouched});
  LinePlaces lines{copy.get(), text.size(), marks.data(), nullptr, places.data(), most};
  std::vector<u64> before(lines.tiles(), kUntouched);
  lines.d_before = before.data();
  launch(lines, seed);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(places[i].begin, expected[i].begin) << i << " of " << text.size();
    EXPECT_EQ(places[i].end, expected[i].end) << i << " of " << text.size();
  }
  EXPECT_EQ(places[count].begin, kUntouched) << text.size();
}

TEST(LinePlaces, AreThoseOfAPlainWalk) {
  u32 seed = 0;
  for (const u32 line : {2, 7, 90, 700, 9000}) {
    for (const std::size_t size : {1, 15, 31, 32, 33, 511, 8191, 8192, 8193, 40'003}) {
      ++seed;
      expect_found(random_text(size, "abcdefghx", line, seed), ~u64{0}, seed);
    }
  }
}

TEST(LinePlaces, AreThereWhereEveryLineOrNoneMatches) {
  std::string all;
  for (int i = 0; i < 3000; ++i) all += std::string(static_cast<std::size_t>(i % 5), 'y') + "x\n";
  for (const std::string& text :
       {all, all + "x", std::string(20'000, 'a'), std::string(9'000, '\n'),
        std::string(20'000, 'x'), std::string(8'192, 'x'), std::string("x"), std::string("x\n")}) {
    expect_found(text, ~u64{0}, static_cast<u32>(text.size()));
  }
}

TEST(LinePlaces, AreNoMoreThanThereIsRoomFor) {
  const std::string text = random_text(30'000, "abcx", 20, 5);
  const u64 lines = walk(text).size();
  for (const u64 most : {u64{0}, u64{1}, u64{50}, lines - 1, lines}) {
    expect_found(text, most, static_cast<u32>(most));
  }
}

}  // namespace
}  // namespace presso::test::line_places_test
