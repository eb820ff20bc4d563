// SPDX-License-Identifier: MIT
// An automaton over bytes laid out for the kernels that test text (text_walk.cuh): one image in
// device memory, the front of which each thread block copies into shared memory. Bytes that no
// state distinguishes share a class. Host code, no CUDA.
//
//   kClasses  the class of each byte; then a row of bytes for each state, with a column for each
//             class. Up to 256 states and kMostTextShared bytes; all of it is shared
//   kWide     the class of each byte, shared; rows of 16 bits, which are read through the caches.
//             Any automaton of up to kMostFunctionCells cells
//
// Rows of bytes are an odd number of words apart, so that one column of different states lies in
// different banks of shared memory. Tested by tests/unit/query/gpu/text_table_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "presso/error.h"
#include "query/gpu/strings/string_table.h"
#include "scan/automaton/dfa.h"

namespace presso::gpu {

enum class TextLayout : std::uint32_t { kClasses, kWide };

constexpr std::uint32_t kByteClassesBytes = 256;  ///< rows_at of both layouts
/// Bytes of a table of kClasses: any GPU has room for one table beside what warps need, a
/// multiprocessor of an H100 for four.
constexpr std::uint32_t kMostTextShared = 40u << 10;

/// A table in host memory, to be copied to the device as it is.
struct TextTable {
  std::vector<Byte> image;
  StringTableView view;  ///< d_image is for the caller to set; `none` and `tokens` mean nothing
  TextLayout layout = TextLayout::kClasses;
  // Strings with fewer or more bytes than these do not match, so kernels need not read them. If no
  // string matches, least_bytes is the greatest number.
  std::uint32_t least_bytes = 0;
  std::uint32_t most_bytes = ~std::uint32_t{0};
};

/// Whether the layout has room for the automaton.
bool fits(TextLayout layout, const scan_detail::Dfa& dfa);
/// `dfa` is over strings (Texts::kStrings). Error: kUnsupported if the layout has no room.
Result<TextTable> lay_out_text(TextLayout layout, const scan_detail::Dfa& dfa);
/// Uses kClasses if it has room, otherwise kWide. Error: kUnsupported if neither has.
Result<TextTable> lay_out_text(const scan_detail::Dfa& dfa);

}  // namespace presso::gpu
