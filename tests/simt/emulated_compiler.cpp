// SPDX-License-Identifier: MIT
// Implements emulated_compiler.h. A library is linked against the emulator of the program that
// loads it, so that its kernels see the lanes of the launch: programs export the emulator's
// functions (emulator_exports.map; for a plug-in tests/support/fake_plugin.map).
#include "tests/simt/emulated_compiler.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "decompress/gpu/simt/simt.h"
#include "tests/simt/faulty_launches.h"
#include "tests/simt/kernel_toolchain.h"

extern char** environ;

// Clang's sanitizer compares the types of a function and of its call, and knows only the latter.
#if defined(__clang__)
#define PRESSO_CALLS_ANY_FUNCTION __attribute__((no_sanitize("function")))
#else
#define PRESSO_CALLS_ANY_FUNCTION
#endif

namespace presso::test {
namespace {

/// Shared by all kernels of a device, as the order of its lanes changes with every launch.
struct SharedLaunches {
  std::mutex mutex;
  Launches run;
};

/// The file's content; nothing: it cannot be read.
std::optional<std::string> content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

PRESSO_CALLS_ANY_FUNCTION void call(void* kernel, const Byte* argument) {
  reinterpret_cast<void (*)(const Byte*)>(kernel)(argument);
}

/// A loaded library, which stays until the process ends: sanitizers name its functions then.
class EmulatedKernels final : public gpu::CompiledKernels {
 public:
  EmulatedKernels(void* library, std::shared_ptr<SharedLaunches> launches)
      : library_(library), launches_(std::move(launches)) {}

  Result<std::uint32_t> thread_blocks(const char* kernel, std::uint32_t, std::uint32_t) override {
    PRESSO_TRY(find(kernel));
    return std::uint32_t{2};
  }
  Status launch(const char* kernel, const void* argument, std::size_t bytes,
                std::uint32_t thread_blocks, std::uint32_t threads, std::uint32_t shared_bytes,
                gpu::Stream) override {
    PRESSO_ASSIGN(void* const function, find(kernel));
    if (threads % simt::kWarpSize != 0) {
      return make_error(ErrorCode::kInvalidArgument, std::string(kernel) + ": " +
                                                         std::to_string(threads) +
                                                         " threads are not a multiple of a warp");
    }
    // The copy has exactly this size, so that AddressSanitizer sees a kernel that reads more.
    std::vector<Byte> copy(bytes);
    if (bytes != 0) std::memcpy(copy.data(), argument, bytes);
    const std::lock_guard lock(launches_->mutex);
    return launches_->run(kernel, thread_blocks, threads / simt::kWarpSize, shared_bytes,
                          [&] { call(function, copy.data()); });
  }

 private:
  Result<void*> find(const char* kernel) const {
    void* const function = ::dlsym(library_, kernel);
    if (function != nullptr) return function;
    return make_error(ErrorCode::kInvalidArgument,
                      "the source has no kernel " + std::string(kernel));
  }

