// SPDX-License-Identifier: MIT
// Whole vectors of 1,024 packed values by one warp, without a value leaving its registers: which
// of them lie in an interval, and the sum of some. A lane has its words loaded at once, W of them
// for W bits; the width is a template's parameter, so that shifts are constants.
//
// Comparing takes three instructions a value: the value is brought to the top of a word, with what
// happens to stand below it, the interval's least is subtracted, and what is left is compared with
// the interval's length, whose own low bits are all ones, so that what stands below does not
// matter.
//
// *Lane masks* tell of a vector's rows: bit s of lane l is of row 32 * s + l.
// Tests: tests/queries/one_table.txt.
#pragma once

#include "decompress/columns/gpu/lane_values.cuh"
#include "query/gpu/kernels/packed_range.cuh"

namespace presso::gpu {

/// Calls sink(step, value) for the lane's values of a chunk of kSteps steps, each at the top of a
/// word. Up to kLanes words behind a vector's own are read in vain.
template <u32 kWidth, u32 kSteps, class Sink>
PRESSO_DEVICE void for_each_on_top(const u32* lane_words, u32 chunk, const Sink& sink) {
  constexpr u32 kWords = (kSteps * kWidth + kWordBits - 1) / kWordBits;
  u32 words[kWords];
  if constexpr (kSteps * kWidth % kWordBits == 0) {
    PRESSO_UNROLL
    for (u32 i = 0; i < kWords; ++i) words[i] = lane_words[(chunk * kWords + i) * kLanes];
  } else {
    const u32 bit = chunk * kSteps * kWidth;
    const u32* const from = lane_words + bit / kWordBits * kLanes;
    u32 low = from[0];
    PRESSO_UNROLL
    for (u32 i = 0; i < kWords; ++i) {
      const u32 high = from[(i + 1) * kLanes];
      words[i] = simt::funnel_shift_right(low, high, bit % kWordBits);
      low = high;
    }
  }
  PRESSO_UNROLL
  for (u32 step = 0; step < kSteps; ++step) {
    const u32 at = step * kWidth / kWordBits;
    const u32 end = step * kWidth % kWordBits + kWidth;  // of the value's bits in the word
    if (end <= kWordBits) {
      sink(step, words[at] << (kWordBits - end));
    } else {
      sink(step, simt::funnel_shift_right(words[at], words[at + 1], end - kWordBits));
    }
  }
}

/// The lane mask of a vector's values in the range.
template <u32 kWidth>
PRESSO_DEVICE u32 packed_between(const u32* lane_words, const TopRange& range) {
  u32 mask = 0;
  for_each_on_top<kWidth, kVectorSteps>(lane_words, 0, [&](u32 step, u32 top) {
    if (top - range.from <= range.span) mask |= 1u << step;
  });
  return mask;
}

/// The sum of a vector's values whose bit is set.
template <u32 kWidth>
PRESSO_DEVICE u64 packed_sum(const u32* lane_words, u32 mask) {
  constexpr u32 kBelow = kWordBits - kWidth;
  // Thirty-two values of up to 27 bits do not overflow.
  using Sum = std::conditional_t<kWidth <= 27, u32, u64>;
  Sum sum = 0;
  for_each_on_top<kWidth, kVectorSteps>(lane_words, 0, [&](u32 step, u32 top) {
    if ((mask >> step & 1) != 0) sum += top >> kBelow;
  });
  return sum;
}

/// Calls `call.template operator()<width>()` for a width of kLeast to kMost.
template <u32 kLeast = 1, u32 kMost = kWordBits, class Call>
PRESSO_DEVICE void for_width(u32 width, const Call& call) {
  if constexpr (kLeast == kMost) {
    call.template operator()<kLeast>();
  } else {
    constexpr u32 kMiddle = (kLeast + kMost) / 2;
    if (width <= kMiddle) {
      for_width<kLeast, kMiddle>(width, call);
    } else {
      for_width<kMiddle + 1, kMost>(width, call);
    }
  }
}

// The same for a width that is known at run time only: functions that are called, so that there is
// one copy of each for all kernels. Places are in bytes of shared_memory(), of the vector's words.

PRESSO_DEVICE const u32* lane_words_at(u32 words_at) {
  return reinterpret_cast<const u32*>(simt::shared_memory() + words_at) + simt::lane();
}

PRESSO_DEVICE_CALL u32 rows_between(u32 words_at, u32 width, TopRange range) {
  const u32* const words = lane_words_at(words_at);
  u32 mask = 0;
  for_width(width, [&]<u32 kWidth>() { mask = packed_between<kWidth>(words, range); });
  return mask;
}

/// Writes base + divisor * value of the lane's values of a chunk of kSteps steps, kWarpSize apart,
/// as numbers of 32 bits or, where `wide`, of 64.
template <u32 kSteps>
PRESSO_DEVICE_CALL void unpack_chunk(u32 words_at, u32 width, u32 chunk, u64 base, u32 divisor,
                                     u32 to_at, bool wide) {
  const u32* const words = lane_words_at(words_at);
  u32 packed[kSteps] = {};
  if (width != 0) {
    for_width(width, [&]<u32 kWidth>() {
      for_each_on_top<kWidth, kSteps>(
          words, chunk, [&](u32 step, u32 top) { packed[step] = top >> (kWordBits - kWidth); });
    });
  }
  if (wide) {
    u64* const to = reinterpret_cast<u64*>(simt::shared_memory() + to_at) + simt::lane();
    PRESSO_UNROLL
    for (u32 k = 0; k < kSteps; ++k) to[k * kWarpSize] = base + u64{packed[k]} * divisor;
  } else {
    u32* const to = reinterpret_cast<u32*>(simt::shared_memory() + to_at) + simt::lane();
    PRESSO_UNROLL
    for (u32 k = 0; k < kSteps; ++k) {
      to[k * kWarpSize] = static_cast<u32>(base) + packed[k] * divisor;
    }
  }
}

}  // namespace presso::gpu
