// SPDX-License-Identifier: MIT
// TokenFunctions laid out for kernels: one image that lies in device memory, the front of which
// each thread block copies into shared memory. Host code, no CUDA.
//
//   kClasses  class of each code, a byte; then a row of bytes for each state, a column for each
//             class: up to 256 states and 255 classes, up to kMostShared bytes, all shared
//   kWide     class of each code, 16 bits, shared; rows of 16 bits, which are read through the
//             caches: any automaton
//   kSweep    a word for each code, shared, and what kWide has, for the rows that words do not
//             decide (row_sweep.cuh): any automaton
//
// Rows have one column more, `none`, which leads each state to itself: what stands behind a row's
// last code counts as that, so that rows of different lengths need no branch. Rows of bytes are an
// odd number of words apart, so that one column of different states lies in different banks.
// Tested by tests/unit/query/gpu/string_table_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "presso/bytes.h"
#include "presso/error.h"
#include "query/gpu/strings/token_functions.h"

namespace presso::gpu {

enum class StringLayout : std::uint32_t { kClasses, kWide, kSweep };
constexpr std::uint32_t kStringLayouts = 3;

constexpr std::uint32_t kMostClassRows = 256;
constexpr std::uint32_t kMostClasses = 255;
constexpr std::uint32_t kMostShared = 96u << 10;    ///< bytes of a table of kClasses
constexpr std::uint32_t kClassRowsAt = kMaxTokens;  ///< rows_at of kClasses

/// Words of kSweep. Let m(c) be the state that code c leads the start to. If the state before each
/// code of a row were always m of the code before it, each state would be known from one code. It
/// is, as long as no code does something else to that state than to the start. So a code's word has
///   bits 16 to 30  a bit for m(c), none where that is the start
///   bit 31         1
///   bits 0 to 14   the bits of all states m(d) to which c does something else than to the start
///   bit 15         whether m(c) matches
/// and a row in which no word shares a bit with the upper half of the word before it does not
/// match. Several states may have the same bit. A code without a token has all bits, so that its
/// row is looked at.
constexpr std::uint32_t kSweepBits = 15;

/// What kernels know of a table. Trivially copyable; `d_image` is 16-byte aligned device memory.
struct StringTableView {
  const Byte* d_image = nullptr;
  std::uint32_t image_bytes = 0;   ///< a multiple of 16
  std::uint32_t shared_bytes = 0;  ///< the first ones, which are copied to shared memory; as well
  std::uint32_t rows_at = 0;       ///< bytes of the image before the rows; a multiple of 16
  std::uint32_t pitch = 0;         ///< entries from one row to the next
  std::uint32_t none = 0;          ///< a column
  std::uint32_t tokens = 0;        ///< codes from here on name no token
  std::uint32_t start = 0;
  std::uint32_t first_matching = 0;
  std::uint32_t end_matching = 0;
  std::uint32_t first_decided = 0;
};

struct StringTable {
  std::vector<Byte> image;
  StringTableView view;  ///< d_image is for the caller to set
};

/// Those of all codes, kMaxTokens of them.
std::vector<std::uint32_t> sweep_words(const TokenFunctions& functions);

/// Whether the layout has room for it.
bool fits(StringLayout layout, const TokenFunctions& functions);
/// kInvalidArgument where the layout has no room.
Result<StringTable> lay_out(StringLayout layout, const TokenFunctions& functions);

}  // namespace presso::gpu
