// SPDX-License-Identifier: MIT
// The model behind --device=auto.
#include "tools/device/device_choice.h"

#include <gtest/gtest.h>

namespace presso::cli::device_choice_test {
namespace {

constexpr std::uint64_t kGB = 1'000'000'000;
constexpr GpuCosts kCosts{
    .start_seconds = 0.12, .copy_in_rate = 55e9, .copy_out_rate = 50e9, .work_rate = 300e9};
constexpr double kThread = 1.5e9;  ///< plain bytes a second

DecodeWork checked(std::uint64_t plain_bytes, std::uint64_t ratio = 4) {
  return {plain_bytes / ratio, plain_bytes, false};
}
DecodeWork written(std::uint64_t plain_bytes) {
  return {plain_bytes / 4, plain_bytes, true};
}

TEST(DeviceChoice, CountsTheStart) {
  DeviceChoice choice(kCosts, 16 * kThread);
  EXPECT_FALSE(choice.gpu_is_faster(checked(kGB)));
  EXPECT_TRUE(choice.gpu_is_faster(checked(10 * kGB)));
  choice.gpu_started();
  EXPECT_TRUE(choice.gpu_is_faster(checked(kGB)));
}

TEST(DeviceChoice, IsTheSumThatIsDocumented) {
  const DeviceChoice choice(kCosts, 4 * kThread);
  EXPECT_DOUBLE_EQ(choice.gpu_seconds(checked(55 * kGB, 1)), 0.12 + 55 / 55.0);
  EXPECT_DOUBLE_EQ(choice.gpu_seconds(checked(300 * kGB, 100)), 0.12 + 300 / 300.0);
  EXPECT_DOUBLE_EQ(choice.cpu_seconds(checked(30 * kGB)), 30 / 6.0);
  EXPECT_DOUBLE_EQ(choice.cpu_seconds(written(30 * kGB)), 30 / 2.5);
  EXPECT_DOUBLE_EQ(choice.gpu_seconds(written(30 * kGB)), 0.12 + 30 / 2.5);
  GpuCosts slow = kCosts;
  slow.copy_out_rate = 1e9;
  EXPECT_DOUBLE_EQ(DeviceChoice(slow, kThread).gpu_seconds(written(30 * kGB)), 0.12 + 30 / 1.0);
  EXPECT_DOUBLE_EQ(DeviceChoice(slow, kThread).gpu_seconds(checked(30 * kGB)), 0.12 + 30 / 220.0);
}

TEST(DeviceChoice, WritingThatLimitsBothLeavesItToTheCpu) {
  DeviceChoice choice(kCosts, 8 * kThread);
  choice.gpu_started();
  EXPECT_FALSE(choice.gpu_is_faster(written(100 * kGB)));
  DeviceChoice one_thread(kCosts, 1 * kThread);
  EXPECT_TRUE(one_thread.gpu_is_faster(written(100 * kGB)));
}

TEST(DeviceChoice, DoesNotLookIntoFilesThatAreTooSmall) {
  const DeviceChoice choice(kCosts, 2 * kThread);
  EXPECT_FALSE(choice.gpu_may_be_faster(100'000, false));
  EXPECT_TRUE(choice.gpu_may_be_faster(100'000'000, false));
}

TEST(DeviceChoice, AnyFileThatIsFasterMayBe) {
  for (const unsigned threads : {1u, 4u, 64u}) {
    for (std::uint64_t plain = 1'000'000; plain < 100 * kGB; plain *= 3) {
      const DeviceChoice choice(kCosts, threads * kThread);
      for (const std::uint64_t ratio : {1, 5, 90}) {
        const DecodeWork work = checked(plain, ratio);
        if (choice.gpu_is_faster(work)) {
          EXPECT_TRUE(choice.gpu_may_be_faster(work.stored_bytes, false));
        }
      }
    }
  }
}

TEST(DeviceChoice, BelievesWhatItMeasured) {
  DeviceChoice choice(kCosts, 4 * kThread);
  choice.gpu_started();
  ASSERT_TRUE(choice.gpu_is_faster(checked(kGB)));
  choice.measured_gpu(checked(1'000'000), 10);  // too small to say anything
  EXPECT_TRUE(choice.gpu_is_faster(checked(kGB)));
  choice.measured_gpu(checked(kGB), 1);
  EXPECT_FALSE(choice.gpu_is_faster(checked(kGB)));
  choice.measured_cpu(checked(kGB), 2);
  EXPECT_TRUE(choice.gpu_is_faster(checked(kGB)));
}

TEST(DeviceChoice, WithoutGpuCodeTheCpuIsFaster) {
  const DeviceChoice choice({}, kThread);
  EXPECT_FALSE(choice.gpu_may_be_faster(1000 * kGB, false));
  EXPECT_FALSE(choice.gpu_is_faster(checked(1000 * kGB)));
}

}  // namespace
}  // namespace presso::cli::device_choice_test
