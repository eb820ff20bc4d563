// SPDX-License-Identifier: MIT
// The kernels of a batch scan for the fake device: plain loops over the same tables and memory. A
// call waits for the stream, so that what follows it on the stream finds its results.
#pragma once

#include <memory>

#include "scan/gpu/file/batch_kernels.h"

namespace presso::test {

/// `device` is kept by reference.
std::shared_ptr<gpu::BatchKernels> make_fake_scan_kernels(gpu::Device& device);

}  // namespace presso::test
