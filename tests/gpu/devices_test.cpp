// SPDX-License-Identifier: MIT
// list_devices on whatever machine this is: with devices their properties make sense, without any
// the error says why. The second half is what a machine without a GPU tests, the first needs one.
#include "presso/gpu_devices.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "decompress/gpu/runtime/cuda_error.h"

namespace presso::gpu::devices_test {
namespace {

/// Asked of CUDA itself, so that list_devices cannot excuse itself.
int devices_that_cuda_sees() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

TEST(Devices, HavePropertiesThatMakeSense) {
  if (devices_that_cuda_sees() == 0) GTEST_SKIP() << "no GPU on this machine";
  const auto devices = list_devices();
  ASSERT_TRUE(devices.ok()) << devices.error().message();
  ASSERT_EQ(devices->size(), static_cast<std::size_t>(devices_that_cuda_sees()));
  for (std::size_t i = 0; i < devices->size(); ++i) {
    const DeviceInfo& info = (*devices)[i];
    EXPECT_EQ(info.index, static_cast<int>(i));
    EXPECT_FALSE(info.name.empty());
    EXPECT_GE(info.major, 5);
    EXPECT_GT(info.total_memory_bytes, std::uint64_t{1} << 30);
    EXPECT_LE(info.free_memory_bytes, info.total_memory_bytes);
    EXPECT_GT(info.multiprocessors, 0);
    EXPECT_GT(info.l2_bytes, 0u);
    EXPECT_GT(info.clock_khz, 100'000);
    EXPECT_GE(info.driver_version / 1000, info.runtime_version / 1000);
  }
}

TEST(Devices, ListingThemKeepsTheCurrentDevice) {
  if (devices_that_cuda_sees() < 2) GTEST_SKIP() << "fewer than two GPUs on this machine";
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  ASSERT_TRUE(list_devices().ok());
  int device = 0;
  ASSERT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 1);
}

// Without a driver CUDA has an error at every call, so this needs a device.
TEST(Devices, CheckedErrorsAreNotLeftForTheNextLaunch) {
  if (devices_that_cuda_sees() == 0) GTEST_SKIP() << "no GPU on this machine";
  EXPECT_FALSE(check(cudaDriverGetVersion(nullptr), "asking without a place").ok());
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

TEST(Devices, TheirAbsenceHasAReason) {
  if (devices_that_cuda_sees() > 0) GTEST_SKIP() << "this machine has a GPU";
  const auto devices = list_devices();
  ASSERT_FALSE(devices.ok());
  EXPECT_EQ(devices.error().code, ErrorCode::kNoDevice);
  int driver = 0;
  ASSERT_EQ(cudaDriverGetVersion(&driver), cudaSuccess);
  if (driver == 0) {
    EXPECT_EQ(devices.error().what, "no NVIDIA driver is installed");
  } else {
    EXPECT_NE(devices.error().what, "");
  }
}

TEST(Devices, VersionsAreWrittenAsPeopleDo) {
  EXPECT_EQ(cuda_version_text(13000), "13.0");
  EXPECT_EQ(cuda_version_text(12080), "12.8");
}

}  // namespace
}  // namespace presso::gpu::devices_test
