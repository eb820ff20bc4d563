// SPDX-License-Identifier: MIT
// Computes where a lane's four sequences of a unit of 128 lie in the block: what the relay
// decoder's parsers of tokens (unit_parser.cuh) and of records (record_unit_parser.cuh) have in
// common.
#pragma once

#include "decompress/gpu/relay/half_page_copier.cuh"

namespace presso::gpu {

/// Where a lane's sequences lie, and their matches, in the block.
struct LaneSequences {
  u32 begin[4];  ///< first literal
  u32 match[4];  ///< first byte after the literals
  u32 end;       ///< the end of the last one; each ends where the next begins
  u32 literals;  ///< in the block before the first one
  u32 segments;  ///< literal runs and matches before the first one

  PRESSO_DEVICE u32 end_of(u32 i) const { return i < 3 ? begin[(i + 1) % 4] : end; }
};

/// The lengths of a lane's four sequences.
struct UnitLengths {
  u32 literals[4];
  u32 matches[4];  ///< 0: no match
};

class UnitPlaces {
 public:
  PRESSO_DEVICE explicit UnitPlaces(const BlockPlan& plan) : plan_(plan) {}

  /// The block's last unit: the literals after the last sequence become one more sequence, without
  /// a match. False where more literals were used than there are.
  PRESSO_DEVICE bool add_tail(u32 unit, const UnitRecord& at, UnitLengths& lengths) const {
    const u32 tail = plan_.sequences - unit * kUnitSequences;
    const bool mine = tail / 4 == simt::lane();
    u32 sum = 0;
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) sum += mine && i == tail % 4 ? 0 : lengths.literals[i];
    const u32 used = at.literals + simt::reduce_add(sum);
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      const bool here = mine && i == tail % 4;
      lengths.literals[i] = here ? plan_.literals - used : lengths.literals[i];
    }
    return used <= plan_.literals;
  }

  /// Places the sequences of any unit that fits into the block.
  static PRESSO_DEVICE void place(const UnitLengths& lengths, const UnitRecord& at,
                                  LaneSequences& lane) {
    u32 bytes = 0, literals = 0, segments = 0;
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      literals += lengths.literals[i];
      bytes += lengths.literals[i] + lengths.matches[i];
      segments += u32{lengths.literals[i] != 0} + u32{lengths.matches[i] != 0};
    }
    // At most 2^22 bytes and 256 segments.
    const u32 sums = bytes | segments << 23;
    const u32 before = simt::inclusive_sum(sums) - sums;
    lane.literals = at.literals + simt::inclusive_sum(literals) - literals;
    lane.segments = at.segments + (before >> 23);
    place_from(at.plain + (before & 0x7FFFFFu), lengths, lane);
  }

  /// Places the lane's sequences one after another, the first at `from`.
  static PRESSO_DEVICE void place_from(u32 from, const UnitLengths& lengths, LaneSequences& lane) {
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      lane.begin[i] = from;
      lane.match[i] = from + lengths.literals[i];
      from = lane.match[i] + lengths.matches[i];
    }
    lane.end = from;
  }

 protected:
  const BlockPlan& plan_;
};

}  // namespace presso::gpu
