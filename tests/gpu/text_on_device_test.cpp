// SPDX-License-Identifier: MIT
// text_suite.cpp on a GPU with the product's kernels.
#include "tests/gpu/device_text_backend.h"

namespace presso::gpu::test {

TextBackend& text_backend() {
  static DeviceTextBackend backend;
  return backend;
}

}  // namespace presso::gpu::test
