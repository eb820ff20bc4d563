// SPDX-License-Identifier: MIT
// The loops of integer_filter.h over the 1,024 values of a vector, one of each kind per CPU level.
// Each writes all 16 words of a bitmap.
#pragma once

#include <cstdint>

namespace presso {

/// Packed values p of `width` bits, 0 to 32, wanted where (p - low) mod 2^32 <= span. `words`:
/// those of 1,024 values.
struct PackedRange {
  const std::uint8_t* words;
  std::uint32_t width;
  std::uint32_t low;
  std::uint32_t span;
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

struct FilterKernels {
  void (*packed)(const PackedRange& range, std::uint64_t* bits);
  void (*values)(const ValueRange& range, std::uint64_t* bits);
  void (*reals)(const RealRange& range, std::uint64_t* bits);
};

extern const FilterKernels kFilterPortable;
#if defined(__x86_64__)
extern const FilterKernels kFilterAvx2;
extern const FilterKernels kFilterAvx512;
#endif

}  // namespace presso
