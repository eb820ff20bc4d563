// SPDX-License-Identifier: MIT
// Converts presso's errors and texts between the C++ types and the C structs of plugin.h; both the
// module and the library of presso-gpu use it. A text that is cut off loses its end, which no
// program depends on. Tested by python/tests/test_gpu.py.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "presso/error.h"
#include "python/gpu_package/plugin.h"

namespace presso::gpu_plugin {

/// Copies a text into an array of fixed size, cut off if there is no room, and ended by a zero.
template <std::size_t kRoom>
void copy_text(const std::string& from, char (&to)[kRoom]) {
  const std::size_t bytes = std::min(from.size(), kRoom - 1);
  std::memcpy(to, from.data(), bytes);
  to[bytes] = 0;
}

/// Fills the struct; every member is set.
inline void copy_error(const Error& from, presso_gpu_error& to) {
  to.code = static_cast<std::uint32_t>(from.code);
  to.block = from.block;
  to.byte_offset = from.byte_offset;
  copy_text(from.what, to.what);
}

/// The error with its code, which both sides number alike.
inline Error error_of(const presso_gpu_error& from) {
  return {static_cast<ErrorCode>(from.code), from.what, from.block, from.byte_offset};
}

}  // namespace presso::gpu_plugin
