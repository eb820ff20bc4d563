// SPDX-License-Identifier: MIT
// The functions that are used of NVRTC have not changed since CUDA 11, so they are declared here,
// and one build works with NVRTC of CUDA 12.8 and 13.
#include "query/gpu/code/nvrtc_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <type_traits>
#include <utility>

#include "presso/stopwatch.h"

namespace presso::gpu {
namespace {

/// nvrtcResult; those that mean something else than "the source or an option is refused".
constexpr int kSuccess = 0, kNoMemory = 1, kInvalidOption = 5, kCancelled = 16;
/// The first that has what the device code needs, such as __builtin_bit_cast.
constexpr std::pair kOldest(12, 8);
/// Longer messages would hide the first, which is the one that matters.
constexpr std::size_t kMostLogBytes = 2000;

/// Where pip puts NVRTC, from the folder in which packages lie: of CUDA 13, and of CUDA 12.
constexpr const char* kPipPlaces[] = {"/nvidia/cu13/lib/libnvrtc.so.13",
                                      "/nvidia/cuda_nvrtc/lib/libnvrtc.so.12"};

/// A file of this name may exist; nothing else is taken for a place by accident.
std::string absolute_folder(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && value[0] == '/' ? value : "";
}

/// The folder of Python's packages, where this code is part of the package presso-gpu, else "".
std::string python_packages() {
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void*>(&kPipPlaces), &here) == 0) return "";
  const std::filesystem::path folder = std::filesystem::path(here.dli_fname).parent_path();
  const bool ours = folder.is_absolute() && folder.filename() == "presso_gpu";
  return ours ? folder.parent_path().string() : "";
}

struct TimeLimit {
  Stopwatch watch;
  double most_seconds;

  /// As NVRTC calls it. Once true, it stays so.
  static int is_over(void* limit, void*) {
    const auto& self = *static_cast<const TimeLimit*>(limit);
    return self.watch.seconds() > self.most_seconds ? 1 : 0;
  }
};

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : between) + part;
  return out;
}

std::vector<std::string> option_list(const CompileOptions& options) {
  // Doubles keep the CPU's bits: no product is fused with a sum. No folder is searched for headers.
  // CUDA declares less of itself, which takes less time. Warnings would hide the errors.
  std::vector<std::string> list = {"-arch=" + options.architecture, "-std=c++20", "--fmad=false",
                                   "--no-source-include",           "--minimal",  "-w"};
  list.insert(list.end(), options.more.begin(), options.more.end());
  return list;
}

}  // namespace

struct NvrtcLibrary::Functions {
  using Program = struct NvrtcProgram*;

  const char* (*get_error_string)(int result);
  int (*version)(int* major, int* minor);
  int (*create_program)(Program* program, const char* source, const char* name, int header_count,
                        const char* const* headers, const char* const* include_names);
  int (*compile_program)(Program program, int option_count, const char* const* options);
  int (*get_cubin_size)(Program program, std::size_t* bytes);
  int (*get_cubin)(Program program, char* cubin);
  int (*get_log_size)(Program program, std::size_t* bytes);
  int (*get_log)(Program program, char* log);
  int (*destroy_program)(Program* program);
  int (*set_flow_callback)(Program program, int (*stops)(void* given, void*), void* given);

  /// Whether all functions are there; the first that is missing and those behind it are nullptr.
  bool load(void* library) {
    const auto find = [library](auto& function, const char* name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      return function != nullptr;
    };
    return find(version, "nvrtcVersion") && find(get_error_string, "nvrtcGetErrorString") &&
           find(create_program, "nvrtcCreateProgram") &&
           find(compile_program, "nvrtcCompileProgram") &&
           find(get_cubin_size, "nvrtcGetCUBINSize") && find(get_cubin, "nvrtcGetCUBIN") &&
           find(get_log_size, "nvrtcGetProgramLogSize") && find(get_log, "nvrtcGetProgramLog") &&
           find(destroy_program, "nvrtcDestroyProgram") &&
           find(set_flow_callback, "nvrtcSetFlowCallback");
  }

  /// The first lines of what the compiler says.
  std::string log_of(Program program) const {
    std::size_t bytes = 0;
    if (get_log_size(program, &bytes) != kSuccess || bytes == 0) return "";
    std::string log(bytes, '\0');
    if (get_log(program, log.data()) != kSuccess) return "";
    log.resize(std::min(log.find('\0'), log.size()));
    if (log.size() > kMostLogBytes) log.resize(log.rfind('\n', kMostLogBytes) + 1);
    while (!log.empty() && log.back() == '\n') log.pop_back();
    return log;
  }
};

