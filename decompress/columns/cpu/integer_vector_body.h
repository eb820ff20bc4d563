// SPDX-License-Identifier: MIT
// Decodes one vector of coding 4 (integers), in any of the kinds 0 to 7, which integer_vector.h
// lists. Compiled once for each CPU level (presso_cpu_levels). Nothing of the standard library is
// used (format/cpu_loops.h). The loops go over the 32 lanes and are unrolled over the steps by
// templates on the width, which compilers turn into a shift, a mask and a store for each register
// of values. One operation compilers do not find: pick_eight(values, places, to) writes, of the
// eight values at `values`, numbers places[0], places[1] and so on to `to`.
//
// A vector is always unpacked as 1,024 values; a shorter one is first copied into a buffer and
// padded with zeros. Values that need more room on their way (16 and 8 bits, short vectors,
// doubles) pass through buffers of at most 8 KiB in the first-level cache.
//
// Cost: `integer_rate` in lab/programs/columns prints G values/s. Tested by
// tests/unit/decompress/columns.

// The packed layout is vertical: value i of a vector lies in lane i % 32, and the words of the
// 32 lanes take turns. So one register shift unpacks neighbouring rows. Layouts of this kind
// are described by D. Lemire and L. Boytsov, "Decoding billions of integers per second through
// vectorization" (2015).
#if defined(PRESSO_AVX2)
#include <immintrin.h>
#endif

#include "decompress/columns/cpu/integer_vector.h"
#include "format/columns/alp_powers.h"
#include "format/steps.h"

