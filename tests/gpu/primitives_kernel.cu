// SPDX-License-Identifier: MIT
#include "tests/gpu/primitives_kernel.h"

#include "decompress/gpu/runtime/cuda_error.h"
#include "tests/gpu/primitives_body.h"

namespace presso::gpu {
namespace {

struct AnyPolicy {};

__global__ void __launch_bounds__(simt::kProbeThreads) primitives_kernel(simt::ProbeArgs args) {
  simt::primitives_body<AnyPolicy>(args);
}

/// Device words that go with their owner.
class DeviceWords {
 public:
  DeviceWords() = default;
  DeviceWords(const DeviceWords&) = delete;
  DeviceWords& operator=(const DeviceWords&) = delete;
  ~DeviceWords() { static_cast<void>(cudaFree(words_)); }

  Status allocate(std::size_t count) {
    return check(cudaMalloc(&words_, count * sizeof *words_), "allocating for the probe");
  }
  std::uint32_t* get() const { return words_; }

 private:
  std::uint32_t* words_ = nullptr;
};

Status launch_probe(const simt::ProbeArgs& args, cudaStream_t stream) {
  primitives_kernel<<<1, simt::kProbeThreads, simt::kProbeSharedBytes, stream>>>(args);
  return check(cudaGetLastError(), "launching primitives_kernel");
}

Status copy(void* to, const void* from, std::size_t words, cudaStream_t stream) {
  return check(cudaMemcpyAsync(to, from, words * sizeof(std::uint32_t), cudaMemcpyDefault, stream),
               "copying for the probe");
}

Status run_on(cudaStream_t stream, const std::vector<std::uint32_t>& input, ProbeResults& results) {
  DeviceWords device_input, rows, streamed;
  PRESSO_TRY(device_input.allocate(input.size()));
  PRESSO_TRY(rows.allocate(results.rows.size()));
  PRESSO_TRY(streamed.allocate(results.streamed.size()));
  PRESSO_TRY(copy(device_input.get(), input.data(), input.size(), stream));
  PRESSO_TRY(launch_probe({device_input.get(), rows.get(), streamed.get()}, stream));
  PRESSO_TRY(copy(results.rows.data(), rows.get(), results.rows.size(), stream));
  PRESSO_TRY(copy(results.streamed.data(), streamed.get(), results.streamed.size(), stream));
  return check(cudaStreamSynchronize(stream), "running primitives_kernel");
}

}  // namespace

Result<ProbeResults> probe_on_device(const std::vector<std::uint32_t>& input) {
  ProbeResults results;
  results.rows.resize(simt::kProbeThreads * simt::kProbes);
  results.streamed.resize(simt::kProbeInputs);
  cudaStream_t stream = nullptr;
  PRESSO_TRY(check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream"));
  const Status status = run_on(stream, input, results);
  static_cast<void>(cudaStreamDestroy(stream));
  if (!status.ok()) return status.error();
  return results;
}

}  // namespace presso::gpu
