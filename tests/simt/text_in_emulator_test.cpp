// SPDX-License-Identifier: MIT
// text_suite.cpp in the emulator with the product's kernels.
#include "tests/simt/emulated_text_backend.h"

namespace presso::gpu::test {

TextBackend& text_backend() {
  static EmulatedTextBackend backend;
  return backend;
}

}  // namespace presso::gpu::test
