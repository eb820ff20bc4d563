// SPDX-License-Identifier: MIT
// The queries by which a GPU is measured run on it, as far as an emulator can tell: it has no
// clock.
#include "tools/device/gpu_probes.h"

#include <gtest/gtest.h>

#include "tests/simt/emulated_query_device.h"

namespace presso::cli {
namespace {

/// Of the backend that this test links in place of one.
std::shared_ptr<test::EmulatedFaults> opened_with;

constexpr GpuProbeSizes kFew = {2048, 1024, 3, 3, 1};

TEST(GpuProbes, RunOnTheDevice) {
  const auto faults = std::make_shared<test::EmulatedFaults>();
  {
    const auto times = time_gpu_queries(test::make_emulated_query_device(faults), kFew);
    ASSERT_TRUE(times.ok()) << times.error().what;
    const GpuQueryTime& wide = times->compared.back();
    EXPECT_EQ(wide.rows, 3 * 2048);
    EXPECT_NEAR(wide.bytes / wide.rows, 6, 0.5) << "48 bits";
    EXPECT_NEAR(times->compared[1].bytes / wide.rows, 1, 0.5);
    EXPECT_GT(times->read.bytes, wide.bytes);
    EXPECT_GT(times->read.total_ns, 0);
    EXPECT_EQ(times->read.kernel_ns, 0);
    EXPECT_EQ(times->few_groups.groups, 256);
    EXPECT_GT(times->far_groups.groups, 2000);
    EXPECT_EQ(times->text.bytes, 16 * 3 * 1024);
    EXPECT_GT(times->tokens.bytes, 0);
  }
  EXPECT_GT(faults->text_tests, 0u) << "strings that are stored as bytes";
  EXPECT_EQ(faults->live_bytes, 0u);
}

TEST(GpuProbes, AreOfNoUseWithoutAClock) {
  opened_with = std::make_shared<test::EmulatedFaults>();
  const auto rates = measure_gpu_queries(0);
  ASSERT_FALSE(rates.ok());
  EXPECT_EQ(rates.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(rates.error().what, "the device has no clock");
  EXPECT_LT(opened_with->launches, 15u) << "what takes long was not tried";
  EXPECT_EQ(opened_with->live_bytes, 0u);
}

TEST(GpuProbes, FailAsTheDeviceDoes) {
  const auto faults = std::make_shared<test::EmulatedFaults>();
  faults->launch = 9;
  const auto lost = time_gpu_queries(test::make_emulated_query_device(faults), kFew);
  ASSERT_FALSE(lost.ok());
  EXPECT_EQ(lost.error().code, ErrorCode::kDeviceLost);
  const auto small = std::make_shared<test::EmulatedFaults>();
  small->device_bytes = 20'000;
  const auto full = time_gpu_queries(test::make_emulated_query_device(small), kFew);
  ASSERT_FALSE(full.ok());
  EXPECT_EQ(small->live_bytes, 0u);
}

TEST(GpuProbes, AreSmallWhereMemoryIs) {
  EXPECT_EQ(GpuProbeSizes::for_memory(std::uint64_t{100} << 30).copies, 128u);
  EXPECT_EQ(GpuProbeSizes::for_memory(std::uint64_t{1} << 30).copies, 7u);
  EXPECT_EQ(GpuProbeSizes::for_memory(0).copies, 1u);
}

}  // namespace

Result<std::shared_ptr<QueryDevice>> open_gpu_queries(const gpu::QueryGpuOptions&) {
  return test::make_emulated_query_device(opened_with);
}

Result<std::unique_ptr<const gpu::DeviceTable>> load_to_gpu(std::shared_ptr<QueryDevice> device,
                                                            const std::vector<Table>& tables) {
  PRESSO_ASSIGN(gpu::DeviceTable loaded, gpu::DeviceTable::load(std::move(device), tables));
  return std::make_unique<const gpu::DeviceTable>(std::move(loaded));
}

Result<std::vector<gpu::DeviceInfo>> gpu_devices() {
  return make_error(ErrorCode::kNoDevice, "the test has none");
}

}  // namespace presso::cli
