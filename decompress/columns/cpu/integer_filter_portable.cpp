// SPDX-License-Identifier: MIT
// Comparing the values of a vector, for any CPU: results become bytes of 0 and 1, which compilers
// vectorise, and eight of these become bits by a multiplication.
#include <cmath>
#include <cstring>
#include <utility>

#include "decompress/columns/cpu/integer_filter_kernels.h"

namespace presso {
namespace {

constexpr std::uint32_t kRows = 1024;
constexpr std::uint32_t kLaneCount = 32;

template <class T>
T get(const std::uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// 32 bytes of 0 or 1 as 32 bits, the first one lowest.
std::uint32_t bits_of(const std::uint8_t* flags) {
  std::uint32_t bits = 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint64_t eight = get<std::uint64_t>(flags + 8 * i) * 0x0102040810204080u >> 56;
    bits |= static_cast<std::uint32_t>(eight) << (8 * i);
  }
  return bits;
}

/// Step `kStep` of the lanes: 32 values in a row.
template <std::uint32_t kWidth, std::uint32_t kStep>
std::uint32_t packed_step(const PackedRange& range) {
  constexpr std::uint32_t kBit = kStep * kWidth;
  constexpr std::uint32_t kShift = kBit % 32;
  const std::uint8_t* const words = range.words + 128 * (kBit / 32);
  std::uint8_t flags[kLaneCount];
  for (std::uint32_t lane = 0; lane < kLaneCount; ++lane) {
    std::uint32_t value = 0;
    if constexpr (kWidth > 0) {
      value = get<std::uint32_t>(words + 4 * lane) >> kShift;
      if constexpr (kShift + kWidth > 32) {
        value |= get<std::uint32_t>(words + 128 + 4 * lane) << (32 - kShift);
      }
      if constexpr (kWidth < 32 && kShift + kWidth != 32) value &= (1u << kWidth) - 1;
    }
    flags[lane] = value - range.low <= range.span ? 1 : 0;
  }
  return bits_of(flags);
}

template <std::uint32_t kWidth, std::uint32_t... kSteps>
void packed_steps(const PackedRange& range, std::uint64_t* bits,
                  std::integer_sequence<std::uint32_t, kSteps...>) {
  const std::uint32_t words[] = {packed_step<kWidth, kSteps>(range)...};
  std::memcpy(bits, words, sizeof words);
}

template <std::uint32_t kWidth>
void packed_of_width(const PackedRange& range, std::uint64_t* bits) {
  packed_steps<kWidth>(range, bits,
                       std::make_integer_sequence<std::uint32_t, kRows / kLaneCount>());
}

using Packed = void (*)(const PackedRange&, std::uint64_t*);
struct PackedTable {
  Packed of_width[33];
};
template <std::uint32_t... kWidths>
constexpr PackedTable packed_table(std::integer_sequence<std::uint32_t, kWidths...>) {
  return {{packed_of_width<kWidths>...}};
}
constexpr PackedTable kPacked = packed_table(std::make_integer_sequence<std::uint32_t, 33>());

void packed(const PackedRange& range, std::uint64_t* bits) {
  kPacked.of_width[range.width](range, bits);
}

/// `wanted(at)` of all values, `at` where each begins.
template <class T, class Wanted>
void all_values(const std::uint8_t* values, std::uint64_t* bits, const Wanted& wanted) {
  for (std::uint32_t word = 0; word < kRows / 32; ++word) {
    std::uint8_t flags[32];
    for (std::uint32_t i = 0; i < 32; ++i) {
      flags[i] = wanted(get<T>(values + sizeof(T) * (32 * word + i))) ? 1 : 0;
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

void values(const ValueRange& range, std::uint64_t* bits) {
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

void reals(const RealRange& range, std::uint64_t* bits) {
  if (range.width_bytes == 4) return reals_of<float>(range, bits);
  reals_of<double>(range, bits);
}

}  // namespace

const FilterKernels kFilterPortable = {packed, values, reals};

}  // namespace presso
