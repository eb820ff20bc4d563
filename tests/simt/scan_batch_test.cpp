// SPDX-License-Identifier: MIT
// The kernels after the engine of a batch scan tell what a plain walk over the lines tells:
// where lines with a mark begin and end, how many are before them, their bytes, NULs, both ends.
#include <gtest/gtest.h>

#include <algorithm>

#include "decompress/gpu/simt/emulator/emulator.h"
#include "scan/gpu/search/batch_lines.cuh"
#include "tests/simt/scan_texts.h"

namespace presso::test::scan_batch_test {
namespace {

using gpu::BatchFindings;
using gpu::BatchLines;
using gpu::ListedLine;
using simt::u32;

struct Line {
  u32 begin, bytes, number;
  std::string text;
  friend bool operator==(const Line&, const Line&) = default;
};

/// What is to be found.
struct Expected {
  std::vector<Line> lines;  ///< with the letter x, but the head
  u32 listed = 0;           ///< the head included
  u32 newlines = 0, first = BatchFindings::kNowhere, behind_last = 0;
};

Expected walk(const std::string& text) {
  Expected expected;
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != text.npos; at = end + 1) {
    const std::string line = text.substr(at, end + 1 - at);
    if (line.find('x') != line.npos) {
      ++expected.listed;
      const Line found{static_cast<u32>(at), static_cast<u32>(line.size()), expected.newlines,
                       line};
      if (expected.newlines > 0) expected.lines.push_back(found);
    }
    if (expected.newlines++ == 0) expected.first = static_cast<u32>(end);
    expected.behind_last = static_cast<u32>(end + 1);
  }
  return expected;
}

/// As scan_lines() leaves them for the letter x.
std::vector<u32> marks_of(const std::string& text) {
  std::vector<u32> marks(text.size() / gpu::kMarkWordBytes + 1);
  bool matches = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == 'x') matches = true;
    if (text[at] != '\n') continue;
    if (matches) marks[at / gpu::kMarkWordBytes] |= 1u << at % gpu::kMarkWordBytes;
    matches = false;
  }
  return marks;
}

/// Memory for a batch of `text`, which lies at a multiple of 16 and ends where its memory ends.
class BatchRun {
 public:
  BatchRun(const std::string& text, gpu::BatchWants wants, u32 most_listed, u32 most_gathered)
      : text_(static_cast<Byte*>(::operator new (text.size(), std::align_val_t{16}))),
        marks_(marks_of(text)),
        listed_(most_listed),
        gathered_(most_gathered) {
    std::copy(text.begin(), text.end(), text_);
    findings.first_newline = BatchFindings::kNowhere;
    batch_lines_.d_text = text_;
    batch_lines_.bytes = static_cast<u32>(text.size());
    batch_lines_.wants = wants;
    batch_lines_.d_marks = marks_.data();
    batch_lines_.d_findings = &findings;
    tile_marks_.resize(batch_lines_.tiles(), 0xDBDBDBDB);
    tile_newlines_ = tile_marks_;
    batch_lines_.d_tile_marks = tile_marks_.data();
    batch_lines_.d_tile_newlines = tile_newlines_.data();
    batch_lines_.d_listed = listed_.data();
    batch_lines_.most_listed = most_listed;
    batch_lines_.d_gathered = gathered_.data();
    batch_lines_.most_gathered = most_gathered;
  }
  BatchRun(const BatchRun&) = delete;
  BatchRun& operator=(const BatchRun&) = delete;
  ~BatchRun() { ::operator delete (text_, std::align_val_t{16}); }

  void run(u32 seed) {
    const simt::Order orders[] = {simt::Order::kForward, simt::Order::kReverse,
                                  simt::Order::kRandom};
    options_ = {.order = orders[seed % 3], .seed = seed};
    const u32 threads = 32 * (1 + seed % 3), grid = 1 + seed % 2;
    const u32 sums = threads / 32 * static_cast<u32>(sizeof(u32));
    launch({2, threads, 0}, [&] { gpu::find_ends_body(batch_lines_); });
    launch({grid, threads, 0}, [&] { gpu::count_tiles_body(batch_lines_); });
    launch({1, threads, sums}, [&] { gpu::sum_tiles_body(batch_lines_); });
    if (!batch_lines_.wants.lines) return;
    launch({grid, threads, 0}, [&] { gpu::list_lines_body(batch_lines_); });
    launch({grid, threads, 0}, [&] { gpu::measure_lines_body(batch_lines_); });
    launch({1, threads, sums}, [&] { gpu::place_lines_body(batch_lines_); });
    launch({grid, threads, 0}, [&] { gpu::gather_lines_body(batch_lines_); });
  }

