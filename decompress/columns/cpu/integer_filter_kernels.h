// SPDX-License-Identifier: MIT
// The loops of integer_filter.h over the 1,024 values of a vector, one of each kind per CPU level.
// Each writes all 16 words of a bitmap.
#pragma once

#include <cstdint>

namespace presso {

/// Packed values p of `width` bits, 1 to 32, wanted where low <= p <= low + span, which has no more
/// bits either. `words`: those of 1,024 values.
struct PackedRange {
  const std::uint8_t* words;
  std::uint32_t width;
  std::uint32_t low;
  std::uint32_t span;
};

/// Widths up to which a set of packed values fits into registers.
constexpr std::uint32_t kMaxSetWidth = 10;
constexpr std::uint32_t kSetWords = 32;

/// Packed values of `width` bits, 1 to kMaxSetWidth, wanted where their bit in `table` is 1. It has
/// kSetWords words: the 2^width bits as often as they go into it.
struct PackedSet {
  const std::uint8_t* words;
  std::uint32_t width;
  const std::uint32_t* table;
};

/// Values of 1, 2, 4 or 8 bytes, wanted where (value - low) modulo their width is at most span.
struct ValueRange {
  const std::uint8_t* values;
  std::uint32_t width_bytes;
  std::uint64_t low;
  std::uint64_t span;
};

/// Floats (4 bytes) or doubles (8), wanted where least <= value <= most, or NaN where `nan`.
struct RealRange {
  const std::uint8_t* values;
  std::uint32_t width_bytes;
  double least;
  double most;
  bool nan;
};

/// Values of 4 bytes, wanted where they are below `size` and their bit is 1.
struct ValueSet {
  const std::uint8_t* values;
  const std::uint64_t* wanted;
  std::uint32_t size;
};

struct FilterKernels {
  void (*packed_range)(const PackedRange& range, std::uint64_t* bits);
  void (*packed_set)(const PackedSet& set, std::uint64_t* bits);
  void (*value_range)(const ValueRange& range, std::uint64_t* bits);
  void (*value_set)(const ValueSet& set, std::uint64_t* bits);
  void (*real_range)(const RealRange& range, std::uint64_t* bits);
  /// Each row gets the bit of its run. `map`: 1,024 bits, 1 where a run begins.
  void (*spread_runs)(const std::uint8_t* map, const std::uint64_t* run_bits, std::uint64_t* bits);
};

extern const FilterKernels kFilterPortable;
#if defined(__x86_64__)
extern const FilterKernels kFilterAvx2;
extern const FilterKernels kFilterAvx512;
#endif

}  // namespace presso
