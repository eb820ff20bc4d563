// SPDX-License-Identifier: MIT
// Kernels that are compiled while the program runs, on a device: arguments of some kilobytes, much
// shared memory, many sources, and mistakes of the caller, none of which may harm what comes next.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "presso/stopwatch.h"
#include "query/gpu/code/cuda_compiler.h"

namespace presso::compiled_kernels_test {
namespace {

using gpu::CompiledKernels;
using gpu::cuda_kernel_compiler;
using gpu::KernelCompiler;
namespace fs = std::filesystem;

/// As in the source below.
struct Arguments {
  std::uint64_t* sums;
  std::uint64_t numbers[512];
};

const char* const kSource = R"(
#include "decompress/gpu/simt/simt.h"
namespace presso {
using namespace simt;
struct Arguments { u64* sums; u64 numbers[512]; };
/// Each thread block adds the numbers, by way of shared memory.
extern "C" __global__ void add_numbers(const __grid_constant__ Arguments arguments) {
  u64* const shared = reinterpret_cast<u64*>(shared_memory());
  for (u32 at = thread_in_block(); at < 512; at += block_threads()) {
    shared[at] = arguments.numbers[at];
  }
  block_sync();
  for (u32 at = thread_in_block(); at < 512; at += block_threads()) {
    atomic_add(arguments.sums, shared[at]);
  }
}
}
)";

class CompiledKernelsTest : public testing::Test {
 protected:
  void SetUp() override {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) GTEST_SKIP() << "no usable GPU";
    std::string name = (fs::temp_directory_path() / "compiled_kernels_test.XXXXXX").string();
    folder_ = mkdtemp(name.data());
    compiler_ = cuda_kernel_compiler(0, {true, folder_});
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaMallocHost(reinterpret_cast<void**>(&sums_), sizeof *sums_), cudaSuccess);
  }
  void TearDown() override {
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
    if (sums_ != nullptr) cudaFreeHost(sums_);
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  Arguments arguments() const {
    Arguments arguments{};
    arguments.sums = sums_;
    for (std::uint64_t i = 0; i < 512; ++i) arguments.numbers[i] = i * i;
    return arguments;
  }
  /// The sum over the thread blocks, which write to pinned memory.
  std::uint64_t run(CompiledKernels& kernels, std::uint32_t blocks, std::uint32_t shared_bytes) {
    *sums_ = 0;
    {
      const Arguments lent = arguments();  // is gone when the kernel runs
      const Status done =
          kernels.launch("add_numbers", &lent, sizeof lent, blocks, 128, shared_bytes, stream_);
      EXPECT_TRUE(done.ok()) << done.error().text();
    }
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    return *sums_;
  }

  static constexpr std::uint64_t kSum = std::uint64_t{511} * 512 * 1023 / 6;
  fs::path folder_;
  std::shared_ptr<KernelCompiler> compiler_;
  cudaStream_t stream_ = nullptr;
  std::uint64_t* sums_ = nullptr;
};

TEST_F(CompiledKernelsTest, RunWithAsMuchSharedMemoryAsTheyAskFor) {
  const auto kernels = compiler_->compile(kSource);
  ASSERT_TRUE(kernels.ok()) << kernels.error().text();
  for (const std::uint32_t shared_bytes : {4096u, 48u << 10, 96u << 10, 8192u}) {
    const auto blocks = (*kernels)->thread_blocks("add_numbers", 128, shared_bytes);
    ASSERT_TRUE(blocks.ok()) << blocks.error().text();
    int processors = 0;
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    EXPECT_EQ(*blocks % static_cast<unsigned>(processors), 0u);
    EXPECT_GE(*blocks, static_cast<unsigned>(processors));
    EXPECT_EQ(run(**kernels, *blocks, shared_bytes), kSum * *blocks);
  }
  // Without asking how many thread blocks there are.
  const auto again = compiler_->compile(std::string(kSource) + "// again\n");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(run(**again, 3, 90u << 10), kSum * 3);
}

TEST_F(CompiledKernelsTest, MistakesAreErrorsAndHarmNothing) {
  const auto kernels = compiler_->compile(kSource);
  ASSERT_TRUE(kernels.ok()) << kernels.error().text();
  const Arguments lent = arguments();
  const auto none = (*kernels)->thread_blocks("add_numbers", 128, 400u << 10);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::kDeviceMemory) << none.error().text();
  EXPECT_FALSE((*kernels)->thread_blocks("another", 128, 0).ok());
  EXPECT_FALSE((*kernels)->launch("another", &lent, sizeof lent, 1, 128, 4096, stream_).ok());
  const Status shorter = (*kernels)->launch("add_numbers", &lent, 8, 1, 128, 4096, stream_);
  ASSERT_FALSE(shorter.ok());
  EXPECT_EQ(shorter.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(shorter.error().what.find("4104"), std::string::npos) << shorter.error().what;
  const auto refused = compiler_->compile("no C++");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(run(**kernels, 2, 4096), kSum * 2);
}

TEST_F(CompiledKernelsTest, StayWhenTheCompilerGoes) {
  const auto kernels = compiler_->compile(kSource);
  ASSERT_TRUE(kernels.ok()) << kernels.error().text();
  compiler_.reset();
  EXPECT_EQ(run(**kernels, 2, 4096), kSum * 2);
}

TEST_F(CompiledKernelsTest, ThreadsThatAskForTheSameSourceGetTheSameKernels) {
  std::vector<std::shared_ptr<CompiledKernels>> found(4);
  std::vector<std::thread> threads;
  for (auto& kernels : found) {
    threads.emplace_back([&] {
      auto compiled = compiler_->compile(kSource);
      if (compiled.ok()) kernels = *compiled;
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_NE(found.front(), nullptr);
  for (const auto& kernels : found) EXPECT_EQ(kernels, found.front());
  EXPECT_EQ(run(*found.back(), 1, 4096), kSum);
}

/// More sources than are kept in memory; then another compiler finds them on disk. Prints what each
/// way takes. PRESSO_GPU_TEST_SCALE=small, for compute-sanitizer: fewer, which memory keeps.
TEST_F(CompiledKernelsTest, ManySourcesInOneProcess) {
  const auto source = [](int i) { return std::string(kSource) + "//" + std::to_string(i) + "\n"; };
  double first_ms = 0, others_ms = 0, from_disk_ms = 0, from_memory_ms = 0;
  const auto compile_and_run = [&](int i) {
    Stopwatch watch;
    const auto kernels = compiler_->compile(source(i));
    const double ms = watch.seconds() * 1e3;
    EXPECT_TRUE(kernels.ok()) << kernels.error().text();
    if (kernels.ok()) {
      EXPECT_EQ(run(**kernels, 1, 4096), kSum);
    }
    return ms;
  };
  const char* const scale = getenv("PRESSO_GPU_TEST_SCALE");
  const int sources = scale != nullptr && std::string(scale) == "small" ? 30 : 300;
  first_ms = compile_and_run(0);
  for (int i = 1; i < sources; ++i) others_ms += compile_and_run(i) / (sources - 1);
  compiler_ = cuda_kernel_compiler(0, {true, folder_});
  for (int i = 0; i < 20; ++i) from_disk_ms += compile_and_run(i) / 20;
  for (int i = 0; i < 20; ++i) from_memory_ms += compile_and_run(i) / 20;
  std::printf("compiled first %.1f ms, others %.1f, from disk %.2f, from memory %.4f\n", first_ms,
              others_ms, from_disk_ms, from_memory_ms);
  EXPECT_LT(from_disk_ms, others_ms);
}

}  // namespace
}  // namespace presso::compiled_kernels_test
