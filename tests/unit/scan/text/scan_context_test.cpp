// SPDX-License-Identifier: MIT
// Lines around found lines, against a plain search over all lines: chunk borders at every offset,
// inverted, with limits, several threads, damaged blocks.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "presso/compress.h"
#include "presso/scan.h"
#include "tests/unit/scan/text/scan_reference.h"
#include "tests/unit/scan/text/stepped_source.h"

namespace presso::scan_context_test {
namespace {

using scan_test::as_bytes;
using scan_test::SteppedSource;

struct Shown {
  LineKind kind = LineKind::kMatch;
  bool after_gap = false;
  std::string text;
  std::uint64_t offset = 0;
  std::uint64_t number = 0;

  friend bool operator==(const Shown&, const Shown&) = default;
};

std::vector<Shown> all_lines(std::string_view text) {
  std::vector<Shown> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(
        {LineKind::kOther, false, std::string(text.substr(at, end - at)), at, lines.size() + 1});
    at = end;
  }
  return lines;
}

/// Marks lines one after another, as a reader with a pencil would.
std::vector<Shown> expected(std::string_view text, const ScanOptions& options) {
  std::vector<Shown> lines = all_lines(text);
  std::vector<bool> shown(lines.size(), options.passthru);
  std::uint64_t matches = 0;
  std::uint64_t after = 0;
  std::size_t end = lines.size();
  for (std::size_t i = 0; i < end; ++i) {
    const bool hit = (lines[i].text.find("foo") != std::string::npos) != options.invert;
    if (hit) {
      const std::uint64_t reach = std::min<std::uint64_t>(options.before_context, i);
      for (std::size_t j = i - reach; j < i; ++j) {
        if (!shown[j]) lines[j].kind = LineKind::kBefore;
        shown[j] = true;
      }
      lines[i].kind = LineKind::kMatch;
      after = ++matches <= options.max_lines ? options.after_context : after - 1;
    } else if (after > 0) {
      lines[i].kind = LineKind::kAfter;
      --after;
    }
    if (hit || lines[i].kind == LineKind::kAfter) shown[i] = true;
    if (matches >= options.max_lines && after == 0) end = i + 1;
  }
  std::vector<Shown> result;
  for (std::size_t i = 0; i < end; ++i) {
    if (!shown[i]) continue;
    lines[i].after_gap = !result.empty() && result.back().number + 1 < lines[i].number;
    result.push_back(lines[i]);
  }
  return result;
}

template <class Source>
std::vector<Shown> collect(Source& source, ScanOptions options) {
  std::vector<Shown> lines;
  options.line_numbers = true;
  const Pattern pattern = *Pattern::compile_literals({"foo"});
  const auto summary = scan(source, pattern, options, [&](const MatchedLine& line) {
    lines.push_back({line.kind, line.after_gap, std::string(line.text.begin(), line.text.end()),
                     line.offset, line.number});
    return true;
  });
  EXPECT_TRUE(summary.ok());
  return lines;
}

std::string some_lines(std::size_t bytes, unsigned seed) {
  std::mt19937 random(seed);
  const char* words[] = {"foo\n", "bar", "a\n", "\n", "b\nc\n", "xyz xyz\n", "\n\n"};
  std::string text;
  while (text.size() < bytes) text += words[random() % std::size(words)];
  return text;
}

std::vector<ScanOptions> option_sets() {
  std::vector<ScanOptions> sets;
  for (const std::uint64_t before : {0u, 1u, 2u, 5u, 1000u}) {
    for (const std::uint64_t after : {0u, 1u, 3u, 1000u}) {
      for (const bool invert : {false, true}) {
        for (const std::uint64_t limit : {~std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3}}) {
          ScanOptions options;
          options.invert = invert;
          options.max_lines = limit;
          options.before_context = before;
          options.after_context = after;
          options.passthru = before + after == 0;
          sets.push_back(options);
        }
      }
    }
  }
  return sets;
}

TEST(ScanContext, ChunkBordersAnywhereChangeNothing) {
  for (const std::string& text : {some_lines(120, 1), some_lines(120, 2) + "foo",
                                  some_lines(120, 3) + "end", std::string("\n"), std::string()}) {
    for (ScanOptions options : option_sets()) {
      const auto wanted = expected(text, options);
      for (std::size_t step = 1; step <= text.size() + 1; step += 1 + step / 8) {
        options.threads = 1 + static_cast<unsigned>(step % 3);
        SteppedSource source(text, step);
        ASSERT_EQ(collect(source, options), wanted)
            << "step " << step << " -B" << options.before_context << " -A" << options.after_context
            << " -m" << options.max_lines << " invert " << options.invert << " in '" << text << "'";
      }
    }
  }
}

TEST(ScanContext, FilesAndCompressedFilesAgreeWithTheReference) {
  const std::string text =
      some_lines(300000, 4) + std::string(600000, 'x') + "\nfoo\n" + some_lines(1000, 5);
  CompressOptions small;
  small.coding = Coding::kByte;
  small.level = 1;
  small.block_bytes = kMinBlockBytes;
  small.dictionary.mode = DictionaryChoice::Mode::kNone;
  const auto compressed = compress_buffer(as_bytes(text), small);
  ASSERT_TRUE(compressed.ok());
  for (ScanOptions options : option_sets()) {
    options.threads = 3;
    const auto wanted = expected(text, options);
    const MemoryRandomAccess plain(as_bytes(text));
    EXPECT_TRUE(collect(plain, options) == wanted);
    const MemoryRandomAccess packed(*compressed);
    EXPECT_TRUE(collect(packed, options) == wanted);
  }
}

TEST(ScanContext, ContextLinesOfAnInvertedScanCarryTheirMatches) {
  MemorySource source(as_bytes("x\na foo foo\ny\n"));
  std::vector<MatchSpan> spans;
  const Pattern pattern = *Pattern::compile_literals({"foo"});
  const ScanOptions options{.invert = true, .matches = true, .after_context = 1};
  const auto summary = scan(source, pattern, options, [&](const MatchedLine& line) {
    if (line.kind == LineKind::kAfter) spans.assign(line.matches.begin(), line.matches.end());
    return true;
  });
  ASSERT_TRUE(summary.ok());
  EXPECT_EQ(spans, (std::vector<MatchSpan>{{2, 5}, {6, 9}}));
}

}  // namespace
}  // namespace presso::scan_context_test
