// SPDX-License-Identifier: MIT
// Rates of devices: kept in the user's store, guessed where they are not known.
#include "tools/device/device_rates.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tools/device/device_choice.h"

namespace presso::cli::device_rates_test {
namespace {

namespace fs = std::filesystem;

class Measured : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "presso_store_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    std::error_code problem;
    fs::remove_all(folder_, problem);
  }

  std::string path() const { return folder_ + "/presso/measurements"; }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(folder_ + "/" + name).parent_path());
    std::ofstream(folder_ + "/" + name, std::ios::binary) << text;
  }
  std::size_t files() const {
    const fs::directory_iterator all(folder_ + "/presso");
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }

  std::string folder_;
};

TEST_F(Measured, StoreGivesBackWhatWasSaved) {
  const MeasurementStore store(path());
  EXPECT_FALSE(store.find("one"));
  const Measurements numbers{{"rate", 1.0 / 3}, {"start", 1e-9}};
  ASSERT_TRUE(store.save("one", numbers));
  ASSERT_TRUE(store.save("two, driver 3", {{"rate", 5}}));
  ASSERT_TRUE(store.save("two, driver 3", {{"rate", 7}}));
  EXPECT_EQ(store.find("one"), numbers);
  EXPECT_EQ(store.find("two, driver 3"), (Measurements{{"rate", 7}}));
  EXPECT_FALSE(store.find("two"));
  EXPECT_EQ(files(), 1u) << "nothing is left of the temporary file";
}

TEST_F(Measured, StoreTakesAnyNameOfADevice) {
  const MeasurementStore store(path());
  const std::string odd = "GPU [x]\n[y]=1";
  ASSERT_TRUE(store.save(odd, {{"rate", 2}}));
  EXPECT_EQ(store.find(odd), (Measurements{{"rate", 2}}));
}

TEST_F(Measured, StoreThatIsBrokenIsEmptyAndIsReplaced) {
  const MeasurementStore store(path());
  const std::string first = "presso measurements 1\n";
  const std::vector<std::string> broken{"",
                                        "x",
                                        std::string(100, '\0'),
                                        first + "[a]\nrate=1",
                                        first + "rate=1\n",
                                        first + "[a]\nrate\n",
                                        first + "[a]\nrate=1x\n",
                                        first + "[a]\nrate=inf\n",
                                        first + "[a]\nrate=nan\n",
                                        first + "[a]\nrate=\n",
                                        first + "[a\nrate=1\n",
                                        "presso measurements 2\n[a]\nrate=1\n",
                                        first + "[a]\nrate=1\n" + std::string(2 << 20, '\n')};
  for (const std::string& text : broken) {
    write("presso/measurements", text);
    EXPECT_FALSE(store.find("a")) << text.substr(0, 60);
  }
  ASSERT_TRUE(store.save("b", {{"rate", 1}}));
  EXPECT_TRUE(store.find("b"));
}

TEST_F(Measured, StoreReadsNothingThatIsNoFileOfTheUser) {
  fs::create_directories(folder_ + "/presso");
  ASSERT_EQ(mkfifo(path().c_str(), 0600), 0);
  EXPECT_FALSE(MeasurementStore(path()).find("a"));  // and does not wait
  fs::remove(path());
  fs::create_directory(path());
  EXPECT_FALSE(MeasurementStore(path()).find("a"));
  EXPECT_FALSE(MeasurementStore(path()).save("a", {{"rate", 1}}));
  EXPECT_EQ(files(), 1u);
}

TEST_F(Measured, StoreWithoutAFolderKeepsNothing) {
  write("file", "");
  for (const std::string& path : {std::string(), folder_ + "/file/presso/measurements"}) {
    const MeasurementStore store(path);
    EXPECT_FALSE(store.save("a", {{"rate", 1}}));
    EXPECT_FALSE(store.find("a"));
    EXPECT_FALSE(store.try_lock());
  }
}

TEST_F(Measured, OnlyOneMeasuresAtATime) {
  const MeasurementStore store(path());
  auto lock = store.try_lock();
  ASSERT_TRUE(lock);
  EXPECT_FALSE(MeasurementStore(path()).try_lock());
  lock.reset();
  EXPECT_TRUE(store.try_lock());
}

