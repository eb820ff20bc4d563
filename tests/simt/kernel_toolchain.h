// SPDX-License-Identifier: MIT
// What compiles kernels for the emulator while tests run (emulated_compiler.h), as CMake has
// written it down. Only kernel_toolchain.cpp knows paths, so that no other source is compiled anew,
// past ccache, because the checkout lies elsewhere.
#pragma once

#include <string>

namespace presso::test {

struct KernelToolchain {
  std::string compiler;        ///< the build's
  std::string header_options;  ///< file of options with which the headers were compiled, too
  std::string kernel_options;  ///< file of options after the source's name
  std::string headers;         ///< file of all headers' text, after preprocessing
  std::string cache;           ///< folder of the compiled libraries
};

KernelToolchain kernel_toolchain();

}  // namespace presso::test
