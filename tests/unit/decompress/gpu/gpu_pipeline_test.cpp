// SPDX-License-Identifier: MIT
// The host side of GPU decoding over a device that decodes on the CPU: every way in and out, many
// jobs, ranges, limits of memory. What happens to bad files: tests/differential/gpu_pipeline_*.
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

#include "tests/support/gpu_runs.h"

namespace presso::test::gpu_pipeline_test {
namespace {

using gpu::DecodeJob;
using gpu::GpuOptions;
using gpu::PlainRange;

/// Many batches: a slot holds four blocks.
GpuOptions small_slots(unsigned slots = 3) {
  GpuOptions options;
  options.slots = slots;
  options.slot_plain_bytes = 4 * kMinBlockBytes;
  return options;
}

const std::vector<Byte>& plain() {
  static const std::vector<Byte> bytes = log_lines(40 * kMinBlockBytes + 1234, 5);
  return bytes;
}
const std::vector<Byte>& file() {
  static const std::vector<Byte> bytes = compressed(plain(), 16384);
  return bytes;
}

TEST(GpuPipeline, ReadsFilesStreamsAndMemory) {
  for (const unsigned slots : {1u, 2u, 5u}) {
    SCOPED_TRACE(slots);
    FakeGpu gpu(small_slots(slots));
    const Seen cpu = seen_on_cpu(file());
    expect_same(gpu.run_file(file()), cpu);
    expect_same(gpu.run_stream(file()), cpu);
    DecodeJob job;
    job.memory = file();
    expect_same(gpu.run(job), cpu);
    PinnedBytes pinned(gpu, file());
    job.memory = pinned.bytes();
    expect_same(gpu.run(job), cpu);
    EXPECT_EQ(gpu.counts().blocks, 4 * 41u);
  }
}

TEST(GpuPipeline, WritesToMemoryPinnedOrNot) {
  FakeGpu gpu(small_slots());
  std::vector<Byte> into(plain().size() + 5, 0x11);
  EXPECT_EQ(*decompress_host(*gpu, file(), into), plain().size());
  EXPECT_TRUE(std::equal(plain().begin(), plain().end(), into.begin()));
  EXPECT_EQ(into.back(), 0x11);

  PinnedBytes in(gpu, file()), out(gpu, plain().size());
  EXPECT_EQ(*decompress_host(*gpu, in.bytes(), out.bytes()), plain().size());
  EXPECT_TRUE(std::equal(plain().begin(), plain().end(), out.bytes().begin()));
}

TEST(GpuPipeline, NeedsNoMemoryForAWayOutWhereTheCallersIsPinned) {
  constexpr std::uint64_t kOfSlots = 3 * 4 * kMinBlockBytes;
  FakeGpu through(small_slots()), direct(small_slots());
  ASSERT_EQ(through.run_file(file()).error.code, ErrorCode::kOk);
  PinnedBytes out(direct, plain().size());
  ASSERT_TRUE(decompress_host(*direct, file(), out.bytes()).ok());
  EXPECT_LE(direct.counts().most_pinned_bytes - out.bytes().size() + kOfSlots,
            through.counts().most_pinned_bytes);
}

TEST(GpuPipeline, ChecksWithoutCopyingOut) {
  FakeGpu gpu(small_slots());
  std::vector<Byte> damaged = file();
  damaged[damaged.size() / 2] ^= 1;
  for (const std::vector<Byte>* bytes : {&file(), &std::as_const(damaged)}) {
    DecodeJob job;
    job.memory = *bytes;
    const auto summary = gpu->run(job);
    const Seen cpu = seen_on_cpu(*bytes);
    ASSERT_EQ(summary.ok(), cpu.error.code == ErrorCode::kOk);
    if (summary.ok()) {
      EXPECT_EQ(summary->plain_bytes, plain().size());
    } else {
      EXPECT_EQ(place_of(summary.error()), cpu.error);
    }
  }
  EXPECT_LT(gpu.counts().bytes_out, 4096u);
}

TEST(GpuPipeline, DecodesEmptyAndConcatenatedFiles) {
  FakeGpu gpu(small_slots());
  const std::vector<Byte> empty = compressed({});
  const ManyMembers many;
  std::vector<Byte> short_ones;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    append(short_ones, compressed(log_lines(10 + 40 * seed, seed)));
  }
  for (const std::vector<Byte>* bytes : {&empty, &many.file, &std::as_const(short_ones)}) {
    expect_same(gpu.run_file(*bytes), seen_on_cpu(*bytes));
    expect_same(gpu.run_stream(*bytes), seen_on_cpu(*bytes));
    PinnedBytes pinned(gpu, *bytes);
    DecodeJob job;
    job.memory = pinned.bytes();
    expect_same(gpu.run(job), seen_on_cpu(*bytes));
  }
}

/// Room for Bit blocks is asked for where there are some.
TEST(GpuPipeline, DecodesBothCodings) {
  const std::vector<Byte> bit = compressed(plain(), 16384, kMinBlockBytes, Coding::kBit);
  std::vector<Byte> both = file();
  append(both, bit);
  append(both, file());
  for (const std::vector<Byte>* bytes : {&bit, &std::as_const(both), &file()}) {
    FakeGpu gpu(small_slots());
    expect_same(gpu.run_file(*bytes), seen_on_cpu(*bytes));
    expect_same(gpu.run_stream(*bytes), seen_on_cpu(*bytes));
    EXPECT_EQ(gpu.counts().bit_batches > 0, bytes != &file());
    EXPECT_EQ(gpu.counts().bit_batches < gpu.counts().decodes, bytes != &bit);
  }
}

/// What the GPU does not decode.
std::vector<Byte> in_sub_blocks(const std::vector<Byte>& plain) {
  CompressOptions with;
  with.coding = Coding::kBit;
  with.sub_block_sequences = 16;
  with.block_bytes = kMinBlockBytes;
  with.dictionary.mode = DictionaryChoice::Mode::kNone;
  return *compress_buffer(plain, with);
}

TEST(GpuPipeline, LeavesWhatTheGpuDeclinesToTheCpu) {
  std::vector<Byte> both = file();
  append(both, in_sub_blocks(plain()));
  append(both, file());
  GpuOptions options = small_slots();
  for (const bool salvage : {false, true}) {
    const Seen declined = FakeGpu(options).run_file(both, salvage);
    EXPECT_EQ(declined.error.code, ErrorCode::kUnsupported);
    EXPECT_EQ(declined.damaged_blocks, 0u);
  }
  options.cpu_fallback = true;
  options.on_fallback = [](const Error& error) { ADD_FAILURE() << error.message(); };
  expect_same(FakeGpu(options).run_file(both), seen_on_cpu(both));
  expect_same(FakeGpu(options).run_stream(both), seen_on_cpu(both));

  FakeGpu gpu(options);
  const Seen cpu = seen_on_cpu(both);
  PinnedBytes into(gpu, std::vector<Byte>(cpu.plain.size(), Byte{0xCC}));
  DecodeJob job;
  job.memory = both;
  job.into = into.bytes();
  EXPECT_TRUE(gpu->run(job).ok());
  EXPECT_TRUE(std::equal(cpu.plain.begin(), cpu.plain.end(), into.bytes().begin()));
}

TEST(GpuPipeline, SalvagesWhatTheGpuDeclines) {
  std::vector<Byte> damaged = in_sub_blocks(plain());
  damaged[damaged.size() / 2] ^= Byte{1};
  GpuOptions options = small_slots();
  options.cpu_fallback = true;
  const Seen cpu = seen_on_cpu(damaged, true);
  ASSERT_EQ(cpu.damaged_blocks, 1u);
  expect_same(FakeGpu(options).run_file(damaged, true), cpu);
}

/// 20 members of three blocks each: by fours, not by threes and ones.
TEST(GpuPipeline, MembersShareBatches) {
  const PlainMembers members(20, 3);
  const Seen cpu = seen_on_cpu(members.file);
  for (const bool is_pinned : {false, true}) {
    SCOPED_TRACE(is_pinned);
    FakeGpu gpu(small_slots());
    PinnedBytes pinned(gpu, members.file);
    DecodeJob job;
    job.memory = is_pinned ? Bytes(pinned.bytes()) : Bytes(members.file);
    expect_same(gpu.run(job), cpu);
    // Less than the plain bytes of four blocks each, and less by what members end with.
    EXPECT_LE(gpu.counts().decodes, 16u);
    EXPECT_EQ(gpu.counts().blocks, 60u);
  }
}

TEST(GpuPipeline, LargeMembersInPinnedMemoryAreNotCopiedOnTheHost) {
  const std::vector<Byte> part = random_bytes(20 * kMinBlockBytes - 5, 3);
  std::vector<Byte> file;
  for (int i = 0; i < 3; ++i) append(file, compressed(part));
  GpuOptions options;
  options.slot_plain_bytes = 4u << 20;
  FakeGpu gpu(options);
  PinnedBytes pinned(gpu, file);
  DecodeJob job;
  job.memory = pinned.bytes();
  expect_same(gpu.run(job), seen_on_cpu(file));
  EXPECT_EQ(gpu.counts().decodes, 1u);
  EXPECT_EQ(gpu.counts().copies, 3 + 2u) << "a member each, the tables, the way out";
}

TEST(GpuPipeline, BatchesGrowWithinSlotsThatItChoosesItself) {
  const std::vector<Byte> text = log_lines(24u << 20, 3);
  const std::vector<Byte> large = compressed(text, 0, kDefaultBlockBytes);
  FakeGpu gpu;
  expect_same(gpu.run_file(large), seen_on_cpu(large));
  EXPECT_GT(gpu.counts().decodes, 5u) << "1, 2, 4, 8 MiB, and less at the end";
  EXPECT_LT(gpu.counts().decodes, 12u);
  EXPECT_GT(gpu.counts().largest_batch_bytes, 4u << 20);
  EXPECT_LE(gpu.counts().largest_batch_bytes, 8u << 20);
}

TEST(GpuPipeline, RunsJobsBehindOneAnotherAndEndsEachOnce) {
  FakeGpu gpu(small_slots());
  std::vector<Byte> damaged = file();
  damaged[damaged.size() / 3] ^= 1;
  const std::vector<std::vector<Byte>> files{file(), damaged, {}, ManyMembers().file, file()};
  std::vector<Seen> seen(files.size());
  std::vector<MemoryRandomAccess> readers(files.begin(), files.end());
  std::vector<std::unique_ptr<VectorSink>> sinks;
  std::vector<std::size_t> finished;
  std::size_t next = 0;
  const auto status = gpu->run([&]() -> std::optional<DecodeJob> {
    if (next == files.size()) return std::nullopt;
    const std::size_t number = next++;
    sinks.push_back(std::make_unique<VectorSink>(seen[number].plain));
    DecodeJob job;
    job.file = &readers[number];
    job.sink = sinks.back().get();
    job.finished = [&, number](const Result<DecompressSummary>& result) {
      finished.push_back(number);
      note(seen[number], result);
    };
    return job;
  });
  ASSERT_TRUE(status.ok());
  EXPECT_EQ(finished, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  for (std::size_t i = 0; i < files.size(); ++i) {
    SCOPED_TRACE(i);
    expect_same(seen[i], seen_on_cpu(files[i]));
  }
}

TEST(GpuPipeline, RangesAreThoseOfTheCpu) {
  FakeGpu gpu(small_slots());
  const ManyMembers many;
  const MemoryRandomAccess bytes(many.file);
  const std::uint64_t size = many.plain.size();
  std::mt19937_64 random(7);
  std::vector<PlainRange> ranges{
      {0, 0}, {0, size}, {size, size}, {size - 1, size}, {kMinBlockBytes, 2 * kMinBlockBytes}};
  while (ranges.size() < 40) {
    const std::uint64_t a = random() % size, b = random() % size;
    ranges.push_back({std::min(a, b), std::max(a, b)});
  }
  for (const PlainRange& range : ranges) {
    SCOPED_TRACE(std::to_string(range.begin) + " to " + std::to_string(range.end));
    DecodeJob job;
    job.file = &bytes;
    job.range = range;
    const Seen seen = gpu.run(job);
    EXPECT_EQ(seen.error.code, ErrorCode::kOk);
    EXPECT_TRUE(std::equal(seen.plain.begin(), seen.plain.end(),
                           many.plain.begin() + static_cast<std::ptrdiff_t>(range.begin),
                           many.plain.begin() + static_cast<std::ptrdiff_t>(range.end)));
  }
}

TEST(GpuPipeline, KeepsToItsLimits) {
  const std::vector<Byte> text = log_lines(24u << 20, 3);
  const std::vector<Byte> large = compressed(text, 65536, kDefaultBlockBytes);
  GpuOptions options;
  options.max_device_bytes = 12u << 20;
  options.max_pinned_bytes = 9u << 20;
  FakeFaults no_more;
  no_more.device_memory = options.max_device_bytes;
  no_more.pinned_memory = options.max_pinned_bytes;
  for (const bool told : {true, false}) {
    SCOPED_TRACE(told);
    FakeGpu gpu(told ? options : GpuOptions(), no_more);
    expect_same(gpu.run_file(large), seen_on_cpu(large));
    EXPECT_LE(gpu.counts().most_device_bytes, options.max_device_bytes);
    EXPECT_LE(gpu.counts().most_pinned_bytes, options.max_pinned_bytes);
    EXPECT_GT(gpu.counts().decodes, 4u);
  }
}

TEST(GpuPipeline, SaysWhichMemoryIsTooSmall) {
  GpuOptions little_device, little_pinned;
  little_device.max_device_bytes = 1000;
  little_pinned.max_pinned_bytes = 1000;
  EXPECT_EQ(FakeGpu(little_device).run_file(file()).error.code, ErrorCode::kDeviceMemory);
  EXPECT_EQ(FakeGpu(little_pinned).run_file(file()).error.code, ErrorCode::kOutOfMemory);
}

TEST(GpuPipeline, WithoutAnyRoomTheCpuDecodesWhereItMay) {
  for (const bool pinned : {false, true}) {
    std::vector<Error> told;
    GpuOptions little;
    (pinned ? little.max_pinned_bytes : little.max_device_bytes) = 1000;
    little.cpu_fallback = true;
    little.on_fallback = [&told](const Error& error) { told.push_back(error); };
    FakeGpu gpu(little);
    expect_same(gpu.run_file(file()), seen_on_cpu(file()));
    expect_same(gpu.run_stream(file()), seen_on_cpu(file()));
    ASSERT_EQ(told.size(), 2u);
    EXPECT_EQ(told.front().code, pinned ? ErrorCode::kOutOfMemory : ErrorCode::kDeviceMemory);
    const MemoryRandomAccess bytes(file());
    DecodeJob job;
    job.file = &bytes;
    job.range = PlainRange{1000, 50'000};
    const Seen part = gpu.run(job);
    EXPECT_TRUE(std::equal(part.plain.begin(), part.plain.end(), plain().begin() + 1000,
                           plain().begin() + 50'000));
    std::vector<Byte> into(plain().size());
    job.range.reset();
    job.into = MutableBytes(into);
    EXPECT_TRUE(gpu->run(job).ok());
    EXPECT_TRUE(into == plain());
    job.into = MutableBytes(into).first(into.size() - 1);
    EXPECT_EQ(gpu->run(job).error().code, ErrorCode::kInvalidArgument);
  }
}

class CountingFile final : public RandomAccess {
 public:
  explicit CountingFile(Bytes bytes) : file_(bytes) {}
  std::uint64_t size() const override { return file_.size(); }
  Status read_at(std::uint64_t offset, MutableBytes into) const override {
    bytes_read += into.size();
    return file_.read_at(offset, into);
  }

  mutable std::atomic<std::uint64_t> bytes_read{0};

 private:
  MemoryRandomAccess file_;
};

TEST(GpuPipeline, AFileWithFiltersIsReadByItsIndexToTheEnd) {
  CompressOptions options;
  options.coding = Coding::kByte;
  options.block_bytes = kMinBlockBytes;
  options.filter_permille = 200;
  auto with_filters = compress_buffer(plain(), options);
  ASSERT_TRUE(with_filters.ok());
  const CountingFile counted(*with_filters);
  DecodeJob job;
  job.file = &counted;
  const Seen seen = FakeGpu(small_slots()).run(job);
  EXPECT_TRUE(seen.plain == plain());
  EXPECT_LT(counted.bytes_read, counted.size() + counted.size() / 4) << "read twice";
}

TEST(GpuPipeline, TakesAnIndexThatIsOpenAlready) {
  const CountingFile counted(file());
  auto index = ArchiveIndex::open(counted);
  ASSERT_TRUE(index.ok());
  counted.bytes_read = 0;
  DecodeJob job;
  job.file = &counted;
  FakeGpu gpu(small_slots());
  ASSERT_TRUE(gpu->run(job, std::move(*index)).ok());
  EXPECT_LT(counted.bytes_read, counted.size());
}

TEST(GpuPipeline, MakesRoomForBlocksThatAreLargerThanItsSlots) {
  const std::vector<Byte> text = log_lines(3 * kMaxBlockBytes, 3);
  const std::vector<Byte> large = compressed(text, 0, kMaxBlockBytes);
  FakeGpu gpu(small_slots());
  expect_same(gpu.run_stream(large), seen_on_cpu(large));
  expect_same(gpu.run_file(large), seen_on_cpu(large));
}

TEST(GpuPipeline, SendsADictionaryOnce) {
  FakeGpu gpu(small_slots());
  const std::vector<Byte> same = compressed(plain());
  ASSERT_EQ(gpu.run_file(same).error.code, ErrorCode::kOk);
  const std::uint64_t copies = gpu.counts().copies;
  const std::uint64_t decodes = gpu.counts().decodes;
  ASSERT_EQ(gpu.run_file(file()).error.code, ErrorCode::kOk);
  // In and out once a batch, and the dictionary.
  EXPECT_EQ(gpu.counts().copies - copies, 2 * (gpu.counts().decodes - decodes) + 1);
}

TEST(GpuPipeline, HoldsNoMoreDictionariesThanMemoryAllows) {
  ManyMembers many;
  for (const std::uint64_t seed : {4, 5, 6, 7, 8}) {
    const std::vector<Byte> part = log_lines(3 * kMinBlockBytes, seed);
    append(many.file, compressed(part, 4096));
  }
  GpuOptions options = small_slots(4);
  options.max_device_bytes = 8u << 20;  // room for one of any size, and for little else
  FakeGpu gpu(options);
  expect_same(gpu.run_file(many.file), seen_on_cpu(many.file));
  expect_same(gpu.run_stream(many.file), seen_on_cpu(many.file));
}

TEST(GpuPipeline, StopsWhereTheCallerWantsIt) {
  FakeGpu gpu(small_slots());
  const MemoryRandomAccess bytes(file());
  DecodeJob job;
  job.file = &bytes;
  std::uint64_t passed = 0, written = 0;
  job.options.on_progress = [&](std::uint64_t compressed_bytes, std::uint64_t plain_bytes) {
    EXPECT_GT(compressed_bytes, passed);
    EXPECT_GT(plain_bytes, written);
    passed = compressed_bytes;
    written = plain_bytes;
    return plain_bytes < plain().size() / 2;
  };
  const auto result = gpu->run(job);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kCancelled);
  EXPECT_LT(written, plain().size());
  EXPECT_GE(written, plain().size() / 2);
}

TEST(GpuPipeline, ASinksErrorIsTheJobs) {
  class FullSink final : public ByteSink {
   public:
    Status write(Bytes bytes) override {
      written_ += bytes.size();
      if (written_ < 200'000) return {};
      return make_error(ErrorCode::kNoSpace);
    }

   private:
    std::size_t written_ = 0;
  };
  FakeGpu gpu(small_slots());
  FullSink sink;
  DecodeJob job;
  job.memory = file();
  job.sink = &sink;
  const auto result = gpu->run(job);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kNoSpace);
  expect_same(gpu.run_file(file()), seen_on_cpu(file()));
}

TEST(GpuPipeline, RefusesJobsThatContradictThemselves) {
  FakeGpu gpu(small_slots());
  const MemoryRandomAccess bytes(file());
  std::vector<Byte> too_small(plain().size() - 1), sunk;
  VectorSink sink(sunk);
  MemorySource source(file());
  std::vector<DecodeJob> jobs(7);
  jobs[1].file = &bytes;
  jobs[1].memory = file();
  jobs[2].memory = file();
  jobs[2].into = too_small;
  jobs[3].file = &bytes;
  jobs[3].sink = &sink;
  jobs[3].into = too_small;
  jobs[4].stream = &source;
  jobs[4].range = PlainRange{0, 1};
  jobs[5].file = &bytes;
  jobs[5].range = PlainRange{1, plain().size() + 1};
  jobs[6].file = &bytes;
  jobs[6].range = PlainRange{0, 1};
  jobs[6].options.salvage = true;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    SCOPED_TRACE(i);
    const auto result = gpu->run(jobs[i]);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
  }
  EXPECT_TRUE(sunk.empty());
}

TEST(GpuPipeline, AHintThatNothingIsKeptIsHeldTo) {
  FakeGpu gpu(small_slots());
  std::vector<Byte> sunk;
  VectorSink sink(sunk);
  ErrorCode code = ErrorCode::kOk;
  bool first = true;
  gpu::WorkHint hint;
  hint.keeps_output = false;
  const Status status = gpu->run(
      [&]() -> std::optional<DecodeJob> {
        if (!std::exchange(first, false)) return std::nullopt;
        DecodeJob job;
        job.memory = file();
        job.sink = &sink;
        job.finished = [&](const Result<DecompressSummary>& result) {
          code = result.ok() ? ErrorCode::kOk : result.error().code;
        };
        return job;
      },
      hint);
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(sunk.empty());
}

}  // namespace
}  // namespace presso::test::gpu_pipeline_test
