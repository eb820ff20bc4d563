// SPDX-License-Identifier: MIT
// From a source of kernels to machine code for one architecture: from the cache on disk, else by
// NVRTC. Needs no CUDA. Thread-safe. Tests: tests/unit/query/gpu/cubin_maker_test.cpp.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "presso/bytes.h"
#include "presso/error.h"
#include "query/gpu/code/code_cache.h"
#include "query/gpu/code/kernel_compiler.h"
#include "query/gpu/code/nvrtc_library.h"

namespace presso::gpu {

struct KernelCompilerOptions {
  bool disk_cache = true;
  std::string folder = {};  ///< of that cache; empty: CodeCache::folder_of_user()
  /// More options of NVRTC, such as --Ofast-compile=mid.
  std::vector<std::string> more = {};
};

class CubinMaker {
 public:
  CubinMaker(std::string architecture, const KernelCompilerOptions& options);

  /// The machine code of a source, as KernelCompiler::compile() takes it and with its errors.
  /// NVRTC is opened when the first source is not in the cache, so that without it, too, queries
  /// of kinds that were asked before are answered.
  Result<std::vector<Byte>> cubin(const std::string& source);

  /// How many sources were compiled, and not found in the cache.
  std::uint64_t compiled() const { return compiled_; }

 private:
  Result<const NvrtcLibrary*> library();

  const CompileOptions options_;
  const CodeCache cache_;
  std::mutex opening_;
  std::optional<NvrtcLibrary> library_;  // under opening_ until it is there
  std::atomic<std::uint64_t> compiled_ = 0;
};

}  // namespace presso::gpu
