// SPDX-License-Identifier: MIT
// string_suite.cpp on a GPU with the product's kernels.
#include "tests/gpu/device_string_backend.h"

namespace presso::gpu::test {

StringBackend& string_backend() {
  static DeviceStringBackend backend;
  return backend;
}

}  // namespace presso::gpu::test
