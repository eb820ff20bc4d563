// SPDX-License-Identifier: MIT
// FileScanner over the fake device: lines, counts and damage are those of the CPU's scan for every
// file and option, also where batches end within lines, blocks are damaged, the device fails, the
// file is binary, or a byte order mark hands it to the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "presso/scan_gpu.h"
#include "scan/gpu/file/scanner_pool.h"
#include "tests/support/fake_scan_kernels.h"
#include "tests/support/gpu_runs.h"

namespace presso::test::gpu_scan_test {
namespace {

struct SeenLine {
  std::string text;
  std::uint64_t offset, number;
  std::vector<std::pair<std::size_t, std::size_t>> matches;
  friend bool operator==(const SeenLine&, const SeenLine&) = default;
};

/// What a caller of a scan sees.
struct SeenScan {
  std::vector<SeenLine> lines;
  std::vector<std::pair<std::uint64_t, PlaceOfError>> damages;
  std::optional<PlaceOfError> error;
  std::uint64_t counted = 0, matches = 0, plain_bytes = 0, damaged = 0, blocks = 0, bytes_read = 0;
  std::optional<std::uint64_t> binary_offset;
  friend bool operator==(const SeenScan&, const SeenScan&) = default;
};

using Run = std::function<Result<ScanSummary>(const ScanOptions&, const LineCallback&)>;

SeenScan see(ScanOptions options, bool with_lines, const Run& run, std::size_t stop_after = 0) {
  SeenScan seen;
  options.on_damage = [&seen](const DamagedBlock& damage) {
    seen.damages.emplace_back(damage.plain_offset, place_of(damage.error));
  };
  LineCallback on_line;
  if (with_lines) {
    on_line = [&](const MatchedLine& line) {
      SeenLine one{{line.text.begin(), line.text.end()}, line.offset, line.number, {}};
      for (const MatchSpan& match : line.matches) one.matches.emplace_back(match.begin, match.end);
      seen.lines.push_back(std::move(one));
      return stop_after == 0 || seen.lines.size() < stop_after;
    };
  }
  const Result<ScanSummary> summary = run(options, on_line);
  if (!summary.ok()) {
    seen.error = place_of(summary.error());
    return seen;
  }
  seen.counted = summary->lines;
  seen.matches = summary->matches;
  seen.plain_bytes = summary->plain_bytes;
  seen.damaged = summary->damaged_blocks;
  seen.blocks = summary->blocks;
  seen.bytes_read = summary->bytes_read;
  seen.binary_offset = summary->binary_offset;
  return seen;
}

SeenScan on_cpu(const std::vector<Byte>& file, const Pattern& pattern, const ScanOptions& options,
                bool with_lines, std::size_t stop_after = 0) {
  const MemoryRandomAccess access(file);
  const Run run = [&](const ScanOptions& used, const LineCallback& on_line) {
    return presso::scan(access, pattern, used, on_line);
  };
  return see(options, with_lines, run, stop_after);
}

/// A device whose batches hold a few blocks.
struct Gpu {
  explicit Gpu(const FakeFaults& faults = {}, bool fallback = false)
      : fake(options_of(fallback), faults) {}

  static gpu::GpuOptions options_of(bool fallback) {
    gpu::GpuOptions options;
    options.slot_plain_bytes = 3 * kMinBlockBytes;
    options.cpu_fallback = fallback;
    return options;
  }
  gpu::FileScanner scanner(const Pattern& pattern) {
    return gpu::FileScanner(*fake, pattern, make_fake_scan_kernels(fake.device()));
  }

