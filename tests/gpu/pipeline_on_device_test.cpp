// SPDX-License-Identifier: MIT
// The host side of GPU decoding on a real device: what tests/unit/gpu_*_test.cpp check over a fake
// one, in short. Each test says so and skips where there is no GPU.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "tests/support/gpu_runs.h"

namespace presso::test::pipeline_on_device_test {
namespace {

using gpu::DecodeJob;
using gpu::Decompressor;
using gpu::GpuFile;
using gpu::GpuOptions;
using gpu::Strategy;

constexpr std::uint64_t kMiB = 1u << 20;

const std::vector<Byte>& plain() {
  static const std::vector<Byte> bytes = log_lines(48 * kMiB + 4321, 5);
  return bytes;
}
const std::vector<Byte>& file() {
  static const std::vector<Byte> bytes = compressed(plain(), 65536, kDefaultBlockBytes);
  return bytes;
}

Seen run(Decompressor& decompressor, DecodeJob job, bool salvage = false) {
  Seen seen;
  VectorSink sink(seen.plain);
  job.sink = &sink;
  job.options = noting_damage(seen, salvage);
  note(seen, decompressor.run(job));
  return seen;
}

/// Page-locked memory that CUDA gave, not our own pipeline.
class HostAllocation {
 public:
  explicit HostAllocation(std::size_t size) : size_(size) {
    EXPECT_EQ(cudaMallocHost(&memory_, size), cudaSuccess);
  }
  ~HostAllocation() { EXPECT_EQ(cudaFreeHost(memory_), cudaSuccess); }
  HostAllocation(const HostAllocation&) = delete;
  HostAllocation& operator=(const HostAllocation&) = delete;

  MutableBytes bytes() { return {static_cast<Byte*>(memory_), size_}; }

 private:
  void* memory_ = nullptr;
  std::size_t size_;
};

std::vector<Byte> fetched(const gpu::DeviceBytes& bytes) {
  std::vector<Byte> here(bytes.size());
  cudaStream_t stream = nullptr;
  EXPECT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(here.data(), bytes.data(), here.size(), cudaMemcpyDeviceToHost, stream),
            cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  return here;
}

class PipelineOnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
      GTEST_SKIP() << "no usable GPU on this machine";
    }
  }
};

TEST_F(PipelineOnDevice, EveryStrategyGivesTheSameBytes) {
  const MemoryRandomAccess reader(file());
  for (const Strategy strategy :
       {Strategy::kAuto, Strategy::kMultiRound, Strategy::kDependencyFree}) {
    SCOPED_TRACE(static_cast<int>(strategy));
    GpuOptions options;
    options.strategy = strategy;
    auto decompressor = Decompressor::open(options);
    ASSERT_TRUE(decompressor.ok()) << decompressor.error().message();
    DecodeJob job;
    job.file = &reader;
    expect_same(run(*decompressor, job), seen_on_cpu(file()));
  }
}

TEST_F(PipelineOnDevice, FromHostToHostPinnedOrNot) {
  auto decompressor = Decompressor::open();
  ASSERT_TRUE(decompressor.ok());
  std::vector<Byte> into(plain().size());
  EXPECT_EQ(*decompress_host(*decompressor, file(), into), into.size());
  EXPECT_TRUE(into == plain());
  HostAllocation from(file().size()), to(plain().size());
  std::copy(file().begin(), file().end(), from.bytes().begin());
  EXPECT_EQ(*decompress_host(*decompressor, from.bytes(), to.bytes()), plain().size());
  EXPECT_TRUE(std::equal(plain().begin(), plain().end(), to.bytes().begin()));
}

TEST_F(PipelineOnDevice, WithinLimitsThatAreSmallerThanTheFile) {
  GpuOptions options;
  options.max_device_bytes = 32 * kMiB;
  options.max_pinned_bytes = 32 * kMiB;
  auto decompressor = Decompressor::open(options);
  ASSERT_TRUE(decompressor.ok());
  const MemoryRandomAccess reader(file());
  DecodeJob job;
  job.file = &reader;
  expect_same(run(*decompressor, job), seen_on_cpu(file()));
}

TEST_F(PipelineOnDevice, RangesAndBlocksComeToDeviceMemory) {
  auto decompressor = Decompressor::open();
  ASSERT_TRUE(decompressor.ok());
  const ManyMembers many;
  const MemoryRandomAccess reader(many.file);
  auto opened = GpuFile::open(*decompressor, reader);
  ASSERT_TRUE(opened.ok());
  const auto all = opened->read_all();
  ASSERT_TRUE(all.ok()) << all.error().message();
  EXPECT_TRUE(fetched(*all) == many.plain);
  for (const gpu::PlainRange range : {gpu::PlainRange{0, 1}, {16384, 32768}, {1, 100'001}}) {
    const auto part = opened->read(range);
    ASSERT_TRUE(part.ok());
    EXPECT_TRUE(fetched(*part) ==
                std::vector<Byte>(many.plain.begin() + static_cast<std::ptrdiff_t>(range.begin),
                                  many.plain.begin() + static_cast<std::ptrdiff_t>(range.end)));
  }
  const std::vector<std::uint64_t> blocks{7, 2, 2};
  const auto some = opened->read_blocks(blocks);
  ASSERT_TRUE(some.ok());
  std::vector<Byte> expected;
  const auto cpu = CompressedFile::open(reader);
  ASSERT_TRUE(cpu.ok());
  for (const std::uint64_t block : blocks) {
    const auto bytes = cpu->read_block(block);
    ASSERT_TRUE(bytes.ok());
    expected.insert(expected.end(), bytes->bytes().begin(), bytes->bytes().end());
  }
  EXPECT_TRUE(fetched(*some) == expected);
}

TEST_F(PipelineOnDevice, DamageIsTheCpus) {
  auto decompressor = Decompressor::open();
  ASSERT_TRUE(decompressor.ok());
  const std::vector<Byte> sound = compressed(log_lines(4 * kMinBlockBytes + 5, 2), 2048);
  std::mt19937_64 random(17);
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(i);
    std::vector<Byte> damaged = sound;
    damaged[random() % damaged.size()] ^= static_cast<Byte>(1 + random() % 255);
    const MemoryRandomAccess reader(damaged);
    DecodeJob job;
    job.file = &reader;
    for (const bool salvage : {false, true}) {
      expect_same(run(*decompressor, job, salvage), seen_on_cpu(damaged, salvage));
    }
    if (HasFailure()) return;
  }
}

TEST_F(PipelineOnDevice, ADeviceThatIsNotThere) {
  GpuOptions options;
  options.device = 1000;
  const auto decompressor = Decompressor::open(options);
  ASSERT_FALSE(decompressor.ok());
  EXPECT_EQ(decompressor.error().code, ErrorCode::kInvalidArgument);
}

TEST_F(PipelineOnDevice, TheCallersDeviceStaysCurrent) {
  int before = -1, after = -2;
  ASSERT_EQ(cudaGetDevice(&before), cudaSuccess);
  int count = 0;
  ASSERT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  GpuOptions options;
  options.device = count - 1;
  auto decompressor = Decompressor::open(options);
  ASSERT_TRUE(decompressor.ok());
  std::vector<Byte> into(plain().size());
  EXPECT_TRUE(decompress_host(*decompressor, file(), into).ok());
  ASSERT_EQ(cudaGetDevice(&after), cudaSuccess);
  EXPECT_EQ(before, after);
}

}  // namespace
}  // namespace presso::test::pipeline_on_device_test
