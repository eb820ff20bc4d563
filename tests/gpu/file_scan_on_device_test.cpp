// SPDX-License-Identifier: MIT
// FileScanner with the real kernels: what it reports of compressed files is what the CPU's scan
// reports. The many cases of options are those of tests/unit/scan/gpu/gpu_scan_test.cpp, over a
// fake device; here are texts of many shapes, and batches of several sizes.
#include <gtest/gtest.h>

#include "presso/gpu_devices.h"
#include "presso/scan_gpu.h"
#include "tests/support/gpu_runs.h"

namespace presso::test::file_scan_on_device_test {
namespace {

struct Reported {
  std::vector<std::string> lines;
  std::vector<std::uint64_t> offsets, numbers;
  std::uint64_t counted = 0;
  friend bool operator==(const Reported&, const Reported&) = default;
};

template <class Scan>
Reported report(const Scan& scan, const ScanOptions& options, bool with_lines) {
  Reported reported;
  LineCallback on_line;
  if (with_lines) {
    on_line = [&](const MatchedLine& line) {
      reported.lines.emplace_back(line.text.begin(), line.text.end());
      reported.offsets.push_back(line.offset);
      reported.numbers.push_back(line.number);
      return true;
    };
  }
  const Result<ScanSummary> summary = scan(options, on_line);
  EXPECT_TRUE(summary.ok()) << (summary.ok() ? "" : summary.error().message());
  if (summary.ok()) reported.counted = summary->lines;
  return reported;
}

std::vector<Byte> text_of_lines(std::size_t size, std::size_t longest, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string text;
  while (text.size() < size) {
    const std::size_t length = random() % longest;
    for (std::size_t i = 0; i < length; ++i)
      text += "abcdefghijklmnop rstuvxyz0123456"[random() % 32];
    if (random() % 4 == 0) text += " error of a user";
    text += '\n';
  }
  text.resize(size);
  return {text.begin(), text.end()};
}

class FileScanOnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto devices = gpu::list_devices();
    if (!devices.ok()) GTEST_SKIP() << "no usable GPU: " << devices.error().message();
  }

  static void expect_same(const std::vector<Byte>& file, std::uint64_t slot_bytes) {
    gpu::GpuOptions gpu_options;
    gpu_options.slot_plain_bytes = slot_bytes;
    auto decompressor = gpu::Decompressor::open(gpu_options);
    ASSERT_TRUE(decompressor.ok());
    for (const char* const text :
         {"error", "er.*user$", "^$", "a{3}", "nowhere at all", "^", "[0-9]{4}"}) {
      const std::vector<std::string> patterns{text};
      const Result<Pattern> pattern = Pattern::compile(patterns);
      ASSERT_TRUE(pattern.ok());
      expect_same(file, *decompressor, *pattern, text);
    }
    for (const bool ignore_case : {false, true}) {
      for (const MatchBounds bounds : {MatchBounds::kNone, MatchBounds::kWord}) {
        PatternOptions options;
        options.ignore_case = ignore_case;
        options.bounds = bounds;
        const bool words = bounds == MatchBounds::kWord;
        expect_same(file, *decompressor, *Pattern::compile_literals({"error"}, options), "error",
                    words);
        expect_same(file, *decompressor, *Pattern::compile_literals(many_words(), options),
                    "5,000 words", words);
      }
    }
  }

  static std::vector<std::string> many_words() {
    std::vector<std::string> words{"error", "userA"};
    while (words.size() < 5000) words.push_back("unheard-of-" + std::to_string(words.size()));
    return words;
  }

  /// `words`: the CPU looks at the lines that the GPU finds.
  static void expect_same(const std::vector<Byte>& file, gpu::Decompressor& decompressor,
                          const Pattern& pattern, const char* text, bool words = false) {
    const MemoryRandomAccess access(file);
    gpu::FileScanner by_auto(decompressor, pattern, gpu::TextEngine::kAuto);
    gpu::FileScanner by_literals(decompressor, pattern, gpu::TextEngine::kManyLiterals);
    for (const BinaryRule rule : {BinaryRule::kText, BinaryRule::kMatchOnly, BinaryRule::kQuit}) {
      for (const int mode : {0, 1, 2, 3}) {
        ScanOptions options;
        options.binary = rule;
        options.line_numbers = mode == 2;
        options.invert = mode == 3;
        const bool with_lines = mode == 1 || mode == 2;
        const Reported cpu = report(
            [&](const ScanOptions& used, const LineCallback& on_line) {
              return presso::scan(access, pattern, used, on_line);
            },
            options, with_lines);
        for (gpu::FileScanner* const scanner : {&by_auto, &by_literals}) {
          const Reported seen = report(
              [&](const ScanOptions& used, const LineCallback& on_line) {
                return scanner->scan(access, used, on_line);
              },
              options, with_lines);
          const bool is_for_gpu = !scanner->why_not(options, with_lines).has_value();
          EXPECT_EQ(scanner->used_gpu(), is_for_gpu);
          EXPECT_TRUE(is_for_gpu || scanner != &by_auto || (words && mode == 3));
          EXPECT_EQ(seen.counted, cpu.counted) << text << ", mode " << mode;
          EXPECT_TRUE(seen == cpu) << text << ", mode " << mode << ", " << seen.lines.size()
                                   << " lines, not " << cpu.lines.size();
        }
      }
    }
  }
};

TEST_F(FileScanOnDevice, ReportsWhatTheCpuReports) {
  for (const std::size_t longest : {3, 40, 300, 30'000}) {
    const std::vector<Byte> plain = text_of_lines(3'000'001, longest, longest);
    expect_same(compressed(plain), 1u << 20);
    expect_same(compressed(plain, 0, 256u << 10, Coding::kBit), 0);
  }
}

TEST_F(FileScanOnDevice, TakesLinesOfManyBlocksAndFilesOfManyMembers) {
  std::vector<Byte> plain(3'000'000, Byte{'a'});
  append(plain, text_of_lines(1'000'000, 100, 3));
  append(plain, std::vector<Byte>(2'000'000, Byte{'z'}));
  expect_same(compressed(plain), 128u << 10);
  expect_same(PlainMembers(9, 3).file, 0);
  expect_same(ManyMembers().file, 0);
}

}  // namespace
}  // namespace presso::test::file_scan_on_device_test