  FakeGpu fake;
};

SeenScan on_gpu(gpu::FileScanner& scanner, const std::vector<Byte>& file,
                const ScanOptions& options, bool with_lines, std::size_t stop_after = 0) {
  const MemoryRandomAccess access(file);
  const Run run = [&](const ScanOptions& used, const LineCallback& on_line) {
    return scanner.scan(access, used, on_line);
  };
  return see(options, with_lines, run, stop_after);
}

/// What is compared where the scan stops early: blocks read by then differ.
SeenScan without_progress(SeenScan seen) {
  seen.plain_bytes = seen.blocks = seen.bytes_read = 0;
  return seen;
}

Pattern pattern_of(const std::string& text) {
  const std::vector<std::string> patterns{text};
  Result<Pattern> pattern = Pattern::compile(patterns);
  EXPECT_TRUE(pattern.ok());
  return *pattern;
}

void expect_same_scan(const SeenScan& gpu, const SeenScan& cpu, const std::string& what) {
  EXPECT_TRUE(gpu.lines == cpu.lines)
      << what << ": " << gpu.lines.size() << " lines, not " << cpu.lines.size();
  EXPECT_EQ(gpu.counted, cpu.counted) << what;
  EXPECT_EQ(gpu.matches, cpu.matches) << what;
  EXPECT_EQ(gpu.plain_bytes, cpu.plain_bytes) << what;
  EXPECT_EQ(gpu.blocks, cpu.blocks) << what;
  EXPECT_EQ(gpu.bytes_read, cpu.bytes_read) << what;
  EXPECT_TRUE(gpu == cpu) << what;
}

std::vector<Byte> bytes_of(const std::string& text) {
  return {text.begin(), text.end()};
}

/// Lines of every length up to some blocks' size.
std::vector<Byte> lines_of_all_lengths() {
  std::string text;
  for (std::size_t length = 1; text.size() < 40 * kMinBlockBytes; length = length * 5 / 3 + 1) {
    if (length > 3 * kMinBlockBytes) length = 1;
    text += std::string(length, 'z') + (length % 3 == 0 ? "error 17" : "") + "\n";
    if (length % 7 == 0) text += "\n\nerror\n";
  }
  return bytes_of(text + "an error without an end");
}

struct Case {
  const char* name;
  ScanOptions options;
  bool with_lines;
};

std::vector<Case> cases() {
  std::vector<Case> cases{{"count", {}, false}, {"lines", {}, true}};
  ScanOptions options;
  options.line_numbers = options.matches = true;
  cases.push_back({"numbers and matches", options, true});
  cases.push_back({"count matches", options, false});
  options = {};
  options.invert = true;
  cases.push_back({"count others", options, false});
  options.max_lines = 20;
  cases.push_back({"count few others", options, false});
  options = {};
  options.max_lines = 17;
  cases.push_back({"first lines", options, true});
  cases.push_back({"count first", options, false});
  options = {};
  options.binary = BinaryRule::kMatchOnly;
  cases.push_back({"match only", options, true});
  cases.push_back({"match only, count", options, false});
  options.lines_after_nul = true;
  options.line_numbers = true;
  cases.push_back({"lines after NUL", options, true});
  cases.push_back({"lines after NUL, count", options, false});
  options.binary = BinaryRule::kQuit;
  cases.push_back({"quit", options, true});
  cases.push_back({"quit count", options, false});
  options = {};
  options.binary = BinaryRule::kQuit;
  options.invert = true;
  cases.push_back({"quit, count others", options, false});
  options = {};
  options.before_context = 2;
  cases.push_back({"context", options, true});
  options = {};
  options.first_line = 50;
  options.last_line = 90;
  cases.push_back({"some lines", options, true});
  return cases;
}

const char* const kPatterns[] = {
    "rejected", "r[a-z]*d a .*[0-9]+7$|error", "^$", "z{40}", "nowhere", "^", "(?i)ERROR|SENT"};

void expect_same_for_all(const std::vector<Byte>& file, const std::string& what) {
  Gpu gpu;
  for (const char* const text : kPatterns) {
    const Pattern pattern = pattern_of(text);
    gpu::FileScanner scanner = gpu.scanner(pattern);
    for (const Case& one : cases()) {
      const SeenScan cpu = on_cpu(file, pattern, one.options, one.with_lines);
      SeenScan seen = on_gpu(scanner, file, one.options, one.with_lines);
      const std::string name = what + ", " + text + ", " + one.name;
      const bool ended_by_nul = cpu.binary_offset.has_value();
      const bool early = ended_by_nul || one.options.max_lines != ScanOptions().max_lines ||
                         one.options.last_line != ScanOptions().last_line;
      if (early) {
        expect_same_scan(without_progress(seen), without_progress(cpu), name);
      } else {
        expect_same_scan(seen, cpu, name);
      }
    }
  }
}

TEST(GpuScan, FindsWhatTheCpuFinds) {
  expect_same_for_all(compressed(log_lines(20 * kMinBlockBytes + 77, 5)), "log");
  expect_same_for_all(compressed(lines_of_all_lengths()), "lengths");
  expect_same_for_all(compressed({}), "empty");
  expect_same_for_all(compressed(bytes_of("error")), "one line");
}

TEST(GpuScan, FindsItInMembersAndWithDictionaries) {
  expect_same_for_all(PlainMembers(7, 2).file, "members");
  expect_same_for_all(ManyMembers().file, "dictionaries");
  expect_same_for_all(compressed(log_lines(9 * kMinBlockBytes, 6), 0, kMinBlockBytes, Coding::kBit),
                      "bit");
}

/// A word of the log among words that it does not have.
std::vector<std::string> words_of_a_log(std::size_t count) {
  std::vector<std::string> words{"rejected", "Sky"};
  while (words.size() < count) words.push_back("unheard-of " + std::to_string(words.size()));
  return words;
}

/// Every engine, each by patterns that choose it, with case ignored and as words.
TEST(GpuScan, EveryEngineFindsWhatTheCpuFinds) {
  std::vector<Byte> plain = log_lines(6 * kMinBlockBytes, 21);
  for (const char* const line : {"\na \u017Fky\n", "a s\u212AY\n", "theskyx\n", "REJECTED.\n"}) {
    const std::vector<Byte> bytes = bytes_of(line);
    plain.insert(plain.begin() + static_cast<std::ptrdiff_t>(plain.size() / 2), bytes.begin(),
                 bytes.end());
  }
  const std::vector<Byte> file = compressed(plain);
  const std::vector<std::vector<std::string>> all_strings = {
      {"rej"}, {"a", "of"}, {"quixotic-zebra"}, {"rejected", "opened"}, words_of_a_log(320)};
  Gpu gpu;
  for (const auto& strings : all_strings) {
    for (const bool ignore_case : {false, true}) {
      for (const MatchBounds bounds : {MatchBounds::kNone, MatchBounds::kWord}) {
        PatternOptions pattern_options;
        pattern_options.ignore_case = ignore_case;
        pattern_options.bounds = bounds;
        const auto pattern = Pattern::compile_literals(strings, pattern_options);
        ASSERT_TRUE(pattern.ok());
        for (const auto engine :
             {gpu::TextEngine::kAuto, gpu::TextEngine::kAutomaton, gpu::TextEngine::kRareLiteral,
              gpu::TextEngine::kPlanes, gpu::TextEngine::kManyLiterals}) {
          gpu::FileScanner scanner(*gpu.fake, *pattern, make_fake_scan_kernels(gpu.fake.device()),
                                   engine);
          for (const bool with_lines : {false, true}) {
            ScanOptions options;
            options.line_numbers = true;
            const std::string name = scanner.describe() + ", " + strings[0];
            expect_same_scan(on_gpu(scanner, file, options, with_lines),
                             on_cpu(file, *pattern, options, with_lines), name);
          }
        }
      }
    }
  }
}

TEST(GpuScan, FiveThousandWordsAreForTheGpu) {
  const std::vector<Byte> file = compressed(log_lines(kMinBlockBytes, 22));
  Gpu gpu;
  for (const bool ignore_case : {false, true}) {
    for (const MatchBounds bounds : {MatchBounds::kNone, MatchBounds::kWord}) {
      PatternOptions options;
      options.ignore_case = ignore_case;
      options.bounds = bounds;
      const auto pattern = Pattern::compile_literals(words_of_a_log(5000), options);
      ASSERT_TRUE(pattern.ok());
      gpu::FileScanner scanner = gpu.scanner(*pattern);
      EXPECT_FALSE(scanner.why_not({}, true).has_value());
      expect_same_scan(on_gpu(scanner, file, {}, true), on_cpu(file, *pattern, {}, true), "5000");
      EXPECT_TRUE(scanner.used_gpu());
    }
  }
}

TEST(GpuScan, DamagedBlocksAreNamedAndTheRestIsSearched) {
  const std::vector<Byte> plain = log_lines(20 * kMinBlockBytes, 7);
  const std::vector<Byte> good = compressed(plain);
  for (const std::size_t at : {good.size() / 5, good.size() / 2, good.size() - 300}) {
    std::vector<Byte> file = good;
    for (std::size_t i = 0; i < 4; ++i) file[at + i] ^= 0x5A;
    expect_same_for_all(file, "damaged at " + std::to_string(at));
    ScanOptions strict;
    strict.fail_fast = true;
    const Pattern pattern = pattern_of("sent");
    Gpu gpu;
    gpu::FileScanner scanner = gpu.scanner(pattern);
    for (const BinaryRule rule : {BinaryRule::kText, BinaryRule::kMatchOnly, BinaryRule::kQuit}) {
      strict.binary = rule;
      expect_same_scan(on_gpu(scanner, file, strict, true), on_cpu(file, pattern, strict, true),
                       "strict");
    }
  }
  std::vector<Byte> cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(good.size() / 2));
  expect_same_for_all(cut, "cut off");
}

TEST(GpuScan, BinaryFilesAndMarksMeanWhatTheyMeanToTheCpu) {
  for (const std::size_t at : {std::size_t{5}, std::size_t{100'000}, std::size_t{300'000}}) {
    std::vector<Byte> plain = log_lines(20 * kMinBlockBytes, 8);
    plain[at] = 0;
    expect_same_for_all(compressed(plain), "NUL at " + std::to_string(at));
  }
  std::vector<Byte> marked = log_lines(5 * kMinBlockBytes, 9);
  marked.insert(marked.begin(), {0xEF, 0xBB, 0xBF});
  expect_same_for_all(compressed(marked), "byte order mark");
}

TEST(GpuScan, TheGpuDoesWhatItIsFor) {
  const std::vector<Byte> file = compressed(log_lines(10 * kMinBlockBytes, 3));
  Gpu gpu;
  const Pattern pattern = pattern_of("sent");
  gpu::FileScanner scanner = gpu.scanner(pattern);
  for (const Case& one : cases()) {
    static_cast<void>(on_gpu(scanner, file, one.options, one.with_lines));
    const bool left_out = one.options.wants_context() || one.options.limits_lines();
    EXPECT_EQ(scanner.used_gpu(), !left_out) << one.name;
    EXPECT_EQ(scanner.why_not(one.options, one.with_lines).has_value(), left_out) << one.name;
  }
}

TEST(GpuScan, ConditionsAreLookedAtByTheCpu) {
  const std::vector<Byte> file = compressed(log_lines(20 * kMinBlockBytes, 11));
  const Pattern both =
      pattern_of("[0-9]").with_conditions({pattern_of("opened")}, {pattern_of("9")});
  Gpu gpu;
  gpu::FileScanner scanner = gpu.scanner(both);
  for (const bool with_lines : {false, true}) {
    const SeenScan cpu = on_cpu(file, both, {}, with_lines);
    EXPECT_GT(cpu.counted, 0u);
    expect_same_scan(on_gpu(scanner, file, {}, with_lines), cpu, "conditions");
    EXPECT_TRUE(scanner.used_gpu());
  }
}

TEST(GpuScan, AFailingDeviceIsAnErrorOrTheCpuGoesOn) {
  const std::vector<Byte> file = compressed(log_lines(40 * kMinBlockBytes, 12));
  const Pattern pattern = pattern_of("e");
  const SeenScan cpu = on_cpu(file, pattern, {}, true);
  for (std::size_t n = 0; n < 12; ++n) {
    for (const bool of_copies : {false, true}) {
      FakeFaults faults;
      (of_copies ? faults.copy : faults.decode_later) = n;
      Gpu strict(faults);
      gpu::FileScanner failing = strict.scanner(pattern);
      const SeenScan seen = on_gpu(failing, file, {}, true);
      ASSERT_TRUE(seen.error.has_value()) << n;
      EXPECT_EQ(seen.error->code, ErrorCode::kDeviceLost) << n;
      ASSERT_LE(seen.lines.size(), cpu.lines.size());
      EXPECT_TRUE(std::equal(seen.lines.begin(), seen.lines.end(), cpu.lines.begin())) << n;
      Gpu lenient(faults, true);
      gpu::FileScanner going_on = lenient.scanner(pattern);
      const SeenScan rest = on_gpu(going_on, file, {}, true);
      expect_same_scan(rest, cpu, "fallback " + std::to_string(n));
    }
  }
}

TEST(GpuScan, ManyLinesAreLookedAtByAllThreads) {
  const std::vector<Byte> file = compressed(log_lines(14u << 20, 14), 0, 256u << 10);
  FakeGpu fake;
  for (const char* const text : {"connection", "rejected", "1[0-9]7$"}) {
    const Pattern pattern = pattern_of(text);
    gpu::FileScanner scanner(*fake, pattern, make_fake_scan_kernels(fake.device()));
    ScanOptions options;
    options.matches = options.line_numbers = true;
    for (const bool with_lines : {false, true}) {
      options.threads = 3;
      const SeenScan cpu = on_cpu(file, pattern, options, with_lines);
      expect_same_scan(on_gpu(scanner, file, options, with_lines), cpu, text);
      EXPECT_TRUE(scanner.used_gpu());
    }
    const SeenScan in_memory =
        see(options, true, [&](const ScanOptions& used, const auto& on_line) {
          return scanner.scan(Bytes(file), used, on_line);
        });
    expect_same_scan(in_memory, on_cpu(file, pattern, options, true), text);
  }
}

TEST(GpuScan, AllThreadsGoOnWhereTheDeviceFails) {
  const std::vector<Byte> file = compressed(log_lines(14u << 20, 14), 0, 256u << 10);
  for (const std::size_t n : {0, 1}) {
    FakeFaults faults;
    faults.decode_later = n;
    gpu::GpuOptions gpu_options;
    gpu_options.slot_plain_bytes = 4u << 20;
    gpu_options.cpu_fallback = true;
    FakeGpu fake(gpu_options, faults);
    const Pattern pattern = pattern_of("1[0-9]7$");
    gpu::FileScanner scanner(*fake, pattern, make_fake_scan_kernels(fake.device()));
    ScanOptions options;
    options.matches = options.line_numbers = true;
    options.threads = 3;
    for (const bool with_lines : {false, true}) {
      const SeenScan cpu = on_cpu(file, pattern, options, with_lines);
      expect_same_scan(on_gpu(scanner, file, options, with_lines), cpu, "failing");
    }
  }
}

/// Finds nothing, but no search ends before another one is under way (or a long time is over).
class PairedMatcher final : public scan_detail::Matcher {
 public:
  std::unique_ptr<scan_detail::Searcher> searcher(CpuLevel) const override {
    return std::make_unique<PairedSearcher>(*this);
  }
  std::size_t most_at_once() const { return most_; }

