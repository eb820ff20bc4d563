// SPDX-License-Identifier: MIT
// A few literals laid out for a GPU: of each a gram, four bytes that are rare in texts, which every
// place of the text is compared with, and all its bytes with which a place that agrees is verified.
// Case of ASCII letters is ignored by masks: the two cases of a letter differ in one bit, and that
// bit alone leads to no other byte. Host code, no CUDA. Test: tests/simt/scan_literals_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "presso/bytes.h"
#include "presso/error.h"

namespace presso::gpu {

constexpr std::uint32_t kMostGrams = 8;

/// One literal: its place in the image, and its gram, which stands where (text & mask) == gram for
/// four bytes of text, the first of them in the lowest bits.
struct LiteralGram {
  std::uint32_t gram = 0;
  std::uint32_t mask = 0;
  std::uint32_t gram_offset = 0;  ///< in the literal
  std::uint32_t length = 0;
  std::uint32_t at = 0;  ///< in the image: `length` bytes, and then as many masks
};

/// The table as kernels see it; passed as an argument, so grams lie in constant memory.
struct LiteralTableView {
  const Byte* d_image = nullptr;
  LiteralGram grams[kMostGrams];  ///< beyond `count` the first one again
  std::uint32_t count = 0;
  std::uint32_t masked = 0;  ///< whether a mask leaves a bit out
};

/// The table in host memory. The caller copies the image to the device and sets the view's pointer.
struct LiteralTable {
  std::vector<Byte> image;
  LiteralTableView view;  ///< d_image is for the caller to set
};

/// Lays out one to kMostGrams literals. Error: kInvalidArgument where there are none or more, or
/// one is empty or holds a '\n'.
Result<LiteralTable> lay_out_literals(const std::vector<std::string>& literals,
                                      bool ignore_ascii_case);

}  // namespace presso::gpu
