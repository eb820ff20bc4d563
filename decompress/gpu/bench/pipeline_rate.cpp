// SPDX-License-Identifier: MIT
// How near the pipeline comes to what PCIe allows (S7.14):
//
//   pipeline_rate FILE.presso [RUNS]
//
// Bare copies of 64 MiB each way give the limits: for host to host the slower of stored bytes in
// and plain bytes out, for decoding into device memory stored bytes in. Then whole runs over the
// file, median and best of RUNS (default 9) after one that warms up, memory and CUDA started
// before; the first run of each kind is compared with the CPU decoder's bytes. A file of 1 GiB and
// more of plain bytes says most: the first and last batches overlap nothing.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "decompress/gpu/bench/bench_support.h"
#include "decompress/gpu/cuda_error.h"
#include "presso/decompress_gpu.h"

namespace presso::gpu {
namespace {

using bench::InputFile;
using bench::summary;
using bench::Times;

constexpr std::size_t kCopyBytes = 64u << 20;

double seconds_of(const std::function<Status()>& action) {
  const auto start = std::chrono::steady_clock::now();
  const Status done = action();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  if (done.ok()) return passed.count();
  std::fprintf(stderr, "pipeline_rate: %s\n", done.error().message().c_str());
  std::exit(2);
}

Times measure(int runs, const std::function<Status()>& action) {
  seconds_of(action);
  std::vector<double> seconds;
  for (int run = 0; run < runs; ++run) seconds.push_back(seconds_of(action));
  return summary(std::move(seconds));
}

class Pinned {
 public:
  explicit Pinned(std::size_t size) : size_(size) {
    seconds_of([&] { return check(cudaMallocHost(&memory_, size), "pinned memory"); });
  }
  ~Pinned() { static_cast<void>(cudaFreeHost(memory_)); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

  MutableBytes bytes() const { return {static_cast<Byte*>(memory_), size_}; }

 private:
  void* memory_ = nullptr;
  std::size_t size_;
};

/// Bytes a second of bare copies.
double copy_rate(int runs, cudaMemcpyKind kind) {
  const Pinned host(kCopyBytes);
  void* device = nullptr;
  cudaStream_t stream = nullptr;
  seconds_of([&]() -> Status {
    PRESSO_TRY(check(cudaMalloc(&device, kCopyBytes), "device memory"));
    return check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
  });
  const bool in = kind == cudaMemcpyHostToDevice;
  const Times times = measure(runs, [&]() -> Status {
    for (int i = 0; i < 8; ++i) {
      PRESSO_TRY(check(cudaMemcpyAsync(in ? device : host.bytes().data(),
                                       in ? host.bytes().data() : device, kCopyBytes, kind, stream),
                       "copying"));
    }
    return check(cudaStreamSynchronize(stream), "waiting");
  });
  static_cast<void>(cudaStreamDestroy(stream));
  static_cast<void>(cudaFree(device));
  return 8 * kCopyBytes / times.median;
}

/// `limit`: the seconds that PCIe takes at least.
void report(const char* what, Times times, double plain_bytes, double limit) {
  std::printf("%-44s %8.1f GB/s (best %.1f)  %5.1f %% of what PCIe allows\n", what,
              plain_bytes / times.median / 1e9, plain_bytes / times.best / 1e9,
              100 * limit / times.median);
}

struct Setup {
  std::vector<Byte> plain;  ///< by the CPU
  Bytes stored;             ///< pinned
  const RandomAccess& file;
  double seconds_in, seconds_out;
  int runs;
};

Status host_to_host(const Setup& setup, Decompressor& decompressor, bool verify) {
  const Pinned into(setup.plain.size());
  const auto run = [&]() -> Status {
    PRESSO_TRY(decompress_host(decompressor, setup.stored, into.bytes(), verify));
    return {};
  };
  PRESSO_TRY(run());
  if (!std::equal(setup.plain.begin(), setup.plain.end(), into.bytes().begin())) {
    return make_error(ErrorCode::kContentChecksum, "the GPU's bytes are not the CPU's");
  }
  report(verify ? "host to host, checksums" : "host to host, no checksums",
         measure(setup.runs, run), static_cast<double>(setup.plain.size()),
         std::max(setup.seconds_in, setup.seconds_out));
  return {};
}

Status into_device(const Setup& setup, Decompressor& decompressor, bool from_memory) {
  PRESSO_ASSIGN(GpuFile file, from_memory ? GpuFile::open(decompressor, setup.stored)
                                          : GpuFile::open(decompressor, setup.file));
  PRESSO_ASSIGN(const DeviceBytes into, file.read_all());
  const MutableBytes target(into.data(), static_cast<std::size_t>(into.size()));
  report(from_memory ? "pinned memory to device memory" : "file to device memory",
         measure(setup.runs, [&] { return file.read(0, target); }),
         static_cast<double>(setup.plain.size()), setup.seconds_in);
  return {};
}

Status run(const char* path, int runs) {
  const InputFile file(path);
  PRESSO_TRY(file.status(path));
  const std::uint64_t size = file.size();
  const Pinned stored(size);
  PRESSO_TRY(file.read_at(0, stored.bytes()));
  const double in = copy_rate(runs, cudaMemcpyHostToDevice);
  const double out = copy_rate(runs, cudaMemcpyDeviceToHost);
  PRESSO_ASSIGN(std::vector<Byte> plain, decompress_buffer(stored.bytes()));
  const auto plain_bytes = static_cast<double>(plain.size());
  const Setup setup{std::move(plain),
                    stored.bytes(),
                    file,
                    static_cast<double>(size) / in,
                    plain_bytes / out,
                    runs};
  std::printf("%.0f plain bytes, ratio %.2f; PCIe in %.1f GB/s, out %.1f GB/s\n", plain_bytes,
              plain_bytes / static_cast<double>(size), in / 1e9, out / 1e9);
  PRESSO_ASSIGN(Decompressor decompressor, Decompressor::open());
  PRESSO_TRY(host_to_host(setup, decompressor, true));
  PRESSO_TRY(host_to_host(setup, decompressor, false));
  PRESSO_TRY(into_device(setup, decompressor, true));
  return into_device(setup, decompressor, false);
}

}  // namespace
}  // namespace presso::gpu

int main(int count, char** arguments) {
  const int runs = count > 2 ? std::atoi(arguments[2]) : 9;
  if (count < 2 || runs < 1) {
    std::fputs("usage: pipeline_rate FILE.presso [RUNS]\n", stderr);
    return 2;
  }
  const presso::Status done = presso::gpu::run(arguments[1], runs);
  if (done.ok()) return 0;
  std::fprintf(stderr, "pipeline_rate: %s\n", done.error().message().c_str());
  return 2;
}
