// SPDX-License-Identifier: MIT
// What a unit of 128 sequences contributes to a page (4 KiB of plain bytes) of the relay decoder:
// marks and slots of its segments, as half_page_copier.cuh reads them, and where the page begins in
// the block's streams.
#pragma once

#include "decompress/gpu/relay/unit_places.cuh"

namespace presso::gpu {

/// Where the page at `at`, which lies in the unit, begins in the streams. The same in all lanes.
PRESSO_DEVICE PageStart page_start(const LaneSequences& lane, u32 at) {
  u32 literals = lane.literals;
  u32 segments = lane.segments;
  PageStart start{0, 0};
  PRESSO_UNROLL
  for (u32 i = 0; i < 4; ++i) {
    const u32 begin = lane.begin[i];
    const u32 match = lane.match[i];
    const u32 end = lane.end_of(i);
    if (begin <= at && at < end) {
      start.literals = literals + (at < match ? at : match) - begin;
      start.segments = segments + u32{match > begin && at >= match};
    }
    literals += match - begin;
    segments += u32{match > begin} + u32{end > match};
  }
  const u32 owner = simt::ballot(lane.begin[0] <= at && at < lane.end);
  const u32 from = simt::find_first_set(owner) - 1;
  return {simt::shuffle(start.literals, from), simt::shuffle(start.segments, from)};
}

/// Writes the marks and slots of one page into its tables in shared memory. Called by a parsing
/// warp.
template <class Policy, class Shared>
class SegmentTables {
 public:
  /// `tables`: offset of the page's; `origin`: of the page in the block; `literal_place`: where its
  /// literals are in the ring, from its first byte's place on.
  PRESSO_DEVICE SegmentTables(Shared& shared, u32 tables, u32 origin, const PageStart& start,
                              u32 literal_place)
      : shared_(shared),
        tables_(tables),
        origin_(origin),
        start_(start),
        literal_place_(literal_place) {}

  /// Writes marks and slots of the unit's segments that lie in the page; kInside says that all of
  /// them do. Whatever the lengths and distances are, all stays within the tables. Returns the
  /// place of the slot after the lane's, 0 where there are too many.
  template <bool kInside, class Stored>
  PRESSO_DEVICE u32 emit(const Stored& stored, const LaneSequences& lane) {
    const u32 first_segment = lane.segments - start_.segments;
    if (static_cast<int>(first_segment) > static_cast<int>(Policy::kSegmentSlots - 9) &&
        lane.begin[0] < origin_ + Policy::kPageBytes) {
      shared_.result = kPlanned;
      return 0;
    }
    u32 slot = tables_ + first_segment * static_cast<u32>(sizeof(SegmentSlot));
    // Literal l of a segment at page position x lies ahead of it by literal_place_ + l - x.
    u32 literal_slot = kSlotBias - Policy::kRing + literal_place_ + lane.literals -
                       start_.literals - (lane.begin[0] - origin_);
    bool bad = false;
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      const u32 match = lane.match[i];
      const u32 length = lane.end_of(i) - match;
      const u32 distance = stored.distance(i);
      bad |= distance > match;
      slot = enter<kInside>(lane.begin[i] - origin_, match - origin_, slot, literal_slot);
      const bool overlaps = distance < length && distance < kHalfPageBytes;
      slot = enter<kInside>(match - origin_, lane.end_of(i) - origin_, slot,
                            overlaps ? kSlotBias + kOverlapGap + distance : kSlotBias - distance);
      literal_slot -= length;
    }
    if (bad) shared_.result = kFailed;
    return slot;
  }

  /// Bytes after the block's end, at a page position, are not part of its last segment: they do
  /// not depend on each other. `slot`: of the last lane.
  PRESSO_DEVICE void emit_end(u32 at, u32 slot) const {
    using Offsets = TableOffsets<Shared>;
    if (simt::lane() + 1 < simt::kWarpSize || at >= Policy::kPageBytes || slot == 0) return;
    simt::store_shared_u8<Offsets::kMarks>(tables_ + at, sizeof(SegmentSlot));
    simt::store_shared_u16<Offsets::kSegmentSlots>(slot, kHarmlessSlots);
  }

 private:
  /// Writes mark and slot of the segment from `begin` to `end` (page positions) unless it is empty.
  /// Returns the next one's slot.
  template <bool kInside>
  PRESSO_DEVICE u32 enter(u32 begin, u32 end, u32 slot, u32 value) const {
    using Offsets = TableOffsets<Shared>;
    if (begin == end) return slot;
    const int from = static_cast<int>(begin);
    const int to = static_cast<int>(end);
    if (kInside || (to > 0 && from < static_cast<int>(Policy::kPageBytes))) {
      simt::store_shared_u8<Offsets::kMarks>(tables_ + (kInside || from > 0 ? begin : 0),
                                             sizeof(SegmentSlot));
      simt::store_shared_u16<Offsets::kSegmentSlots>(slot, value);
    }
    return slot + static_cast<u32>(sizeof(SegmentSlot));
  }

  Shared& shared_;
  u32 tables_;
  u32 origin_;
  PageStart start_;
  u32 literal_place_;
};

}  // namespace presso::gpu