namespace presso {
namespace PRESSO_LEVEL {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kRows = 1024;
constexpr u32 kBlockLanes = 32;

/// Unaligned load and store, in the CPU's byte order (little endian).
template <class T>
inline T get(const u8* from) {
  T value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
template <class T>
inline void put(u8* to, T value) {
  __builtin_memcpy(to, &value, sizeof value);
}

/// Values as they are unpacked, before they are narrowed, spread over rows or changed.
template <class T>
struct Values {
  static constexpr u32 kSlack = 16;  // runs are spread by several values at once
  alignas(64) u8 bytes[(kRows + kSlack) * sizeof(T)];
  T at(u32 row) const { return get<T>(bytes + sizeof(T) * row); }
};

// Step kStep of one lane: all shifts and places are constants.
template <u32 kWidth, u32 kStep, class T>
inline void unpack_step(const u8* words, T base, u8* to) {
  constexpr u32 kBit = kStep * kWidth;
  constexpr u32 kShift = kBit % 32;
  u32 value = 0;
  if constexpr (kWidth > 0) {
    value = get<u32>(words + 128 * (kBit / 32)) >> kShift;
    if constexpr (kShift + kWidth > 32) {
      value |= get<u32>(words + 128 * (kBit / 32 + 1)) << (32 - kShift);
    }
    if constexpr (kWidth < 32 && kShift + kWidth != 32) value &= (u32{1} << kWidth) - 1;
  }
  put<T>(to + 32 * sizeof(T) * kStep, static_cast<T>(base + value));
}

/// All 32 steps of each lane. The loop over lanes is the one that compilers vectorise.
template <u32 kWidth, class T, u32... kSteps>
inline void unpack_steps(const u8* __restrict words, T base, u8* __restrict to, Steps<kSteps...>) {
  for (u32 lane = 0; lane < kBlockLanes; ++lane) {
    (unpack_step<kWidth, kSteps, T>(words + 4 * lane, base, to + sizeof(T) * lane), ...);
  }
}

/// Unpacks 1,024 values of kWidth bits, adds `base` and writes them to `to`.
template <u32 kWidth, class T>
void unpack(const u8* __restrict words, T base, u8* __restrict to) {
  unpack_steps<kWidth, T>(words, base, to, typename MakeSteps<32>::type{});
}

// A table of functions by width, so that the width is looked at once a vector.
template <class T>
using Unpack = void (*)(const u8*, T, u8*);
/// One entry for each width from 0 to 32.
template <class T>
struct UnpackTable {
  Unpack<T> of_width[33];
};
template <class T, u32... kWidths>
constexpr UnpackTable<T> make_unpack_table(Steps<kWidths...>) {
  return {{unpack<kWidths, T>..., unpack<32, T>}};
}
template <class T>
constexpr UnpackTable<T> kUnpack = make_unpack_table<T>(typename MakeSteps<32>::type{});

/// Words of n values of `width` bits, at most 32 bits.
inline u32 words_of(u32 n, u32 width) {
  return ((n + 31) / 32 * width + 31) / 32 * 32;
}
/// Bits of a value that are packed in the first, low part; the others follow apart.
inline u32 low_width(u32 width) {
  return width < 32 ? width : 32;
}
/// For widths up to 64, whose low and high halves are packed apart.
inline u32 all_words_of(u32 n, u32 width) {
  return words_of(n, low_width(width)) + words_of(n, width - low_width(width));
}

/// Unpacks n values of up to 32 bits as 1,024; those after the n-th are undefined.
template <class T>
inline void unpack_low(const u8* words, u32 n, u32 width, T base, u8* to) {
  if (n > kRows - kBlockLanes) {
    kUnpack<T>.of_width[width](words, base, to);
    return;
  }
  // Short vectors have fewer words than the unrolled loop reads.
  u8 padded[4 * kRows];
  const u32 bytes = 4 * words_of(n, width);
  __builtin_memcpy(padded, words, bytes);
  __builtin_memset(padded + bytes, 0, 4 * kBlockLanes * width - bytes);
  kUnpack<T>.of_width[width](padded, base, to);
}

/// base + divisor * p.
template <class T>
inline void scale(const u8* __restrict packed, T base, T divisor, u8* __restrict to) {
  if (divisor >> (4 * sizeof(T)) == 0) {  // a multiplication of halves: cheap for 64 bits
    const u32 small = static_cast<u32>(divisor);
    for (u32 i = 0; i < kRows; ++i) {
      put<T>(to + sizeof(T) * i, static_cast<T>(base + T{get<u32>(packed + 4 * i)} * small));
    }
    return;
  }
  for (u32 i = 0; i < kRows; ++i) {
    put<T>(to + sizeof(T) * i, static_cast<T>(base + T{get<u32>(packed + 4 * i)} * divisor));
  }
}

/// base + divisor * p for p of more than 32 bits, given as two halves.
inline void scale_halves(const u8* __restrict low, const u8* __restrict high, u64 base, u64 divisor,
                         u8* __restrict to) {
  if (divisor == 1) {
    for (u32 i = 0; i < kRows; ++i) {
      const u64 value = get<u32>(low + 4 * i) | u64{get<u32>(high + 4 * i)} << 32;
      put<u64>(to + 8 * i, base + value);
    }
    return;
  }
  for (u32 i = 0; i < kRows; ++i) {
    const u64 value = get<u32>(low + 4 * i) | u64{get<u32>(high + 4 * i)} << 32;
    put<u64>(to + 8 * i, base + divisor * value);
  }
}

/// Unpacks n values as base + divisor * p, and 1,024 in all.
template <class T>
inline void unpack_values(const u8* words, u32 n, u32 width, T base, T divisor, u8* to) {
  if (width <= 32 && (divisor == 1 || width == 0)) {
    unpack_low<T>(words, n, width, base, to);
    return;
  }
  // Low and high halves are packed apart, each in lanes of 32 bits.
  Values<u32> low;
  unpack_low<u32>(words, n, low_width(width), 0, low.bytes);
  if (width <= 32) {
    scale<T>(low.bytes, base, divisor, to);
    return;
  }
  if constexpr (sizeof(T) == 8) {
    Values<u32> high;
    unpack_low<u32>(words + 4 * words_of(n, 32), n, width - 32, 0, high.bytes);
    scale_halves(low.bytes, high.bytes, base, divisor, to);
  }
}

/// Prefix sum: each value becomes the sum of those up to it, beginning with `sum`. Four at a
/// time, so that the chain of dependent additions has one link for four values.
template <class T>
inline void add_up(T sum, u32 n, u8* to) {
  // Row 0 has no difference; its value is `sum` itself.
  put<T>(to, 0);
  for (u32 i = 0; i < n; i += 4) {
    u8* const at = to + sizeof(T) * i;
    const T first = get<T>(at);
    const T second = static_cast<T>(first + get<T>(at + sizeof(T)));
    const T third = static_cast<T>(second + get<T>(at + 2 * sizeof(T)));
    const T fourth = static_cast<T>(third + get<T>(at + 3 * sizeof(T)));
    put<T>(at, static_cast<T>(sum + first));
    put<T>(at + sizeof(T), static_cast<T>(sum + second));
    put<T>(at + 2 * sizeof(T), static_cast<T>(sum + third));
    put<T>(at + 3 * sizeof(T), static_cast<T>(sum + fourth));
    sum = static_cast<T>(sum + fourth);
  }
}

/// Kind 2: the first 32 rows, packed one after another, not by lanes, with `width` bits each.
template <class T>
inline void unpack_first_rows(const u8* words, u32 n, u32 width, T base, T divisor, u8* to) {
  const u32 rows = n < kBlockLanes ? n : kBlockLanes;
  u8 padded[4 * (64 + 4)] = {};
  __builtin_memcpy(padded, words, (rows * width + 31) / 32 * 4);
  const u64 mask = width == 64 ? ~u64{0} : (u64{1} << width) - 1;
  for (u32 i = 0; i < rows; ++i) {
    const u32 bit = i * width;
    const u8* const at = padded + bit / 32 * 4;
    u64 value = get<u64>(at) >> (bit % 32);
    if (bit % 32 != 0) value |= u64{get<u32>(at + 8)} << (64 - bit % 32);
    put<T>(to + sizeof(T) * i, static_cast<T>(base + divisor * static_cast<T>(value & mask)));
  }
}

/// Adds to each value from row 32 on the value 32 rows before.
template <class T>
inline void add_lanes(u8* to) {
  T lanes[kBlockLanes];
  __builtin_memcpy(lanes, to, sizeof lanes);
  for (u32 step = 1; step < kRows / kBlockLanes; ++step) {
    u8* const at = to + sizeof(T) * kBlockLanes * step;
    for (u32 lane = 0; lane < kBlockLanes; ++lane) {
      lanes[lane] = static_cast<T>(lanes[lane] + get<T>(at + sizeof(T) * lane));
      put<T>(at + sizeof(T) * lane, lanes[lane]);
    }
  }
}

/// Decodes n values of kind 0, 1 or 2, without exceptions; `to` has room for 1,024.
template <class T>
inline void decode_plain(const IntegerVectorJob& job, u32 kind, const u8* words, u32 n, u8* to) {
  const T base = static_cast<T>(job.base);
  const T divisor = static_cast<T>(job.divisor);
  if (kind == 0) {
    unpack_values<T>(words, n, job.width, base, divisor, to);
    return;
  }
  const T first = static_cast<T>(get<u64>(words));
  if (kind == 1) {
    unpack_values<T>(words + 8, n, job.width, base, divisor, to);
    add_up<T>(first, n, to);
    return;
  }
  // Kind 2: the first 32 rows stand by themselves, the others as differences.
  const u32 first_rows = n < kBlockLanes ? n : kBlockLanes;
  const u32 packed_at = 2 + (first_rows * job.width2 + 31) / 32;
  unpack_values<T>(words + 4 * packed_at, n, job.width, base, divisor, to);
  unpack_first_rows<T>(words + 8, n, job.width2, first, divisor, to);
  add_lanes<T>(to);
}

#if defined(PRESSO_AVX512)

/// Eight values by one permutation.
template <class T>
inline void pick_eight(const std::uint8_t* values, const std::uint8_t* places, std::uint8_t* to) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(places));
  if constexpr (sizeof(T) == 8) {
    const __m512i from = _mm512_loadu_si512(values);
    _mm512_storeu_si512(to, _mm512_permutexvar_epi64(_mm512_cvtepu8_epi64(bytes), from));
  } else {
    const __m256i from = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                        _mm256_permutevar8x32_epi32(from, _mm256_cvtepu8_epi32(bytes)));
  }
}

