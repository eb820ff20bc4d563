// SPDX-License-Identifier: MIT
// The run-time compiler with nothing but the headers that the program carries inside it: tests run
// in an empty folder. Where NVRTC is not installed, those that compile are skipped, saying so.
#include "query/gpu/code/nvrtc_library.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <optional>

namespace presso::nvrtc_library_test {
namespace {

using gpu::CompileOptions;
using gpu::embedded_headers;
using gpu::NvrtcLibrary;

constexpr const char* kSource = R"(
#include "decompress/gpu/simt/simt.h"
namespace presso {
using namespace simt;
struct Arguments { const u32* from; u64* sums; std::int64_t rows; Byte large[5000]; };
extern "C" __global__ void sum_rows(const __grid_constant__ Arguments arguments) {
  u32 sum = 0;
  for (u32 at = thread_in_block(); at < arguments.rows; at += block_threads()) {
    sum += load_readonly(arguments.from + at) * arguments.large[at % 5000];
  }
  sum = reduce_add(sum);
  if (lane() == 0) atomic_add(arguments.sums, static_cast<u64>(sum));
}
}
)";

/// Makes an empty folder and works in it until the test ends.
class NvrtcTest : public testing::Test {
 protected:
  NvrtcTest() : before_(std::filesystem::current_path()) {
    std::string name = (std::filesystem::temp_directory_path() / "nvrtc_test.XXXXXX").string();
    folder_ = mkdtemp(name.data());
    std::filesystem::current_path(folder_);
  }
  ~NvrtcTest() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }

  /// Skips the test where there is no NVRTC, which other tests say more about.
  void SetUp() override {
    auto opened = NvrtcLibrary::open();
    if (!opened.ok()) GTEST_SKIP() << opened.error().text();
    nvrtc_.emplace(std::move(*opened));
  }

  std::filesystem::path before_, folder_;
  std::optional<NvrtcLibrary> nvrtc_;
};

TEST_F(NvrtcTest, CompilesForEachArchitectureWithoutAnyFile) {
  for (const char* const architecture : {"sm_80", "sm_90", "sm_100"}) {
    const auto cubin = nvrtc_->compile(kSource, {architecture}, embedded_headers());
    ASSERT_TRUE(cubin.ok()) << architecture << ": " << cubin.error().text();
    ASSERT_GT(cubin->size(), 1000u);
    EXPECT_EQ(std::string(cubin->begin() + 1, cubin->begin() + 4), "ELF") << architecture;
    const std::string text(cubin->begin(), cubin->end());
    EXPECT_NE(text.find("sum_rows"), std::string::npos) << architecture;
  }
}

TEST_F(NvrtcTest, EveryEmbeddedHeaderCompilesAlone) {
  for (const gpu::EmbeddedHeader& header : embedded_headers()) {
    if (std::string_view(header.name).ends_with("simt_device.h")) continue;  // of simt.h alone
    const std::string source = "#include <" + std::string(header.name) + ">\n";
    const auto cubin = nvrtc_->compile(source, {"sm_90"}, embedded_headers());
    EXPECT_TRUE(cubin.ok()) << header.name << ": " << cubin.error().text();
  }
}

TEST_F(NvrtcTest, TheSameSourceGivesTheSameCode) {
  const auto once = nvrtc_->compile(kSource, {"sm_90"}, embedded_headers());
  const auto again = nvrtc_->compile(kSource, {"sm_90"}, embedded_headers());
  ASSERT_TRUE(once.ok() && again.ok());
  EXPECT_EQ(*once, *again);
}

TEST_F(NvrtcTest, FilesOfTheWorkingFolderAreNotTaken) {
  std::filesystem::create_directories("decompress/gpu/simt");
  for (const char* const name : {"decompress/gpu/simt/simt.h", "cstdint", "mine.h"}) {
    std::ofstream(name) << "#error taken from the folder\n";
  }
  EXPECT_TRUE(nvrtc_->compile(kSource, {"sm_90"}, embedded_headers()).ok());
  for (const char* const include : {"\"mine.h\"", "\"/etc/hostname\"", "<stdio.h>"}) {
    const std::string source = "#include " + std::string(include) + "\n";
    const auto refused = nvrtc_->compile(source, {"sm_90"}, embedded_headers());
    ASSERT_FALSE(refused.ok()) << include;
    EXPECT_EQ(refused.error().what.find("taken from the folder"), std::string::npos);
  }
}

