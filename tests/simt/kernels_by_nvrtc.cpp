// SPDX-License-Identifier: MIT
// Compiles sources of queries' kernels by NVRTC, which needs no GPU, with nothing but the headers
// that the program carries: what tests have compiled for the emulator (emulated_compiler.h) is
// code for GPUs, too.
//
//   kernels_by_nvrtc FOLDER EVERY
//
// FOLDER: of sources, also in its folders. Every EVERY-th is compiled, for sm_80, sm_90 and sm_100
// in turn, by all cores. Prints how many; ends with 1 where one is refused, or there is no source.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "query/gpu/code/nvrtc_library.h"

namespace presso {
namespace {

std::vector<std::string> sources_in(const std::string& folder, std::size_t every) {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".cpp") all.push_back(entry.path().string());
  }
  std::sort(all.begin(), all.end());
  std::vector<std::string> some;
  for (std::size_t i = 0; i < all.size(); i += every) some.push_back(all[i]);
  return some;
}

int run(const std::string& folder, std::size_t every) {
  const auto nvrtc = gpu::NvrtcLibrary::open();
  if (!nvrtc.ok()) {
    std::fprintf(stderr, "kernels_by_nvrtc: %s\n", nvrtc.error().text().c_str());
    return 1;
  }
  const std::vector<std::string> sources = sources_in(folder, every);
  constexpr const char* kArchitectures[] = {"sm_80", "sm_90", "sm_100"};
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> refused{0};
  const auto compile_some = [&] {
    for (std::size_t i = next++; i < sources.size(); i = next++) {
      std::ostringstream text;
      text << std::ifstream(sources[i]).rdbuf();
      const char* const architecture = kArchitectures[i % std::size(kArchitectures)];
      const auto made = nvrtc->compile(text.str(), {architecture}, gpu::embedded_headers());
      if (made.ok()) continue;
      ++refused;
      std::fprintf(stderr, "%s, %s: %s\n", sources[i].c_str(), architecture,
                   made.error().text().c_str());
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) {
    threads.emplace_back(compile_some);
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("NVRTC compiles %zu of these sources, for sm_80, sm_90 and sm_100 in turn\n",
              sources.size() - refused);
  return sources.empty() || refused != 0 ? 1 : 0;
}

}  // namespace
}  // namespace presso

int main(int count, char** arguments) {
  const std::size_t every = count == 3 ? std::strtoul(arguments[2], nullptr, 10) : 0;
  if (every == 0) {
    std::fprintf(stderr, "usage: kernels_by_nvrtc FOLDER EVERY\n");
    return 2;
  }
  return presso::run(arguments[1], every);
}
