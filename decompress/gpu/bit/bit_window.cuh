// SPDX-License-Identifier: MIT
// A window on the bits of a payload, lowest first, for one lane of bit_lanes.cuh, which sees the
// next 64 bits at any time. Words come four at a time into a ring in shared memory, 16 words for
// each lane. A lane's words lie apart from those of all other lanes, so the time that they take
// from the L2 cache is the cost: each four are requested when the twelve words before them begin to
// be used. All lanes of a warp wait together, for words that were requested some steps ago. A step
// uses at most three words, and so does the window's beginning, which counts as one.
//
// Nothing outside of the payload and its padding is read: after the last four words the same
// four come again. The payload must have a word.
#pragma once

#include "decompress/gpu/plan/block_plan.h"
#include "decompress/gpu/simt/simt.h"

namespace presso::gpu {

using simt::kWarpSize;
using simt::u32;
using simt::u64;

/// A payload as aligned words; blocks are padded to multiples of 16.
class PayloadWords {
 public:
  PRESSO_DEVICE explicit PayloadWords(const BlockPlan& plan)
      : words_(reinterpret_cast<const u32*>(plan.payload)), last_((plan.payload_bytes - 1) / 4) {}

  /// Words 4n to 4n + 3.
  PRESSO_DEVICE const u32* four(u32 n) const {
    const u32 last = last_ / 4;
    return words_ + u64{4} * (n < last ? n : last);
  }

  PRESSO_DEVICE u32 load(u32 index) const {
    return simt::load_readonly(words_ + (index < last_ ? index : last_));
  }
  /// `count` bits, at most 31, at any place.
  PRESSO_DEVICE u32 bits(u32 at, u32 count) const {
    const u32 index = at / kWordBits;
    return simt::funnel_shift_right(load(index), load(index + 1), at % kWordBits) &
           ((1u << count) - 1);
  }

  static constexpr u32 kWordBits = 32;  // allow(bare-32): of a word

 private:
  const u32* words_;
  u32 last_;
};

/// The next 64 bits of a payload.
struct NextBits {
  u32 low, high;

  /// The bits after the first `count` modulo 32.
  PRESSO_DEVICE NextBits behind(u32 count) const {
    return {simt::funnel_shift_right(low, high, count), simt::funnel_shift_right(high, 0, count)};
  }
};

/// A lane's ring of words, in shared memory.
constexpr u32 kRingFours = 4;
using WindowRing = simt::Vec4[kRingFours];

class BitWindow {
 public:
  /// `ring` must be this lane's own.
  PRESSO_DEVICE BitWindow(const PayloadWords& words, u32 at, WindowRing& ring)
      : words_(words), ring_(ring), next_(at / kWordBits * kWordBytes), shift_(at % kWordBits) {
    PRESSO_UNROLL
    for (u32 i = 0; i < kRingFours; ++i) request(true, next_ / kFourBytes + i);
    simt::copy_async_commit();
    simt::copy_async_wait<0>();
    low_ = take(true);
    high_ = take(true);
    ahead_ = take(true);
    simt::copy_async_commit();
  }

  PRESSO_DEVICE NextBits peek() const {
    return {simt::funnel_shift_right(low_, high_, shift_),
            simt::funnel_shift_right(high_, ahead_, shift_)};
  }

  /// Uses up bits; the number, at most 95, is in the lowest seven bits of `count`.
  PRESSO_DEVICE void skip(u32 count) {
    shift_ = (shift_ + count) & 127u;
    move(shift_ >= kWordBits);
    PRESSO_NO_UNROLL
    while (shift_ >= kWordBits) move(true);  // rare
  }

  /// Ends a step, in which at most 95 bits were consumed.
  PRESSO_DEVICE void end_step() {
    simt::copy_async_commit();
    simt::copy_async_wait<kRingFours - 1>();
  }

  /// Releases the ring: no copy is on its way there afterwards.
  PRESSO_DEVICE void finish() {
    simt::copy_async_commit();
    simt::copy_async_wait<0>();
  }

  /// Position of the next bit, from the payload's start.
  PRESSO_DEVICE u32 at() const { return 8 * (next_ - 3 * kWordBytes) + shift_; }

 private:
  static constexpr u32 kWordBits = PayloadWords::kWordBits;
  static constexpr u32 kWordBytes = 4;
  static constexpr u32 kFourBytes = 4 * kWordBytes;

  /// Moves by a word or not at all, without a branch.
  PRESSO_DEVICE void move(bool moves) {
    const u32 word = take(moves);
    low_ = moves ? high_ : low_;
    high_ = moves ? ahead_ : high_;
    ahead_ = moves ? word : ahead_;
    shift_ -= moves ? kWordBits : 0;
  }

  /// The next word; uses it up or not.
  PRESSO_DEVICE u32 take(bool uses) {
    const u32 word =
        simt::load_shared_at<u32, 0>(simt::shared_address(ring_) + next_ % u32{sizeof(WindowRing)});
    next_ += uses ? kWordBytes : 0;
    request(uses && next_ % kFourBytes == 0, next_ / kFourBytes + kRingFours - 1);
    return word;
  }

  PRESSO_DEVICE void request(bool requests, u32 four) {
    simt::copy_async_16_if(requests, ring_ + four % kRingFours, words_.four(four));
  }

  const PayloadWords& words_;
  simt::Vec4* ring_;
  u32 next_;  // bytes up to the next word that take() returns
  u32 low_, high_, ahead_;
  u32 shift_;  // bits of the first word that are used, less than 32
};

}  // namespace presso::gpu
