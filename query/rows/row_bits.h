// SPDX-License-Identifier: MIT
// Operations on the bitmap of a vector's rows, 16 words: the steps between conditions.
// query/plan/rates.cpp measures them in the way in which query/filter/filter_run.cpp uses them.
// Tested through tests/unit/query/filter/filter_run_test.cpp.
//
// Bit r of word w is row 64 * w + r of the vector; bits after the vector's last row are 0.
#pragma once

#include <cstdint>

#include "query/values/vector.h"

namespace presso::query {

/// Whether any row is left.
inline bool any_row(const std::uint64_t* bits) {
  std::uint64_t all = 0;
  for (std::uint32_t i = 0; i < kBatchWords; ++i) all |= bits[i];
  return all != 0;
}

/// Returns the number of rows. Counts of bytes are added up for all words before they are summed,
/// which compilers vectorise; this takes half the time of counting word by word.
inline std::uint32_t count_rows(const std::uint64_t* bits) {
  constexpr std::uint64_t kPairs = 0x5555555555555555u;
  constexpr std::uint64_t kNibbles = 0x3333333333333333u;
  constexpr std::uint64_t kBytes = 0x0F0F0F0F0F0F0F0Fu;
  std::uint64_t sum = 0;  // of each byte: at most 16 * 8
  for (std::uint32_t i = 0; i < kBatchWords; ++i) {
    const std::uint64_t pairs = bits[i] - (bits[i] >> 1 & kPairs);
    const std::uint64_t nibbles = (pairs & kNibbles) + (pairs >> 2 & kNibbles);
    sum += (nibbles + (nibbles >> 4)) & kBytes;
  }
  constexpr std::uint64_t kShorts = 0x00FF00FF00FF00FFu;
  sum = (sum & kShorts) + (sum >> 8 & kShorts);
  return static_cast<std::uint32_t>(sum * 0x0001000100010001u >> 48);
}

/// Removes the rows that are not in `found`.
inline void keep_rows(std::uint64_t* bits, const std::uint64_t* found) {
  for (std::uint32_t i = 0; i < kBatchWords; ++i) bits[i] &= found[i];
}

}  // namespace presso::query
