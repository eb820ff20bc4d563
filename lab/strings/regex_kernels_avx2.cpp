// SPDX-License-Identifier: MIT
// 8 strings at a time. Compiled with -mavx2 -mbmi -mbmi2 -mpopcnt.
#if defined(__x86_64__)
#include <immintrin.h>

#include <array>
#include <bit>

#include "lab/strings/regex_kernels_vector.h"

namespace presso::strings {
namespace {

/// For each mask of 8 lanes, a lane number in each byte.
struct LaneOrders {
  std::array<std::uint64_t, 256> packed{};  ///< the lanes of the mask to the front
  std::array<std::uint64_t, 256> ranks{};   ///< in each lane, how many of the mask are before it
};

constexpr LaneOrders make_lane_orders() {
  LaneOrders orders;
  for (unsigned mask = 0; mask < 256; ++mask) {
    unsigned rank = 0;
    for (unsigned lane = 0; lane < 8; ++lane) {
      orders.ranks[mask] |= std::uint64_t{rank} << (8 * lane);
      if ((mask >> lane & 1) == 0) continue;
      orders.packed[mask] |= std::uint64_t{lane} << (8 * rank);
      ++rank;
    }
  }
  return orders;
}

constexpr LaneOrders kOrders = make_lane_orders();

struct Avx2 {
  using Int = __m256i;
  using Mask = __m256i;
  static constexpr std::int32_t kLanes = 8;

  static Int splat(std::int32_t value) { return _mm256_set1_epi32(value); }
  static Int iota() { return _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7); }
  static Int add(Int a, Int b) { return _mm256_add_epi32(a, b); }
  static Int sub(Int a, Int b) { return _mm256_sub_epi32(a, b); }
  static Int multiply(Int a, Int b) { return _mm256_mullo_epi32(a, b); }
  static Int bit_and(Int a, Int b) { return _mm256_and_si256(a, b); }
  static Int bit_or(Int a, Int b) { return _mm256_or_si256(a, b); }
  template <int kBits>
  static Int shift_left(Int a) {
    return _mm256_slli_epi32(a, kBits);
  }
  template <int kBits>
  static Int shift_right(Int a) {
    return _mm256_srli_epi32(a, kBits);
  }
  static Int shift_left_by(Int a, Int bits) { return _mm256_sllv_epi32(a, bits); }
  static Int shift_right_by(Int a, Int bits) { return _mm256_srlv_epi32(a, bits); }
  static Mask all() { return splat(-1); }
  static Mask greater(Int a, Int b) { return _mm256_cmpgt_epi32(a, b); }
  static Mask equal(Int a, Int b) { return _mm256_cmpeq_epi32(a, b); }
  static Mask both(Mask a, Mask b) { return _mm256_and_si256(a, b); }
  static Mask either(Mask a, Mask b) { return _mm256_or_si256(a, b); }
  static unsigned bits(Mask a) {
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(a)));
  }
  static bool any(Mask a) { return bits(a) != 0; }
  static std::int32_t count(Mask a) { return std::popcount(bits(a)); }
  static Int blend(Mask mask, Int a, Int b) { return _mm256_blendv_epi8(b, a, mask); }

  /// 4 bytes at each place.
  static Int gather_bytes(const Byte* from, Int at) {
    return gather_bytes(_mm256_setzero_si256(), all(), from, at);
  }
  static Int gather_bytes(Int other, Mask mask, const Byte* from, Int at) {
    return _mm256_mask_i32gather_epi32(other, reinterpret_cast<const int*>(from), at, mask, 1);
  }
  static Int gather_entries(Int other, Mask mask, const std::int32_t* from, Int at) {
    return _mm256_mask_i32gather_epi32(other, from, at, mask, 4);
  }

  static Int lanes_of(std::uint64_t packed) {
    return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(packed)));
  }
  /// Writes a whole register, of which count(mask) places count.
  static void store_selected(std::uint32_t* to, Mask mask, Int values) {
    const Int packed = _mm256_permutevar8x32_epi32(values, lanes_of(kOrders.packed[bits(mask)]));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), packed);
  }
  static void store(std::int32_t* to, Int values) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), values);
  }
  /// `first`, `first` + 1, ... in the lanes of `mask`.
  static Int next_rows(Mask mask, Int rows, std::int32_t first) {
    return blend(mask, add(lanes_of(kOrders.ranks[bits(mask)]), splat(first)), rows);
  }
};

}  // namespace

const RegexKernels<Table32View> kAvx2Regex32 = regex_kernels<Avx2, Table32View>();
const RegexKernels<Table8View> kAvx2Regex8 = regex_kernels<Avx2, Table8View>();

}  // namespace presso::strings
#endif