std::string nvrtc_options(const CompileOptions& options) {
  return joined(option_list(options), " ");
}

std::vector<std::string> NvrtcLibrary::places() {
  const std::vector<std::string> names = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  std::vector<std::string> places;
  const auto add_folder = [&](const std::string& folder) {
    for (const std::string& name : names) places.push_back(folder + "/" + name);
  };
  if (const char* const named = std::getenv("PRESSO_NVRTC"); named != nullptr && *named != '\0') {
    std::error_code ignored;
    if (!std::filesystem::is_directory(named, ignored)) return {named};
    add_folder(named);
    return places;
  }
  const std::string packages = python_packages();
  if (!packages.empty()) {
    for (const char* const place : kPipPlaces) places.push_back(packages + place);
  }
  places.insert(places.end(), names.begin(), names.end());
  for (const char* const variable : {"CUDA_PATH", "CUDA_HOME"}) {
    const std::string folder = absolute_folder(variable);
    if (!folder.empty()) add_folder(folder + "/lib64");
  }
  add_folder("/usr/local/cuda/lib64");
  return places;
}

Result<NvrtcLibrary> NvrtcLibrary::open(const std::vector<std::string>& places) {
  std::vector<std::string> tried;
  for (const std::string& place : places) {
    tried.push_back(place);
    void* const library = dlopen(place.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) continue;
    auto functions = std::make_shared<Functions>();
    const bool is_whole = functions->load(library);
    Version version;
    if (functions->version != nullptr &&
        functions->version(&version.major, &version.minor) == kSuccess) {
      if (is_whole && std::pair(version.major, version.minor) >= kOldest) {
        return NvrtcLibrary(functions, place, version);
      }
      tried.back() += " (of CUDA " + version.text() + ", older than 12.8)";
    }
    dlclose(library);
  }
  return make_error(ErrorCode::kNoDevice,
                    "NVIDIA's run-time compiler NVRTC, which compiles queries for the GPU, was not "
                    "found (looked for: " +
                        joined(tried, ", ") +
                        "); install the package cuda-nvrtc-13-0 of NVIDIA's repository or "
                        "nvidia-cuda-nvrtc of PyPI, or set PRESSO_NVRTC to its folder");
}

Result<std::vector<Byte>> NvrtcLibrary::compile(const std::string& source,
                                                const CompileOptions& options,
                                                std::span<const EmbeddedHeader> headers) const {
  std::vector<const char*> names, texts, arguments;
  for (const EmbeddedHeader& header : headers) {
    names.push_back(header.name);
    texts.push_back(header.text);
  }
  std::vector<std::string> list = option_list(options);
  for (const std::string& option : list) arguments.push_back(option.c_str());

  const Functions& nvrtc = *functions_;
  Functions::Program program = nullptr;
  const auto error_of = [&](int status) {
    const std::string log = program == nullptr ? "" : nvrtc.log_of(program);
    std::string what = "NVRTC " + version_.text();
    if (status == kCancelled) what += " was stopped since it took too long";
    if (status == kInvalidOption)
      what += " does not know the options '" + nvrtc_options(options) + "'";
    what += ": " + (log.empty() ? std::string(nvrtc.get_error_string(status)) : log);
    return make_error(status == kNoMemory ? ErrorCode::kOutOfMemory : ErrorCode::kUnsupported,
                      what);
  };
  int status = nvrtc.create_program(&program, source.c_str(), "query.cu",
                                    static_cast<int>(names.size()), texts.data(), names.data());
  if (status != kSuccess) return error_of(status);
  const std::unique_ptr<Functions::Program, int (*)(Functions::Program*)> owned(
      &program, nvrtc.destroy_program);
  TimeLimit limit{{}, options.most_seconds};
  status = nvrtc.set_flow_callback(program, &TimeLimit::is_over, &limit);
  if (status != kSuccess) return error_of(status);
  status = nvrtc.compile_program(program, static_cast<int>(arguments.size()), arguments.data());
  if (status != kSuccess) return error_of(status);
  std::size_t bytes = 0;
  status = nvrtc.get_cubin_size(program, &bytes);
  if (status != kSuccess) return error_of(status);
  std::vector<Byte> cubin(bytes);
  status = nvrtc.get_cubin(program, reinterpret_cast<char*>(cubin.data()));
  if (status != kSuccess) return error_of(status);
  return cubin;
}

}  // namespace presso::gpu
