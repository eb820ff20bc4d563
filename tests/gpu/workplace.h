// SPDX-License-Identifier: MIT
// What the suites of batches need of a device, and the variable that makes them small:
// PRESSO_GPU_TEST_SCALE=small, for compute-sanitizer: samples, as in the emulator.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "decompress/gpu/runtime/cuda_error.h"
#include "presso/bytes.h"

namespace presso::gpu::test {

inline bool small_scale() {
  const char* const scale = std::getenv("PRESSO_GPU_TEST_SCALE");
  return scale != nullptr && std::strcmp(scale, "small") == 0;
}

/// What a batch needs of a device: pieces of memory, filled on one stream. Errors stay until
/// wait().
class Workplace {
 public:
  Workplace() { keep(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream"); }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;
  ~Workplace() {
    for (void* memory : allocated_) static_cast<void>(cudaFree(memory));
    static_cast<void>(cudaStreamDestroy(stream_));
  }

  template <class T>
  T* allocate(std::size_t count) {
    void* memory = nullptr;
    keep(cudaMalloc(&memory, std::max<std::size_t>(count * sizeof(T), 1)), "allocating");
    allocated_.push_back(memory);
    return static_cast<T*>(memory);
  }
  /// In an allocation of its own, for compute-sanitizer.
  template <class T>
  T* copy_of(const T* from, std::size_t count) {
    T* const to = allocate<T>(count);
    keep(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyHostToDevice, stream_), "copying");
    return to;
  }
  Byte* poisoned(std::size_t bytes, Byte poison) {
    Byte* const memory = allocate<Byte>(bytes);
    keep(cudaMemsetAsync(memory, poison, bytes, stream_), "poisoning");
    return memory;
  }
  template <class T>
  std::vector<T> back(const T* from, std::size_t count) {
    std::vector<T> to(count);
    keep(cudaMemcpyAsync(to.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost, stream_),
         "copying back");
    keep(cudaStreamSynchronize(stream_), "waiting");
    return to;
  }

  cudaStream_t stream() const { return stream_; }
  Status wait() {
    keep(cudaStreamSynchronize(stream_), "waiting");
    return status_;
  }

 private:
  void keep(cudaError_t code, const char* doing) {
    Status status = gpu::check(code, doing);
    if (status_.ok()) status_ = std::move(status);
  }

  cudaStream_t stream_ = nullptr;
  std::vector<void*> allocated_;
  Status status_;
};

}  // namespace presso::gpu::test
