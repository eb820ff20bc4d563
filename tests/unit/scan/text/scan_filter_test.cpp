// SPDX-License-Identifier: MIT
// What narrows a scan down: conditions on lines, ranges of lines and blocks, NUL bytes as line
// ends. Chunk borders at every offset, against a plain walk over the lines.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "presso/compress.h"
#include "presso/scan.h"
#include "tests/unit/scan/text/stepped_source.h"

namespace presso::scan_filter_test {
namespace {

using scan_test::as_bytes;
using scan_test::Line;
using scan_test::SteppedSource;

Pattern literal(const std::string& text, const PatternOptions& options = {}) {
  return *Pattern::compile_literals({text}, options);
}

template <class Source>
std::vector<Line> collect(Source& source, const Pattern& pattern, ScanOptions options) {
  std::vector<Line> lines;
  options.line_numbers = true;
  const auto summary = scan(source, pattern, options, [&](const MatchedLine& line) {
    lines.push_back({std::string(line.text.begin(), line.text.end()), line.offset, line.number});
    return true;
  });
  EXPECT_TRUE(summary.ok());
  return lines;
}

template <class Wanted>
std::vector<Line> lines_where(const std::string& text, char line_end, Wanted wanted) {
  std::vector<Line> lines;
  std::uint64_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(line_end, at), text.size() - 1) + 1;
    const Line line{text.substr(at, end - at), at, ++number};
    if (wanted(line)) lines.push_back(line);
    at = end;
  }
  return lines;
}

bool holds(const Line& line, const char* text) {
  return line.text.find(text) != std::string::npos;
}

std::string some_lines(std::size_t bytes, unsigned seed) {
  std::mt19937 random(seed);
  const char* words[] = {"a", "b", "c", "\n", "\n", " ", "ab", ""};
  std::string text;
  while (text.size() < bytes) text += words[random() % std::size(words)];
  return text;
}

TEST(ScanFilter, LinesMustMeetEveryCondition) {
  const Pattern pattern = literal("a").with_conditions({literal("b")}, {literal("c")});
  for (const std::string& text : {some_lines(150, 1), some_lines(150, 2) + "ab", std::string()}) {
    for (const bool invert : {false, true}) {
      const auto expected = lines_where(text, '\n', [&](const Line& line) {
        return (holds(line, "a") && holds(line, "b") && !holds(line, "c")) != invert;
      });
      for (std::size_t step = 1; step <= text.size() + 1; ++step) {
        SteppedSource source(text, step);
        ASSERT_EQ(collect(source, pattern, {.invert = invert}), expected) << step << " " << text;
        SteppedSource again(text, step);
        EXPECT_EQ(scan(again, pattern, {.invert = invert})->lines, expected.size());
      }
    }
  }
}

TEST(ScanFilter, AnEmptyPatternStandsInEveryLine) {
  const std::string text = "a\n\nb";
  const Pattern pattern = literal("").with_conditions({}, {literal("a")});
  SteppedSource source(text, 2);
  EXPECT_EQ(collect(source, pattern, {}),
            lines_where(text, '\n', [](const Line& line) { return !holds(line, "a"); }));
}

TEST(ScanFilter, OnlyTheLinesOfARange) {
  const std::string text = some_lines(120, 3) + "\nend a";
  for (std::uint64_t first = 1; first < 40; first += 3) {
    for (std::uint64_t last = first; last < 45; last += 4) {
      ScanOptions options;
      options.first_line = first;
      options.last_line = last;
      const auto expected = lines_where(text, '\n', [&](const Line& line) {
        return holds(line, "a") && line.number >= first && line.number <= last;
      });
      for (std::size_t step = 1; step <= text.size() + 1; step += 1 + step / 6) {
        SteppedSource source(text, step);
        ASSERT_EQ(collect(source, literal("a"), options), expected) << step;
        SteppedSource again(text, step);
        ASSERT_EQ(scan(again, literal("a"), options)->lines, expected.size());
      }
    }
  }
}

TEST(ScanFilter, OnlyTheBlocksOfARange) {
  const std::string text = some_lines(6 * kMinBlockBytes, 4);
  CompressOptions small;
  small.coding = Coding::kByte;
  small.level = 1;
  small.block_bytes = kMinBlockBytes;
  small.dictionary.mode = DictionaryChoice::Mode::kNone;
  const auto compressed = *compress_buffer(as_bytes(text), small);
  const MemoryRandomAccess file(compressed);
  ScanOptions options;
  options.passthru = true;
  options.first_block = 2;
  options.last_block = 3;
  std::string got;
  for (const Line& line : collect(file, literal("zzz"), options)) got += line.text;
  EXPECT_EQ(got, text.substr(2 * kMinBlockBytes, 2 * kMinBlockBytes));
}

TEST(ScanFilter, NulBytesMayEndLines) {
  std::string text = some_lines(150, 5);
  for (std::size_t i = 0; i < text.size(); i += 3) {
    if (text[i] == '\n') text[i] = '\0';
  }
  const PatternOptions with_nul{.null_data = true};
  const auto expected =
      lines_where(text, '\0', [](const Line& line) { return holds(line, "\na"); });
  ASSERT_FALSE(expected.empty());
  for (std::size_t step = 1; step <= text.size() + 1; ++step) {
    SteppedSource source(text, step);
    EXPECT_EQ(collect(source, literal("\na", with_nul), {}), expected);
  }
  EXPECT_FALSE(Pattern::compile_literals({std::string(1, '\0')}, with_nul).ok());
}

}  // namespace
}  // namespace presso::scan_filter_test
