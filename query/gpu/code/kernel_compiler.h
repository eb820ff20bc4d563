// SPDX-License-Identifier: MIT
// Interface of what compiles the source of a query's kernels at run time and launches them, so that
// the host code of querying on a GPU also runs without CUDA, in tests over the emulator.
// Thread-safe. Tests: tests/queries/one_table.txt.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "decompress/gpu/runtime/device.h"
#include "presso/error.h"

namespace presso::gpu {

/// The kernels of one source, ready to be launched on the device they were compiled for.
class CompiledKernels {
 public:
  virtual ~CompiledKernels() = default;

  /// How many thread blocks of the kernel the device runs at once. Errors: kDeviceMemory where not
  /// even one has room.
  virtual Result<std::uint32_t> thread_blocks(const char* kernel, std::uint32_t threads,
                                              std::uint32_t shared_bytes) = 0;
  /// Enqueues the kernel, which takes one argument, passed by value: `bytes` bytes at `argument`,
  /// copied before this returns. `shared_bytes`: of dynamic shared memory.
  virtual Status launch(const char* kernel, const void* argument, std::size_t bytes,
                        std::uint32_t thread_blocks, std::uint32_t threads,
                        std::uint32_t shared_bytes, Stream stream) = 0;
};

class KernelCompiler {
 public:
  virtual ~KernelCompiler() = default;

  /// The kernels of a source: those that were compiled for the same text before, in this process or
  /// (from the cache on disk) in another one, else compiled now. `source`: C++ that includes only
  /// headers embedded in the library and defines `extern "C"` kernels of one argument.
  ///
  /// Errors: kNoDevice where there is no compiler on this machine, with what to install;
  /// kUnsupported, with the compiler's messages, where it does not accept the source or know the
  /// device.
  virtual Result<std::shared_ptr<CompiledKernels>> compile(const std::string& source) = 0;
};

}  // namespace presso::gpu
