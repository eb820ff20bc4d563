// SPDX-License-Identifier: MIT
// Substring search within a row by vector instructions, for kStringInstruction and kVector of
// substring_scan.h. Sources: S6.2.
#pragma once

#include <cstdint>
#include <string>

#include "presso/bytes.h"

namespace presso::strings {

struct Needle {
  static constexpr std::uint32_t kRegister = 16;

  explicit Needle(const std::string& bytes)
      : pattern(bytes), length(static_cast<std::uint32_t>(bytes.size())) {
    for (std::size_t i = 0; i < bytes.size() && i < kRegister; ++i) {
      head[i] = static_cast<Byte>(bytes[i]);
    }
  }

  alignas(16) Byte head[kRegister] = {};  ///< the first bytes
  std::string pattern;
  std::uint32_t length;
};

/// Whether text[0, length) holds the needles in order. Up to `readable_end` bytes after the text
/// may be read.
using ContainsNeedles = bool (*)(const Needle* needles, std::size_t count, const Byte* text,
                                 std::uint64_t length, const Byte* readable_end);

#if defined(__x86_64__)
bool contains_needles_sse42(const Needle* needles, std::size_t count, const Byte* text,
                            std::uint64_t length, const Byte* readable_end);
bool contains_needles_avx2(const Needle* needles, std::size_t count, const Byte* text,
                           std::uint64_t length, const Byte* readable_end);
#endif

}  // namespace presso::strings
