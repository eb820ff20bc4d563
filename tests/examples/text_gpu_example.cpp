// SPDX-License-Identifier: MIT
// <presso/text_gpu.h>: count and find matching lines of text that lies in the memory of a GPU. The
// memory and the stream are the program's own. Skips, saying so, where there is no GPU.
#include <cuda_runtime_api.h>
#include <presso/text_gpu.h>

#include <cstdio>
#include <string>
#include <vector>

namespace {

/// 256-byte aligned, as all of cudaMalloc()'s; the program's end frees it.
template <class T>
T* device_memory(std::size_t count) {
  void* d_memory = nullptr;
  cudaMalloc(&d_memory, count * sizeof(T) + 1);
  return static_cast<T*>(d_memory);
}

const presso::Byte* on_device(const void* from, std::size_t bytes, cudaStream_t stream) {
  auto* const d_memory = device_memory<presso::Byte>(bytes);
  cudaMemcpyAsync(d_memory, from, bytes, cudaMemcpyHostToDevice, stream);
  return d_memory;
}

int fail(const presso::Error& error) {
  std::fprintf(stderr, "%s\n", error.message().c_str());
  return 1;
}

}  // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("skipped: no usable GPU");
    return 0;
  }
  std::string text;
  for (int i = 1; i <= 50000; ++i) {
    text += "request " + std::to_string(i) + (i % 20000 == 0 ? " failed\n" : " served\n");
  }

  // A pattern is compiled and laid out once, and may be used for any number of texts.
  const auto pattern = presso::Pattern::compile_literals({"FAILED"}, {.ignore_case = true});
  if (!pattern.ok()) return fail(pattern.error());
  const auto search = presso::gpu::TextSearch::compile(*pattern);
  if (!search.ok()) return fail(search.error());

  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  constexpr std::uint64_t kMostPlaces = 10;
  presso::gpu::TextArguments arguments;
  arguments.d_text = on_device(text.data(), text.size(), stream);
  arguments.bytes = text.size();
  arguments.d_table = on_device(search->table().data(), search->table().size(), stream);
  arguments.d_lines = device_memory<std::uint64_t>(1);
  arguments.d_places = device_memory<presso::gpu::LinePlace>(kMostPlaces);
  arguments.most_places = kMostPlaces;
  arguments.temporary_bytes = search->temporary_bytes(text.size(), true);
  arguments.d_temporary = device_memory<presso::Byte>(arguments.temporary_bytes);
  const presso::Status enqueued = search->run(arguments, stream);
  if (!enqueued.ok()) return fail(enqueued.error());
  std::uint64_t lines = 0;
  presso::gpu::LinePlace places[kMostPlaces];
  cudaMemcpyAsync(&lines, arguments.d_lines, sizeof lines, cudaMemcpyDeviceToHost, stream);
  cudaMemcpyAsync(places, arguments.d_places, sizeof places, cudaMemcpyDeviceToHost, stream);
  if (cudaStreamSynchronize(stream) != cudaSuccess) return 1;

  for (std::uint64_t i = 0; i < lines && i < kMostPlaces; ++i) {
    const std::string line = text.substr(places[i].begin, places[i].end - places[i].begin);
    std::printf("bytes %llu to %llu: %s\n", static_cast<unsigned long long>(places[i].begin),
                static_cast<unsigned long long>(places[i].end), line.c_str());
  }
  std::printf("%llu lines\n", static_cast<unsigned long long>(lines));
  return lines == 2 ? 0 : 1;
}