  /// Those that were gathered.
  std::vector<Line> lines() const {
    std::vector<Line> lines;
    for (u32 i = 0; i < std::min(findings.listed, batch_lines_.most_listed); ++i) {
      const ListedLine& line = listed_[i];
      if (line.bytes == 0) continue;
      const auto from = gathered_.begin() + line.at;
      lines.push_back({line.begin, line.bytes, line.number, std::string(from, from + line.bytes)});
    }
    return lines;
  }

  BatchFindings findings;

 private:
  template <class Body>
  void launch(const simt::Launch& shape, const Body& body) {
    const auto done = simt::run(shape, options_, body);
    EXPECT_TRUE(done.ok()) << done.what;
  }

  Byte* text_;
  std::vector<u32> marks_;
  std::vector<u32> tile_marks_, tile_newlines_;
  std::vector<ListedLine> listed_;
  std::vector<Byte> gathered_;
  BatchLines batch_lines_;
  simt::Options options_;
};

void expect_found(const std::string& text, u32 seed) {
  const Expected expected = walk(text);
  BatchRun batch(text, {.numbers = true, .lines = true}, expected.listed + 1,
                 static_cast<u32>(text.size()));
  batch.run(seed);
  EXPECT_EQ(batch.findings.first_newline, expected.first) << seed;
  EXPECT_EQ(batch.findings.behind_last_newline, expected.behind_last) << seed;
  EXPECT_EQ(batch.findings.newlines, expected.newlines) << seed;
  EXPECT_EQ(batch.findings.listed, expected.listed) << seed;
  EXPECT_TRUE(batch.lines() == expected.lines) << seed;
}

TEST(ScanBatch, FindsLinesOfAllLengths) {
  u32 seed = 0;
  for (const u32 line : {2, 7, 90, 700, 9000}) {
    for (const std::size_t size : {1, 15, 16, 17, 31, 33, 511, 8191, 8192, 8193, 40'003}) {
      ++seed;
      expect_found(random_text(size, "abcdefghx", line, seed), seed);
    }
  }
}

TEST(ScanBatch, FindsNothingWhereNothingIs) {
  expect_found(std::string(20'000, 'a'), 1);
  expect_found(std::string(20'000, 'x'), 2);  // a line without an end
  expect_found(std::string(9'000, '\n'), 3);
  expect_found("\n", 4);
  expect_found("x\n", 5);
}

TEST(ScanBatch, TakesANulForAByteLikeOthers) {
  for (const std::size_t at : {0, 1, 15, 16, 8191, 8192, 16'399, 16'400}) {
    std::string text = random_text(16'401, "abx", 50, 9);
    text[at] = '\0';
    expect_found(text, static_cast<u32>(at));
  }
}

TEST(ScanBatch, EveryLineMatches) {
  std::string text = "head x\n";
  for (int i = 0; i < 3000; ++i) text += std::string(static_cast<std::size_t>(i % 5), 'y') + "x\n";
  for (const u32 seed : {1, 2, 3}) expect_found(text + "tail", seed);
}

TEST(ScanBatch, CountsWhatThereIsNoRoomFor) {
  const std::string text = random_text(30'000, "abcx", 20, 5);
  const Expected expected = walk(text);
  ASSERT_GT(expected.lines.size(), 100u);
  BatchRun few(text, {.lines = true}, 50, 30'000);
  few.run(1);
  EXPECT_EQ(few.findings.listed, expected.listed);
  u32 bytes = 0;
  for (const Line& line : expected.lines) bytes += line.bytes;
  BatchRun small(text, {.lines = true}, expected.listed, bytes - 1);
  small.run(2);
  EXPECT_EQ(small.findings.gathered_bytes, bytes);
  BatchRun enough(text, {.lines = true}, expected.listed, bytes);
  enough.run(3);
  EXPECT_EQ(enough.findings.gathered_bytes, bytes);
  EXPECT_EQ(enough.lines().size(), expected.lines.size());
}

TEST(ScanBatch, LooksForNoMoreThanItIsAskedFor) {
  const std::string text = random_text(30'000, std::string("abx\0", 4), 20, 6);
  BatchRun numbers(text, {.numbers = true}, 0, 0);
  numbers.run(1);
  EXPECT_EQ(numbers.findings.newlines, walk(text).newlines);
  BatchRun lines(text, {.lines = true}, 0, 0);
  lines.run(2);
  EXPECT_EQ(lines.findings.newlines, 0u);
}

}  // namespace
}  // namespace presso::test::scan_batch_test
