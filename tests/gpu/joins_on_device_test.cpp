// SPDX-License-Identifier: MIT
// The suite of joins on a GPU, through device_join.h. PRESSO_GPU_TEST_SCALE=small, for
// compute-sanitizer: the inputs of the emulator.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "decompress/gpu/runtime/cuda_error.h"
#include "tests/simt/join_backend.h"

namespace presso::gpu::test {
namespace {

bool small_scale() {
  const char* const scale = std::getenv("PRESSO_GPU_TEST_SCALE");
  return scale != nullptr && std::strcmp(scale, "small") == 0;
}

/// What one join needs of a device, each piece an allocation of its own, for compute-sanitizer.
/// Errors stay until the end.
class DevicePlace {
 public:
  DevicePlace() { keep(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream"); }
  DevicePlace(const DevicePlace&) = delete;
  DevicePlace& operator=(const DevicePlace&) = delete;
  ~DevicePlace() {
    for (void* memory : allocated_) static_cast<void>(cudaFree(memory));
    static_cast<void>(cudaStreamDestroy(stream_));
  }

  const std::uint32_t* copy_of(const std::vector<std::uint32_t>& words) {
    return words.empty() ? nullptr : placed(words);
  }
  std::uint32_t* poisoned(std::uint64_t words) { return placed(poisoned_words(words)); }
  std::vector<std::uint32_t> back(const std::uint32_t* from, std::uint64_t words) {
    std::vector<std::uint32_t> to(words);
    keep(cudaMemcpyAsync(to.data(), from, words * sizeof *from, cudaMemcpyDeviceToHost, stream_),
         "copying back");
    keep(cudaStreamSynchronize(stream_), "waiting");
    return to;
  }

  Status count(const JoinPlan& plan, void* temporary) {
    PRESSO_TRY(status());
    PRESSO_TRY(count_join(plan, temporary, stream_));
    return waited();
  }
  Status write(const JoinPlan& plan, void* temporary, const JoinPairs& pairs) {
    PRESSO_TRY(status());
    PRESSO_TRY(write_join(plan, temporary, pairs, stream_));
    return waited();
  }
  Status run(const JoinPlan& plan, void* temporary, const JoinPairs& pairs) {
    PRESSO_TRY(status());
    PRESSO_TRY(run_join(plan, temporary, pairs, stream_));
    return waited();
  }

 private:
  std::uint32_t* placed(const std::vector<std::uint32_t>& words) {
    void* memory = nullptr;
    const std::size_t bytes = words.size() * sizeof words[0];
    keep(cudaMalloc(&memory, bytes), "allocating");
    allocated_.push_back(memory);
    keep(cudaMemcpyAsync(memory, words.data(), bytes, cudaMemcpyHostToDevice, stream_), "copying");
    keep(cudaStreamSynchronize(stream_), "waiting");
    return static_cast<std::uint32_t*>(memory);
  }
  Status waited() {
    keep(cudaStreamSynchronize(stream_), "waiting");
    return status();
  }
  Status status() const { return status_; }
  void keep(cudaError_t code, const char* doing) {
    Status status = gpu::check(code, doing);
    if (status_.ok()) status_ = std::move(status);
  }

  cudaStream_t stream_ = nullptr;
  std::vector<void*> allocated_;
  Status status_;
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
