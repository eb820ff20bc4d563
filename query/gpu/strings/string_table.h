// SPDX-License-Identifier: MIT
// TokenFunctions (token_functions.h) laid out for kernels: one image in device memory, the front of
// which each thread block copies into shared memory. Host code, no CUDA.
//
//   kClasses  the class of each code as a byte; then a row of bytes for each state, with a column
//             for each class. Up to 256 states, 255 classes and kMostShared bytes; all is shared
//   kWide     the class of each code in 16 bits, shared; rows of 16 bits, which are read through
//             the caches. Any automaton
//   kSweep    a word for each code, shared, and the parts of kWide for rows that the words do not
//             decide (row_sweep.cuh). Any automaton
//
// Rows have one more column, `none`, which leads each state to itself: kernels use it for places
// after a row's last code, so that rows of different lengths need no branch. Rows of bytes are an
// odd number of words apart, so that one column of different states lies in different banks of
// shared memory. Tested by tests/unit/query/gpu/string_table_test.cpp.
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

/// The words of kSweep. Let m(c) be the state to which code c leads from the start. If the state
/// before each code of a row were always m of the code before it, each state would be known from
/// one code. That holds as long as no code does something else to that state than to the start. So
/// the word of a code has
///
///   bits 16 to 30  a bit for m(c); none if m(c) is the start
///   bit 31         1
///   bits 0 to 14   the bits of all states m(d) to which c does something else than to the start
///   bit 15         whether m(c) matches
///
/// and a row in which no word shares a bit with the upper half of the word before it does not
/// match. Several states may share a bit, which costs suspects but never misses a match. A code
/// without a token has all bits, so that its row is walked and the code found.
constexpr std::uint32_t kSweepBits = 15;

/// What kernels know about a table. Trivially copyable; `d_image` is 16-byte aligned device memory
/// that belongs to the caller.
struct StringTableView {
  const Byte* d_image = nullptr;
  std::uint32_t image_bytes = 0;  ///< a multiple of 16
  /// The bytes at the front that go to shared memory; a multiple of 16.
  std::uint32_t shared_bytes = 0;
  std::uint32_t rows_at = 0;  ///< bytes of the image before the rows; a multiple of 16
  std::uint32_t pitch = 0;    ///< entries from one row to the next
  std::uint32_t none = 0;     ///< the column that leads each state to itself
  std::uint32_t tokens = 0;   ///< codes from here on name no token
  std::uint32_t start = 0;
  std::uint32_t first_matching = 0;
  std::uint32_t end_matching = 0;
  std::uint32_t first_decided = 0;
};

/// A table in host memory, to be copied to the device as it is.
struct StringTable {
  std::vector<Byte> image;
  StringTableView view;  ///< d_image is for the caller to set
};

/// Returns the words of all kMaxTokens codes.
std::vector<std::uint32_t> sweep_words(const TokenFunctions& functions);

/// Whether the layout has room for the automaton.
bool fits(StringLayout layout, const TokenFunctions& functions);
/// Error: kInvalidArgument if the layout has no room.
Result<StringTable> lay_out(StringLayout layout, const TokenFunctions& functions);

}  // namespace presso::gpu