 private:
  class PairedSearcher final : public scan_detail::Searcher {
   public:
    explicit PairedSearcher(const PairedMatcher& matcher) : matcher_(matcher) {}
    void start(Bytes) override {}
    std::optional<MatchSpan> next(std::size_t) override {
      std::unique_lock lock(matcher_.mutex_);
      matcher_.most_ = std::max(matcher_.most_, ++matcher_.inside_);
      matcher_.changed_.notify_all();
      matcher_.changed_.wait_for(lock, std::chrono::seconds(5),
                                 [this] { return matcher_.most_ > 1; });
      --matcher_.inside_;
      return std::nullopt;
    }

   private:
    const PairedMatcher& matcher_;
  };

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable std::size_t inside_ = 0;
  mutable std::size_t most_ = 0;
};

TEST(ScannerPool, SearchesBlocksThatTheCpuDecodedByAllThreads) {
  const PairedMatcher matcher;
  gpu::ScannerPool pool(matcher, {}, cpu_level(), 2);
  std::vector<scan_detail::Chunk> chunks(4);
  for (scan_detail::Chunk& chunk : chunks) {
    chunk.text.append(log_lines(1u << 20, 17));
  }
  const auto searched = pool.search(std::move(chunks));
  ASSERT_TRUE(searched.ok());
  EXPECT_EQ(searched->size(), 4u);
  EXPECT_EQ(matcher.most_at_once(), 2u);
}

TEST(GpuScan, AScannerMayUseItAndBeCancelled) {
  const std::vector<Byte> file = compressed(log_lines(40 * kMinBlockBytes, 15));
  const MemoryRandomAccess access(file);
  const Pattern pattern = pattern_of("connection");
  Gpu gpu;
  const auto files = std::make_shared<gpu::FileScanner>(gpu.scanner(pattern));
  Scanner scanner(pattern, {}, files);
  std::uint64_t lines = 0;
  auto run = scanner.run_batches(access, [&](const LineBatch& batch) {
    lines += batch.lines.size();
    return true;
  });
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->lines, lines);
  EXPECT_EQ(lines, on_cpu(file, pattern, {}, false).counted);
  EXPECT_TRUE(files->used_gpu());
  for (const std::uint64_t last : {1, 50}) {
    lines = 0;
    scanner.reset();
    run = scanner.run(access, [&](const MatchedLine&) {
      if (++lines == last) scanner.cancel();
      return true;
    });
    ASSERT_FALSE(run.ok());
    EXPECT_EQ(run.error().code, ErrorCode::kCancelled);
    EXPECT_EQ(lines, last);  // of the batch that is being reported, too
  }
}

