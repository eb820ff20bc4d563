// SPDX-License-Identifier: MIT
// dlopen() is used rather than linking, because the package presso works without presso-gpu and
// without CUDA. Tested by python/tests/test_gpu.py.
#include "python/src/gpu_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>

#include "python/gpu_package/plugin_error.h"
#include "python/src/errors.h"
#include "python/src/interruptible.h"
#include "python/src/opened_file.h"

namespace presso::python {
namespace nb = nanobind;
namespace {

using gpu_plugin::copy_error;
using gpu_plugin::error_of;

/// The error for a library that cannot be used, with its path.
Error unusable(const std::string& path, const std::string& why) {
  return make_error(ErrorCode::kUnsupported, path + ": " + why);
}

/// Loads the library and checks that it is of this very version: structs and their meaning may
/// differ between versions. Error: kUnsupported with the path and the reason.
Result<GpuApi> load(const std::string& path) {
  // RTLD_LOCAL keeps its C++ symbols apart from those of this module.
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return unusable(path, ::dlerror());
  void* const symbol = ::dlsym(library, "presso_gpu_plugin");
  if (symbol == nullptr) return unusable(path, "is not the library of presso-gpu");
  const GpuApi api = reinterpret_cast<presso_gpu_plugin_function>(symbol)();
  // The layout of the structs is checked before the version's text is read.
  if (api->abi != PRESSO_GPU_ABI || std::strcmp(api->version, PRESSO_VERSION) != 0) {
    return unusable(path, "is not for this version of presso, " PRESSO_VERSION);
  }
  return api;
}

/// The functions that the library calls while it searches. Exceptions must not pass through the
/// library's frames, so they are kept until it has returned.
class Searching {
 public:
  Searching(const ScanOptions& options, const LineCallback& on_line)
      : options_(options), on_line_(on_line) {}

