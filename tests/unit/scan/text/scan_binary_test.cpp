// SPDX-License-Identifier: MIT
// The rule for binary files (BinaryRule), written down once more as a plain walk over the lines and
// compared with scans of streams, files, compressed files and of patterns that span lines. The GPU
// is compared with the CPU by tests/unit/scan/gpu/gpu_scan_test.cpp.
#include <gtest/gtest.h>

#include "presso/compress.h"
#include "presso/scan.h"
#include "tests/unit/scan/text/stepped_source.h"

namespace presso::scan_binary_test {
namespace {

using scan_test::as_bytes;
using scan_test::SteppedSource;

constexpr std::size_t kProbe = 64u << 10;

struct Outcome {
  std::vector<std::string> lines;
  std::uint64_t counted = 0;
  std::optional<std::uint64_t> nul;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
  out << outcome.lines.size() << " lines, " << outcome.counted << " counted";
  return outcome.nul ? out << ", NUL at " << *outcome.nul : out;
}

/// The rule, for lines that hold "needle".
Outcome expected(const std::string& text, const ScanOptions& options, bool with_lines) {
  Outcome outcome;
  const bool quits = options.binary == BinaryRule::kQuit;
  if (options.binary != BinaryRule::kText && (with_lines || quits)) {
    const std::size_t nul = text.find('\0');
    if (nul < kProbe) outcome.nul = nul;
    if (outcome.nul && quits) return outcome;
  }
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const std::string line = text.substr(begin, end - begin);
    if (line.find("needle") != std::string::npos) {
      const bool looked_at = with_lines && options.binary != BinaryRule::kText;
      const std::size_t nul = line.find('\0');
      if (looked_at && !outcome.nul && nul != line.npos) outcome.nul = begin + nul;
      const bool ends = looked_at && outcome.nul && (quits || !options.lines_after_nul);
      if (!ends || !quits) ++outcome.counted;
      if (ends) return outcome;
      if (with_lines) outcome.lines.push_back(line);
    }
    begin = end;
  }
  return outcome;
}

template <class Source>
Outcome scanned(Source& source, const Pattern& pattern, const ScanOptions& options,
                bool with_lines) {
  Outcome outcome;
  LineCallback on_line;
  if (with_lines) {
    on_line = [&](const MatchedLine& line) {
      outcome.lines.emplace_back(line.text.begin(), line.text.end());
      return true;
    };
  }
  const auto summary = scan(source, pattern, options, on_line);
  EXPECT_TRUE(summary.ok());
  outcome.counted = summary->lines;
  outcome.nul = summary->binary_offset;
  return outcome;
}

/// Some 100 KB of lines; no two lines that match follow each other.
std::string some_text() {
  std::string text;
  for (int i = 0; text.size() < 100'000; ++i) {
    text += i % 7 == 3 ? "a needle " : "a straw ";
    text += std::to_string(i * 7919) + "\n";
  }
  return text;
}

std::size_t place_in(const std::string& text, const char* word, std::size_t from) {
  return text.find(word, from) + 1;
}

std::vector<std::string> texts() {
  const std::string text = some_text();
  const std::size_t places[] = {0,
                                kProbe - 1,
                                kProbe,
                                place_in(text, "needle", 100),
                                place_in(text, "straw", 100),
                                place_in(text, "needle", kProbe + 2000),
                                place_in(text, "straw", kProbe + 2000)};
  std::vector<std::string> all = {text, "", std::string("needle\nx\n\0needle\ny\nneedle\n", 26)};
  for (const std::size_t place : places) {
    all.push_back(text);
    all.back()[place] = '\0';
  }
  all.push_back(all.back());
  all.back()[place_in(text, "needle", kProbe + 3000)] = '\0';
  return all;
}

std::vector<ScanOptions> option_sets() {
  std::vector<ScanOptions> sets;
  for (const BinaryRule rule : {BinaryRule::kText, BinaryRule::kMatchOnly, BinaryRule::kQuit}) {
    for (const bool lines_after_nul : {false, true}) {
      sets.push_back({.threads = 3, .binary = rule, .lines_after_nul = lines_after_nul});
    }
  }
  return sets;
}

template <class Check>
void for_all(const Check& check) {
  const std::vector<std::string> all = texts();
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const ScanOptions& options : option_sets()) {
      for (const bool with_lines : {false, true}) {
        SCOPED_TRACE("text " + std::to_string(i) + ", rule " + std::to_string(int(options.binary)) +
                     (options.lines_after_nul ? ", lines after NUL" : "") +
                     (with_lines ? ", lines" : ", count"));
        check(all[i], options, with_lines, expected(all[i], options, with_lines));
      }
    }
  }
}

