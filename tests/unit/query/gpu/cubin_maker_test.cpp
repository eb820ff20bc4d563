// SPDX-License-Identifier: MIT
// Sources become machine code once: by the compiler, then from disk, in this process from memory.
#include "query/gpu/code/cubin_maker.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>
#include <vector>

#include "presso/stopwatch.h"
#include "query/gpu/code/made_once.h"

namespace presso::cubin_maker_test {
namespace {

using gpu::CubinMaker;
using gpu::MadeOnce;
using gpu::NvrtcLibrary;
namespace fs = std::filesystem;

constexpr const char* kSource =
    "#include <cstdint>\nextern \"C\" __global__ void f(std::uint64_t* x) { *x += 1; }\n";

class CubinMakerTest : public testing::Test {
 protected:
  CubinMakerTest() {
    std::string name = (fs::temp_directory_path() / "cubin_maker_test.XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~CubinMakerTest() override { fs::remove_all(folder_); }
  void SetUp() override {
    const Stopwatch watch;
    const auto opened = NvrtcLibrary::open();
    open_ms_ = watch.seconds() * 1e3;
    if (!opened.ok()) GTEST_SKIP() << opened.error().text();
  }

  std::string folder_;
  double open_ms_ = 0;
};

TEST_F(CubinMakerTest, CompilesOnceAndThenReadsFromDisk) {
  CubinMaker first("sm_90", {true, folder_});
  const auto made = first.cubin(kSource);
  ASSERT_TRUE(made.ok()) << made.error().text();
  EXPECT_EQ(first.compiled(), 1u);
  ASSERT_TRUE(first.cubin(kSource).ok());  // by the same version, which is known now
  EXPECT_EQ(first.compiled(), 1u);
  CubinMaker second("sm_90", {true, folder_});
  const auto found = second.cubin(kSource);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(*found, *made);
  EXPECT_EQ(second.compiled(), 0u);
  CubinMaker another("sm_80", {true, folder_}), faster("sm_90", {true, folder_, {"-Ofc=mid"}});
  for (CubinMaker* const maker : {&another, &faster}) {
    ASSERT_TRUE(maker->cubin(kSource).ok());
    EXPECT_EQ(maker->compiled(), 1u);
  }
}

TEST_F(CubinMakerTest, WithoutTheCacheOnDiskItCompiles) {
  for (int i = 0; i < 2; ++i) {
    CubinMaker maker("sm_90", {false, folder_});
    ASSERT_TRUE(maker.cubin(kSource).ok());
    EXPECT_EQ(maker.compiled(), 1u);
  }
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(CubinMakerTest, WhatIsOnDiskNeedsNoCompiler) {
  CubinMaker first("sm_90", {true, folder_});
  const auto made = first.cubin(kSource);
  ASSERT_TRUE(made.ok());
  const char* const before = getenv("PRESSO_NVRTC");
  const std::string named = before != nullptr ? before : "";
  setenv("PRESSO_NVRTC", "/nowhere/libnvrtc.so", 1);
  CubinMaker second("sm_90", {true, folder_});
  const auto found = second.cubin(kSource);
  const auto missing = second.cubin(std::string(kSource) + "// new\n");
  setenv("PRESSO_NVRTC", named.c_str(), 1);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(*found, *made);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kNoDevice);
  EXPECT_NE(missing.error().what.find("/nowhere/libnvrtc.so"), std::string::npos);
  EXPECT_TRUE(second.cubin(std::string(kSource) + "// new\n").ok());  // it is looked for again
}

TEST_F(CubinMakerTest, ASourceThatIsRefusedIsNotKept) {
  CubinMaker maker("sm_90", {true, folder_});
  EXPECT_FALSE(maker.cubin("no C++").ok());
  EXPECT_FALSE(maker.cubin("no C++").ok());
  EXPECT_TRUE(fs::is_empty(folder_));
}

/// Prints what comments of query/gpu/code tell; what is asserted is far from what is usual.
TEST_F(CubinMakerTest, WhatEachWayTakes) {
  constexpr int kSources = 10;
  const std::string simt =
      "#include \"decompress/gpu/simt/simt.h\"\nnamespace presso {\nusing namespace simt;\n"
      "extern \"C\" __global__ void f(u32* x) { x[lane()] = ballot(x[lane()] != 0); }\n}\n";
  const auto milliseconds = [](const auto& work) {
    const Stopwatch watch;
    work();
    return watch.seconds() * 1e3;
  };
  std::vector<double> compiled, from_disk;
  for (std::vector<double>* const times : {&compiled, &from_disk}) {
    CubinMaker maker("sm_90", {true, folder_});
    for (int i = 0; i < kSources; ++i) {
      const std::string source = simt + "//" + std::to_string(i);
      times->push_back(milliseconds([&] { EXPECT_TRUE(maker.cubin(source).ok()); }));
    }
    EXPECT_EQ(maker.compiled(), times == &compiled ? kSources : 0u);
  }
  const double first = compiled.front();
  std::sort(compiled.begin(), compiled.end());
  std::sort(from_disk.begin(), from_disk.end());
  std::printf("ms: open %.2f, compile first %.1f, median %.1f, from disk %.3f\n", open_ms_, first,
              compiled[kSources / 2], from_disk[kSources / 2]);
  EXPECT_LT(from_disk[kSources / 2], compiled[kSources / 2]);
}

TEST(MadeOnce, ThreadsThatAskForTheSameMakeItOnce) {
  MadeOnce<int> values(4);
  std::atomic<int> made = 0, wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      const auto value = values.get(i % 2 == 0 ? "even" : "odd", [&]() -> Result<int> {
        ++made;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        return i % 2;
      });
      if (!value.ok() || *value != i % 2) ++wrong;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 2);
  EXPECT_EQ(wrong, 0);
}

TEST(MadeOnce, ErrorsAreNotKeptAndTheLastUsedStay) {
  MadeOnce<int> values(2);
  const auto get = [&](const char* key, bool fails = false) {
    bool made = false;
    const auto value = values.get(key, [&]() -> Result<int> {
      made = true;
      if (fails) return make_error(ErrorCode::kUnsupported, "fails");
      return 1;
    });
    EXPECT_EQ(value.ok(), !fails || !made);
    return made;
  };
  EXPECT_TRUE(get("a", true));
  EXPECT_TRUE(get("a"));
  EXPECT_TRUE(get("b"));
  EXPECT_FALSE(get("a"));
  EXPECT_TRUE(get("c"));  // b goes
  EXPECT_FALSE(get("a"));
  EXPECT_TRUE(get("b"));
}

}  // namespace
}  // namespace presso::cubin_maker_test