TEST(GpuScan, KeepsToItsMemory) {
  const std::vector<Byte> file = compressed(log_lines(20u << 20, 16), 0, 256u << 10);
  gpu::GpuOptions options;
  options.max_device_bytes = 48u << 20;
  options.max_pinned_bytes = 40u << 20;
  FakeGpu fake(options);
  for (const char* const text : {"rejected.*17", "connection"}) {  // a few lines, and all
    const Pattern pattern = pattern_of(text);
    gpu::FileScanner scanner(*fake, pattern, make_fake_scan_kernels(fake.device()));
    const SeenScan seen = on_gpu(scanner, file, {}, true);
    EXPECT_FALSE(seen.error.has_value()) << text;
    EXPECT_TRUE(scanner.used_gpu());
    EXPECT_TRUE(seen.lines == on_cpu(file, pattern, {}, true).lines) << text;
  }
  EXPECT_LE(fake.counts().most_device_bytes, options.max_device_bytes);
  EXPECT_LE(fake.counts().most_pinned_bytes, options.max_pinned_bytes);
}

TEST(GpuScan, CallbacksEndIt) {
  const std::vector<Byte> file = compressed(log_lines(40 * kMinBlockBytes, 13));
  const Pattern pattern = pattern_of("e");
  Gpu gpu;
  gpu::FileScanner scanner = gpu.scanner(pattern);
  for (const std::size_t lines : {1, 2, 100}) {
    const SeenScan cpu = on_cpu(file, pattern, {}, true, lines);
    const SeenScan seen = on_gpu(scanner, file, {}, true, lines);
    EXPECT_EQ(seen.lines.size(), lines);
    EXPECT_TRUE(seen.lines == cpu.lines);
  }
}

}  // namespace
}  // namespace presso::test::gpu_scan_test
