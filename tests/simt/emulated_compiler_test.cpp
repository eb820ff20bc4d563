// SPDX-License-Identifier: MIT
// Kernels that are compiled while a test runs: what they answer in the emulator, what the cache
// keeps, and what fails.
#include "tests/simt/emulated_compiler.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace presso::test::emulated_compiler_test {
namespace {

namespace fs = std::filesystem;

using gpu::CompiledKernels;

struct Argument {
  const std::uint32_t* values;
  std::uint64_t* sums;  ///< of all values, of those that are odd, and how many lanes there were
  std::uint32_t count;
};

/// Sums with the values times `factor`.
std::string sums_source(std::uint32_t factor) {
  return R"(#include "decompress/gpu/simt/simt.h"
namespace presso::gpu {
using namespace simt;
struct Argument {
  const u32* values;
  u64* sums;
  u32 count;
};
inline u32 factor() { return )" +
         std::to_string(factor) + R"(; }
extern "C" void sum_values(const Argument& argument) {
  u64* const shared = reinterpret_cast<u64*>(shared_memory());
  if (thread_in_block() < 2) shared[thread_in_block()] = 0;
  block_sync();
  u64 all = 0;
  u64 odd = 0;
  for (u32 i = block_index() * block_threads() + thread_in_block(); i < argument.count;
       i += grid_blocks() * block_threads()) {
    const u32 value = argument.values[i];
    all += value * factor();
    if (value % 2 != 0) odd += value;
  }
  for (u32 mask = kWarpSize / 2; mask != 0; mask /= 2) {
    all += shuffle_xor(all, mask);
    odd += shuffle_xor(odd, mask);
  }
  if (lane() == 0) {
    atomic_add(&shared[0], all);
    atomic_add(&shared[1], odd);
  }
  block_sync();
  if (thread_in_block() < 2) {
    atomic_add(&argument.sums[thread_in_block()], shared[thread_in_block()]);
  }
  const u32 lanes = reduce_add(1);
  if (lane() == 0) atomic_add(&argument.sums[2], u64{lanes});
}
}  // namespace presso::gpu
)";
}

/// Each test has a cache of its own.
class EmulatedCompilerTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "kernels.XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::shared_ptr<gpu::KernelCompiler> compiler(std::uint32_t seed = 1) {
    return make_emulated_compiler(faults_, seed, (folder_ / "cache").string());
  }
  std::size_t files() const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder_ / "cache")) count += entry.exists();
    return count;
  }

  fs::path folder_;
  std::shared_ptr<EmulatedFaults> faults_ = std::make_shared<EmulatedFaults>();
};

/// Runs sum_values() over 1, 2, ... 1000.
Result<std::vector<std::uint64_t>> sums_of(CompiledKernels& kernels) {
  std::vector<std::uint32_t> values(1000);
  for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = i + 1;
  std::vector<std::uint64_t> sums(3);
  const Argument argument{values.data(), sums.data(), 1000};
  PRESSO_TRY(kernels.launch("sum_values", &argument, sizeof argument, 3, 64,
                            2 * sizeof(std::uint64_t), nullptr));
  return sums;
}

void expect_sums(CompiledKernels& kernels, std::uint64_t factor) {
  const auto sums = sums_of(kernels);
  ASSERT_TRUE(sums.ok()) << sums.error().message();
  EXPECT_EQ(*sums, (std::vector<std::uint64_t>{500500 * factor, 250000, 3 * 64}));
}

TEST_F(EmulatedCompilerTest, SumsOverSeveralBlocksInEveryOrder) {
  for (std::uint32_t seed = 0; seed < 6; ++seed) {
    const auto kernels = compiler(seed)->compile(sums_source(1));
    ASSERT_TRUE(kernels.ok()) << kernels.error().message();
    expect_sums(**kernels, 1);
    const auto blocks = (*kernels)->thread_blocks("sum_values", 64, 16);
    ASSERT_TRUE(blocks.ok());
    EXPECT_EQ(*blocks, 2u);
  }
  EXPECT_EQ(faults_->compiler_runs, 1u);
  EXPECT_EQ(faults_->compilations, 6u);
  EXPECT_EQ(faults_->launches, 6u);
}

TEST_F(EmulatedCompilerTest, UsesTheCacheOfTheBuild) {
  for (int i = 0; i < 2; ++i) {
    const auto kernels = make_emulated_compiler(faults_)->compile(sums_source(1));
    ASSERT_TRUE(kernels.ok()) << kernels.error().message();
    expect_sums(**kernels, 1);
  }
  EXPECT_LE(faults_->compiler_runs, 1u);
}

TEST_F(EmulatedCompilerTest, KeepsFunctionsOfOneNameApart) {
  const auto one = compiler();
  const auto first = one->compile(sums_source(1));
  const auto second = one->compile(sums_source(7));
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(second.ok());
  expect_sums(**second, 7);
  expect_sums(**first, 1);
  EXPECT_EQ(faults_->compiler_runs, 2u);
  const auto again = one->compile(sums_source(7));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, *second);
  EXPECT_EQ(files(), 4u);
}

