// SPDX-License-Identifier: MIT
// A probe for many literals that looks at every stride-th place only. Where all literals have at
// least stride + 3 bytes, one of the four-byte windows at offsets 0 to stride - 1 of a literal
// stands at such a place (the idea of Wu and Manber's shifts, 1994, without the shifts). A table
// says for a window's hash at which offsets literals have it; the bytes from the beginning that
// follows from this are then looked up in a Bloom filter, so that nearly all candidates are
// matches.
//
// Costs about one table access for `stride` bytes of text; 1,000 words in 107 MB take 0.08 to 0.10
// s (scan/NOTES.md). Memory: at most 1 MiB for windows and 2 MiB for prefixes. Declines (no probe
// is made) if literals are shorter than five bytes, or if case is ignored and the sizes of letters
// vary early. Tested by tests/unit/scan/literal/scan_literal_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "presso/bytes.h"
#include "scan/bytes/kernels.h"
#include "scan/literal/literal_units.h"

namespace presso::scan_detail {

/// The tables of one set of literals. Immutable.
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

/// Makes the probe, or nullopt where it does not apply. `literals` must not be empty.
std::optional<StrideProbe> plan_strides(const std::vector<LiteralUnits>& literals,
                                        bool ignore_case);

/// Adds the first candidates in [from, limit), namely those of one window, and returns where to go
/// on, or `limit` if there are none. No literal that begins at `limit` or later may fit into
/// `text`.
std::size_t find_strided(const StrideProbe& probe, Bytes text, std::size_t from, std::size_t limit,
                         CandidateBatch& batch);

}  // namespace presso::scan_detail