#elif defined(PRESSO_AVX2)

/// Writes four 8-byte values, those at the places in the lowest four bytes of `places`, each
/// below 4.
inline void pick_four(const std::uint8_t* values, __m128i places, std::uint8_t* to) {
  const __m256i twice = _mm256_cvtepu8_epi64(_mm_add_epi8(places, places));
  const __m256i halves =
      _mm256_or_si256(twice, _mm256_slli_epi64(_mm256_add_epi64(twice, _mm256_set1_epi64x(1)), 32));
  const __m256i from = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permutevar8x32_epi32(from, halves));
}

/// Eight values by a permutation; 8-byte values take two halves.
template <class T>
inline void pick_eight(const std::uint8_t* values, const std::uint8_t* places, std::uint8_t* to) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(places));
  if constexpr (sizeof(T) == 8) {  // of each four rows, the values are among four
    const __m128i second =
        _mm_sub_epi8(_mm_srli_epi64(bytes, 32), _mm_set1_epi8(static_cast<char>(places[4])));
    pick_four(values, bytes, to);
    pick_four(values + 8 * places[4], second, to + 32);
  } else {
    const __m256i from = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                        _mm256_permutevar8x32_epi32(from, _mm256_cvtepu8_epi32(bytes)));
  }
}

#else

/// Eight loads and stores; places are at most 7.
template <class T>
inline void pick_eight(const std::uint8_t* values, const std::uint8_t* places, std::uint8_t* to) {
  for (int i = 0; i < 8; ++i) {
    __builtin_memcpy(to + sizeof(T) * i, values + sizeof(T) * places[i], sizeof(T));
  }
}

