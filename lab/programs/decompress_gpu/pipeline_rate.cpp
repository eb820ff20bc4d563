// SPDX-License-Identifier: MIT
// How near the pipeline comes to what PCIe allows (S7.14):
//
//   pipeline_rate [--members N] FILE.presso [RUNS [CASE...]]
//
//   host            pinned memory to pinned memory, checksums verified
//   host-unchecked  the same without
//   device          pinned memory to device memory
//   device-odd      the same without the first plain byte: every block at an odd address
//   file            the file, through the page cache, to device memory
//
// All of them unless some are named. Bare copies of 64 MiB each way give the limits: for host to
// host the slower of stored bytes in and plain bytes out, for decoding into device memory stored
// bytes in. Then whole runs over the file, median and best of RUNS (default 9) after one that warms
// up, memory and CUDA started before; the first run of each case is compared with the CPU decoder's
// bytes. A file of 1 GiB and more of plain bytes says most: the first and last batches overlap
// nothing. --members: the file N times in a row, as members of one; in memory only, so
// without the case `file`.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "decompress/gpu/runtime/cuda_error.h"
#include "lab/programs/decompress_gpu/bench_support.h"
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

constexpr const char* kCases[] = {"host", "host-unchecked", "device", "device-odd", "file"};

struct Arguments {
  const char* path = nullptr;
  int members = 1;
  int runs = 9;
  std::vector<std::string> cases = {};  ///< none: all

  bool wants(const char* name) const {
    return cases.empty() || std::find(cases.begin(), cases.end(), name) != cases.end();
  }
};

struct Setup {
  std::vector<Byte> plain;  ///< by the CPU
  Bytes stored;             ///< pinned
  const RandomAccess& file;
  double seconds_in, seconds_out;
  int runs;
};

Status check_bytes(bool right) {
  return right ? Status()
               : make_error(ErrorCode::kContentChecksum, "these are not the CPU's bytes");
}

Status host_to_host(const Setup& setup, Decompressor& decompressor, bool verify) {
  const Pinned into(setup.plain.size());
  const auto run = [&]() -> Status {
    PRESSO_TRY(decompress_host(decompressor, setup.stored, into.bytes(), verify));
    return {};
  };
  PRESSO_TRY(run());
  PRESSO_TRY(check_bytes(std::equal(setup.plain.begin(), setup.plain.end(), into.bytes().begin())));
  report(verify ? "host to host, checksums" : "host to host, no checksums",
         measure(setup.runs, run), static_cast<double>(setup.plain.size()),
         std::max(setup.seconds_in, setup.seconds_out));
  return {};
}

Status compare(const DeviceBytes& with, Bytes plain) {
  const Pinned here(plain.size());
  cudaStream_t stream = nullptr;
  PRESSO_TRY(check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream"));
  PRESSO_TRY(check(cudaMemcpyAsync(here.bytes().data(), with.data(), plain.size(),
                                   cudaMemcpyDeviceToHost, stream),
                   "copying"));
  PRESSO_TRY(check(cudaStreamSynchronize(stream), "waiting"));
  PRESSO_TRY(check(cudaStreamDestroy(stream), "a stream"));
  return check_bytes(std::equal(plain.begin(), plain.end(), here.bytes().begin()));
}

/// All plain bytes but the first `skipped`.
Status into_device(const Setup& setup, const char* what, Result<GpuFile> opened,
                   std::uint64_t skipped) {
  PRESSO_ASSIGN(GpuFile file, std::move(opened));
  PRESSO_ASSIGN(const DeviceBytes into, file.read({skipped, file.plain_bytes()}));
  PRESSO_TRY(compare(into, Bytes(setup.plain).subspan(static_cast<std::size_t>(skipped))));
  const MutableBytes target(into.data(), static_cast<std::size_t>(into.size()));
  report(what, measure(setup.runs, [&] { return file.read(skipped, target); }),
         static_cast<double>(setup.plain.size()), setup.seconds_in);
  return {};
}

Status run_cases(const Arguments& arguments, const Setup& setup) {
  PRESSO_ASSIGN(Decompressor decompressor, Decompressor::open());
  if (arguments.wants("host")) PRESSO_TRY(host_to_host(setup, decompressor, true));
  if (arguments.wants("host-unchecked")) PRESSO_TRY(host_to_host(setup, decompressor, false));
  if (arguments.wants("device")) {
    PRESSO_TRY(into_device(setup, "pinned memory to device memory",
                           GpuFile::open(decompressor, setup.stored), 0));
  }
  if (arguments.wants("device-odd")) {
    PRESSO_TRY(into_device(setup, "the same to odd addresses",
                           GpuFile::open(decompressor, setup.stored), 1));
  }
  if (!arguments.wants("file") || arguments.members > 1) return {};
  return into_device(setup, "file to device memory", GpuFile::open(decompressor, setup.file), 0);
}

Status run(const Arguments& arguments) {
  const int runs = arguments.runs;
  const InputFile file(arguments.path);
  PRESSO_TRY(file.status(arguments.path));
  const auto member_bytes = static_cast<std::size_t>(file.size());
  const std::uint64_t size = file.size() * static_cast<std::uint64_t>(arguments.members);
  const Pinned stored(size);
  for (std::size_t at = 0; at < size; at += member_bytes) {
    PRESSO_TRY(file.read_at(0, stored.bytes().subspan(at, member_bytes)));
  }
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
  std::printf(
      "%.0f plain bytes, ratio %.2f, %d time(s) the file; PCIe in %.1f GB/s, out %.1f GB/s\n",
      plain_bytes, plain_bytes / static_cast<double>(size), arguments.members, in / 1e9, out / 1e9);
  return run_cases(arguments, setup);
}

bool parse(int count, char** texts, Arguments& arguments) {
  int at = 1;
  if (count > 2 && std::strcmp(texts[1], "--members") == 0) {
    arguments.members = std::atoi(texts[2]);
    at = 3;
  }
  if (at < count) arguments.path = texts[at++];
  if (at < count) arguments.runs = std::atoi(texts[at++]);
  arguments.cases.assign(texts + at, texts + count);
  for (const std::string& name : arguments.cases) {
    if (std::find(std::begin(kCases), std::end(kCases), name) == std::end(kCases)) return false;
  }
  return arguments.path != nullptr && arguments.members > 0 && arguments.runs > 0;
}

}  // namespace
}  // namespace presso::gpu

int main(int count, char** arguments) {
  presso::gpu::Arguments parsed;
  if (!presso::gpu::parse(count, arguments, parsed)) {
    std::fputs("usage: pipeline_rate [--members N] FILE.presso [RUNS [CASE...]]\n", stderr);
    return 2;
  }
  const presso::Status done = presso::gpu::run(parsed);
  if (done.ok()) return 0;
  std::fprintf(stderr, "pipeline_rate: %s\n", done.error().message().c_str());
  return 2;
}
