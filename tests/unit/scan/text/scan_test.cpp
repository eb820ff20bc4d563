// SPDX-License-Identifier: MIT
// The scan as a whole: chunk borders at every offset, lines longer than chunks, numbers and
// offsets, limits, compressed and damaged input, one and several threads, against scan_reference.h.
#include "presso/scan.h"

#include <gtest/gtest.h>

#include <random>

#include "presso/archive_reader.h"
#include "presso/compress.h"
#include "tests/unit/scan/text/scan_reference.h"
#include "tests/unit/scan/text/stepped_source.h"

namespace presso::scan_test {
namespace {

using scan_test::as_bytes;
using scan_test::Line;
using scan_test::matching_lines;
using scan_test::SteppedSource;

Pattern literals(const std::vector<std::string>& texts, const PatternOptions& options = {}) {
  return *Pattern::compile_literals(texts, options);
}

struct Outcome {
  std::vector<Line> lines;
  ScanSummary summary;
};

template <class Source>
Outcome collect(Source& source, const Pattern& pattern, ScanOptions options) {
  Outcome outcome;
  options.line_numbers = true;
  const auto summary = scan(source, pattern, options, [&](const MatchedLine& line) {
    outcome.lines.push_back(
        {std::string(line.text.begin(), line.text.end()), line.offset, line.number});
    return true;
  });
  EXPECT_TRUE(summary.ok()) << summary.error().message();
  if (summary.ok()) outcome.summary = *summary;
  EXPECT_EQ(outcome.summary.lines, outcome.lines.size());
  return outcome;
}

std::string some_lines(std::size_t bytes, unsigned seed) {
  std::mt19937 random(seed);
  const char* words[] = {"foo", "bar", "ab", "a", " ", "\n", "\n", "needle", "x", ""};
  std::string text;
  while (text.size() < bytes) text += words[random() % std::size(words)];
  return text;
}

TEST(Scan, ChunkBordersAnywhereChangeNothing) {
  for (const std::string& text :
       {some_lines(150, 1), some_lines(150, 2) + "\nneedle", std::string("needle"),
        std::string("\n"), std::string("x\nneedle\n\nneedle needle\r\nfoo"), std::string()}) {
    for (const bool invert : {false, true}) {
      const auto expected = matching_lines(text, {"needle", "ab"}, {}, invert);
      for (std::size_t step = 1; step <= text.size() + 1; ++step) {
        for (const unsigned threads : {1u, 3u}) {
          SteppedSource source(text, step);
          const auto outcome =
              collect(source, literals({"needle", "ab"}), {.threads = threads, .invert = invert});
          ASSERT_EQ(outcome.lines, expected) << "step " << step << " in '" << text << "'";
          SteppedSource again(text, step);
          const auto counted =
              scan(again, literals({"needle", "ab"}), {.threads = threads, .invert = invert});
          ASSERT_EQ(counted->lines, expected.size());
        }
      }
    }
  }
}

TEST(Scan, MatchesWithinALineAreAllReported) {
  const std::string text = "ab foo ab\nfoo\nxabab";
  for (std::size_t step = 1; step <= text.size(); ++step) {
    SteppedSource source(text, step);
    std::vector<std::size_t> begins;
    const auto summary =
        scan(source, literals({"ab"}), {.matches = true}, [&](const MatchedLine& line) {
          for (const MatchSpan& match : line.matches) {
            EXPECT_EQ(match.end, match.begin + 2);
            begins.push_back(line.offset + match.begin);
          }
          return true;
        });
    ASSERT_TRUE(summary.ok());
    EXPECT_EQ(begins, (std::vector<std::size_t>{0, 7, 15, 17}));
    EXPECT_EQ(summary->matches, 4u);
    SteppedSource again(text, step);
    EXPECT_EQ(scan(again, literals({"ab"}), {.matches = true})->matches, 4u);
  }
}

/// Spans as "begin-end" in the plain text; both by lines and counted.
std::string spans_in(const std::string& text, std::size_t step, const Pattern& pattern) {
  SteppedSource source(text, step);
  std::string spans;
  const auto summary = scan(source, pattern, {.matches = true}, [&](const MatchedLine& line) {
    for (const MatchSpan& match : line.matches) {
      if (!spans.empty()) spans += ' ';
      spans += std::to_string(line.offset + match.begin) + '-';
      spans += std::to_string(line.offset + match.end);
    }
    return true;
  });
  EXPECT_TRUE(summary.ok());
  SteppedSource again(text, step);
  EXPECT_EQ(scan(again, pattern, {.matches = true})->matches, summary->matches);
  return spans;
}

TEST(Scan, MatchesDoNotHoldTheReturnOfALineEnd) {
  const std::string text = "ab\r\n\r\nb\rab\r\nab\r";
  const struct {
    const char* pattern;
    const char* spans;
  } cases[] = {
      {"b$", "1-2 9-10 13-14"},
      {"$", "2-2 4-4 10-10 14-14"},
      {".*", "0-2 4-4 6-7 8-10 12-14"},
      {"x*", "0-0 1-1 2-2 4-4 6-6 7-7 8-8 9-9 10-10 12-12 13-13 14-14"},
      {"a|$", "0-1 2-2 4-4 8-9 10-10 12-13 14-14"},
      {"(ab)$", "0-2 8-10 12-14"},
      {"b", "1-2 6-7 9-10 13-14"},
      {"\r", "2-2 4-4 7-8 10-10 14-14"},
  };
  for (const auto& [pattern, spans] : cases) {
    for (const bool multiline : {false, true}) {
      PatternOptions options;
      options.crlf = true;
      options.multiline = multiline;
      const std::string source = pattern;
      const Pattern compiled = *Pattern::compile({&source, 1}, options);
      for (std::size_t step = 1; step <= text.size(); ++step) {
        EXPECT_EQ(spans_in(text, step, compiled), spans) << pattern << ", step " << step;
      }
    }
  }
}

TEST(Scan, LimitsStopAtTheSameLineWhateverTheChunks) {
  const std::string text = some_lines(400, 3);
  const auto all = matching_lines(text, {"a"}, {}, false);
  for (std::size_t limit = 1; limit < all.size() + 2; ++limit) {
    for (const std::size_t step : {1u, 7u, 64u, 1000u}) {
      SteppedSource source(text, step);
      const auto outcome = collect(source, literals({"a"}), {.max_lines = limit});
      const auto count = static_cast<std::ptrdiff_t>(std::min(limit, all.size()));
      ASSERT_EQ(outcome.lines, std::vector<Line>(all.begin(), all.begin() + count));
      SteppedSource again(text, step);
      ASSERT_EQ(scan(again, literals({"a"}), {.max_lines = limit})->lines,
                static_cast<std::uint64_t>(count));
    }
  }
}

TEST(Scan, TheCallbackStopsIt) {
  const std::string text = some_lines(5000, 4);
  SteppedSource source(text, 64);
  int calls = 0;
  const auto summary = scan(source, literals({"a"}), {.threads = 3},
                            [&](const MatchedLine&) { return ++calls < 3; });
  ASSERT_TRUE(summary.ok());
  EXPECT_EQ(calls, 3);
}

class ScanLevels : public testing::TestWithParam<CpuLevel> {};

TEST_P(ScanLevels, FileAndStreamAgreeWithTheReference) {
  const std::string text = some_lines(900000, 5) + std::string(600000, 'x') + "needle\nfoo";
  for (const unsigned threads : {1u, 4u}) {
    const auto expected = matching_lines(text, {"needle"}, {}, false);
    const MemoryRandomAccess file(as_bytes(text));
    const ScanOptions options{.threads = threads, .decode = {.level = GetParam()}};
    EXPECT_EQ(collect(file, literals({"needle"}), options).lines, expected);
    MemorySource stream(as_bytes(text));
    EXPECT_EQ(collect(stream, literals({"needle"}), options).lines, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, ScanLevels, testing::ValuesIn(supported_cpu_levels()),
                         [](const auto& level) { return std::string(name(level.param)); });

CompressOptions small_blocks() {
  CompressOptions options;
  options.coding = Coding::kByte;
  options.level = 1;
  options.block_bytes = kMinBlockBytes;
  options.dictionary.mode = DictionaryChoice::Mode::kNone;
  return options;
}

TEST(ScanCompressed, GivesWhatThePlainTextGives) {
  const std::string text = some_lines(300000, 6) + std::string(70000, 'y') + "needle";
  const auto compressed = compress_buffer(as_bytes(text), small_blocks());
  ASSERT_TRUE(compressed.ok());
  const auto expected = matching_lines(text, {"needle"}, {}, false);
  for (const unsigned threads : {1u, 3u}) {
    const MemoryRandomAccess file(*compressed);
    EXPECT_EQ(collect(file, literals({"needle"}), {.threads = threads}).lines, expected);
    MemorySource stream(*compressed);
    EXPECT_EQ(collect(stream, literals({"needle"}), {.threads = threads}).lines, expected);
  }
}

/// 16 blocks of numbered lines, one byte of the payload of block 5 changed.
struct DamagedFile {
  std::string text;
  std::vector<Byte> compressed;
};

DamagedFile damaged_file() {
  DamagedFile file;
  for (int i = 0; file.text.size() < 16 * kMinBlockBytes; ++i) {
    file.text += "line " + std::to_string(i * 7919) + " needle\n";
  }
  file.text.resize(16 * kMinBlockBytes);
  file.compressed = *compress_buffer(as_bytes(file.text), small_blocks());
  const MemoryRandomAccess access(file.compressed);
  const auto index = ArchiveIndex::open(access);
  file.compressed[index->block_offset(5) + kBlockHeaderBytes + 100] ^= 0x40;
  return file;
}

TEST(ScanCompressed, SearchesEverythingButADamagedBlock) {
  const DamagedFile file = damaged_file();
  const std::string_view text = file.text;
  // The edges of the hole end and begin lines.
  auto expected = matching_lines(text.substr(0, 5 * kMinBlockBytes), {"needle"}, {}, false);
  const std::size_t lines_before = expected.size();
  for (Line line : matching_lines(text.substr(6 * kMinBlockBytes), {"needle"}, {}, false)) {
    line.offset += 6 * kMinBlockBytes;
    expected.push_back(line);
  }
  for (const unsigned threads : {1u, 3u}) {
    const MemoryRandomAccess access(file.compressed);
    ScanOptions options{.threads = threads};
    std::vector<DamagedBlock> damage;
    options.on_damage = [&](const DamagedBlock& block) { damage.push_back(block); };
    Outcome outcome = collect(access, literals({"needle"}), options);
    ASSERT_EQ(outcome.lines.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(outcome.lines[i].text, expected[i].text);
      EXPECT_EQ(outcome.lines[i].offset, expected[i].offset);
      if (i < lines_before) {
        EXPECT_EQ(outcome.lines[i].number, expected[i].number);
      }
    }
    ASSERT_EQ(damage.size(), 1u);
    EXPECT_EQ(outcome.summary.damaged_blocks, 1u);
    EXPECT_EQ(damage[0].plain_offset, 5 * kMinBlockBytes);
    EXPECT_EQ(damage[0].plain_bytes, kMinBlockBytes);
    EXPECT_EQ(damage[0].error.block, 5u);
  }
}

TEST(ScanCompressed, FailFastReportsTheLinesBeforeAndThenTheError) {
  const DamagedFile file = damaged_file();
  const std::string_view before = std::string_view(file.text).substr(0, 5 * kMinBlockBytes);
  const MemoryRandomAccess access(file.compressed);
  std::size_t lines = 0;
  const auto summary = scan(access, literals({"needle"}), {.threads = 2, .fail_fast = true},
                            [&](const MatchedLine&) {
                              ++lines;
                              return true;
                            });
  ASSERT_FALSE(summary.ok());
  EXPECT_EQ(summary.error().block, 5u);
  EXPECT_EQ(lines, matching_lines(before, {"needle"}, {}, false).size());
}

TEST(ScanCompressed, ATruncatedFileIsSearchedUpToTheCut) {
  DamagedFile file = damaged_file();
  const MemoryRandomAccess whole(file.compressed);
  file.compressed.resize(ArchiveIndex::open(whole)->block_offset(3) + 60);
  MemorySource source(file.compressed);
  std::vector<DamagedBlock> damage;
  ScanOptions options;
  options.on_damage = [&](const DamagedBlock& block) { damage.push_back(block); };
  const auto summary = scan(source, literals({"needle"}), options);
  const std::string_view before = std::string_view(file.text).substr(0, 3 * kMinBlockBytes);
  ASSERT_TRUE(summary.ok()) << summary.error().message();
  EXPECT_EQ(summary->lines, matching_lines(before, {"needle"}, {}, false).size());
  ASSERT_EQ(damage.size(), 1u);
  EXPECT_EQ(damage[0].plain_offset, before.size());
  EXPECT_EQ(damage[0].error.code, ErrorCode::kTruncated);
}

}  // namespace
}  // namespace presso::scan_test
