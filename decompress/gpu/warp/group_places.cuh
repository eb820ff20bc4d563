// SPDX-License-Identifier: MIT
// Where the sequences of a group of 32, one a lane, lie in the block: what parsers of both codings
// have in common. Prefix sums give each lane where its literals lie and where its bytes go.
//
// Positions count from `origin`, the block's misalignment to 16 bytes, so that a position is
// aligned as its address is. Prefix sums: a group of less than 2^16 bytes has both sums in one
// word; else they are at most 2^23, which added to a block's 2^22 is far from overflow.
#pragma once

#include "decompress/gpu/plan/block_plan.h"
#include "decompress/gpu/simt/global_memory.h"

namespace presso::gpu {

/// The sequence of one lane. Lanes after the block's last sequence have an empty one.
struct LaneSequence {
  u32 at;               ///< position of its first literal
  u32 literals;         ///< its number of literals
  u32 literals_before;  ///< literals of the block before them
  u32 length;           ///< bytes of the match; 0: it has none
  u32 distance;

  PRESSO_DEVICE u32 to() const { return at + literals; }
};

class GroupPlaces {
 public:
  PRESSO_DEVICE explicit GroupPlaces(const BlockPlan& plan)
      : below_(pinned((1u << simt::lane()) - 1)),
        origin_(static_cast<u32>(address_of(plan.out) % 16)),
        at_(origin_),
        end_(origin_ + plan.plain_bytes),
        literals_(plan.literals),
        dictionary_bytes_(plan.dictionary_bytes),
        min_match_(plan.min_match) {}

  /// Position of the first plain byte.
  PRESSO_DEVICE u32 origin() const { return origin_; }
  /// Position of the next group's first byte.
  PRESSO_DEVICE u32 at() const { return at_; }
  /// Literals of all groups so far.
  PRESSO_DEVICE u32 literals_used() const { return literals_used_; }
  /// Mask of the lanes below this one.
  PRESSO_DEVICE u32 below() const { return below_; }

  /// True where a match lies in the dictionary; it does so as a whole.
  PRESSO_DEVICE bool in_dictionary(u32 to, u32 distance) const { return distance > to - origin_; }

 protected:
  /// Returns `value`. Without this the compiler would compute masks anew in each step instead of
  /// keeping them in registers; the result of a shuffle it must keep.
  static PRESSO_DEVICE u32 pinned(u32 value) { return simt::shuffle(value, simt::lane()); }

  /// Places the lane's sequence after those of the lanes before it. `with_long`: whether the group
  /// may have 2^16 bytes or more.
  PRESSO_DEVICE void place(u32 literals, u32 length, u32 distance, bool with_long,
                           LaneSequence& sequence) {
    constexpr u32 kLast = kWarpSize - 1;
    if (!with_long) {
      const u32 mine = literals | (literals + length) << 16;
      const u32 upto = simt::inclusive_sum(mine);
      const u32 all = simt::shuffle(upto, kLast);
      const u32 before = upto - mine;
      sequence.at = at_ + (before >> 16);
      sequence.literals_before = literals_used_ + (before & 0xFFFF);
      at_ += all >> 16;
      literals_used_ += all & 0xFFFF;
    } else {
      const u32 bytes_upto = simt::inclusive_sum(literals + length);
      const u32 literals_upto = simt::inclusive_sum(literals);
      sequence.at = at_ + bytes_upto - literals - length;
      sequence.literals_before = literals_used_ + literals_upto - literals;
      at_ += simt::shuffle(bytes_upto, kLast);
      literals_used_ += simt::shuffle(literals_upto, kLast);
    }
    sequence.literals = literals;
    sequence.length = length;
    sequence.distance = distance;
  }

  /// Whether the lane's match reads where it must not. A source that begins before the block must
  /// lie in the dictionary as a whole.
  PRESSO_DEVICE bool is_outside(const LaneSequence& sequence) const {
    const u32 in_block = sequence.to() - origin_;
    if (sequence.distance <= in_block) return false;
    const u32 before_block = sequence.distance - in_block;
    return before_block > dictionary_bytes_ || sequence.length > before_block;
  }

  u32 below_;
  u32 origin_;
  u32 at_;
  u32 end_;
  u32 literals_;
  u32 literals_used_ = 0;
  u32 dictionary_bytes_;
  u32 min_match_;
};

}  // namespace presso::gpu
