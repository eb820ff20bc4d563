// SPDX-License-Identifier: MIT
// The device, the kernels and the memory that a DeviceJoiner's copies and its answers share. It
// lives as long as the last of them. Tested by tests/simt/device_joiner_test.cpp.
#pragma once

#include <memory>
#include <utility>

#include "decompress/gpu/runtime/memory.h"
#include "presso/device_join.h"
#include "query/gpu/join/join_kernels.h"

namespace presso::gpu {

/// Thread-safe, as device and memory are.
class JoinWorkplace {
 public:
  JoinWorkplace(std::unique_ptr<Device> device, std::shared_ptr<JoinKernels> kernels,
                const MemoryLimits& limits, const MemoryLimits& kept, int number)
      : device_(std::move(device)),
        kernels_(std::move(kernels)),
        memory_(*device_, limits, kept),
        number_(number) {}

  Device& device() { return *device_; }
  JoinKernels& kernels() { return *kernels_; }
  Memory& memory() { return memory_; }
  /// The device's number, as list_devices() counts.
  int number() const { return number_; }

 private:
  std::unique_ptr<Device> device_;
  std::shared_ptr<JoinKernels> kernels_;
  Memory memory_;
  int number_;
};

/// The row numbers of an answer, in device memory.
struct PairMemory {
  DeviceMemory probe;
  DeviceMemory build;  ///< empty for semi and anti joins
  JoinTotals totals;
  JoinKind kind = JoinKind::kInner;
  DeviceJoinAlgorithm strategy = DeviceJoinAlgorithm::kTable;
};

/// What copies of a JoinedPairs share.
struct JoinedPairs::Body {
  std::shared_ptr<JoinWorkplace> place;  ///< destroyed last
  PairMemory pairs;
};

}  // namespace presso::gpu
