// SPDX-License-Identifier: MIT
// What tests of kernels on a real device begin with: the first GPU, memory on it and a stream. They
// skip, saying why, where there is none.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "decompress/gpu/runtime/cuda_device.h"
#include "decompress/gpu/runtime/memory.h"

namespace presso::gpu::test {

class OnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    auto device = open_cuda_device(0);
    if (!device.ok()) GTEST_SKIP() << "no usable GPU: " << device.error().message();
    device_ = std::move(*device);
    memory_ = std::make_unique<Memory>(*device_, MemoryLimits{});
    auto stream = make_stream(*device_);
    ASSERT_TRUE(stream.ok());
    stream_ = std::move(*stream);
  }

  Result<DeviceMemory> copy_of(const void* from, std::size_t bytes) {
    PRESSO_ASSIGN(DeviceMemory to, memory_->allocate(bytes));
    PRESSO_TRY(device_->copy_in(to.get(), static_cast<const Byte*>(from), bytes, stream_.get()));
    PRESSO_TRY(device_->wait(stream_.get()));
    return to;
  }

  std::unique_ptr<Device> device_;
  std::unique_ptr<Memory> memory_;
  OwnedStream stream_;
};

}  // namespace presso::gpu::test
