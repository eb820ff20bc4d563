// SPDX-License-Identifier: MIT
#include "tests/simt/kernel_toolchain.h"

namespace presso::test {

KernelToolchain kernel_toolchain() {
  const std::string folder = PRESSO_KERNEL_FOLDER;
  return {.compiler = PRESSO_KERNEL_COMPILER,
          .header_options = folder + "/headers.options",
          .kernel_options = folder + "/kernel.options",
          .headers = folder + "/kernel_headers.ii",
          .cache = folder + "/" PRESSO_KERNEL_CACHE};
}

}  // namespace presso::test
