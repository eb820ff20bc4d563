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

/// Which of the 32 values in a row of step `kStep` of the lanes are wanted.
template <std::uint32_t kWidth, std::uint32_t kStep, class Wanted>
std::uint32_t packed_step(const std::uint8_t* packed, const Wanted& wanted) {
  constexpr std::uint32_t kBit = kStep * kWidth;
  constexpr std::uint32_t kShift = kBit % 32;
  const std::uint8_t* const words = packed + 128 * (kBit / 32);
  std::uint8_t flags[kLaneCount];
  for (std::uint32_t lane = 0; lane < kLaneCount; ++lane) {
    std::uint32_t value = get<std::uint32_t>(words + 4 * lane) >> kShift;
    if constexpr (kShift + kWidth > 32) {
      value |= get<std::uint32_t>(words + 128 + 4 * lane) << (32 - kShift);
    }
    if constexpr (kWidth < 32 && kShift + kWidth != 32) value &= (1u << kWidth) - 1;
    flags[lane] = wanted(value) ? 1 : 0;
  }
  return bits_of(flags);
}

template <std::uint32_t kWidth, class Wanted, std::uint32_t... kSteps>
void packed_steps(const std::uint8_t* packed, const Wanted& wanted, std::uint64_t* bits,
                  std::integer_sequence<std::uint32_t, kSteps...>) {
  const std::uint32_t words[] = {packed_step<kWidth, kSteps>(packed, wanted)...};
  std::memcpy(bits, words, sizeof words);
}

using AllSteps = std::make_integer_sequence<std::uint32_t, kRows / kLaneCount>;

template <std::uint32_t kWidth>
void range_of_width(const PackedRange& range, std::uint64_t* bits) {
  const std::uint32_t low = range.low;
  const std::uint32_t span = range.span;
  packed_steps<kWidth>(
      range.words, [=](std::uint32_t value) { return value - low <= span; }, bits, AllSteps());
}

template <std::uint32_t kWidth>
void set_of_width(const PackedSet& set, std::uint64_t* bits) {
  const std::uint32_t* const table = set.table;
  packed_steps<kWidth>(
      set.words, [=](std::uint32_t value) { return (table[value / 32] >> (value % 32) & 1) != 0; },
      bits, AllSteps());
}

struct Tables {
  void (*range[32])(const PackedRange&, std::uint64_t*);
  void (*set[kMaxSetWidth])(const PackedSet&, std::uint64_t*);
};
/// Widths from 1 on.
template <std::uint32_t... kRanges, std::uint32_t... kSets>
constexpr Tables make_tables(std::integer_sequence<std::uint32_t, kRanges...>,
                             std::integer_sequence<std::uint32_t, kSets...>) {
  return {{range_of_width<kRanges + 1>...}, {set_of_width<kSets + 1>...}};
}
constexpr Tables kTables = make_tables(std::make_integer_sequence<std::uint32_t, 32>(),
                                       std::make_integer_sequence<std::uint32_t, kMaxSetWidth>());

void packed_range(const PackedRange& range, std::uint64_t* bits) {
  kTables.range[range.width - 1](range, bits);
}

void packed_set(const PackedSet& set, std::uint64_t* bits) {
  kTables.set[set.width - 1](set, bits);
}

/// `wanted(value)` of all values.
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

void spread_runs(const std::uint8_t* map, const std::uint64_t* run_bits, std::uint64_t* bits) {
  std::uint32_t run = 0;
  std::uint64_t wanted = 0;
  for (std::uint32_t word = 0; word < kRows / 64; ++word) {
    auto starts = get<std::uint64_t>(map + 8 * word);
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

const FilterKernels kFilterPortable = {packed_range, packed_set, value_range,
                                       value_set,    real_range, spread_runs};

}  // namespace presso
