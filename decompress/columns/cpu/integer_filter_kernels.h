// SPDX-License-Identifier: MIT
// The inner loops of integer_filter.h: each compares the 1,024 values of a vector with a range or a
// set and writes all 16 words of a bitmap, a bit for each value. There is one set of loops for each
// CPU level. They never fail; *packed* values are those of FORMAT.md 16.1, in 32 lanes.
#pragma once

#include <cstdint>

namespace presso {

/// Packed values p of `width` bits (1 to 32) with low <= p <= low + span, where low + span fits
/// into the width. `words`: those of 1,024 values.
struct PackedRange {
  const std::uint8_t* words;
  std::uint32_t width;
  std::uint32_t low;
  std::uint32_t span;
};

/// The widest packed values for which a set fits into registers.
constexpr std::uint32_t kMaxSetWidth = 10;
constexpr std::uint32_t kSetWords = 32;

/// Packed values of `width` bits (1 to kMaxSetWidth) whose bit in `table` is 1. The table has
/// kSetWords words: the 2^width bits, repeated as often as they fit.
struct PackedSet {
  const std::uint8_t* words;
  std::uint32_t width;
  const std::uint32_t* table;
};

/// Values of 1, 2, 4 or 8 bytes with (value - low) modulo their width at most span. This covers
/// signed and unsigned ranges.
struct ValueRange {
  const std::uint8_t* values;
  std::uint32_t width_bytes;
  std::uint64_t low;
  std::uint64_t span;
};

/// Floats (4 bytes) or doubles (8) with least <= value <= most; NaNs if `nan`.
struct RealRange {
  const std::uint8_t* values;
  std::uint32_t width_bytes;
  double least;
  double most;
  bool nan;
};

/// Values of 4 bytes that are below `size` and whose bit in `wanted` is 1.
struct ValueSet {
  const std::uint8_t* values;
  const std::uint64_t* wanted;
  std::uint32_t size;
};

/// The kernels of one CPU level.
struct FilterKernels {
  void (*packed_range)(const PackedRange& range, std::uint64_t* bits);
  void (*packed_set)(const PackedSet& set, std::uint64_t* bits);
  void (*value_range)(const ValueRange& range, std::uint64_t* bits);
  void (*value_set)(const ValueSet& set, std::uint64_t* bits);
  void (*real_range)(const RealRange& range, std::uint64_t* bits);
  /// Gives each row the bit of its run. `map`: 1,024 bits, 1 where a run begins.
  void (*spread_runs)(const std::uint8_t* map, const std::uint64_t* run_bits, std::uint64_t* bits);

  // All give the same bits for the same input; the differences are of speed only. loops_for() of
  // format/cpu_loops.h picks one.
  static const FilterKernels portable, avx2, avx512;
};

}  // namespace presso
