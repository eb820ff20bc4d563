// SPDX-License-Identifier: MIT
// Candidates for many literals by looking at every stride-th place only: where all literals have at
// least stride + 3 bytes, one of the four-byte windows at offsets 0 to stride - 1 of a literal
// stands at such a place (the idea of Wu and Manber's shifts, without the shifts). A table says for
// a window's hash at which offsets literals have it; the bytes from the begin that follows are then
// asked for in a Bloom filter, so that nearly all candidates are matches.
//
// Costs about one table access for `stride` bytes of text. Declines (no probe) where literals are
// shorter than five bytes, or where case is ignored and the sizes of letters vary early.
// Tested by tests/unit/scan/literal/scan_literal_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "presso/bytes.h"
#include "scan/bytes/kernels.h"
#include "scan/literal/literal_units.h"

namespace presso::scan_detail {

struct StrideProbe {
  static constexpr std::size_t kWindowBytes = 4;
  static constexpr std::size_t kMostStride = 8;  ///< begins are bits of a byte

  std::size_t stride = 0;
  std::size_t shortest = 0;      ///< bytes of the shortest literal
  std::size_t prefix_bytes = 0;  ///< 4 to 8, of a literal's start, in `prefixes`
  std::uint32_t windows_log2 = 0;
  std::uint32_t prefixes_log2 = 0;
  /// By the hash of a window that ends a stride: bit i for a literal that begins at the stride's
  /// byte i, in which the window so has the offset stride - 1 - i.
  std::vector<Byte> begins;
  std::vector<std::uint64_t> prefixes;  ///< a bit for each hash of a prefix
};

/// `literals` not empty.
std::optional<StrideProbe> plan_strides(const std::vector<LiteralUnits>& literals,
                                        bool ignore_case);

/// Adds the first candidates in [from, limit), those of one window, and returns where to go on;
/// `limit` where there are none. No literal that begins at `limit` or later fits into `text`.
std::size_t find_strided(const StrideProbe& probe, Bytes text, std::size_t from, std::size_t limit,
                         CandidateBatch& batch);

}  // namespace presso::scan_detail
