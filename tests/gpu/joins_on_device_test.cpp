// SPDX-License-Identifier: MIT
// The suite of joins on a GPU, through device_join.h. PRESSO_GPU_TEST_SCALE=small, for
// compute-sanitizer: the inputs of the emulator.
#include <gtest/gtest.h>

#include "tests/gpu/workplace.h"
#include "tests/simt/join_backend.h"

namespace presso::gpu::test {
namespace {

/// A place of join_case(), of which each piece is an allocation of its own.
class DevicePlace {
 public:
  const std::uint32_t* copy_of(const std::vector<std::uint32_t>& words) {
    return words.empty() ? nullptr : placed(words);
  }
  std::uint32_t* poisoned(std::uint64_t words) { return placed(poisoned_words(words)); }
  std::vector<std::uint32_t> back(const std::uint32_t* from, std::uint64_t words) {
    return device_.back(from, words);
  }

  Status count(const JoinPlan& plan, void* temporary) {
    PRESSO_TRY(device_.wait());
    PRESSO_TRY(count_join(plan, temporary, device_.stream()));
    return device_.wait();
  }
  Status write(const JoinPlan& plan, void* temporary, const JoinPairs& pairs) {
    PRESSO_TRY(device_.wait());
    PRESSO_TRY(write_join(plan, temporary, pairs, device_.stream()));
    return device_.wait();
  }
  Status run(const JoinPlan& plan, void* temporary, const JoinPairs& pairs) {
    PRESSO_TRY(device_.wait());
    PRESSO_TRY(run_join(plan, temporary, pairs, device_.stream()));
    return device_.wait();
  }

 private:
  /// Waits, as `words` may go when this returns; errors stay until the next wait.
  std::uint32_t* placed(const std::vector<std::uint32_t>& words) {
    std::uint32_t* const copy = device_.copy_of(words.data(), words.size());
    static_cast<void>(device_.wait());
    return copy;
  }

  Workplace device_;
};

class DeviceBackend : public JoinBackend {
 public:
  std::string unavailable() const override {
    int count = 0;
    const Status status = gpu::check(cudaGetDeviceCount(&count), "looking for a GPU");
    return status.ok() ? std::string() : "no usable GPU: " + status.error().message();
  }
  bool is_fast() const override { return !small_scale(); }
  Result<JoinOutcome> join(const JoinCase& asked, std::uint32_t) override {
    DevicePlace place;
    return join_case(asked, place);
  }
};

}  // namespace

JoinBackend& join_backend() {
  static DeviceBackend backend;
  return backend;
}

}  // namespace presso::gpu::test