TEST_F(Measured, UsersStoreIsWhereTheEnvironmentSays) {
  const char* const before[] = {std::getenv("XDG_CACHE_HOME"), std::getenv("HOME")};
  setenv("XDG_CACHE_HOME", "/x", 1);
  setenv("HOME", "/home/me", 1);
  EXPECT_EQ(MeasurementStore::of_user().path(), "/x/presso/measurements");
  setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(MeasurementStore::of_user().path(), "/home/me/.cache/presso/measurements");
  unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(MeasurementStore::of_user().path(), "/home/me/.cache/presso/measurements");
  setenv("HOME", "", 1);
  EXPECT_EQ(MeasurementStore::of_user().path(), "");
  if (before[0] != nullptr) setenv("XDG_CACHE_HOME", before[0], 1);
  if (before[1] != nullptr) setenv("HOME", before[1], 1);
}

TEST_F(Measured, RatesComeBackFromTheirNumbers) {
  const GpuRates gpu{0.3, 0.5, 1e9, 2e9, 3e9, 4e9};
  const auto again = gpu_rates_of(to_measurements(gpu));
  ASSERT_TRUE(again);
  EXPECT_EQ(to_measurements(*again), to_measurements(gpu));
  EXPECT_EQ(again->of_decoding().start_seconds, 0.3);
  EXPECT_EQ(again->of_decoding().work_rate, 3e9);
  EXPECT_EQ(again->of_searching().start_seconds, 0.5);
  EXPECT_EQ(again->of_searching().work_rate, 4e9);
  const auto cpu = cpu_rates_of(to_measurements(CpuRates{1e9, 8e9, 2e9, 12e9}));
  ASSERT_TRUE(cpu);
  EXPECT_EQ(cpu->decode(2), 2e9);
  EXPECT_EQ(cpu->decode(64), 8e9);
  EXPECT_EQ(cpu->search(4), 8e9);
  EXPECT_EQ(cpu->search(64), 12e9);
}

TEST_F(Measured, RatesThatAreMissingOrImpossibleAreNotBelieved) {
  Measurements numbers = to_measurements(GpuRates{0.3, 0.5, 1e9, 2e9, 3e9, 4e9});
  numbers["decode_rate"] = 0;
  EXPECT_FALSE(gpu_rates_of(numbers));
  numbers["decode_rate"] = -1;
  EXPECT_FALSE(gpu_rates_of(numbers));
  numbers.erase("decode_rate");
  EXPECT_FALSE(gpu_rates_of(numbers));
  EXPECT_FALSE(cpu_rates_of({}));
}

TEST_F(Measured, AGpuThatWasNotMeasuredIsNotThoughtFast) {
  const GpuCosts costs = guessed_gpu_rates().of_searching();
  constexpr std::uint64_t kGB = 1'000'000'000;
  const DeviceChoice sixteen(costs, guessed_cpu_rates(16).search(16));
  EXPECT_FALSE(sixteen.gpu_is_faster({20 * kGB, 100 * kGB, false}));
  const DeviceChoice one(costs, guessed_cpu_rates(1).search(1));
  EXPECT_FALSE(one.gpu_is_faster({kGB / 10, kGB, false}));
  EXPECT_TRUE(one.gpu_is_faster({kGB, 10 * kGB, false}));
}

TEST_F(Measured, TheDriversFilesNameTheGpu) {
  EXPECT_EQ(gpu_identity_of(folder_), "");
  write("version", "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release\n");
  EXPECT_EQ(gpu_identity_of(folder_), "");
  write("gpus/0000:01:00.0/information", "Model: \t\t NVIDIA H200\nIRQ:   100\n");
  write("gpus/0000:02:00.0/information", "Model: \t\t NVIDIA H200\nIRQ:   101\n");
  EXPECT_EQ(gpu_identity_of(folder_), "NVIDIA H200, driver 570.86.15");
  write("gpus/0000:03:00.0/information", "Model: NVIDIA A2\n");
  EXPECT_EQ(gpu_identity_of(folder_), "NVIDIA A2 and NVIDIA H200, driver 570.86.15");
}

TEST_F(Measured, ACpuHasAName) {
  EXPECT_NE(cpu_identity().find(" threads"), std::string::npos);
}

}  // namespace
}  // namespace presso::cli::device_rates_test
