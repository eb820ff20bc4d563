// SPDX-License-Identifier: MIT
// The filter kernels of integer_filter_kernels.h for any CPU: results become bytes of 0 and 1,
// which compilers vectorise, and eight of them become bits by a multiplication.
#include <cmath>
#include <cstring>

#include "decompress/columns/cpu/integer_filter_kernels.h"

namespace presso {
namespace portable {
namespace {

constexpr std::uint32_t kRows = 1024;
constexpr std::uint32_t kLaneCount = 32;

template <class T>
T read_as(const std::uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Turns 32 bytes of 0 or 1 into 32 bits, the first one lowest.
std::uint32_t bits_of(const std::uint8_t* flags) {
  std::uint32_t bits = 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint64_t eight = read_as<std::uint64_t>(flags + 8 * i) * 0x0102040810204080u >> 56;
    bits |= static_cast<std::uint32_t>(eight) << (8 * i);
  }
  return bits;
}

/// Which of the 32 values of `width` bits that begin at bit `shift` of each lane are wanted.
/// One function serves all widths and shifts: it runs only where there is no AVX2, and one for
/// each would be the largest part of the program.
template <class Wanted>
std::uint32_t packed_step(const std::uint8_t* words, std::uint32_t shift, std::uint32_t width,
                          const Wanted& wanted) {
  // A field within one word, or one that goes on in the next.
  const std::uint32_t mask = ~std::uint32_t{0} >> (32 - width);
  std::uint8_t flags[kLaneCount];
  if (shift + width <= 32) {
    for (std::uint32_t lane = 0; lane < kLaneCount; ++lane) {
      flags[lane] = wanted(read_as<std::uint32_t>(words + 4 * lane) >> shift & mask) ? 1 : 0;
    }
  } else {
    for (std::uint32_t lane = 0; lane < kLaneCount; ++lane) {
      const std::uint32_t low = read_as<std::uint32_t>(words + 4 * lane) >> shift;
      const std::uint32_t high = read_as<std::uint32_t>(words + 128 + 4 * lane) << (32 - shift);
      flags[lane] = wanted((low | high) & mask) ? 1 : 0;
    }
  }
  return bits_of(flags);
}

/// All 32 steps of a vector.
template <class Wanted>
void packed_steps(const std::uint8_t* packed, std::uint32_t width, const Wanted& wanted,
                  std::uint64_t* bits) {
  std::uint32_t words[kRows / kLaneCount];
  for (std::uint32_t step = 0; step < kRows / kLaneCount; ++step) {
    const std::uint32_t bit = step * width;
    words[step] = packed_step(packed + 128 * (bit / 32), bit % 32, width, wanted);
  }
  std::memcpy(bits, words, sizeof words);
}

void packed_range(const PackedRange& range, std::uint64_t* bits) {
  const std::uint32_t low = range.low;
  const std::uint32_t span = range.span;
  packed_steps(
      range.words, range.width, [=](std::uint32_t value) { return value - low <= span; }, bits);
}

// The table repeats, but masked values need only its beginning.
void packed_set(const PackedSet& set, std::uint64_t* bits) {
  const std::uint32_t* const table = set.table;
  packed_steps(
      set.words, set.width,
      [=](std::uint32_t value) { return (table[value / 32] >> (value % 32) & 1) != 0; }, bits);
}

/// Calls wanted(value) for all values.
template <class T, class Wanted>
void all_values(const std::uint8_t* values, std::uint64_t* bits, const Wanted& wanted) {
  for (std::uint32_t word = 0; word < kRows / 32; ++word) {
    std::uint8_t flags[32];
    for (std::uint32_t i = 0; i < 32; ++i) {
      flags[i] = wanted(read_as<T>(values + sizeof(T) * (32 * word + i))) ? 1 : 0;
    }
    const std::uint32_t found = bits_of(flags);
    std::memcpy(reinterpret_cast<std::uint8_t*>(bits) + 4 * word, &found, sizeof found);
  }
}

template <class T>
void integers(const ValueRange& range, std::uint64_t* bits) {
  const T low = static_cast<T>(range.low);
  const T span = static_cast<T>(range.span);
  all_values<T>(range.values, bits, [=](T value) { return static_cast<T>(value - low) <= span; });
}

void value_range(const ValueRange& range, std::uint64_t* bits) {
  switch (range.width_bytes) {
    case 1:
      return integers<std::uint8_t>(range, bits);
    case 2:
      return integers<std::uint16_t>(range, bits);
    case 4:
      return integers<std::uint32_t>(range, bits);
    default:
      return integers<std::uint64_t>(range, bits);
  }
}

// Conversion to float is exact: bounds of a float column are floats (value_test.h).
template <class T>
void reals_of(const RealRange& range, std::uint64_t* bits) {
  const T least = static_cast<T>(range.least);
  const T most = static_cast<T>(range.most);
  if (range.nan) {
    all_values<T>(range.values, bits,
                  [=](T value) { return (value >= least && value <= most) || std::isnan(value); });
  } else {
    all_values<T>(range.values, bits, [=](T value) { return value >= least && value <= most; });
  }
}

void real_range(const RealRange& range, std::uint64_t* bits) {
  if (range.width_bytes == 4) return reals_of<float>(range, bits);
  reals_of<double>(range, bits);
}

void value_set(const ValueSet& set, std::uint64_t* bits) {
  all_values<std::uint32_t>(set.values, bits, [&](std::uint32_t value) {
    return value < set.size && (set.wanted[value / 64] >> (value % 64) & 1) != 0;
  });
}

// Run by run: a mask from each start on.
void spread_runs(const std::uint8_t* map, const std::uint64_t* run_bits, std::uint64_t* bits) {
  std::uint32_t run = 0;
  std::uint64_t wanted = 0;
  for (std::uint32_t word = 0; word < kRows / 64; ++word) {
    auto starts = read_as<std::uint64_t>(map + 8 * word);
    std::uint64_t rows = wanted;
    for (; starts != 0; starts &= starts - 1, ++run) {
      wanted = (run_bits[run / 64] >> (run % 64) & 1) != 0 ? ~std::uint64_t{0} : 0;
      const std::uint64_t from = starts & (~starts + 1);  // the lowest
      const std::uint64_t behind = ~(from - 1);
      rows = (rows & ~behind) | (wanted & behind);
    }
    bits[word] = rows;
  }
}

}  // namespace
}  // namespace portable

const FilterKernels FilterKernels::portable = {portable::packed_range, portable::packed_set,
                                               portable::value_range,  portable::value_set,
                                               portable::real_range,   portable::spread_runs};

}  // namespace presso
