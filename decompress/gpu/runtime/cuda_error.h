// SPDX-License-Identifier: MIT
// CUDA's errors as ours. Every call of CUDA is wrapped: PRESSO_TRY(check(cudaX(...), "what it was
// for")), and every launch is followed by check(cudaGetLastError(), "the kernel").
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <string_view>

#include "presso/error.h"

namespace presso::gpu {

/// What a CUDA error means to a caller of presso:
///   kNoDevice         nothing on this machine can run our kernels
///   kDeviceMemory     less memory would have worked
///   kInvalidArgument  a stream, pointer or device that the caller gave is not one
///   kDeviceLost       all else: a kernel or the device failed; on most of these the process must
///                     start anew to use the GPU again
constexpr ErrorCode error_code(cudaError_t status) {
  switch (status) {
    case cudaSuccess:
      return ErrorCode::kOk;
    case cudaErrorInsufficientDriver:
    case cudaErrorNoDevice:
    case cudaErrorInitializationError:
    case cudaErrorStubLibrary:
    case cudaErrorDevicesUnavailable:
    case cudaErrorDeviceNotLicensed:
    case cudaErrorCallRequiresNewerDriver:
    case cudaErrorSystemNotReady:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
    case cudaErrorMpsConnectionFailed:
    case cudaErrorMpsRpcFailure:
    case cudaErrorMpsServerNotReady:
    case cudaErrorMpsMaxClientsReached:
    case cudaErrorMpsMaxConnectionsReached:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidKernelImage:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorJitCompilerNotFound:
    case cudaErrorJitCompilationDisabled:
      return ErrorCode::kNoDevice;
    case cudaErrorMemoryAllocation:
      return ErrorCode::kDeviceMemory;
    case cudaErrorInvalidValue:
    case cudaErrorInvalidDevice:
    case cudaErrorInvalidDevicePointer:
    case cudaErrorInvalidHostPointer:
    case cudaErrorInvalidResourceHandle:
      return ErrorCode::kInvalidArgument;
    default:
      return ErrorCode::kDeviceLost;
  }
}

/// An error where `status` is one; `doing` says what was tried, "copying blocks to the GPU". Takes
/// the error back from CUDA, where the next check of a launch would find it again.
inline Status check(cudaError_t status, std::string_view doing) {
  if (status == cudaSuccess) return {};
  static_cast<void>(cudaGetLastError());
  return make_error(error_code(status), std::string(doing) + ": " + cudaGetErrorString(status));
}

}  // namespace presso::gpu
