// SPDX-License-Identifier: MIT
// GpuFile over a device that decodes on the CPU: whole files, ranges and lists of blocks come to
// device memory, only what is needed is read, and errors are CompressedFile's.
#include <gtest/gtest.h>

#include <atomic>

#include "tests/support/gpu_runs.h"

namespace presso::test::gpu_file_test {
namespace {

using gpu::DeviceBytes;
using gpu::GpuFile;
using gpu::GpuOptions;

GpuOptions small_slots() {
  GpuOptions options;
  options.slots = 3;
  options.slot_plain_bytes = 4 * kMinBlockBytes;
  return options;
}

/// Device memory of the fake one is this process's.
std::vector<Byte> content(const DeviceBytes& bytes) {
  return {bytes.data(), bytes.data() + bytes.size()};
}

std::vector<Byte> part(const std::vector<Byte>& of, std::uint64_t begin, std::uint64_t end) {
  return {of.begin() + static_cast<std::ptrdiff_t>(begin),
          of.begin() + static_cast<std::ptrdiff_t>(end)};
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

class GpuFiles : public ::testing::Test {
 protected:
  FakeGpu gpu_{small_slots()};
  ManyMembers many_;
  CountingFile reader_{many_.file};
};

TEST_F(GpuFiles, DecodesAllOfAFile) {
  auto file = GpuFile::open(*gpu_, reader_);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->plain_bytes(), many_.plain.size());
  const auto all = file->read_all();
  ASSERT_TRUE(all.ok());
  EXPECT_TRUE(content(*all) == many_.plain);
}

TEST_F(GpuFiles, ReadsMemoryWherePinnedWithoutACopyOnTheHost) {
  PinnedBytes pinned(gpu_, many_.file);
  for (const Bytes memory : {Bytes(many_.file), Bytes(pinned.bytes())}) {
    auto file = GpuFile::open(*gpu_, memory);
    ASSERT_TRUE(file.ok());
    auto moved = std::move(*file);
    EXPECT_TRUE(content(*moved.read_all()) == many_.plain);
    EXPECT_TRUE(content(*moved.read({7, 100'000})) == part(many_.plain, 7, 100'000));
    const std::vector<std::uint64_t> blocks{9, 8};
    EXPECT_EQ(moved.read_blocks(blocks)->size(), *moved.plain_bytes_of(blocks));
  }
}

TEST_F(GpuFiles, DecodesRanges) {
  auto file = GpuFile::open(*gpu_, reader_);
  ASSERT_TRUE(file.ok());
  std::mt19937_64 random(3);
  for (int i = 0; i < 60; ++i) {
    const std::uint64_t a = random() % many_.plain.size(), b = random() % many_.plain.size();
    const gpu::PlainRange range{std::min(a, b), std::max(a, b)};
    SCOPED_TRACE(std::to_string(range.begin) + " to " + std::to_string(range.end));
    const auto bytes = file->read(range);
    ASSERT_TRUE(bytes.ok());
    EXPECT_TRUE(content(*bytes) == part(many_.plain, range.begin, range.end));
  }
  EXPECT_EQ(file->read({5, 5})->size(), 0u);
}

TEST_F(GpuFiles, WritesNothingBesideARange) {
  auto file = GpuFile::open(*gpu_, reader_);
  ASSERT_TRUE(file.ok());
  const std::uint64_t size = 5 * kMinBlockBytes;
  Byte* memory = *gpu_.device().allocate(size + 20);
  std::fill_n(memory, size + 20, Byte{0x77});
  ASSERT_TRUE(file->read(kMinBlockBytes - 3, {memory + 10, size}).ok());
  EXPECT_EQ(std::count(memory, memory + 10, 0x77), 10);
  EXPECT_EQ(std::count(memory + 10 + size, memory + 20 + size, 0x77), 10);
  EXPECT_TRUE(
      std::equal(memory + 10, memory + 10 + size, many_.plain.begin() + kMinBlockBytes - 3));
  gpu_.device().release(memory);
}

TEST_F(GpuFiles, DecodesBlocksInAnyOrder) {
  auto file = GpuFile::open(*gpu_, reader_);
  ASSERT_TRUE(file.ok());
  const std::uint64_t last = file->index().block_count() - 1;
  for (const std::vector<std::uint64_t>& blocks : std::vector<std::vector<std::uint64_t>>{
           {0}, {last}, {3, 4, 5, 6, 7}, {last, 0, last, 5, 5}, {}, {1, 3, 5, 7, 9, 11, 13}}) {
    std::vector<Byte> expected;
    for (const std::uint64_t block : blocks) {
      const std::uint64_t begin = file->index().block_plain_offset(block);
      const std::uint64_t end =
          block == last ? many_.plain.size() : file->index().block_plain_offset(block + 1);
      append(expected, part(many_.plain, begin, end));
    }
    const auto bytes = file->read_blocks(blocks);
    ASSERT_TRUE(bytes.ok());
    EXPECT_TRUE(content(*bytes) == expected);
  }
}

TEST_F(GpuFiles, ReadsOnlyWhatIsNeeded) {
  auto file = GpuFile::open(*gpu_, reader_);
  ASSERT_TRUE(file.ok());
  reader_.bytes_read = 0;
  ASSERT_TRUE(file->read({0, kMinBlockBytes}).ok());
  EXPECT_EQ(reader_.bytes_read, file->index().block_offset(1) - file->index().block_offset(0));
}

TEST_F(GpuFiles, DecodesWholeBlocksToTheirPlaceAndKeepsDictionaries) {
  auto file = GpuFile::open(*gpu_, reader_);
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->read({0, 4 * kMinBlockBytes}).ok());
  const std::uint64_t copies = gpu_.counts().copies;
  const std::uint64_t decodes = gpu_.counts().decodes;
  ASSERT_TRUE(file->read({0, 4 * kMinBlockBytes}).ok());
  EXPECT_EQ(gpu_.counts().decodes - decodes, 1u);
  EXPECT_EQ(gpu_.counts().copies - copies, 2u) << "blocks in, statuses out";
}

TEST_F(GpuFiles, DecodesNowhereWhereThatIsSlow) {
  const PlainMembers members(9, 3);
  FakeGpu gpu(small_slots());
  PinnedBytes pinned(gpu, members.file);
  auto file = GpuFile::open(*gpu, pinned.bytes());
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(content(*file->read_all()) == members.plain);
  EXPECT_GT(gpu.counts().bytes_within, members.plain.size() / 2) << "most begin at odd places";
  EXPECT_LT(gpu.counts().bytes_within, members.plain.size());
  const std::uint64_t size = members.plain.size();
  EXPECT_TRUE(content(*file->read({5, size - 1})) == part(members.plain, 5, size - 1));
  EXPECT_EQ(gpu.counts().slow_blocks, 0u);
}

TEST_F(GpuFiles, ScatteredBlocksOfPinnedMemoryShareABatch) {
  const PlainMembers members(4, 5);
  FakeGpu gpu(small_slots());
  PinnedBytes pinned(gpu, members.file);
  auto file = GpuFile::open(*gpu, pinned.bytes());
  ASSERT_TRUE(file.ok());
  const std::vector<std::uint64_t> blocks{17, 2, 11, 6};
  std::vector<Byte> expected;
  for (const std::uint64_t block : blocks) {
    const std::uint64_t begin = file->index().block_plain_offset(block);
    append(expected, part(members.plain, begin, begin + kMinBlockBytes));
  }
  EXPECT_TRUE(content(*file->read_blocks(blocks)) == expected);
  EXPECT_EQ(gpu.counts().decodes, 1u);
}

/// Many blocks at a time, of which the slots hold the stored bytes only.
TEST_F(GpuFiles, NeedsLittleMemoryBesideTheCallers) {
  const std::vector<Byte> text = log_lines(64u << 20, 8);
  const std::vector<Byte> large = compressed(text, 0, kDefaultBlockBytes);
  FakeGpu gpu;
  PinnedBytes pinned(gpu, large);
  auto file = GpuFile::open(*gpu, pinned.bytes());
  ASSERT_TRUE(file.ok());
  const auto all = file->read_all();
  ASSERT_TRUE(all.ok());
  EXPECT_TRUE(content(*all) == text);
  EXPECT_EQ(gpu.counts().bytes_within, 0u);
  EXPECT_GT(gpu.counts().largest_batch_bytes, 8u << 20);
  EXPECT_LE(gpu.counts().largest_batch_bytes, 16u << 20) << "a quarter of the file";
  EXPECT_GT(gpu.counts().decodes, 4u);
  EXPECT_LT(gpu.counts().most_pinned_bytes, 4 * large.size());
}

TEST_F(GpuFiles, KeepsToItsLimits) {
  const std::vector<Byte> text = log_lines(24u << 20, 8);
  const std::vector<Byte> large = compressed(text, 0, kDefaultBlockBytes);
  GpuOptions options;
  options.max_device_bytes = text.size() + (12u << 20);
  options.max_pinned_bytes = 3u << 20;
  FakeFaults no_more;
  no_more.device_memory = options.max_device_bytes;
  no_more.pinned_memory = options.max_pinned_bytes;
  for (const bool told : {true, false}) {
    SCOPED_TRACE(told);
    FakeGpu gpu(told ? options : GpuOptions(), no_more);
    const MemoryRandomAccess bytes(large);
    auto file = GpuFile::open(*gpu, bytes);
    ASSERT_TRUE(file.ok());
    const auto all = file->read_all();
    ASSERT_TRUE(all.ok()) << all.error().message();
    EXPECT_TRUE(content(*all) == text);
    EXPECT_LE(gpu.counts().most_device_bytes, options.max_device_bytes);
    EXPECT_LE(gpu.counts().most_pinned_bytes, options.max_pinned_bytes);
  }
}

TEST_F(GpuFiles, TakesTurnsWithOtherJobsInTheSameSlots) {
  const std::vector<Byte> text = log_lines(24u << 20, 8);
  const std::vector<Byte> large = compressed(text, 0, kDefaultBlockBytes);
  FakeGpu gpu;
  const MemoryRandomAccess bytes(large);
  auto file = GpuFile::open(*gpu, bytes);
  ASSERT_TRUE(file.ok());
  std::uint64_t allocations = 0;
  for (int turn = 0; turn < 3; ++turn) {
    expect_same(gpu.run_file(large), seen_on_cpu(large));
    EXPECT_TRUE(content(*file->read({0, 100'000})) == part(text, 0, 100'000));
    if (turn == 0) allocations = gpu.counts().pinned_allocations;
  }
  EXPECT_EQ(gpu.counts().pinned_allocations, allocations);
}

TEST_F(GpuFiles, RefusesWhatIsNotThere) {
  auto file = GpuFile::open(*gpu_, reader_);
  ASSERT_TRUE(file.ok());
  const std::vector<std::uint64_t> none{file->index().block_count()}, first{0};
  EXPECT_EQ(file->read({1, many_.plain.size() + 1}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(file->read({2, 1}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(file->read_blocks(none).error().code, ErrorCode::kInvalidArgument);
  const auto owned = file->read({0, 100});
  EXPECT_EQ(file->read(many_.plain.size() - 99, {owned->data(), 100}).error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(file->read_blocks(first, {owned->data(), 100}).error().code,
            ErrorCode::kInvalidArgument);
}

TEST_F(GpuFiles, OwnedMemoryOutlivesTheRest) {
  FakeGpu gpu(small_slots());
  DeviceBytes bytes;
  {
    auto decompressor = std::move(*gpu);
    auto file = GpuFile::open(decompressor, reader_);
    bytes = *file->read({10, 5000});
  }
  EXPECT_GT(gpu.counts().device_bytes, 0u);
  EXPECT_TRUE(content(bytes) == part(many_.plain, 10, 5000));
}

TEST_F(GpuFiles, FilesThatNameTheirDictionaryNeedIt) {
  const std::vector<Byte> text = log_lines(5 * kMinBlockBytes, 9);
  CompressOptions options;
  options.coding = Coding::kByte;
  options.block_bytes = kMinBlockBytes;
  options.dictionary.mode = DictionaryChoice::Mode::kGiven;
  options.dictionary.content = std::make_shared<const std::vector<Byte>>(log_lines(20000, 10));
  options.dictionary.by_name = true;
  const auto packed = compress_buffer(text, options);
  ASSERT_TRUE(packed.ok());
  const MemoryRandomAccess bytes(*packed);
  EXPECT_EQ(GpuFile::open(*gpu_, bytes).error().code, ErrorCode::kMissingDictionary);
  const std::vector<std::shared_ptr<const Dictionary>> known{
      Dictionary::from_plain(*options.dictionary.content)};
  DecodeOptions with;
  with.dictionaries = known;
  auto file = GpuFile::open(*gpu_, bytes, with);
  ASSERT_TRUE(file.ok()) << file.error().message();
  const auto all = file->read_all();
  ASSERT_TRUE(all.ok()) << all.error().message();
  EXPECT_TRUE(content(*all) == text);
}

/// Every byte of a small file flipped: whatever CompressedFile says of each block, this says too.
TEST_F(GpuFiles, ErrorsAreThoseOfTheCpu) {
  const std::vector<Byte> text = log_lines(3 * kMinBlockBytes + 9, 8);
  const std::vector<Byte> sound = compressed(text, 2048);
  std::size_t opened = 0, failed = 0;
  for (std::size_t at = 0; at < sound.size(); at += at < 3000 ? 3 : 37) {
    SCOPED_TRACE(at);
    std::vector<Byte> damaged = sound;
    damaged[at] ^= 0x10;
    const MemoryRandomAccess bytes(damaged);
    const auto cpu = CompressedFile::open(bytes);
    auto gpu = GpuFile::open(*gpu_, bytes);
    ASSERT_EQ(cpu.ok(), gpu.ok());
    if (!cpu.ok()) {
      EXPECT_EQ(place_of(gpu.error()), place_of(cpu.error()));
      continue;
    }
    ++opened;
    for (std::uint64_t block = 0; block < cpu->index().block_count(); ++block) {
      const std::vector<std::uint64_t> one{block};
      const auto expected = cpu->read_block(block);
      const auto got = gpu->read_blocks(one);
      ASSERT_EQ(got.ok(), expected.ok());
      if (got.ok()) {
        const Bytes cpu_bytes = expected->bytes();
        ASSERT_TRUE(content(*got) == std::vector<Byte>(cpu_bytes.begin(), cpu_bytes.end()));
      } else {
        ASSERT_EQ(place_of(got.error()), place_of(expected.error()));
        ++failed;
      }
    }
  }
  EXPECT_GT(opened, 100u);
  EXPECT_GT(failed, 100u);
}

/// The same where members share batches: every block broken in turn, in its header or payload.
TEST_F(GpuFiles, ErrorsInMembersAreThoseOfTheCpu) {
  const PlainMembers members(5, 3);
  const MemoryRandomAccess sound(members.file);
  const auto index = ArchiveIndex::open(sound);
  ASSERT_TRUE(index.ok());
  FakeGpu gpu(small_slots());
  for (std::uint64_t block = 0; block < index->block_count(); ++block) {
    for (const std::uint64_t at : {5, 9, 40}) {
      SCOPED_TRACE(std::to_string(block) + " at " + std::to_string(at));
      std::vector<Byte> damaged = members.file;
      damaged[index->block_offset(block) + at] ^= 0x11;
      PinnedBytes pinned(gpu, damaged);
      auto file = GpuFile::open(*gpu, pinned.bytes());
      const MemoryRandomAccess bytes(damaged);
      const auto cpu = CompressedFile::open(bytes);
      ASSERT_TRUE(file.ok() && cpu.ok());
      std::vector<Byte> into(members.plain.size());
      const Status expected = cpu->read(0, into);
      const auto all = file->read_all();
      ASSERT_FALSE(all.ok() || expected.ok());
      EXPECT_EQ(place_of(all.error()), place_of(expected.error()));
      EXPECT_EQ(all.error().block, block);
    }
  }
}

TEST_F(GpuFiles, NeedsItsMemory) {
  GpuOptions options = small_slots();
  options.max_device_bytes = 6u << 20;
  FakeGpu gpu(options);
  const std::vector<Byte> text = log_lines(8u << 20, 8);
  const std::vector<Byte> large = compressed(text);
  const MemoryRandomAccess bytes(large);
  auto file = GpuFile::open(*gpu, bytes);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->read_all().error().code, ErrorCode::kDeviceMemory);
  const auto some = file->read({0, 500'000});
  ASSERT_TRUE(some.ok());
  EXPECT_TRUE(content(*some) == part(text, 0, 500'000));
}

}  // namespace
}  // namespace presso::test::gpu_file_test
