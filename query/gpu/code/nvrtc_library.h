// SPDX-License-Identifier: MIT
// NVIDIA's compiler of C++ at run time, NVRTC, opened when it is needed: nothing is linked against
// it, and a machine may lack it. This file and its .cpp include nothing of CUDA, and need neither a
// GPU nor its driver, so that they are tested everywhere. Thread-safe.
// Tests: tests/unit/query/gpu/nvrtc_library_test.cpp.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "presso/bytes.h"
#include "presso/error.h"
#include "query/gpu/code/embedded_headers.h"

namespace presso::gpu {

/// How a source is compiled.
struct CompileOptions {
  std::string architecture;  ///< of the device the code will run on: "sm_90"
  /// Passed on behind those that are always there (nvrtc_options()).
  std::vector<std::string> more = {};
  /// After which the compiler is stopped, between two of its passes.
  double most_seconds = 30;
};

/// The options that each source is compiled with, as one text. They belong to a cache's key.
std::string nvrtc_options(const CompileOptions& options);

class NvrtcLibrary {
 public:
  struct Version {
    int major = 0, minor = 0;
    std::string text() const { return std::to_string(major) + "." + std::to_string(minor); }
  };

  /// Where the library is looked for, in this order: names, which the system's loader finds, and
  /// paths. PRESSO_NVRTC, the path of a folder or of the library, leaves no other place.
  static std::vector<std::string> places();
  /// Opens the first that can be opened; it stays open until the process ends. This takes 7 ms
  /// (gpu_code_tests --gtest_filter=*EachWay*), and some hundred where the library's 110 MB are not
  /// in memory. Errors: kNoDevice, since without it a GPU answers no query, with the places and the
  /// packages that have it.
  static Result<NvrtcLibrary> open(const std::vector<std::string>& places = NvrtcLibrary::places());

  Version version() const { return version_; }
  /// The path or name by which it was opened.
  const std::string& place() const { return place_; }

  /// Compiles a source to machine code (a cubin). It includes `headers`, by their names, and no
  /// file. A source of three lines takes 25 ms, the first one of a process 33 (as above). Errors:
  /// kUnsupported with the first lines of the compiler's messages where it does not accept the
  /// source, does not know the architecture or takes too long; kOutOfMemory.
  Result<std::vector<Byte>> compile(const std::string& source, const CompileOptions& options,
                                    std::span<const EmbeddedHeader> headers) const;

 private:
  struct Functions;
  NvrtcLibrary(std::shared_ptr<const Functions> functions, std::string place, Version version)
      : functions_(std::move(functions)), place_(std::move(place)), version_(version) {}

  std::shared_ptr<const Functions> functions_;
  std::string place_;
  Version version_;
};

}  // namespace presso::gpu
