// SPDX-License-Identifier: MIT
// Scanner: batches hold the lines that come one by one, runs can be ended from the callback and
// from other threads, and begun anew.
#include "presso/scanner.h"

#include <gtest/gtest.h>

#include <thread>

#include "presso/compress.h"
#include "tests/support/test_data.h"

namespace presso::test::scanner_test {
namespace {

struct OneLine {
  std::string text;
  std::uint64_t offset, number;
  std::vector<MatchSpan> matches;
  LineKind kind;
  friend bool operator==(const OneLine&, const OneLine&) = default;
};

Pattern pattern_of(const std::string& text) {
  const std::vector<std::string> patterns{text};
  return *Pattern::compile(patterns);
}

std::vector<Byte> packed(std::size_t size) {
  CompressOptions options;
  options.coding = Coding::kByte;
  options.level = 1;
  options.block_bytes = kMinBlockBytes;
  return *compress_buffer(log_lines(size, 3), options);
}

ScanOptions all_of_it() {
  ScanOptions options;
  options.line_numbers = options.matches = true;
  options.after_context = 1;
  options.threads = 3;
  return options;
}

TEST(Scanner, BatchesHoldTheLines) {
  const std::vector<Byte> file = packed(600'000);
  const MemoryRandomAccess access(file);
  const Pattern pattern = pattern_of("rejected.*1[0-9]$");
  std::vector<OneLine> expected;
  const auto summary = scan(access, pattern, all_of_it(), [&](const MatchedLine& line) {
    expected.push_back({{line.text.begin(), line.text.end()},
                        line.offset,
                        line.number,
                        {line.matches.begin(), line.matches.end()},
                        line.kind});
    return true;
  });
  ASSERT_TRUE(summary.ok());
  ASSERT_GT(expected.size(), 100u);
  Scanner scanner(pattern, all_of_it());
  for (const std::size_t batch_bytes : {std::size_t{1}, std::size_t{1000}, Scanner::kBatchBytes}) {
    for (const bool as_stream : {false, true}) {
      std::vector<OneLine> seen;
      std::size_t batches = 0;
      const BatchCallback on_batch = [&](LineBatch& batch) {
        ++batches;
        EXPECT_FALSE(batch.lines.empty());
        for (const LineBatch::Line& line : batch.lines) {
          const Bytes text = batch.text_of(line);
          const auto matches = batch.matches_of(line);
          seen.push_back({{text.begin(), text.end()},
                          line.offset,
                          line.number,
                          {matches.begin(), matches.end()},
                          line.kind});
        }
        return true;
      };
      MemorySource source(file);
      const auto run = as_stream ? scanner.run_batches(source, on_batch, batch_bytes)
                                 : scanner.run_batches(access, on_batch, batch_bytes);
      ASSERT_TRUE(run.ok());
      EXPECT_EQ(run->lines, summary->lines);
      EXPECT_TRUE(seen == expected) << batch_bytes;
      if (batch_bytes == 1) {
        EXPECT_EQ(batches, expected.size());
      }
      if (batch_bytes == Scanner::kBatchBytes) {
        EXPECT_EQ(batches, 1u);
      }
    }
  }
}

TEST(Scanner, ABatchMayBeTheLast) {
  const std::vector<Byte> file = packed(300'000);
  const MemoryRandomAccess access(file);
  Scanner scanner(pattern_of("connection"));
  std::size_t batches = 0;
  const auto run = scanner.run_batches(
      access, [&](LineBatch&) { return ++batches < 3; }, 500);
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(batches, 3u);
}

TEST(Scanner, CancelEndsARunUntilReset) {
  const std::vector<Byte> file = packed(2'000'000);
  const MemoryRandomAccess access(file);
  Scanner scanner(pattern_of("connection"));
  std::uint64_t lines = 0;
  const LineCallback cancelling = [&](const MatchedLine&) {
    if (++lines == 100) scanner.cancel();
    return true;
  };
  auto run = scanner.run(access, cancelling);
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(lines, 100u);
  EXPECT_FALSE(scanner.run(access).ok());
  scanner.reset();
  run = scanner.run(access);
  ASSERT_TRUE(run.ok());
  EXPECT_GT(run->lines, lines);
}

/// Of all that the run has found already, nothing comes behind the line in which it is cancelled.
TEST(Scanner, NothingIsDeliveredOnceCancelled) {
  const std::vector<Byte> file = packed(600'000);
  const MemoryRandomAccess access(file);
  const Pattern lines_pattern = pattern_of("rejected");
  PatternOptions across;
  across.multiline = true;
  const std::string text = "rejected\\b|\n\n";
  const Pattern across_lines = *Pattern::compile({&text, 1}, across);
  ASSERT_TRUE(across_lines.spans_lines());
  for (const Pattern& pattern : {lines_pattern, across_lines}) {
    for (const bool inverted : {false, true}) {
      for (const std::uint64_t context : {0, 3}) {
        ScanOptions options;
        options.invert = inverted;
        options.before_context = options.after_context = context;
        Scanner scanner(pattern, options);
        std::uint64_t lines = 0;
        const auto run = scanner.run(access, [&](const MatchedLine&) {
          if (++lines == 10) scanner.cancel();
          return true;
        });
        EXPECT_EQ(lines, 10u) << pattern.describe() << ", inverted " << inverted;
        ASSERT_FALSE(run.ok());
        EXPECT_EQ(run.error().code, ErrorCode::kCancelled);
      }
    }
  }
}

TEST(Scanner, NoBatchComesOnceCancelled) {
  const std::vector<Byte> file = packed(300'000);
  const MemoryRandomAccess access(file);
  Scanner scanner(pattern_of("connection"));
  std::size_t batches = 0;
  const auto run = scanner.run_batches(
      access,
      [&](LineBatch&) {
        if (++batches == 2) scanner.cancel();
        return true;
      },
      500);
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(batches, 2u);
}

/// Gives a block at a time, for ever.
class EndlessLines final : public ByteSource {
 public:
  Result<std::size_t> read(MutableBytes into) override {
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = i % 50 == 0 ? '\n' : 'a';
    return into.size();
  }
};

TEST(Scanner, AnotherThreadMayCancel) {
  EndlessLines source;
  Scanner scanner(pattern_of("b"));
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    scanner.cancel();
  });
  const auto run = scanner.run(source);
  other.join();
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace presso::test::scanner_test
