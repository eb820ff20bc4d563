// SPDX-License-Identifier: MIT
// Compiles and launches kernels by CUDA: what KernelCompiler is in builds with CUDA. Compiled code
// is kept in memory by its source, for the sources that were used last, and on disk.
// Tests: tests/gpu/compiled_kernels_test.cpp.
#pragma once

#include <memory>

#include "query/gpu/code/cubin_maker.h"
#include "query/gpu/code/kernel_compiler.h"

namespace presso::gpu {

/// The compiler for a device, as list_devices() counts. What goes wrong shows when something is
/// compiled. Kernels that it has returned live on when it goes; they must not go while one of them
/// runs.
std::shared_ptr<KernelCompiler> cuda_kernel_compiler(int device,
                                                     const KernelCompilerOptions& options = {});

}  // namespace presso::gpu
