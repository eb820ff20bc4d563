// SPDX-License-Identifier: MIT
// What CUDA's errors become. Needs no device.
#include "decompress/gpu/runtime/cuda_error.h"

#include <gtest/gtest.h>

namespace presso::gpu::cuda_error_test {
namespace {

TEST(CudaError, SuccessIsNoError) {
  EXPECT_TRUE(check(cudaSuccess, "anything").ok());
}

TEST(CudaError, SaysWhatWasTriedAndWhatCudaSays) {
  const Status status = check(cudaErrorMemoryAllocation, "making room for 3 blocks");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kDeviceMemory);
  EXPECT_EQ(status.error().what, "making room for 3 blocks: out of memory");
  EXPECT_EQ(status.error().message(),
            "out of device memory: making room for 3 blocks: out of memory");
}

TEST(CudaError, TellsNoDeviceFromADeviceThatFailed) {
  EXPECT_EQ(error_code(cudaErrorNoDevice), ErrorCode::kNoDevice);
  EXPECT_EQ(error_code(cudaErrorInsufficientDriver), ErrorCode::kNoDevice);
  EXPECT_EQ(error_code(cudaErrorDevicesUnavailable), ErrorCode::kNoDevice);
  EXPECT_EQ(error_code(cudaErrorNoKernelImageForDevice), ErrorCode::kNoDevice);
  EXPECT_EQ(error_code(cudaErrorIllegalAddress), ErrorCode::kDeviceLost);
  EXPECT_EQ(error_code(cudaErrorECCUncorrectable), ErrorCode::kDeviceLost);
  EXPECT_EQ(error_code(cudaErrorLaunchTimeout), ErrorCode::kDeviceLost);
  EXPECT_EQ(error_code(cudaErrorUnknown), ErrorCode::kDeviceLost);
  EXPECT_EQ(error_code(cudaErrorInvalidResourceHandle), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace presso::gpu::cuda_error_test
