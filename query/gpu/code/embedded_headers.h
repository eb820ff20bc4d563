// SPDX-License-Identifier: MIT
// The headers that sources of kernels include, as texts within the library
// (cmake/presso_embed_headers.cmake), so that compiling them at run time needs no file.
// query/gpu/CMakeLists.txt lists them. Tests: tests/unit/query/gpu/nvrtc_library_test.cpp.
#pragma once

#include <cstdint>
#include <span>

namespace presso::gpu {

struct EmbeddedHeader {
  const char* name;  ///< as sources include it
  const char* text;
};

/// All of them. They live as long as the process.
std::span<const EmbeddedHeader> embedded_headers();

/// A checksum of all of them, names included; computed once in a process.
std::uint64_t embedded_headers_sum();

}  // namespace presso::gpu