TEST_F(EmulatedCompilerTest, TellsWhatTheCompilerSays) {
  const auto kernels = compiler()->compile("extern \"C\" void broken(const int&) { missing(); }\n");
  ASSERT_FALSE(kernels.ok());
  EXPECT_EQ(kernels.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(kernels.error().what.find("error"), std::string::npos) << kernels.error().what;
  EXPECT_NE(kernels.error().what.find("missing"), std::string::npos) << kernels.error().what;
  EXPECT_EQ(files(), 0u);
}

TEST_F(EmulatedCompilerTest, TellsWhichFunctionNobodyHas) {
  const auto kernels = compiler()->compile(
      "void somewhere_else();\n"
      "extern \"C\" void calls(const int&) { somewhere_else(); }\n");
  ASSERT_FALSE(kernels.ok());
  EXPECT_EQ(kernels.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(kernels.error().what.find("somewhere_else"), std::string::npos);
}

TEST_F(EmulatedCompilerTest, TellsWhichKernelIsMissing) {
  const auto kernels = compiler()->compile(sums_source(1));
  ASSERT_TRUE(kernels.ok());
  const auto blocks = (*kernels)->thread_blocks("other", 64, 0);
  ASSERT_FALSE(blocks.ok());
  EXPECT_EQ(blocks.error().what, "the source has no kernel other");
  const Status status = (*kernels)->launch("other", nullptr, 0, 1, 64, 0, nullptr);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE((*kernels)->launch("sum_values", nullptr, 0, 1, 33, 0, nullptr).ok());
  EXPECT_EQ(faults_->launches, 0u);
}

TEST_F(EmulatedCompilerTest, RefusesAnotherSourceOfTheSameName) {
  ASSERT_TRUE(compiler()->compile(sums_source(1)).ok());
  for (const auto& entry : fs::directory_iterator(folder_ / "cache")) {
    if (entry.path().extension() == ".cpp") std::ofstream(entry.path()) << "// another\n";
  }
  const auto kernels = compiler()->compile(sums_source(1));
  ASSERT_FALSE(kernels.ok());
  EXPECT_NE(kernels.error().what.find("is another source"), std::string::npos);
}

TEST_F(EmulatedCompilerTest, MakesALibraryThatIsMissing) {
  ASSERT_TRUE(compiler()->compile(sums_source(3)).ok());
  for (const auto& entry : fs::directory_iterator(folder_ / "cache")) {
    if (entry.path().extension() == ".so") fs::remove(entry.path());
  }
  const auto kernels = compiler()->compile(sums_source(3));
  ASSERT_TRUE(kernels.ok()) << kernels.error().message();
  expect_sums(**kernels, 3);
  EXPECT_EQ(faults_->compiler_runs, 2u);
}

/// As processes do it, each of which has a compiler of its own, and as threads do it with one.
TEST_F(EmulatedCompilerTest, CompilesInSeveralThreads) {
  const auto shared = compiler();
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      const auto faults = std::make_shared<EmulatedFaults>();
      const auto own =
          i < 2 ? shared : make_emulated_compiler(faults, i, (folder_ / "cache").string());
      for (const std::uint32_t factor : {11 + i % 2, 11u, 12u}) {
        const auto kernels = own->compile(sums_source(factor));
        ASSERT_TRUE(kernels.ok()) << kernels.error().message();
        expect_sums(**kernels, factor);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(files(), 4u);
}

TEST_F(EmulatedCompilerTest, FailsFromTheCompilationOnThatATestNames) {
  faults_->compilation = 1;
  const auto one = compiler();
  const auto kernels = one->compile(sums_source(1));
  ASSERT_TRUE(kernels.ok());
  for (int i = 0; i < 2; ++i) {
    const auto second = one->compile(sums_source(1));
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().code, ErrorCode::kNoDevice);
  }
  expect_sums(**kernels, 1);
}

TEST_F(EmulatedCompilerTest, LosesTheDeviceAtTheLaunchThatATestNames) {
  faults_->launch = 1;
  const auto kernels = compiler()->compile(sums_source(1));
  ASSERT_TRUE(kernels.ok());
  expect_sums(**kernels, 1);
  const auto sums = sums_of(**kernels);
  ASSERT_FALSE(sums.ok());
  EXPECT_EQ(sums.error().code, ErrorCode::kDeviceLost);
}

TEST_F(EmulatedCompilerTest, TellsWhatTheEmulatorFinds) {
  const auto kernels = compiler()->compile(
      "using namespace presso::simt;\n"
      "extern \"C\" void diverges(const int&) { if (lane() < 3) block_sync(); else warp_sync(); "
      "}\n");
  ASSERT_TRUE(kernels.ok()) << kernels.error().message();
  const int argument = 0;
  const Status status =
      (*kernels)->launch("diverges", &argument, sizeof argument, 1, 32, 0, nullptr);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kDeviceLost);
  EXPECT_EQ(status.error().what.find("diverges: "), 0u) << status.error().what;
  EXPECT_NE(status.error().what.find("block_sync"), std::string::npos) << status.error().what;
}

}  // namespace
}  // namespace presso::test::emulated_compiler_test