TEST(ScanBinary, TheRuleIsTheSameForStreamsAndFiles) {
  const Pattern pattern = *Pattern::compile_literals({"needle"});
  for_all([&](const std::string& text, const ScanOptions& options, bool with_lines,
              const Outcome& wanted) {
    for (const std::size_t step : {std::size_t{101}, std::size_t{5000}, kProbe + 1}) {
      SteppedSource stream(text, step);
      EXPECT_EQ(scanned(stream, pattern, options, with_lines), wanted) << step;
    }
    const MemoryRandomAccess file(as_bytes(text));
    EXPECT_EQ(scanned(file, pattern, options, with_lines), wanted);
  });
}

TEST(ScanBinary, TheRuleIsTheSameForCompressedFiles) {
  const Pattern pattern = *Pattern::compile_literals({"needle"});
  CompressOptions small;
  small.coding = Coding::kByte;
  small.level = 1;
  small.block_bytes = kMinBlockBytes;
  for_all([&](const std::string& text, const ScanOptions& options, bool with_lines,
              const Outcome& wanted) {
    const auto packed = *compress_buffer(as_bytes(text), small);
    const MemoryRandomAccess file(packed);
    EXPECT_EQ(scanned(file, pattern, options, with_lines), wanted);
    MemorySource stream(packed);
    EXPECT_EQ(scanned(stream, pattern, options, with_lines), wanted);
  });
}

TEST(ScanBinary, TheRuleIsTheSameForPatternsThatSpanLines) {
  const std::vector<std::string> patterns = {"needle|straw\\nx"};
  const Pattern pattern = *Pattern::compile(patterns, {.multiline = true});
  ASSERT_TRUE(pattern.spans_lines());
  for_all([&](const std::string& text, const ScanOptions& options, bool with_lines,
              const Outcome& wanted) {
    const MemoryRandomAccess file(as_bytes(text));
    const Outcome got = scanned(file, pattern, options, with_lines);
    EXPECT_EQ(got, wanted);
  });
}

TEST(ScanBinary, AByteOrderMarkChangesNothing) {
  const Pattern pattern = *Pattern::compile_literals({"needle"});
  const std::string text = std::string("needle\n\0needle\nneedle\n", 22);
  for (const ScanOptions& options : option_sets()) {
    const MemoryRandomAccess plain(as_bytes(text));
    const std::string with_mark = "\xEF\xBB\xBF" + text;
    const MemoryRandomAccess marked(as_bytes(with_mark));
    EXPECT_EQ(scanned(marked, pattern, options, true), scanned(plain, pattern, options, true));
  }
}

TEST(ScanBinary, ANulInALineOfContextEndsTheScan) {
  const std::string text = some_text() + std::string("x\0y\n", 4) + "last needle\n";
  const Pattern pattern = *Pattern::compile_literals({"last needle"});
  const MemoryRandomAccess file(as_bytes(text));
  ScanOptions options{.before_context = 2, .binary = BinaryRule::kMatchOnly};
  Outcome outcome = scanned(file, pattern, options, true);
  EXPECT_EQ(outcome.nul, text.find('\0'));
  EXPECT_EQ(outcome.lines.size(), 1u);
  EXPECT_EQ(outcome.counted, 0u);
  options.before_context = 0;
  outcome = scanned(file, pattern, options, true);
  EXPECT_EQ(outcome.nul, std::nullopt);
  EXPECT_EQ(outcome.lines.size(), 1u);
}

TEST(ScanBinary, LinesThatEndAtNulBytesHaveNoRule) {
  const std::string text = std::string("needle\0x\0needle\n\0", 17);
  const Pattern pattern = *Pattern::compile_literals({"needle"}, {.null_data = true});
  for (const ScanOptions& options : option_sets()) {
    const MemoryRandomAccess file(as_bytes(text));
    EXPECT_EQ(scanned(file, pattern, options, true).lines.size(), 2u);
    EXPECT_EQ(scanned(file, pattern, options, false).counted, 2u);
  }
}

}  // namespace
}  // namespace presso::scan_binary_test