TEST_F(NvrtcTest, AnErrorComesWithTheLinesThatSayWhy) {
  const auto refused = nvrtc_->compile(
      "extern \"C\" __global__ void f() {\n  unknown_name = 1;\n}\n", {"sm_90"}, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(refused.error().what.find("query.cu(2)"), std::string::npos) << refused.error().what;
  EXPECT_NE(refused.error().what.find("unknown_name"), std::string::npos) << refused.error().what;
  const auto behind_warnings = nvrtc_->compile(
      "extern \"C\" __global__ void f(unsigned x) { while (x < 0) {} int y; unknown_name = 1; }",
      {"sm_90"}, {});
  ASSERT_FALSE(behind_warnings.ok());
  EXPECT_EQ(behind_warnings.error().what.find("warning"), std::string::npos);
  std::string many;
  for (int i = 0; i < 10'000; ++i) many += "wrong" + std::to_string(i) + " x;\n";
  const auto long_log = nvrtc_->compile(many, {"sm_90"}, {});
  ASSERT_FALSE(long_log.ok());
  EXPECT_LT(long_log.error().what.size(), 2200u);
}

TEST_F(NvrtcTest, AnArchitectureThatItDoesNotKnowIsNamed) {
  const auto refused = nvrtc_->compile(kSource, {"sm_9999"}, embedded_headers());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(refused.error().what.find("sm_9999"), std::string::npos) << refused.error().what;
}

TEST_F(NvrtcTest, IsStoppedWhereItTakesTooLong) {
  std::string source = "extern \"C\" __global__ void f(unsigned long* o) {\n";
  source += "  unsigned long a = o[0], b = o[1];\n";
  for (int i = 0; i < 300; ++i) {
    const std::string n = std::to_string(i);
    source += "  if (o[" + n + "] > a) a = a * b + o[" + n + "] % (b + " + n + ");\n";
  }
  source += "  o[0] = a;\n}\n";
  CompileOptions options{"sm_90"};
  options.most_seconds = 1e-6;
  const auto stopped = nvrtc_->compile(source, options, {});
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(stopped.error().what.find("too long"), std::string::npos) << stopped.error().what;
  EXPECT_TRUE(nvrtc_->compile(kSource, {"sm_90"}, embedded_headers()).ok());
}

/// Sets a variable of the environment for the length of a test.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* const old = getenv(name)) before_ = old;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (before_) {
      setenv(name_, before_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(NvrtcPlaces, AreTheLoadersAndThoseOfCuda) {
  const Variable named("PRESSO_NVRTC", ""), home("CUDA_HOME", "/x/cuda"), path("CUDA_PATH", "y");
  const std::vector<std::string> expected = {"libnvrtc.so.13",
                                             "libnvrtc.so.12",
                                             "libnvrtc.so",
                                             "/x/cuda/lib64/libnvrtc.so.13",
                                             "/x/cuda/lib64/libnvrtc.so.12",
                                             "/x/cuda/lib64/libnvrtc.so",
                                             "/usr/local/cuda/lib64/libnvrtc.so.13",
                                             "/usr/local/cuda/lib64/libnvrtc.so.12",
                                             "/usr/local/cuda/lib64/libnvrtc.so"};
  EXPECT_EQ(NvrtcLibrary::places(), expected);
}

TEST(NvrtcPlaces, AreOneWhereItIsNamed) {
  const Variable file("PRESSO_NVRTC", "/nowhere/nvrtc.so");
  EXPECT_EQ(NvrtcLibrary::places(), std::vector<std::string>{"/nowhere/nvrtc.so"});
  const Variable folder("PRESSO_NVRTC", "/usr");
  EXPECT_EQ(NvrtcLibrary::places().front(), "/usr/libnvrtc.so.13");
  EXPECT_EQ(NvrtcLibrary::places().size(), 3u);
}

TEST(NvrtcMissing, TheErrorSaysWhereItWasLookedForAndWhatToInstall) {
  // One that is not there, and libraries that are something else.
  const auto opened = NvrtcLibrary::open({"libnvrtc_of_nobody.so.1", "libm.so.6", "/dev/null"});
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::kNoDevice);
  for (const char* const part : {"NVRTC", "libnvrtc_of_nobody.so.1, libm.so.6, /dev/null",
                                 "cuda-nvrtc-13-0", "nvidia-cuda-nvrtc", "PRESSO_NVRTC"}) {
    EXPECT_NE(opened.error().what.find(part), std::string::npos) << opened.error().what;
  }
}

}  // namespace
}  // namespace presso::nvrtc_library_test