#endif

/// Indexed by a byte of a run map: for each of its 8 rows, how many runs after the first row's
/// run it lies in; and how many runs begin in these rows.
struct RunsOfByte {
  u8 after[256][8] = {};
  u8 count[256] = {};
  constexpr RunsOfByte() {
    for (u32 byte = 0; byte < 256; ++byte) {
      count[byte] = static_cast<u8>(byte & 1);
      for (u32 row = 1; row < 8; ++row) {
        const u8 starts = static_cast<u8>(byte >> row & 1);
        after[byte][row] = static_cast<u8>(after[byte][row - 1] + starts);
        count[byte] = static_cast<u8>(count[byte] + starts);
      }
    }
  }
};
constexpr RunsOfByte kRunsOfByte;

/// Spreads the values of runs over their rows, 8 rows at a time without a branch: the values of
/// 8 rows are among the 8 that begin with the first row's. `values` has slack for those after
/// the last run.
template <class T>
inline void spread_runs(const u8* map, const u8* values, u32 rows, u8* to) {
  u32 begun = 0;
  for (u32 row = 0; row < rows; row += 8) {
    const u8 starts = map[row / 8];
    const u32 first = begun + (starts & 1) - 1;
    pick_eight<T>(values + sizeof(T) * first, kRunsOfByte.after[starts], to + sizeof(T) * row);
    begun += kRunsOfByte.count[starts];
  }
}

/// Exceptions are written last, over whatever was unpacked in their rows.
template <class T>
inline void put_exceptions(const IntegerVectorJob& job, u8* to) {
  const u8* const rows = job.words + 4 * job.exceptions_at;
  const u8* const values = rows + (job.exceptions + 1) / 2 * 4;
  for (u32 i = 0; i < job.exceptions; ++i) {
    put<T>(to + sizeof(T) * get<u16>(rows + 2 * i), static_cast<T>(get<u64>(values + 8 * i)));
  }
}

#include "decompress/columns/cpu/integer_doubles_loop.h"

/// The kinds of 4- and 8-byte arithmetic; `to` has room for 1,024 values.
template <class T>
inline void decode_values(const IntegerVectorJob& job, u8* to) {
  if (job.kind == 3) {
    // The run values are a vector of their own in one of the kinds 0 to 2.
    Values<T> runs;
    decode_plain<T>(job, job.exceptions, job.words + 128, job.runs, runs.bytes);
    spread_runs<T>(job.words, runs.bytes, job.rows, to);
    return;
  }
  if constexpr (sizeof(T) == 8) {
    if (job.kind == 5) return decode_alp(job, to);
    if (job.kind == 6) return decode_alp_rd(job, to);
  }
  decode_plain<T>(job, job.kind, job.words, job.rows, to);
  if (job.kind == 0) put_exceptions<T>(job, to);
}

