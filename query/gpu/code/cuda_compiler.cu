// SPDX-License-Identifier: MIT
// The runtime's libraries (cudaLibrary_t, since CUDA 12.8) rather than the driver's modules, so
// that nothing is linked against the driver. Functions of the runtime that take a kernel's address
// take a cudaKernel_t in its place.
#include "query/gpu/code/cuda_compiler.h"

#include <string>

#include "decompress/gpu/runtime/cuda_error.h"
#include "decompress/gpu/runtime/current_device.h"
#include "decompress/gpu/runtime/kernel_launch.h"
#include "query/gpu/code/made_once.h"

namespace presso::gpu {
namespace {

/// Loaded sources that are kept, since each takes memory of the device.
constexpr std::size_t kMostLoaded = 256;

/// Dynamic shared memory that each kernel may have.
constexpr std::uint32_t kSharedWithoutAsking = 48 << 10;

class LoadedKernels final : public CompiledKernels {
 public:
  LoadedKernels(int device, cudaLibrary_t library) : device_(device), library_(library) {}
  LoadedKernels(const LoadedKernels&) = delete;
  LoadedKernels& operator=(const LoadedKernels&) = delete;
  ~LoadedKernels() override {
    const CurrentDevice current(device_);
    if (cudaLibraryUnload(library_) != cudaSuccess) static_cast<void>(cudaGetLastError());
  }

  Result<std::uint32_t> thread_blocks(const char* name, std::uint32_t threads,
                                      std::uint32_t shared_bytes) override {
    const CurrentDevice current(device_);
    PRESSO_ASSIGN(const void* const kernel, find(name));
    PRESSO_ASSIGN(const int blocks, blocks_at_once(kernel, threads, shared_bytes, name));
    if (blocks == 0) {
      return make_error(ErrorCode::kDeviceMemory,
                        std::string(name) + ": a thread block of " + std::to_string(threads) +
                            " threads and " + std::to_string(shared_bytes) +
                            " bytes of shared memory has no room on this GPU");
    }
    PRESSO_TRY(leave_cache(kernel, blocks, shared_bytes, name));
    PRESSO_ASSIGN(const int processors, device_attribute(cudaDevAttrMultiProcessorCount));
    return static_cast<std::uint32_t>(blocks * processors);
  }

  Status launch(const char* name, const void* argument, std::size_t bytes,
                std::uint32_t thread_blocks, std::uint32_t threads, std::uint32_t shared_bytes,
                Stream stream) override {
    const CurrentDevice current(device_);
    PRESSO_ASSIGN(const void* const kernel, find(name));
    PRESSO_TRY(check_argument(name, kernel, bytes));
    if (shared_bytes > kSharedWithoutAsking) {
      PRESSO_TRY(allow_most_shared_memory(kernel, name));
    }
    void* arguments[] = {const_cast<void*>(argument)};
    return check(cudaLaunchKernel(kernel, thread_blocks, threads, arguments, shared_bytes, stream),
                 name);
  }

 private:
  Result<const void*> find(const char* name) const {
    cudaKernel_t kernel = nullptr;
    PRESSO_TRY(check(cudaLibraryGetKernel(&kernel, library_, name), name));
    return static_cast<const void*>(kernel);
  }

  /// CUDA would read as many bytes as the kernel takes, whatever was given.
  static Status check_argument(const char* name, const void* kernel, std::size_t bytes) {
#if CUDART_VERSION >= 13000
    std::size_t offset = 0, taken = 0;
    PRESSO_TRY(check(cudaFuncGetParamInfo(kernel, 0, &offset, &taken), name));
    if (taken != bytes) {
      return make_error(ErrorCode::kInvalidArgument, std::string(name) + " takes " +
                                                         std::to_string(taken) + " bytes, not " +
                                                         std::to_string(bytes));
    }
#endif
    return {};
  }

  const int device_;
  const cudaLibrary_t library_;
};

/// "sm_90". Does not start CUDA on the device.
Result<std::string> architecture_of(int device) {
  int major = 0, minor = 0;
  PRESSO_TRY(check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
                   "looking at a GPU"));
  PRESSO_TRY(check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device),
                   "looking at a GPU"));
  return "sm_" + std::to_string(major) + std::to_string(minor);
}

class CudaCompiler final : public KernelCompiler {
 public:
  CudaCompiler(int device, const Result<std::string>& architecture,
               const KernelCompilerOptions& options)
      : device_(device),
        usable_(architecture.ok() ? Status() : Status(architecture.error())),
        maker_(architecture.ok() ? *architecture : "", options),
        loaded_(kMostLoaded) {}

  Result<std::shared_ptr<CompiledKernels>> compile(const std::string& source) override {
    PRESSO_TRY(usable_);
    return without_bad_alloc([&] { return loaded_.get(source, [&] { return load(source); }); });
  }

 private:
  Result<std::shared_ptr<CompiledKernels>> load(const std::string& source) {
    PRESSO_ASSIGN(const std::vector<Byte> cubin, maker_.cubin(source));
    const CurrentDevice current(device_);
    cudaLibrary_t library = nullptr;
    PRESSO_TRY(
        check(cudaLibraryLoadData(&library, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
              "loading compiled kernels"));
    return std::shared_ptr<CompiledKernels>(std::make_shared<LoadedKernels>(device_, library));
  }

  const int device_;
  Status usable_;
  CubinMaker maker_;
  MadeOnce<std::shared_ptr<CompiledKernels>> loaded_;
};

}  // namespace

std::shared_ptr<KernelCompiler> cuda_kernel_compiler(int device,
                                                     const KernelCompilerOptions& options) {
  return std::make_shared<CudaCompiler>(device, architecture_of(device), options);
}

}  // namespace presso::gpu