  /// The options as the C struct, with this object for its callbacks.
  presso_gpu_scan request() {
    presso_gpu_scan how = {};
    how.threads = options_.threads;
    how.invert = options_.invert ? 1 : 0;
    how.line_numbers = options_.line_numbers ? 1 : 0;
    how.matches = options_.matches ? 1 : 0;
    how.fail_fast = options_.fail_fast ? 1 : 0;
    how.use_index = options_.use_index ? 1 : 0;
    how.max_lines = options_.max_lines;
    how.before_context = options_.before_context;
    how.after_context = options_.after_context;
    how.first_line = options_.first_line;
    how.last_line = options_.last_line;
    how.cancelled = reinterpret_cast<const unsigned char*>(options_.cancelled);
    how.self = this;
    if (on_line_) how.on_line = &on_line;
    if (options_.on_progress) how.on_progress = &on_progress;
    if (options_.on_damage) how.on_damage = &on_damage;
    return how;
  }
  /// To be called when the library has returned.
  void rethrow() const {
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  /// The object that the pointer leads to which the library passes back.
  static Searching& of(void* self) { return *static_cast<Searching*>(self); }

  /// Calls Python's callback unless an earlier call has thrown. Returns false if this one throws,
  /// or an earlier one did. No exception may cross C, so it is kept until rethrow() throws it
  /// again.
  template <class Call>
  bool guarded(const Call& call) {
    if (raised_) return false;
    try {
      return call();
    } catch (...) {
      raised_ = std::current_exception();
      return false;
    }
  }

  /// A line from the library; false ends the search. The spans are copied, since the C struct has
  /// pairs of numbers.
  static int on_line(void* self, const presso_gpu_line* given) {
    MatchedLine line;
    line.kind = static_cast<LineKind>(given->kind);
    line.text = {static_cast<const Byte*>(given->text), given->bytes};
    line.offset = given->offset;
    line.number = given->number;
    std::vector<MatchSpan>& matches = of(self).matches_;
    return of(self).guarded([&] {
      matches.clear();
      for (std::size_t i = 0; i < given->match_count; ++i) {
        matches.push_back({given->matches[2 * i], given->matches[2 * i + 1]});
      }
      line.matches = matches;
      return of(self).on_line_(line);
    });
  }
  /// Progress cannot end the search, so what it raises is kept for the end.
  static void on_progress(void* self, std::uint64_t bytes) {
    of(self).guarded([&] {
      of(self).options_.on_progress(bytes);
      return true;
    });
  }
  /// A place that could not be searched; the search goes on.
  static void on_damage(void* self, const presso_gpu_damage* damage) {
    of(self).guarded([&] {
      of(self).options_.on_damage(
          {damage->plain_offset, damage->plain_bytes, error_of(damage->error), 1});
      return true;
    });
  }

  const ScanOptions& options_;
  const LineCallback& on_line_;
  std::vector<MatchSpan> matches_;
  std::exception_ptr raised_;
};

/// The GPUs that the library finds, as tuples for Python. More than 64 GPUs are not listed.
nb::list devices_of(const std::string& path) {
  constexpr std::size_t kMostDevices = 64;
  std::vector<presso_gpu_device> found(kMostDevices);
  // Listing starts CUDA, which takes about half a second, so Ctrl-C must be able to end the wait.
  std::size_t count = 0;
  take(interruptible([&](const std::atomic<bool>&) -> Result<std::size_t> {
    PRESSO_ASSIGN(const GpuApi api, open_gpu_library(path));
    presso_gpu_error error = {};
    PRESSO_TRY(called(api->devices(found.data(), found.size(), &count, &error), error));
    return count;
  }));
  nb::list devices;
  for (std::size_t i = 0; i < std::min(count, kMostDevices); ++i) {
    devices.append(nb::make_tuple(text_of(found[i].name), found[i].total_memory_bytes,
                                  found[i].free_memory_bytes));
  }
  return devices;
}

}  // namespace

/// Loads each library once and never unloads it, since its threads and CUDA may outlive any handle.
/// Thread-safe. The lock is held while a library is loaded, so two threads do not load it twice.
Result<GpuApi> open_gpu_library(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, GpuApi> loaded;
  const std::lock_guard lock(mutex);
  const auto known = loaded.find(path);
  if (known != loaded.end()) return known->second;
  PRESSO_ASSIGN(const GpuApi api, load(path));
  loaded.emplace(path, api);
  return api;
}

/// The file as the library reads it. Valid as long as `file`. Several threads of the library read
/// at once, without the GIL.
presso_gpu_file gpu_file_of(const RandomAccess& file) {
  const auto read_at = [](const void* self, std::uint64_t offset, void* into, std::size_t bytes,
                          presso_gpu_error* error) {
    const Status read = without_bad_alloc([&] {
      return static_cast<const RandomAccess*>(self)->read_at(offset,
                                                             {static_cast<Byte*>(into), bytes});
    });
    if (read.ok()) return 0;
    copy_error(read.error(), *error);
    return 1;
  };
  return {&file, file.size(), read_at};
}

/// The error is read only if the call has failed.
Status called(int returned, const presso_gpu_error& error) {
  return returned == 0 ? Status() : Status(error_of(error));
}

GpuSearch::~GpuSearch() {
  if (search_ != nullptr) pattern_.api->close_search(search_);
}

/// Compiles the pattern for the GPU on first use, and keeps that for later files.
Status GpuSearch::open() {
  if (search_ != nullptr) return {};
  // The texts are lent for the length of the call; the library copies what it keeps.
  std::vector<presso_gpu_text> texts;
  for (const std::string& text : pattern_.texts) texts.push_back({text.data(), text.size()});
  presso_gpu_pattern asked = pattern_.flags;
  asked.texts = texts.data();
  asked.count = texts.size();
  presso_gpu_error error = {};
  return called(pattern_.api->open_search(&asked, pattern_.device, &search_, &error), error);
}

/// Searches one file. What why_cpu() returns belongs to the last file.
Result<ScanSummary> GpuSearch::scan(const RandomAccess& file, const ScanOptions& options,
                                    const LineCallback& on_line) {
  PRESSO_TRY(open());
  Searching searching(options, on_line);
  const presso_gpu_file given = gpu_file_of(file);
  const presso_gpu_scan how = searching.request();
  presso_gpu_scan_summary found = {};
  presso_gpu_error error = {};
  // An exception of Python's explains why the search ended, so it comes before the error.
  const Status done = called(pattern_.api->scan(search_, &given, &how, &found, &error), error);
  searching.rethrow();
  PRESSO_TRY(done);
  why_cpu_ = found.why_cpu;
  ScanSummary summary;
  summary.lines = found.lines;
  summary.matches = found.matches;
  summary.plain_bytes = found.plain_bytes;
  summary.damaged_blocks = found.damaged_blocks;
  summary.blocks = found.blocks;
  summary.blocks_read = found.blocks_read;
  summary.blocks_skipped = found.blocks_skipped;
  summary.bytes_read = found.bytes_read;
  return summary;
}

/// Declares the function to Python.
void bind_gpu_library(nb::module_& module) {
  module.def(
      "gpu_devices", [](const nb::bytes& path) { return devices_of(bytes_of(path)); },
      nb::arg("library"),
      "GPUs that the library at this path may use: name, bytes of memory, bytes that are free.");
}

}  // namespace presso::python
