// SPDX-License-Identifier: MIT
// string_suite.cpp in the emulator with the product's kernels.
#include "tests/simt/emulated_string_backend.h"

namespace presso::gpu::test {

StringBackend& string_backend() {
  static EmulatedStringBackend backend;
  return backend;
}

}  // namespace presso::gpu::test