/// 4- and 8-byte values; only short vectors take the way through a buffer.
template <class T>
inline void decode_wide(const IntegerVectorJob& job) {
  if (job.rows == kRows) return decode_values<T>(job, job.out);
  Values<T> values;
  decode_values<T>(job, values.bytes);
  __builtin_memcpy(job.out, values.bytes, sizeof(T) * job.rows);
}

/// The lower bytes of each value; exact, since arithmetic of these types wraps around.
template <class T>
inline void narrow(const u8* __restrict from, u8* __restrict to) {
  for (u32 i = 0; i < kRows; ++i) {
    put<T>(to + sizeof(T) * i, static_cast<T>(get<u32>(from + 4 * i)));
  }
}

/// 1- and 2-byte values are decoded as 4 bytes and narrowed.
template <class T>
inline void decode_narrow(const IntegerVectorJob& job) {
  Values<u32> values;
  decode_values<u32>(job, values.bytes);
  if (job.rows == kRows) return narrow<T>(values.bytes, job.out);
  Values<T> narrowed;
  narrow<T>(values.bytes, narrowed.bytes);
  __builtin_memcpy(job.out, narrowed.bytes, sizeof(T) * job.rows);
}

// 16-byte values: two unpackings and a merge.
inline void decode_pair(const IntegerVectorJob& job) {
  Values<u64> low;
  Values<u64> high;
  const u8* const packed = job.words + 8;
  unpack_values<u64>(packed, job.rows, job.width, job.base, 1, low.bytes);
  unpack_values<u64>(packed + 4 * all_words_of(job.rows, job.width), job.rows, job.width2,
                     get<u64>(job.words), 1, high.bytes);
  for (u32 i = 0; i < job.rows; ++i) {
    put<u64>(job.out + 16 * i, low.at(i));
    put<u64>(job.out + 16 * i + 8, high.at(i));
  }
}

// Bools: a bitmap, or a constant with exceptions.
inline void decode_bools(const IntegerVectorJob& job) {
  const u32 bytes = (job.rows + 7) / 8;
  if (job.kind == 7) {
    __builtin_memcpy(job.out, job.words, bytes);
  } else {
    __builtin_memset(job.out, (job.base & 1) != 0 ? 0xFF : 0, bytes);
    const u8* const rows = job.words + 4 * job.exceptions_at;
    const u8* const values = rows + (job.exceptions + 1) / 2 * 4;
    for (u32 i = 0; i < job.exceptions; ++i) {
      const u32 row = get<u16>(rows + 2 * i);
      const u32 bit = u32{1} << (row % 8);
      const u32 others = job.out[row / 8] & ~bit;
      job.out[row / 8] = static_cast<u8>((values[8 * i] & 1) != 0 ? others | bit : others);
    }
  }
  if (job.rows % 8 != 0) {
    const u32 mask = (u32{1} << (job.rows % 8)) - 1;
    job.out[bytes - 1] = static_cast<u8>(job.out[bytes - 1] & mask);
  }
}

/// By the width of a value: 0 stands for bools, 16 for pairs of 64 bits.
inline void decode_integer_vector(const IntegerVectorJob& job) {
  switch (job.width_bytes) {
    case 0:
      return decode_bools(job);
    case 1:
      return decode_narrow<u8>(job);
    case 2:
      return decode_narrow<u16>(job);
    case 4:
      return decode_wide<u32>(job);
    case 8:
      return decode_wide<u64>(job);
    default:
      return decode_pair(job);
  }
}

}  // namespace PRESSO_LEVEL

const IntegerVectorLoops IntegerVectorLoops::PRESSO_LEVEL = {PRESSO_LEVEL::decode_integer_vector};

}  // namespace presso
