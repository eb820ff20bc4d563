// SPDX-License-Identifier: MIT
// The parsing part of the page decoder: fills a page's marks and slots, and requests its literals. All warps take part, each with every kWarps-th unit.
#pragma once

#include <cstddef>

#include "decompress/gpu/unit_parser.cuh"

namespace presso::gpu {

/// A slot is kSlotBias - back, or kSlotBias + kOverlapGap + distance of a match that overlaps itself
/// within a tile.
constexpr u32 kOverlapGap = 8;
constexpr u32 kSlotBias = 65535 - kOverlapGap - (kTileBytes - 1);

template <class Policy>
class PageParser {
 public:
  PRESSO_DEVICE PageParser(const BlockPlan& plan, const UnitRecord* units,
                           PageShared<Policy>& shared)
      : plan_(plan),
        parser_(plan),
        units_(units),
        units_count_(units_of(plan.sequences)),
        shared_(shared) {}

  /// Requests what parse() of the page at `from` begins with.
  PRESSO_DEVICE void prefetch(const PageRecord& from) {
    const u32 unit = from.unit + simt::warp_in_block();
    if (unit < units_count_) {
      next_record_ = units_[unit];
      next_ = parser_.load(unit);
    }
  }

  /// `ring`: ring position of the page's first byte. The caller synchronises before and after.
  PRESSO_DEVICE void parse(u32 page, const PageRecord& from, const PageRecord& to, u32 ring) {
    begin_ = page * kPageBytes;
    first_segment_ = from.segments;
    request_literals(from.literals, to.literals, ring);
    u32 unit = from.unit + simt::warp_in_block();
    PRESSO_NO_UNROLL
    while (unit <= to.unit) {
      parse_unit(unit, next_record_, next_);
      unit += Policy::kWarps;
      if (unit <= to.unit) {
        next_record_ = units_[unit];
        next_ = parser_.load(unit);
      }
    }
    prefetch(to);
  }

  PRESSO_DEVICE void await_literals() {
    if (!requested_) return;
    simt::bulk_copy_wait(&shared_.literal_barrier, parity_);
    parity_ ^= 1;
  }

 private:
  /// Literals [first, to) go into the ring so that each lies at least a tile above its byte's place
  /// and the last one just above page and tile. 16-aligned, so some bytes around them come too.
  PRESSO_DEVICE void request_literals(u32 first, u32 to, u32 ring) {
    const u64 stream = reinterpret_cast<u64>(plan_.literal_bytes());
    const u32 over = static_cast<u32>(stream + to) % 16;
    // Behind the last literal, from the page's first byte; plus how many there are to come.
    literal_ahead_ = kPageBytes + kTileBytes + over - to;
    requested_ = first < to;
    if (!requested_ || simt::thread_in_block() != 0) return;
    const u64 source = (stream + first) & ~u64{15};
    const u32 bytes = static_cast<u32>(((stream + to + 15) & ~u64{15}) - source);
    u32 place = ring + kPageBytes + kTileBytes + (over != 0 ? 16 : 0) - bytes;
    if (place >= Policy::kRing) place -= Policy::kRing;
    const u32 room = Policy::kRing - place;
    const u32 head = bytes < room ? bytes : room;
    const auto* const from = reinterpret_cast<const Byte*>(source);
    simt::bulk_expect(&shared_.literal_barrier, bytes);
    simt::bulk_copy(&shared_.literal_barrier, shared_.ring + place, from, head);
    if (head < bytes) {
      simt::bulk_copy(&shared_.literal_barrier, shared_.ring, from + head, bytes - head);
    }
  }

  PRESSO_DEVICE void parse_unit(u32 unit, const UnitRecord& record,
                                const StoredSequences& stored) {
    const UnitCodes codes = parser_.decode(stored);
    LaneSequences lane;
    if (codes.plain) {
      parser_.place_plain(codes, record, record.plain - begin_, lane);
    } else {
      UnitRecord at = record;
      UnitParser::Lengths lengths;
      parser_.lengths(stored, codes, at, lengths);
      if (unit + 1 == units_count_) parser_.add_tail(unit, at, lengths);
      parser_.place(lengths, record, record.plain - begin_, lane);
    }
    // Below the page positions are above 2^31.
    if (simt::all(lane.begin[0] < kPageBytes && lane.end <= kPageBytes)) {
      emit<true>(stored, lane);
    } else {
      emit<false>(stored, lane);
    }
  }

  /// Marks and slots of the unit's segments, of those in the page if not kInside, which says that
  /// all of them are.
  template <bool kInside>
  PRESSO_DEVICE void emit(const StoredSequences& stored, const LaneSequences& lane) {
    u32 slot = (lane.segments - first_segment_) * static_cast<u32>(sizeof(Slot));
    // Literal l of a segment at page position x lies ahead of it by literal_ahead_ + l - x.
    u32 literal_slot =
        kSlotBias - Policy::kRing + literal_ahead_ + lane.literals - lane.begin[0];
    bool bad = false;
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      const u32 match = lane.match[i];
      const u32 length = lane.end_of(i) - match;
      const u32 distance = stored.distance(i);
      bad |= distance > begin_ + match;
      slot = enter<kInside>(lane.begin[i], match, slot, literal_slot);
      const bool overlaps = distance < length && distance < kTileBytes;
      slot = enter<kInside>(match, lane.end_of(i), slot,
                            overlaps ? kSlotBias + kOverlapGap + distance : kSlotBias - distance);
      literal_slot -= length;
    }
    if (bad) shared_.result = kFailed;
  }

  /// A segment, if not empty. Returns the next one's slot.
  template <bool kInside>
  static PRESSO_DEVICE u32 enter(u32 begin, u32 end, u32 slot, u32 value) {
    constexpr u32 kMarks = offsetof(PageShared<Policy>, marks);
    constexpr u32 kSlots = offsetof(PageShared<Policy>, slots);
    if (begin == end) return slot;
    const int from = static_cast<int>(begin);
    const int to = static_cast<int>(end);
    if (kInside || (to > 0 && from < static_cast<int>(kPageBytes))) {
      simt::store_shared_u8<kMarks>(kInside || from > 0 ? begin : 0, sizeof(Slot));
      simt::store_shared_u16<kSlots>(slot, value);
    }
    return slot + static_cast<u32>(sizeof(Slot));
  }

  const BlockPlan& plan_;
  UnitParser parser_;
  const UnitRecord* units_;
  u32 units_count_;
  PageShared<Policy>& shared_;
  u32 begin_ = 0;          // the page's, in the block
  u32 first_segment_ = 0;  // the one that holds the page's first byte
  u32 literal_ahead_ = 0;
  UnitRecord next_record_;  // of this warp's first unit of the next page
  StoredSequences next_;
  bool requested_ = false;
  u32 parity_ = 0;
};

}  // namespace presso::gpu