  void* library_;
  std::shared_ptr<SharedLaunches> launches_;
};

/// Runs a program, its output and messages into a file, and gives its exit status, or 128 and more
/// where a signal has ended it. kNoDevice: it is not there.
Result<int> run_program(std::vector<std::string> words, const std::string& output) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0644);
  ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int failed =
      ::posix_spawnp(&child, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    return make_error(ErrorCode::kNoDevice, words[0] + ": " + std::strerror(failed));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return errno_error("waitpid", errno);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string first_lines(const std::string& text) {
  constexpr int kLines = 12;
  std::size_t end = 0;
  for (int i = 0; i < kLines && end != text.npos; ++i) end = text.find('\n', end + (i != 0));
  return text.substr(0, end);
}

class EmulatedCompiler final : public gpu::KernelCompiler {
 public:
  EmulatedCompiler(std::shared_ptr<EmulatedFaults> faults, std::uint32_t seed, std::string cache)
      : tools_(kernel_toolchain()),
        faults_(faults),
        launches_(new SharedLaunches{{}, Launches(faults, seed)}) {
    if (!cache.empty()) tools_.cache = std::move(cache);
  }

  Result<std::shared_ptr<gpu::CompiledKernels>> compile(const std::string& source) override {
    const std::lock_guard lock(mutex_);
    if (faults_->compilations++ >= faults_->compilation) {
      return make_error(ErrorCode::kNoDevice, "no kernels are compiled, as the test wants it");
    }
    std::shared_ptr<gpu::CompiledKernels>& known = known_[source];
    if (known != nullptr) return known;
    PRESSO_ASSIGN(void* const library, load(source));
    known = std::make_shared<EmulatedKernels>(library, launches_);
    faults_->sources = known_.size();
    return known;
  }

 private:
  Result<void*> load(const std::string& source) {
    PRESSO_ASSIGN(const std::string path, path_of(source));
    const std::optional<std::string> kept = content_of(path + ".cpp");
    if (kept && *kept != source) {
      return make_error(ErrorCode::kInvalidArgument, path + ".cpp is another source");
    }
    if (!kept || ::access((path + ".so").c_str(), R_OK) != 0) PRESSO_TRY(make(source, path));
    export_emulator();
    void* const library = ::dlopen((path + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) return library;
    return make_error(ErrorCode::kInvalidArgument, ::dlerror());
  }

  /// Returns the path in the cache of the library and of its source, without the ending.
  Result<std::string> path_of(const std::string& source) {
    if (fixed_text_.empty()) {
      for (const std::string& file :
           {tools_.headers, tools_.header_options, tools_.kernel_options}) {
        const std::optional<std::string> text = content_of(file);
        if (!text) return make_error(ErrorCode::kNoDevice, file + " is not there");
        fixed_text_ += hash_of(*text);
      }
    }
    return tools_.cache + "/" + hash_of(fixed_text_ + source);
  }
  static std::string hash_of(const std::string& text) {
    const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
    char digits[33];
    std::snprintf(digits, sizeof digits, "%016llx%016llx",
                  static_cast<unsigned long long>(hash.high64),
                  static_cast<unsigned long long>(hash.low64));
    return digits;
  }

  /// Both files appear whole, the library last: another process may make the same ones now.
  Status make(const std::string& source, const std::string& path) {
    static std::atomic<unsigned> made{0};
    const std::string own = path + "." + std::to_string(::getpid()) + "." + std::to_string(made++);
    const std::string text = own + ".cpp";
    const std::string library = own + ".so";
    const std::string messages = own + ".txt";
    std::error_code failed;
    std::filesystem::create_directories(tools_.cache, failed);
    std::ofstream file(text, std::ios::binary);
    file << source << std::flush;
    if (!file) return make_error(ErrorCode::kIo, text + " cannot be written");
    ++faults_->compiler_runs;
    const Result<int> status = run_program({tools_.compiler, "@" + tools_.header_options, text,
                                            "@" + tools_.kernel_options, "-o", library},
                                           messages);
    const std::string said = content_of(messages).value_or("");
    std::remove(messages.c_str());
    if (!status.ok() || *status != 0) {
      std::remove(text.c_str());
      std::remove(library.c_str());
      if (!status.ok()) return status.error();
      return make_error(ErrorCode::kInvalidArgument,
                        "the compiler rejects a query's kernels: " + first_lines(said));
    }
    if (std::rename(text.c_str(), (path + ".cpp").c_str()) != 0 ||
        std::rename(library.c_str(), (path + ".so").c_str()) != 0) {
      return errno_error("rename " + own, errno);
    }
    return {};
  }

  /// Where this is part of a library that was loaded for itself, as a plug-in is, others do not see
  /// its functions yet. A program's own are seen already, and then this does nothing.
  static void export_emulator() {
    Dl_info found{};
    if (::dladdr(reinterpret_cast<void*>(&simt::lane), &found) == 0) return;
    static_cast<void>(::dlopen(found.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL));
  }

  std::mutex mutex_;
  KernelToolchain tools_;
  std::string fixed_text_;  ///< of what all sources are compiled with, as hashes
  std::shared_ptr<EmulatedFaults> faults_;
  std::shared_ptr<SharedLaunches> launches_;
  std::map<std::string, std::shared_ptr<gpu::CompiledKernels>> known_;
};

}  // namespace

std::shared_ptr<gpu::KernelCompiler> make_emulated_compiler(std::shared_ptr<EmulatedFaults> faults,
                                                            std::uint32_t seed, std::string cache) {
  return std::make_shared<EmulatedCompiler>(std::move(faults), seed, std::move(cache));
}

}  // namespace presso::test
